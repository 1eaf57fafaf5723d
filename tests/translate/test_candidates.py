"""Tests of upstream events to neutral events."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given, settings

from antigravity_proxy.errors import ProxyError, RateLimitedError, UpstreamError, UpstreamGarbledError
from antigravity_proxy.translate.answer_wire import parse_events
from antigravity_proxy.translate.candidates import FINISH_REASONS, CandidateReader
from antigravity_proxy.translate.events import Event, Finish, FinishReason, Media, Text, Thought, ToolCall, Usage
from antigravity_proxy.translate.sse import SseDecoder

from .samples import PNG, SIGNATURE, event_of, json_values

STOP = Finish(FinishReason.STOP, "STOP")


def reader() -> CandidateReader:
    """A reader for an answer; names of tools come back in capitals."""
    return CandidateReader(str.upper, now_s=1_757_000_000.0, keeps_signatures=True)


def of_parts(*parts: Any, **candidate: Any) -> dict[str, Any]:
    """An upstream event with these parts."""
    return {"response": {"candidates": [{"content": {"role": "model", "parts": list(parts)}, **candidate}]}}


def read(*events: Any) -> list[Event]:
    """All neutral events of an answer."""
    one = reader()
    return [out for event in events for out in one.feed(event_of(event))] + one.finish()


@pytest.mark.parametrize(
    ("part", "expected"),
    [
        pytest.param({"text": "Hello"}, [Text("Hello")], id="text"),
        pytest.param({"text": "Hello", "thought": False}, [Text("Hello")], id="text that is no thought"),
        pytest.param({"text": "hmm", "thought": True}, [Thought("hmm")], id="thought"),
        pytest.param({"text": "Hi", "thoughtSignature": SIGNATURE}, [Text("Hi", SIGNATURE)], id="signed text"),
        pytest.param({"text": "", "thoughtSignature": SIGNATURE}, [Text("", SIGNATURE)], id="signature alone"),
        pytest.param({"text": "Hi", "thoughtSignature": ""}, [Text("Hi")], id="empty signature"),
        pytest.param({"text": "Hi", "thoughtSignature": 5}, [Text("Hi")], id="strange signature"),
        pytest.param({"text": ""}, [], id="empty text"),
        pytest.param({"text": 5}, [], id="strange text"),
        pytest.param({}, [], id="empty part"),
        pytest.param("text", [], id="no part"),
        pytest.param({"executableCode": {"code": "1"}}, [], id="unknown part"),
        pytest.param({"inlineData": {"mimeType": "image/png", "data": PNG}}, [Media("image/png", PNG)], id="image"),
        pytest.param({"inlineData": {"mimeType": "image/png"}}, [], id="image without data"),
        pytest.param({"inlineData": {"data": PNG}}, [], id="image without a type"),
        pytest.param(
            {"functionCall": {"name": "read", "args": {"path": "a.ts"}, "id": "toolu_1"}},
            [ToolCall("toolu_1", "READ", {"path": "a.ts"})],
            id="call",
        ),
        pytest.param(
            {"functionCall": {"name": "read"}, "thoughtSignature": SIGNATURE},
            [ToolCall(None, "READ", {}, SIGNATURE)],
            id="signed call without arguments",
        ),
        pytest.param(
            {"text": "", "functionCall": {"name": "read", "args": [], "id": 5}},
            [ToolCall(None, "READ", {})],
            id="call beside an empty text",
        ),
    ],
)
def test_part_becomes_event(part: Any, expected: list[Event]) -> None:
    """Each part is one neutral event, or none when it says nothing."""
    assert read(of_parts(part)) == [*expected, STOP]


@pytest.mark.parametrize(
    "event",
    [
        pytest.param({"candidates": [{"content": {"parts": [{"text": "a"}]}, "finishReason": "STOP"}]}, id="bare"),
        pytest.param(of_parts({"text": "a"}, finishReason="STOP"), id="wrapped"),
    ],
)
def test_answer_may_be_wrapped(event: dict[str, Any]) -> None:
    """The answer is read with and without ``response`` around it."""
    assert read(event) == [Text("a"), STOP]


@pytest.mark.parametrize(
    "event",
    [
        pytest.param({}, id="empty"),
        pytest.param({"response": {}}, id="nothing in it"),
        pytest.param({"response": {"candidates": []}}, id="no candidate"),
        pytest.param({"response": {"candidates": [{}]}}, id="empty candidate"),
        pytest.param({"response": {"candidates": [{"content": {"parts": 5}}]}}, id="strange parts"),
        pytest.param({"response": {"usageMetadata": 5, "promptFeedback": 5}}, id="strange extras"),
    ],
)
def test_event_without_parts_says_nothing(event: dict[str, Any]) -> None:
    """Events that only keep the stream going give nothing out."""
    assert read(event) == [STOP]


@pytest.mark.parametrize(
    "event",
    [
        pytest.param([], id="list"),
        pytest.param(None, id="none"),
        pytest.param({"response": None}, id="no answer"),
        pytest.param({"candidates": {"a": 1}}, id="candidates that are no list"),
        pytest.param({"candidates": ["a"]}, id="candidate that is no object"),
        pytest.param(of_parts({"functionCall": {"args": {}}}), id="call without a name"),
        pytest.param(of_parts({"functionCall": {"name": ""}}), id="call with an empty name"),
    ],
)
def test_event_of_another_shape_is_garbled(event: Any) -> None:
    """What is not the protocol is an error, as skipping it would change the answer."""
    with pytest.raises(UpstreamGarbledError, match="Send the request again"):
        reader().feed(event_of(event))


def test_call_nested_too_deep_is_garbled() -> None:
    """Arguments that could not be sent back are an error."""
    arguments: dict[str, Any] = {}
    for _ in range(300):
        arguments = {"a": arguments}
    with pytest.raises(UpstreamGarbledError, match="nested too deep"):
        reader().feed(event_of(of_parts({"functionCall": {"name": "read", "args": arguments}})))


@pytest.mark.parametrize(
    ("upstream_reason", "expected"),
    [
        pytest.param("STOP", FinishReason.STOP, id="stop"),
        pytest.param("MAX_TOKENS", FinishReason.LENGTH, id="length"),
        pytest.param("SAFETY", FinishReason.CONTENT_FILTER, id="safety"),
        pytest.param("RECITATION", FinishReason.CONTENT_FILTER, id="recitation"),
        pytest.param("BLOCKLIST", FinishReason.CONTENT_FILTER, id="blocklist"),
        pytest.param("PROHIBITED_CONTENT", FinishReason.CONTENT_FILTER, id="prohibited"),
        pytest.param("SPII", FinishReason.CONTENT_FILTER, id="personal data"),
        pytest.param("MODEL_ARMOR", FinishReason.CONTENT_FILTER, id="armor"),
        pytest.param("IMAGE_SAFETY", FinishReason.CONTENT_FILTER, id="image"),
        pytest.param("IMAGE_PROHIBITED_CONTENT", FinishReason.CONTENT_FILTER, id="prohibited image"),
        pytest.param("IMAGE_RECITATION", FinishReason.CONTENT_FILTER, id="recited image"),
        pytest.param("NO_IMAGE", FinishReason.STOP, id="no image"),
        pytest.param("IMAGE_OTHER", FinishReason.STOP, id="other image"),
        pytest.param("OTHER", FinishReason.STOP, id="other"),
        pytest.param("SOMETHING_NEW", FinishReason.STOP, id="unknown"),
    ],
)
def test_finish_reason_is_translated(upstream_reason: str, expected: FinishReason) -> None:
    """Google's word for the end becomes ours, an unknown one is an ordinary end, and the word itself is kept."""
    assert read(of_parts({"text": "a"}, finishReason=upstream_reason)) == [
        Text("a"),
        Finish(expected, upstream_reason),
    ]


def test_finish_is_an_ordinary_end_when_upstream_gives_no_reason() -> None:
    """A stream that just ends has ended."""
    assert read(of_parts({"text": "a"}, finishReason=None)) == [Text("a"), STOP]


@pytest.mark.parametrize(
    ("reasons", "expected"),
    [
        pytest.param(["STOP", "MAX_TOKENS"], Finish(FinishReason.LENGTH, "MAX_TOKENS"), id="telling one last"),
        pytest.param(["MAX_TOKENS", "STOP"], Finish(FinishReason.LENGTH, "MAX_TOKENS"), id="telling one first"),
        pytest.param(["SAFETY", "NEW_WORD"], Finish(FinishReason.CONTENT_FILTER, "SAFETY"), id="unknown one last"),
        pytest.param(["SAFETY", "MAX_TOKENS"], Finish(FinishReason.CONTENT_FILTER, "SAFETY"), id="two telling ones"),
        pytest.param(["STOP", "OTHER"], Finish(FinishReason.STOP, "OTHER"), id="two plain ones"),
    ],
)
def test_telling_finish_reason_holds(reasons: list[str], expected: Finish) -> None:
    """The end may come in an event of its own, and again; a plain one does not take back what an earlier one told."""
    ends = [of_parts(finishReason=reason) for reason in reasons]
    assert read(of_parts({"text": "a"}), *ends) == [Text("a"), expected]


def test_unreadable_call_counts_after_an_end() -> None:
    """A failed answer is an error also when an end was told before."""
    one = reader()
    one.feed(event_of(of_parts({"text": "a"}, finishReason="MAX_TOKENS")))
    with pytest.raises(UpstreamGarbledError, match="MALFORMED_RESPONSE"):
        one.feed(event_of(of_parts(finishReason="MALFORMED_RESPONSE")))


@pytest.mark.parametrize("reason", [word for word, ours in FINISH_REASONS.items() if ours is None])
def test_unreadable_call_is_garbled(reason: str) -> None:
    """A call the model botched is an error with a code of its own, not an answer."""
    with pytest.raises(UpstreamGarbledError, match=reason) as caught:
        reader().feed(event_of(of_parts(finishReason=reason)))
    assert caught.value.code == "malformed_tool_call"


@pytest.mark.parametrize(
    ("events", "expected"),
    [
        pytest.param([], Finish(FinishReason.CONTENT_FILTER, "SAFETY"), id="refused"),
        pytest.param([of_parts({"text": "a"}, finishReason="STOP")], STOP, id="answered after all"),
    ],
)
def test_blocked_prompt_is_filtered(events: list[Any], expected: Finish) -> None:
    """A prompt that is blocked ends the answer as filtered, unless there is one."""
    assert read({"response": {"promptFeedback": {"blockReason": "SAFETY"}}}, *events)[-1] == expected


@pytest.mark.parametrize(
    ("usages", "expected"),
    [
        pytest.param(
            [{"promptTokenCount": 10, "candidatesTokenCount": 3, "thoughtsTokenCount": 2, "totalTokenCount": 15}],
            Usage(prompt=10, cached=0, answer=3, thoughts=2),
            id="once",
        ),
        pytest.param([{"promptTokenCount": 10}], Usage(prompt=10, cached=0, answer=0, thoughts=0), id="no answer"),
        pytest.param(
            [{"promptTokenCount": 9, "cachedContentTokenCount": 80}, {"promptTokenCount": 100}],
            Usage(prompt=100, cached=80, answer=0, thoughts=0),
            id="later without the cached ones",
        ),
        pytest.param(
            [{"promptTokenCount": -5, "cachedContentTokenCount": 9}],
            Usage(prompt=0, cached=0, answer=0, thoughts=0),
            id="negative",
        ),
        pytest.param(
            [{"promptTokenCount": 10**30, "candidatesTokenCount": 2**64}],
            Usage(prompt=2**53, cached=0, answer=2**53, thoughts=0),
            id="absurd",
        ),
        pytest.param(
            [{"candidatesTokenCount": 1}, {"candidatesTokenCount": 7, "thoughtsTokenCount": None}],
            Usage(prompt=0, cached=0, answer=7, thoughts=0),
            id="growing",
        ),
    ],
)
def test_usage_is_the_last_that_was_told(usages: list[dict[str, Any]], expected: Usage) -> None:
    """Counts come again and again; the last one of each holds, and all are given out once before the end."""
    assert read(*({"response": {"usageMetadata": usage}} for usage in usages)) == [expected, STOP]


def test_usage_is_absent_when_upstream_tells_none() -> None:
    """Counts are not invented."""
    assert read({"response": {"usageMetadata": {"trafficType": "ON_DEMAND"}}}) == [STOP]


def test_error_in_stream_is_raised() -> None:
    """An error of upstream ends the answer, as the kind its code says."""
    error = {"code": 429, "message": "quota exhausted", "status": "RESOURCE_EXHAUSTED", "details": []}
    with pytest.raises(RateLimitedError, match="quota exhausted") as caught:
        reader().feed(event_of({"error": error}))
    assert caught.value.upstream_status == 429


@pytest.mark.parametrize("error", [{"message": "boom"}, "boom"], ids=["object", "text"])
def test_error_in_stream_is_raised_when_it_has_no_code(error: Any) -> None:
    """An error without a code is a failure of upstream."""
    with pytest.raises(UpstreamError, match="boom") as caught:
        reader().feed(event_of({"error": error}))
    assert (caught.value.status, caught.value.upstream_status) == (502, 500)


def test_error_that_is_null_is_none() -> None:
    """A field without a value says nothing, also this one."""
    event = {"error": None, **of_parts({"text": "Hi"})}
    assert reader().feed(event_of(event)) == [Text("Hi")]


@pytest.mark.parametrize(
    ("events", "is_finished"),
    [
        pytest.param([of_parts({"text": "a"})], False, id="text"),
        pytest.param([of_parts({"text": "a"}, finishReason="STOP")], True, id="reason beside the text"),
        pytest.param([of_parts({"text": "a"}), of_parts(finishReason="STOP")], True, id="reason alone"),
        pytest.param([{"response": {"promptFeedback": {"blockReason": "SAFETY"}}}], True, id="blocked"),
        pytest.param(
            [of_parts({"text": "a"}, finishReason="STOP"), {"response": {"usageMetadata": {"promptTokenCount": 1}}}],
            True,
            id="counts after it",
        ),
        pytest.param([of_parts({"text": "a"}, finishReason="STOP")] * 2, True, id="a reason on every event"),
        pytest.param(
            [of_parts({"text": "a"}, finishReason="STOP"), of_parts({"text": "b"})], False, id="text after it"
        ),
        pytest.param(
            [of_parts({"text": "a"}, finishReason="STOP"), of_parts({"text": "", "thoughtSignature": SIGNATURE})],
            True,
            id="signature after it",
        ),
        pytest.param([of_parts({"text": "a"}, finishReason="")], False, id="empty reason"),
        pytest.param([of_parts({"text": "a"}, finishReason="FINISH_REASON_UNSPECIFIED")], False, id="no reason"),
    ],
)
def test_answer_is_finished_when_nothing_may_come(events: list[Any], *, is_finished: bool) -> None:
    """A reason ends the answer, unless text comes after it all the same."""
    one = reader()
    for event in events:
        one.feed(event_of(event))
    assert one.is_finished is is_finished


def test_answer_that_went_on_is_remembered() -> None:
    """When text came after a reason once, reasons are no sign of the end any more."""
    one = reader()
    one.feed(event_of(of_parts({"text": "a"}, finishReason="STOP")))
    one.feed(event_of({"response": {"usageMetadata": {"promptTokenCount": 1}}}))
    assert not one.has_gone_on
    one.feed(event_of(of_parts({"text": "b"}, finishReason="STOP")))
    assert one.has_gone_on


def test_signatures_are_dropped_when_nobody_takes_them_back() -> None:
    """A family without signatures may send some; given to a client, they would end up at another family."""
    one = CandidateReader(str, now_s=0.0, keeps_signatures=False)
    call = {"functionCall": {"name": "read"}, "thoughtSignature": SIGNATURE}
    assert one.feed(event_of(of_parts({"text": "", "thoughtSignature": SIGNATURE}, call))) == [
        ToolCall(None, "read", {})
    ]


RECORDED = (
    b'data: {"response":{"candidates":[{"content":{"role":"model","parts":[{"text":"Hello"},'
    b'{"text":"hmm","thought":true}]}}]}}\n\n'
    b'data: {"response":{"candidates":[{"content":{"parts":[{"text":" world","thought":false},'
    b'{"functionCall":{"name":"read","args":{"path":"a.ts"}}}]},"finishReason":"STOP"}],'
    b'"usageMetadata":{"promptTokenCount":100,"cachedContentTokenCount":40,"candidatesTokenCount":7,'
    b'"thoughtsTokenCount":3,"totalTokenCount":110}}}\n\ndata: [DONE]\n\n'
)


@pytest.mark.parametrize("size", [1, 2, 3, 5, 7, 13, 64, 257, len(RECORDED)])
def test_whole_answer_is_read_however_it_is_cut(size: int) -> None:
    """From bytes to events, an answer is the same whatever the reads are."""
    decoder, one = SseDecoder(parse_events), reader()
    pieces = [RECORDED[start : start + size] for start in range(0, len(RECORDED), size)]
    parsed = [event for piece in pieces for event in decoder.feed(piece)] + decoder.finish()
    assert [event for value in parsed for event in one.feed(value)] + one.finish() == [
        Text("Hello"),
        Thought("hmm"),
        Text(" world"),
        ToolCall(None, "READ", {"path": "a.ts"}),
        Usage(prompt=100, cached=40, answer=7, thoughts=3),
        STOP,
    ]


@settings(deadline=None)
@given(json_values())
def test_any_event_raises_only_errors_of_ours(value: Any) -> None:
    """Whatever upstream sends, at any place of an event, is read or is an error of ours."""
    shapes = (
        value,
        {"error": value},
        {"response": value},
        {"candidates": [value], "usageMetadata": value, "promptFeedback": value},
        of_parts(value, {"text": value, "thoughtSignature": value}, {"inlineData": value}, finishReason=value),
        of_parts({"functionCall": value}),
        of_parts({"functionCall": {"name": "read", "args": value, "id": value}, "thoughtSignature": value}),
        {"error": {"code": value, "message": value, "status": value, "details": value}},
    )
    for shape in shapes:
        one = reader()
        with suppress(ProxyError):
            one.feed(event_of(shape))
        assert isinstance(one.finish()[-1], Finish)
