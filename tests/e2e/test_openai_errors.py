"""The real openai package against failures: each status raises its class, with words that help."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import openai
import pytest

from .samples import data_url

if TYPE_CHECKING:
    from openai import OpenAI

    from .simulator_control import SimulatorControl

MESSAGES: Any = [{"role": "user", "content": "Hi"}]


def ask(client: OpenAI, **options: Any) -> Any:
    """One request with some options."""
    return client.chat.completions.create(**{"model": "gemini-3.8-flash", "messages": MESSAGES, **options})


@pytest.mark.parametrize(
    ("scenario", "raised", "status", "words"),
    [
        ({"name": "bad-field"}, openai.BadRequestError, 400, "Unknown name"),
        ({"name": "bad-token", "times": 2}, openai.AuthenticationError, 401, "authentication failed"),
        ({"name": "verify"}, openai.PermissionDeniedError, 403, "https://"),
        ({"name": "no-subscription"}, openai.PermissionDeniedError, 403, "subscription"),
        ({"name": "unknown-model", "times": -1}, openai.NotFoundError, 404, "not available right now"),
        ({"name": "quota"}, openai.RateLimitError, 429, "Quota reached"),
        ({"name": "bare-429"}, openai.RateLimitError, 429, "slow down"),
        ({"name": "status", "status": 500}, openai.InternalServerError, 502, "status 500"),
        ({"name": "status", "status": 502, "body": "html"}, openai.InternalServerError, 502, "status 502"),
        ({"name": "capacity"}, openai.InternalServerError, 503, "no capacity"),
        ({"name": "status", "status": 504}, openai.InternalServerError, 504, "time limit"),
        ({"name": "empty", "times": 3}, openai.InternalServerError, 502, "without text"),
    ],
    ids=lambda value: value["name"] if isinstance(value, dict) else None,
)
@pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])
def test_upstream_error_raises_its_class(
    client: OpenAI,
    simulator: SimulatorControl,
    scenario: dict[str, Any],
    raised: type[openai.APIStatusError],
    status: int,
    words: str,
    *,
    stream: bool,
) -> None:
    """An error of Google's becomes the status a client understands, streaming or not, and says what happened."""
    simulator.plan(scenario)
    with pytest.raises(raised) as caught:
        ask(client, stream=stream)
    assert caught.value.status_code == status
    assert words in str(caught.value)
    error = cast("dict[str, Any]", caught.value.body)
    assert set(error) >= {"message", "type", "param", "code"}


@pytest.mark.parametrize(
    ("options", "status", "param", "words"),
    [
        ({"model": "gemini-9"}, 404, "model", "nearest are gemini-"),
        ({"messages": []}, 400, "messages", "at least 1 item"),
        ({"n": 2}, 400, "n", "one answer at a time"),
        ({"messages": [{"role": "wizard", "content": "x"}]}, 400, "messages[0].role", "known roles"),
        ({"reasoning_effort": "enormous"}, 400, "reasoning_effort", "known are"),
        ({"temperature": "hot"}, 400, "temperature", "valid number"),
        ({"tools": [{"type": "web_search"}]}, 400, "tools[0]", "not a function"),
        (
            {
                "messages": [
                    {"role": "user", "content": [{"type": "image_url", "image_url": {"url": "https://a/b.png"}}]}
                ]
            },
            400,
            "messages[0].content[0]",
            "data URL",
        ),
        (
            {
                "model": "gpt-oss-120b",
                "messages": [
                    {
                        "role": "user",
                        "content": [
                            {"type": "text", "text": "x"},
                            {"type": "image_url", "image_url": {"url": data_url("image/png", b"x")}},
                        ],
                    }
                ],
            },
            400,
            "messages[0].content[1]",
            "does not take",
        ),
    ],
    ids=["model", "no-messages", "n", "role", "effort", "type", "tool", "remote-image", "image-for-text-model"],
)
def test_wrong_request_is_named(client: OpenAI, options: dict[str, Any], status: int, param: str, words: str) -> None:
    """What is wrong with a request is said with its place, and nothing is sent to Google."""
    with pytest.raises(openai.APIStatusError) as caught:
        ask(client, **options)
    assert caught.value.status_code == status
    error = cast("dict[str, Any]", caught.value.body)
    assert str(error["param"]).startswith(param)
    assert words in error["message"]


@pytest.mark.parametrize(
    "scenario",
    [
        {"name": "cut", "after": 3},
        {"name": "in-stream-error", "after": 3, "code": 503},
        {"name": "garbage", "after": 3},
    ],
    ids=lambda scenario: scenario["name"],
)
def test_failure_in_the_middle_raises(client: OpenAI, simulator: SimulatorControl, scenario: dict[str, Any]) -> None:
    """An answer that breaks off after its first words raises; nothing is said twice and no end is pretended."""
    simulator.plan({**scenario, "also": [{"name": "slow", "pace": 0.02}]})
    chunks: list[Any] = []
    with pytest.raises((openai.APIError, openai.APIConnectionError)):
        chunks.extend(ask(client, stream=True))
    assert all(chunk.choices[0].finish_reason is None for chunk in chunks)
    assert "".join(chunk.choices[0].delta.content or "" for chunk in chunks).count("You") <= 1
    assert len(simulator.generations()) == 1


def test_unknown_paths_are_json_404s(client: OpenAI) -> None:
    """Paths that harnesses probe are 404 in OpenAI's shape."""
    with pytest.raises(openai.NotFoundError):
        client.embeddings.create(model="x", input="y")
