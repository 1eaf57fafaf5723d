"""Tests of the events of an answer as Google writes them."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec import UNSET

from antigravity_proxy.translate.answer_wire import (
    AnswerBody,
    AnswerEvent,
    Candidate,
    Content,
    Part,
    UsageMetadata,
    parse_events,
)


def parse_event(text: bytes) -> Any:
    """One event, parsed."""
    (event,) = parse_events([text])
    return event


def test_event_is_taken_apart() -> None:
    """What is read of an event has its names, and all else is left out."""
    event = parse_event(
        b'{"response":{"candidates":[{"content":{"role":"model","parts":[{"text":"Hi","thoughtSignature":"QUJD"},'
        b'{"functionCall":{"name":"read"}},{"inlineData":{}}]},"finishReason":"STOP","index":0}],'
        b'"usageMetadata":{"promptTokenCount":1,"cachedContentTokenCount":2,"candidatesTokenCount":3,'
        b'"thoughtsTokenCount":4,"totalTokenCount":8},"promptFeedback":{"a":1}},"traceId":"x"}'
    )
    parts: list[Part] = [
        Part(text="Hi", thought_signature="QUJD"),
        Part(function_call={"name": "read"}),
        Part(inline_data={}),
    ]
    body = AnswerBody([Candidate(Content([*parts]), "STOP")], UsageMetadata(1, 2, 3, 4), {"a": 1})
    assert event == AnswerEvent(response=body)


def test_bare_answer_and_error_are_told_apart() -> None:
    """An event has a response only where it says so, be it none at all."""
    bare, none, error = map(parse_event, (b'{"candidates":[]}', b'{"response":null}', b'{"error":{"code":1}}'))
    assert bare == AnswerEvent(candidates=[])
    assert none == AnswerEvent(response=None)
    assert error == AnswerEvent(response=UNSET, error={"code": 1})


@pytest.mark.parametrize("value", [b"[1]", b'"a"', b"1", b"0.5", b"true", b"null"])
def test_any_value_may_stand_anywhere(value: bytes) -> None:
    """What is of another shape than the documents say is left as it came."""
    for place in (b"%b", b'{"response":%b}', b'{"candidates":%b}', b'{"candidates":[%b],"usageMetadata":%b}'):
        parse_event(place.replace(b"%b", value))
    for place in (b'{"content":%b,"finishReason":%b}', b'{"content":{"parts":%b}}', b'{"content":{"parts":[%b]}}'):
        parse_event(b'{"candidates":[' + place.replace(b"%b", value) + b"]}")
    for place in (b'{"text":%b,"thought":%b}', b'{"functionCall":%b,"inlineData":%b,"thoughtSignature":%b}'):
        parts = b'{"candidates":[{"content":{"parts":[' + place.replace(b"%b", value) + b"]}}]}"
        parse_event(parts)


@pytest.mark.parametrize("place", [b'{"candidates":{"a":1}}', b'{"candidates":[{"content":{"parts":{"a":1}}}]}'])
def test_objects_may_stand_for_lists(place: bytes) -> None:
    """An object where a list belongs is left as it came, too."""
    assert isinstance(parse_event(place), AnswerEvent)


@pytest.mark.parametrize(
    "text",
    [b"", b"{", b'{"a":1}x', b"nonsense", b"NaN", b'{"error":1e999}', b"\xff", b'{"error":"\xff"}', b"[" * 100_000],
    ids=["nothing", "cut", "more", "words", "NaN", "infinity", "no UTF-8", "no text", "deep"],
)
def test_what_is_no_json_is_a_value_error(text: bytes) -> None:
    """Broken JSON is told as every parser here tells it."""
    with pytest.raises(ValueError, match=r".+"):
        parse_event(text)


def test_numbers_of_any_size_are_read() -> None:
    """A number that no machine word holds breaks no answer."""
    big = 10**30
    assert parse_event(b'{"usageMetadata":{"promptTokenCount":%d}}' % big) == AnswerEvent(
        usage_metadata=UsageMetadata(prompt_token_count=big)
    )
