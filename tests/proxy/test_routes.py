"""Tests of the handlers of all routes, over real sockets."""

from __future__ import annotations

import json
import os
from io import BytesIO
from typing import TYPE_CHECKING, Any

import pytest

from antigravity_proxy import __version__
from antigravity_proxy.proxy.routes import PREFIXES

from .conftest import MODEL, chat_body
from .test_event_stream import frames_of

if TYPE_CHECKING:
    from .conftest import Lab, OpenLab

IDS = [
    "gemini-3.8-flash",
    "gemini-3.7-flash",
    "gemini-3.6-flash",
    "gemini-3.5-flash",
    "gemini-3.1-pro",
    "claude-sonnet-4-6",
    "claude-opus-4-6",
    "gpt-oss-120b",
]


async def test_whole_answer_is_one_completion(lab: Lab) -> None:
    """A chat that is not streamed is one JSON object that no cache keeps."""
    async with lab.http.post(f"{lab.url}/v1/chat/completions", json=chat_body()) as response:
        body = await response.json()
        assert response.status == 200
        assert response.headers["Content-Type"] == "application/json"
        assert response.headers["Cache-Control"] == "no-store"
        assert response.headers["X-Antigravity-Runtime-Id"] == "gemini-3.8-flash-low"
    assert (body["object"], body["model"]) == ("chat.completion", MODEL)
    assert body["choices"][0]["message"]["content"].startswith("You said: Hi")
    assert body["choices"][0]["finish_reason"] == "stop"
    assert body["usage"]["total_tokens"] > 0


async def test_answers_have_ids_of_their_own(lab: Lab) -> None:
    """No two answers and no two calls share an id."""
    tools = [{"type": "function", "function": {"name": "read", "parameters": {"type": "object"}}}]
    bodies = [(await lab.chat("Please call read", tools=tools))[1] for _ in range(2)]
    ids = {body["id"] for body in bodies}
    ids |= {call["id"] for body in bodies for call in body["choices"][0]["message"]["tool_calls"]}
    assert len(ids) == 4
    assert all(len(found) <= 64 for found in ids)


@pytest.mark.parametrize("prefix", PREFIXES)
async def test_every_prefix_serves_the_same(lab: Lab, prefix: str) -> None:
    """Clients that add a prefix of their own, or none, find the same routes."""
    async with lab.http.post(f"{lab.url}{prefix}/chat/completions", json=chat_body()) as response:
        assert (await response.json())["object"] == "chat.completion"
    assert [row["id"] for row in (await lab.get(f"{prefix}/models"))[1]["data"]] == IDS
    assert (await lab.get(f"{prefix}/models/{MODEL}"))[1]["id"] == MODEL


async def test_models_are_listed(lab: Lab) -> None:
    """The list has the public models with what harnesses read, and each is found by its id."""
    await lab.services.live_models.read(lab.saved())
    status, listing = await lab.get("/v1/models")
    assert (status, listing["object"]) == (200, "list")
    assert [row["id"] for row in listing["data"]] == [*IDS, "gemini-3-flash"]
    for row in listing["data"]:
        assert (row["object"], row["owned_by"]) == ("model", "antigravity")
        status, found = await lab.get(f"/v1/models/{row['id']}")
        assert (status, found["id"], found.keys()) == (200, row["id"], row.keys())


@pytest.mark.parametrize("name", ["gemini-9", "gemini-3.8-flash%0D%0AX-Evil:%201", "%C3%A4", "a" * 5_000])
async def test_unknown_model_is_a_404_with_the_nearest(lab: Lab, name: str) -> None:
    """A model that does not exist is answered with the nearest ones."""
    status, body = await lab.get(f"/v1/models/{name}")
    assert (status, body["error"]["code"], body["error"]["param"]) == (404, "model_not_found", "model")
    assert "The nearest are " in body["error"]["message"]
    assert len(body["error"]["message"]) < 1_000


@pytest.mark.parametrize("stream", [False, True])
async def test_model_name_cannot_write_headers(lab: Lab, *, stream: bool) -> None:
    """A model name with line ends in it is an unknown model, and stays inside the JSON."""
    body = chat_body(model=f"{MODEL}\r\nX-Evil: 1\r\n\r\n<script>", stream=stream)
    async with lab.http.post(f"{lab.url}/v1/chat/completions", json=body) as response:
        assert response.status == 404
        assert "X-Evil" not in response.headers
        assert (await response.json())["error"]["code"] == "model_not_found"


@pytest.mark.parametrize(
    ("data", "param"),
    [
        (b"[]", None),
        (b"5", None),
        (b"null", None),
        (b'"text"', None),
        (b"{}", "model"),
        (b'{"model": "gemini-3.8-flash"}', "messages"),
        (b'{"model": "gemini-3.8-flash", "messages": {}}', "messages"),
        (b'{"model": "gemini-3.8-flash", "messages": [5]}', "messages[0]"),
        (b'{"model": 5, "messages": [{"role": "user", "content": "Hi"}]}', "model"),
        (b'{"model": null, "messages": [{"role": "user", "content": "Hi"}]}', "model"),
    ],
)
async def test_body_of_another_shape_is_a_400(lab: Lab, data: bytes, param: str | None) -> None:
    """JSON that is no request is refused with the place of the fault, and nothing is sent to Google."""
    headers = {"Content-Type": "application/json"}
    async with lab.http.post(f"{lab.url}/v1/chat/completions", data=data, headers=headers) as response:
        error = (await response.json())["error"]
        assert (response.status, error["type"], error["param"]) == (400, "invalid_request_error", param)
    assert lab.simulator.requests() == []


def nested(depth: int) -> Any:
    """A JSON value with so many levels."""
    value: Any = {"type": "string"}
    for _ in range(depth):
        value = {"type": "object", "properties": {"a": value}}
    return value


@pytest.mark.parametrize("depth", [20, 90, 99, 100, 110, 125, 240, 400])
async def test_deep_request_is_served_or_refused(lab: Lab, depth: int) -> None:
    """Schemas and arguments that are nested deeply are sent or refused; they are never a failure of ours."""
    call = {"id": "call_1", "type": "function", "function": {"name": "read", "arguments": json.dumps(nested(depth))}}
    tool = {"type": "function", "function": {"name": "read", "parameters": nested(depth)}}
    history = [
        {"role": "user", "content": "Hi"},
        {"role": "assistant", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "call_1", "content": json.dumps(nested(depth))},
    ]
    for options in ({"tools": [tool]}, {"messages": history}):
        status, body = await lab.chat(**options)
        assert status in {200, 400}, body
        assert depth > 20 or status == 200


async def test_half_characters_are_mended(lab: Lab) -> None:
    """Half an emoji, as some clients cut it, arrives as a replacement character and comes back as one."""
    data = json.dumps(chat_body("half \ud83d here")).encode()
    headers = {"Content-Type": "application/json"}
    async with lab.http.post(f"{lab.url}/v1/chat/completions", data=data, headers=headers) as response:
        text = (await response.json())["choices"][0]["message"]["content"]
    assert "half \ufffd here" in text


async def test_stream_counts_tokens_when_asked(lab: Lab) -> None:
    """The last chunk of a stream has the counts if the client wants them; they are counted either way."""
    without = frames_of(await lab.stream())
    assert not [frame for frame in without if "usage" in frame]
    with_usage = frames_of(await lab.stream(stream_options={"include_usage": True}))
    assert with_usage[-1]["choices"] == []
    assert with_usage[-1]["usage"]["total_tokens"] > 0
    counted = lab.services.metrics.render().decode()
    line = next(
        line for line in counted.splitlines() if 'kind="prompt",model="gemini-3.8-flash"' in line and "total" in line
    )
    assert float(line.split()[-1]) == 2 * with_usage[-1]["usage"]["prompt_tokens"]


async def test_large_picture_is_sent(lab: Lab) -> None:
    """A request of some megabytes goes through."""
    url = f"data:image/png;base64,{'QUJD' * 700_000}"
    content = [{"type": "text", "text": "What is it?"}, {"type": "image_url", "image_url": {"url": url}}]
    data = BytesIO(json.dumps(chat_body(messages=[{"role": "user", "content": content}])).encode())
    headers = {"Content-Type": "application/json"}
    async with lab.http.post(f"{lab.url}/v1/chat/completions", data=data, headers=headers) as response:
        assert response.status == 200
        assert "image/png of 2,100,000 bytes" in (await response.json())["choices"][0]["message"]["content"]


async def test_health_tells_of_accounts(open_lab: OpenLab) -> None:
    """The sign of life has the version, the process, how many accounts there are and who answers, and no more."""
    async with open_lab(accounts=("ada@example.com", "ben@example.com")) as lab:
        expected = {
            "ok": True,
            "version": __version__,
            "process": os.getpid(),
            "accounts": 2,
            "upstream": lab.simulator.base_url,
        }
        assert await lab.get("/health") == (200, expected)
        async with lab.http.head(f"{lab.url}/health") as response:
            assert response.status == 200
