"""Tests of generation over a real socket."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import orjson
import pytest
from aiohttp import ClientPayloadError, ServerDisconnectedError

from antigravity_proxy.simulator.models import MODELS

from .wire import (
    CLAUDE,
    FLASH,
    GPT_OSS,
    PRO,
    TIERED,
    USER_AGENT,
    Caller,
    call,
    gemini_tool,
    legacy_tool,
    model,
    parts_of,
    read_events,
    response,
    text_of,
    tools,
    user,
)

if TYPE_CHECKING:
    import aiohttp

    from antigravity_proxy.simulator.server import Simulator

WEATHER_SCHEMA = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}


@pytest.mark.parametrize("row", [row for row in MODELS if row.answers_chat], ids=lambda row: row.runtime_id)
async def test_every_row_answers(caller: Caller, row: Any) -> None:
    """Every runtime id that is for conversations can be asked."""
    assert "You said: hello" in text_of(await caller.events("hello", row.runtime_id))


async def test_answer_is_a_stream_from_google(caller: Caller, simulator: Simulator) -> None:
    """The answer is an event stream with a trace id, from Google's front end, and breaks no rule."""
    async with caller.post("streamGenerateContent", caller.envelope({"contents": [user("hi")]})) as answer:
        assert answer.headers["Content-Type"] == "text/event-stream"
        assert answer.headers["Server"] == "ESF"
        events = read_events(await answer.read())
    assert {event["traceId"] for event in events} == {answer.headers["X-Cloudaicompanion-Trace-Id"]}
    assert events[-1]["response"]["candidates"][0]["finishReason"] == "STOP"
    assert events[-1]["response"]["usageMetadata"]["totalTokenCount"] > 0
    assert simulator.violations() == []


async def test_error_is_declared_as_stream(caller: Caller) -> None:
    """Even a plain error body of this call is declared as an event stream."""
    async with caller.post("streamGenerateContent", {"x": 1}) as answer:
        assert (answer.status, answer.headers["Content-Type"]) == (400, "text/event-stream")
        assert "Unknown name" in orjson.loads(await answer.read())["error"]["message"]


async def test_stream_must_be_asked_for_as_events(caller: Caller) -> None:
    """Without alt=sse nothing is streamed."""
    url = f"{caller.simulator.base_url}/v1internal:streamGenerateContent"
    async with caller.session.post(url, data=b"{}", headers=caller.headers) as answer:
        assert answer.status == 400


async def test_gemini_tool_round_trip(caller: Caller) -> None:
    """A call comes signed, its signature is accepted back, and the result is quoted."""
    declared = {"tools": tools(gemini_tool("get_weather", WEATHER_SCHEMA))}
    (part,) = parts_of(await caller.events({"contents": [user("What is the get_weather?")], **declared}))
    assert part["functionCall"] == {"name": "get_weather", "args": {"city": "Zurich"}}
    history = [user("What is the get_weather?"), {"role": "model", "parts": [part]}]
    request = {"contents": [*history, user(response("get_weather", output="sunny"))], **declared}
    assert "sunny" in text_of(await caller.events(request))
    status, body = await caller.generate(request, PRO)
    assert status == 200, body


async def test_signature_is_not_good_for_others(caller: Caller) -> None:
    """A signature that was never issued is corrupted, and other families take none."""
    forged = call("f", signature="Zm9yZ2Vk")
    status, body = await caller.generate({"contents": [user("a"), model(forged), user(response("f"))]})
    assert (status, b"Corrupted thought signature" in body) == (400, True)
    status, _ = await caller.generate({"contents": [user("a"), model(forged), user(response("f"))]}, CLAUDE)
    assert status == 400


async def test_signature_is_bound_to_call_and_account(caller: Caller, simulator: Simulator) -> None:
    """A genuine signature is refused on another call and from another account."""
    declared = {"tools": tools(gemini_tool("get_weather", WEATHER_SCHEMA))}
    (part,) = parts_of(await caller.events({"contents": [user("get_weather")], **declared}))
    other = call("get_weather", signature=part["thoughtSignature"], city="Bern")
    somebody = replace(caller, record=simulator.add_account("x@example.com")["record"])
    for asking, replayed, expected in ((caller, part, 200), (caller, other, 400), (somebody, part, 400)):
        turns = [user("get_weather"), model(replayed), user(response("get_weather"))]
        status, body = await asking.generate({"contents": turns, **declared})
        assert (status, b"Corrupted thought signature" in body) == (expected, expected == 400)


async def test_claude_signature_never_comes_back(caller: Caller) -> None:
    """A signature on a Claude call is refused by Claude, and by Gemini as corrupted."""
    (part,) = parts_of(await caller.events("[[simulate shape kind=claude-signatures]]", CLAUDE))
    call_id, name = part["functionCall"]["id"], part["functionCall"]["name"]
    turns = [user("x"), model(part), user(response(name, call_id))]
    assert (await caller.generate({"contents": turns}, CLAUDE))[0] == 400
    replayed = call(name, signature=part["thoughtSignature"])
    status, body = await caller.generate({"contents": [user("x"), model(replayed), user(response(name))]})
    assert (status, b"Corrupted thought signature" in body) == (400, True)


async def test_several_parts_come_in_one_event(caller: Caller) -> None:
    """Thought, text and call stand in one event, and the call's signature is accepted back."""
    (event,) = await caller.events("[[simulate shape]] hello")
    thought, text, called = parts_of([event])
    assert (thought["thought"], "You said: hello" in text["text"]) == (True, True)
    turns = [user("hello"), model(text, called), user(response(called["functionCall"]["name"]))]
    assert (await caller.generate({"contents": turns}))[0] == 200
    swapped = {**called, "thoughtSignature": thought["thoughtSignature"]}
    turns[1] = model(text, swapped)
    assert (await caller.generate({"contents": turns}))[0] == 400


async def test_forced_call_and_thinking_exclude_each_other(caller: Caller) -> None:
    """Claude does not think while it has to call a function."""
    request = {
        "contents": [user("hi")],
        "tools": tools(legacy_tool("f")),
        "toolConfig": {"functionCallingConfig": {"mode": "ANY"}},
        "generationConfig": {"thinkingConfig": {"includeThoughts": True, "thinkingBudget": 1024}},
    }
    status, body = await caller.generate(request, CLAUDE)
    assert (status, b"Thinking may not be enabled" in body) == (400, True)


@pytest.mark.parametrize("runtime_id", [CLAUDE, GPT_OSS])
async def test_other_tool_round_trip(caller: Caller, runtime_id: str) -> None:
    """Calls of other families come with an id that is wanted back."""
    declared = {"tools": tools(legacy_tool("get_weather", WEATHER_SCHEMA))}
    (part,) = parts_of(await caller.events({"contents": [user("call get_weather")], **declared}, runtime_id))
    call_id = part["functionCall"]["id"]
    assert call_id.startswith("toolu_")
    turns = [user("x"), {"role": "model", "parts": [part]}, user(response("get_weather", call_id))]
    assert (await caller.generate({"contents": turns, **declared}, runtime_id))[0] == 200


async def test_thoughts_are_streamed_first(caller: Caller) -> None:
    """Thoughts precede the text when they are asked for."""
    config = {"generationConfig": {"thinkingConfig": {"includeThoughts": True, "thinkingLevel": "HIGH"}}}
    parts = parts_of(await caller.events({"contents": [user("hi")], **config}, TIERED))
    assert parts[0]["thought"] is True
    assert "thoughtSignature" in parts[-1]


async def test_session_has_cached_tokens(caller: Caller) -> None:
    """A second request of a session reports what the first had brought."""
    first = {"contents": [user("hello")], "sessionId": "-1"}
    await caller.events(first)
    second = {"contents": [user("hello"), model("yes"), user("and?")], "sessionId": "-1"}
    usage = (await caller.events(second))[-1]["response"]["usageMetadata"]
    assert 0 < usage["cachedContentTokenCount"] < usage["promptTokenCount"]


async def test_request_id_is_used_once(caller: Caller) -> None:
    """The same request sent twice is refused the second time."""
    body = caller.envelope({"contents": [user("hi")]})
    assert (await caller.post("streamGenerateContent", body)).status == 200
    assert (await caller.post("streamGenerateContent", body)).status == 400


async def test_outdated_client_has_no_new_models(caller: Caller) -> None:
    """Old headers make the newest families unknown, the others not."""
    old_version = USER_AGENT.replace("1.1.23", "1.1.22")
    for header in ({"Accept": "text/event-stream"}, {"User-Agent": old_version}):
        for runtime_id, status in ((FLASH, 404), (PRO, 200)):
            body = caller.envelope({"contents": [user("hi")]}, runtime_id)
            async with caller.post("streamGenerateContent", body, **header) as answer:
                assert answer.status == status


@pytest.mark.parametrize(
    ("options", "reason"),
    [({"unverified": True}, b"VALIDATION_REQUIRED"), ({"unlicensed": True}, b"valid license")],
    ids=["unverified", "unlicensed"],
)
async def test_standing_is_checked(
    simulator: Simulator, session: aiohttp.ClientSession, options: dict[str, bool], reason: bytes
) -> None:
    """An account that is not in order is refused, in the words for its case."""
    caller = Caller(simulator, session, simulator.add_account("x@example.com", **options)["record"])
    status, body = await caller.generate("hi")
    assert (status, reason in body) == (403, True)


async def test_any_project_is_served_if_told(simulator: Simulator, session: aiohttp.ClientSession) -> None:
    """An account may be served under whatever project it names."""
    record = simulator.add_account("x@example.com", project=None, any_project=True)["record"]
    caller = Caller(simulator, session, record | {"projectId": "made-up"})
    assert (await caller.generate("hi"))[0] == 200


async def test_quota_of_others_is_untouched(simulator: Simulator, session: aiohttp.ClientSession) -> None:
    """An empty pool refuses its own models only."""
    record = simulator.add_account("x@example.com", quota={"3p-weekly": 0})["record"]
    caller = Caller(simulator, session, record)
    assert (await caller.generate("hi", CLAUDE))[0] == 429
    assert (await caller.generate("hi", FLASH))[0] == 200


async def test_markers_are_obeyed_and_hidden(caller: Caller, simulator: Simulator) -> None:
    """A marker changes the answer and is not echoed."""
    events = await caller.events("[[simulate done]] [[simulate usage pattern=none]] hello")
    assert "You said: hello\n" in text_of(events)
    assert not any("usageMetadata" in event["response"] for event in events if isinstance(event, dict))
    assert simulator.requests()[-1]["scenarios"] == ["done", "usage"]


async def test_marked_failure_passes_after_its_times(caller: Caller) -> None:
    """A limited marker lets the next try of the same text through."""
    text = "[[simulate bare-429 times=2]] hello"
    assert [(await caller.generate(text))[0] for _ in range(3)] == [429, 429, 200]


async def test_queue_is_obeyed(caller: Caller, simulator: Simulator) -> None:
    """A queued scenario happens to the next request that fits."""
    simulator.schedule("capacity", retry=39, model=PRO)
    simulator.schedule("gone", models=[FLASH], times=2)
    assert [(await caller.generate("hi", name))[0] for name in (FLASH, PRO, FLASH, FLASH)] == [404, 503, 404, 200]


async def test_unknown_marker_is_explained(caller: Caller) -> None:
    """A marker that means nothing says what there is, with a status that no broken rule has."""
    status, body = await caller.generate("[[simulate nope]]")
    assert (status, b"unknown scenario 'nope'" in body) == (422, True)
    status, body = await caller.generate("[[simulate usage pattern=x]]")
    assert (status, b"The simulator cannot do that" in body) == (422, True)


async def test_invalid_request_stays_invalid(caller: Caller, simulator: Simulator) -> None:
    """A scenario is not spent on a request that breaks a rule."""
    simulator.schedule("bare-429")
    assert (await caller.generate({"contents": []}))[0] == 400
    assert (await caller.generate("hi"))[0] == 429


async def test_cut_after_events(caller: Caller) -> None:
    """A cut answer ends in the middle, cleanly or not."""
    with pytest.raises(ClientPayloadError):
        await caller.generate("[[simulate cut after=2]] hello")
    with pytest.raises(ServerDisconnectedError):
        await caller.generate("[[simulate silence seconds=0]] hello")
    events = await caller.events("[[simulate cut after=2 clean=1]] hello")
    assert len(events) == 2


@pytest.mark.parametrize(
    "scenario", ["split size=3", "crlf", "gzip", "comments", "no-final-newline", "slow pace=0.001"]
)
async def test_content_survives_its_delivery(caller: Caller, scenario: str) -> None:
    """However the bytes come, the text is the same."""
    assert "You said: grüße 🎉\n" in text_of(await caller.events(f"[[simulate {scenario}]] grüße 🎉"))


async def test_stream_ends_with_an_error(caller: Caller) -> None:
    """An error inside the stream is its last event."""
    events = await caller.events("[[simulate in-stream-error after=2 refusal=quota]] hello")
    assert len(events) == 3
    assert events[-1]["error"]["details"][0]["reason"] == "QUOTA_EXHAUSTED"


async def test_big_answer_arrives(caller: Caller) -> None:
    """Many events arrive, each of them."""
    events = await caller.events("[[simulate big n=2000 size=4]]")
    assert text_of(events) == "xxx " * 2000


async def test_many_streams_at_once(simulator: Simulator, session: aiohttp.ClientSession) -> None:
    """Many streams are served at the same time."""
    caller = Caller(simulator, session, simulator.add_account("x@example.com", quota_cost=0)["record"])
    answers = await asyncio.gather(*(caller.events(f"number {number}") for number in range(100)))
    for number, events in enumerate(answers):
        assert f"You said: number {number}\n" in text_of(events)
