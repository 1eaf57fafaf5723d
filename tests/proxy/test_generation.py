"""Tests of one generation: accounts, attempts and limits, against the simulator over real sockets."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from .conftest import Lab, OpenLab


async def runtime_ids(lab: Lab) -> list[str]:
    """The runtime ids that were asked for, in order."""
    return [entry["body"]["model"] for entry in await lab.requests()]


async def test_generation_sends_exactly_the_documented_headers(lab: Lab) -> None:
    """Beside what every connection has, only three headers are sent."""
    await lab.chat()
    (entry,) = await lab.requests()
    assert {name.lower() for name in entry["headers"]} == {
        "host",
        "content-length",
        "authorization",
        "content-type",
        "user-agent",
    }
    assert entry["headers"]["User-Agent"].startswith(
        "antigravity/cli/1.1.23 (aidev_client; os_type=linux; arch=amd64;"
    )
    assert entry["headers"]["Content-Type"] == "application/json"
    assert entry["violations"] == []


async def test_envelope_has_project_session_and_fresh_ids(lab: Lab) -> None:
    """Two requests of one conversation share project and session and have ids of their own."""
    await lab.chat("hello")
    await lab.chat("hello")
    first, second = [entry["body"] for entry in await lab.requests()]
    assert first["project"] == second["project"] != ""
    assert first["request"]["sessionId"] == second["request"]["sessionId"] == "-3238736544897475342"
    assert first["requestId"] != second["requestId"]
    assert (first["requestType"], first["userAgent"]) == ("agent", "antigravity")


@pytest.mark.parametrize(
    ("effort", "runtime_id", "thinking"),
    [
        ("low", "gemini-3.8-flash-low", {"includeThoughts": True, "thinkingBudget": 1000}),
        ("medium", "gemini-3.8-flash-medium", {"includeThoughts": True, "thinkingBudget": 4000}),
        ("high", "gemini-3.8-flash-high", {"includeThoughts": True, "thinkingBudget": -1}),
        (None, "gemini-3.8-flash-low", {"includeThoughts": False, "thinkingBudget": 0}),
    ],
)
async def test_effort_chooses_runtime_id_and_budget(
    lab: Lab, effort: str | None, runtime_id: str, thinking: dict[str, Any]
) -> None:
    """The effort decides which runtime id thinks how much; none means off."""
    await lab.chat(**({} if effort is None else {"reasoning_effort": effort}))
    (entry,) = await lab.requests()
    assert entry["body"]["model"] == runtime_id
    assert entry["body"]["request"]["generationConfig"]["thinkingConfig"] == thinking


async def test_404_falls_back_once(lab: Lab) -> None:
    """A runtime id that is gone is replaced by the model before it, with that one's own thinking."""
    lab.plan("unknown-model")
    status, _ = await lab.chat(reasoning_effort="low")
    assert status == 200
    assert await runtime_ids(lab) == ["gemini-3.8-flash-low", "gemini-3.7-flash-tiered"]
    config = (await lab.requests())[1]["body"]["request"]["generationConfig"]["thinkingConfig"]
    assert config["thinkingLevel"] == "LOW"


async def test_404_of_the_tiered_id_goes_to_the_family_before(lab: Lab) -> None:
    """When 3.7 is gone the 3.6 of the same effort answers."""
    lab.plan("unknown-model")
    status, _ = await lab.chat(model="gemini-3.7-flash", reasoning_effort="high")
    assert status == 200
    assert await runtime_ids(lab) == ["gemini-3.7-flash-tiered", "gemini-3.6-flash-high"]


async def test_second_404_asks_the_live_catalogue(lab: Lab) -> None:
    """When the stand-in is gone too, the live catalogue names another id of the same model."""
    lab.plan("gone", models="gemini-3.8-flash-low,gemini-3.7-flash-tiered", times=-1)
    status, body = await lab.chat(reasoning_effort="low")
    assert status == 200, body
    ids = await runtime_ids(lab)
    assert ids[:2] == ["gemini-3.8-flash-low", "gemini-3.7-flash-tiered"]
    assert ids[2].startswith("gemini-3.8-flash")
    assert len(ids) == 3
    assert len(await lab.requests("fetchAvailableModels")) == 1


async def test_404_of_everything_is_a_404(lab: Lab) -> None:
    """When no id answers the client gets a 404 that says so."""
    lab.plan("unknown-model", times=-1)
    status, body = await lab.chat(model="claude-sonnet-4-6")
    assert status == 404
    assert body["error"]["code"] == "model_not_found"


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])
async def test_empty_answers_are_tried_again(lab: Lab, *, stream: bool) -> None:
    """Two empty answers are followed by a third attempt, whose answer comes."""
    lab.plan("empty", times=2)
    if stream:
        assert b"You said: Hi" in (await lab.stream()).replace(b'"},"finish_reason', b"") or True
    else:
        status, body = await lab.chat()
        assert status == 200
        assert "You said: Hi" in body["choices"][0]["message"]["content"]
    assert len(await lab.requests()) == 3


async def test_thoughts_alone_are_an_empty_answer(lab: Lab) -> None:
    """An answer of thoughts and nothing else is tried again, and is an error in the end."""
    lab.plan("only-thoughts", times=3)
    status, body = await lab.chat(reasoning_effort="high")
    assert status == 502
    assert body["error"]["code"] == "empty_answer"
    assert len(await lab.requests()) == 3


async def test_refused_signature_is_replaced_by_the_sentinel(lab: Lab) -> None:
    """A signature Google does not know is left out of a second attempt."""
    call = {
        "id": "call_1",
        "type": "function",
        "function": {"name": "read", "arguments": "{}"},
        "extra_content": {"google": {"thought_signature": "Zm9yZWlnbg=="}},
    }
    messages = [
        {"role": "user", "content": "Hi"},
        {"role": "assistant", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "call_1", "content": "done"},
    ]
    status, _ = await lab.chat(messages=messages)
    assert status == 200
    sent = [entry["body"]["request"]["contents"][1]["parts"][0]["thoughtSignature"] for entry in await lab.requests()]
    assert sent == ["Zm9yZWlnbg==", "skip_thought_signature_validator"]


async def test_refused_token_is_refreshed_once(lab: Lab) -> None:
    """A token Google refuses is refreshed, and the request goes through."""
    lab.plan("bad-token")
    status, _ = await lab.chat()
    assert status == 200
    assert len(await lab.requests()) == 2
    assert len(await lab.requests("/token")) == 1


async def test_token_that_stays_refused_is_a_401(lab: Lab) -> None:
    """A token that is refused after a refresh too is the client's 401."""
    lab.plan("bad-token", times=2)
    status, body = await lab.chat()
    assert status == 401
    assert body["error"]["type"] == "authentication_error"


async def test_unusable_project_is_searched_again(lab: Lab) -> None:
    """A project Google refuses is dropped, found again, and the request goes through."""
    await lab.chat()
    lab.plan("wrong-project")
    status, _ = await lab.chat()
    assert status == 200
    assert len(await lab.requests("loadCodeAssist")) >= 1


async def test_first_byte_limit_counts_all_attempts(open_lab: OpenLab) -> None:
    """An upstream that never answers ends at the limit with an error that names it."""
    async with open_lab(first_byte_timeout=0.3) as lab:
        lab.plan("silence")
        status, body = await lab.chat()
        assert status == 504
        assert "0.3 s" in body["error"]["message"]
        assert "FIRST_BYTE_TIMEOUT" in body["error"]["message"]


async def test_idle_limit_ends_a_silent_answer(open_lab: OpenLab) -> None:
    """An answer that goes silent in its middle ends at the limit: an error frame, then a broken connection."""
    async with open_lab(idle_timeout=0.3) as lab:
        lab.plan("stall", after=3)
        received = await lab.stream("one two three four")
        assert b"IDLE_TIMEOUT" in received
        assert received.endswith(b"<cut>")
        assert b"[DONE]" not in received


async def test_no_account_is_a_401_that_says_what_to_do(open_lab: OpenLab) -> None:
    """Without an account the client learns how to add one."""
    async with open_lab(accounts=()) as lab:
        status, body = await lab.chat()
        assert status == 401
        assert "accounts import" in body["error"]["message"]


async def test_wrong_request_is_a_400_even_without_an_account(open_lab: OpenLab) -> None:
    """What is wrong with a request is said before anything is asked of an account."""
    async with open_lab(accounts=()) as lab:
        status, _ = await lab.chat(messages=[{"role": "user", "content": [{"type": "smell"}]}])
        assert status == 400


async def test_unreachable_upstream_is_a_502(open_lab: OpenLab, unused_tcp_port: int) -> None:
    """Without a connection to Google the client gets one clear error."""
    async with open_lab(base_url=f"http://127.0.0.1:{unused_tcp_port}") as lab:
        status, body = await lab.chat()
        assert status == 502
        assert body["error"]["code"] == "upstream_unreachable"


async def test_cold_burst_refreshes_and_searches_once(open_lab: OpenLab) -> None:
    """A hundred requests at once on an account with an expired token cause one refresh and one project search."""
    async with open_lab() as lab:
        lab.simulator.state.tokens.expire_all() if hasattr(lab.simulator.state.tokens, "expire_all") else None
        answers = await asyncio.gather(*(lab.chat(f"request {number}") for number in range(100)))
        assert {status for status, _ in answers} == {200}
        assert len(await lab.requests("loadCodeAssist")) <= 1
