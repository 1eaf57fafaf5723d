"""Tests of neutral events to the frames of a stream."""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from antigravity_proxy.translate.chat.stream import ChatStream, to_finish_reason, to_usage
from antigravity_proxy.translate.events import Event, Finish, FinishReason, Media, Text, Thought, ToolCall, Usage
from antigravity_proxy.translate.json_text import parse_json

from ..samples import PNG, SIGNATURE, new_decoder

if TYPE_CHECKING:
    from collections.abc import Sequence

HEAD = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 5, "model": "gemini-3.8-flash"}
STOP = Finish(FinishReason.STOP, "STOP")
ROLE = {"role": "assistant", "content": ""}
EXTRA = {"extra_content": {"google": {"thought_signature": SIGNATURE}}}


def new_stream(*, with_usage: bool = False) -> ChatStream:
    """A stream whose calls are numbered."""
    numbers = count(1)
    return ChatStream("chatcmpl-1", 5, "gemini-3.8-flash", lambda _: f"call_{next(numbers)}", with_usage=with_usage)


def frames_of(events: Sequence[Event], *, with_usage: bool = False) -> list[Any]:
    """All frames of an answer, parsed, without the last."""
    body = new_stream(with_usage=with_usage).feed(events)
    assert body.endswith(b"\n\ndata: [DONE]\n\n")
    decoder = new_decoder()
    return decoder.feed(body) + decoder.finish()


def deltas_of(*events: Event) -> list[Any]:
    """The deltas of the frames between the first and the end."""
    first, *frames, end = frames_of([*events, STOP])
    assert first["choices"][0]["delta"] == ROLE
    assert end["choices"][0]["delta"] == {}
    return [frame["choices"][0]["delta"] for frame in frames]


def test_text_is_streamed() -> None:
    """The role comes first and alone, then the words, then the end, byte for byte."""
    stream = new_stream()
    head = (
        b'data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":5,"model":"gemini-3.8-flash","choices":'
    )
    assert stream.feed([Text("Hi")]) == (
        head + b'[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}]}\n\n'
        + head + b'[{"index":0,"delta":{"content":"Hi"},"finish_reason":null}]}\n\n'
    )  # fmt: skip
    assert stream.feed([]) == b""
    assert stream.feed([Usage(1, 0, 2, 3)]) == b""
    assert stream.feed([STOP]) == (
        head + b'[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n'
    )  # fmt: skip


@pytest.mark.parametrize(
    ("event", "expected"),
    [
        pytest.param(Text("Hi"), {"content": "Hi"}, id="text"),
        pytest.param(Text("", SIGNATURE), {"content": "", **EXTRA}, id="signature"),
        pytest.param(Thought("hmm"), {"reasoning_content": "hmm"}, id="thought"),
        pytest.param(
            Media("image/png", PNG),
            {"images": [{"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PNG}"}}]},
            id="image",
        ),
        pytest.param(
            ToolCall("toolu_1", "read", {"path": "é"}, SIGNATURE),
            {
                "tool_calls": [
                    {
                        "index": 0,
                        "id": "call_1",
                        "type": "function",
                        "function": {"name": "read", "arguments": '{"path":"é"}'},
                        **EXTRA,
                    }
                ]
            },
            id="call",
        ),
    ],
)
def test_event_has_its_delta(event: Event, expected: dict[str, Any]) -> None:
    """Each event is one delta behind the role."""
    assert deltas_of(event) == [expected]


def test_calls_are_numbered() -> None:
    """Calls have indices over the whole answer and ids of ours, whatever upstream called them."""
    calls = [delta["tool_calls"][0] for delta in deltas_of(ToolCall("x", "a", {}), ToolCall("x", "b", {}))]
    assert [(call["index"], call["id"]) for call in calls] == [(0, "call_1"), (1, "call_2")]


def test_numbers_in_calls_stay_as_they_are() -> None:
    """A number with more digits than a machine word holds reaches the client with all of them."""
    number = 123_456_789_012_345_678_901
    (delta,) = deltas_of(ToolCall(None, "pay", {"account": number}))
    assert delta["tool_calls"][0]["function"]["arguments"] == f'{{"account":{number}}}'


CALL = ToolCall(None, "read", {})


@pytest.mark.parametrize(
    ("events", "reason", "expected"),
    [
        pytest.param([Text("a")], FinishReason.STOP, "stop", id="text"),
        pytest.param([Text("a")], FinishReason.LENGTH, "length", id="length"),
        pytest.param([Text("a")], FinishReason.CONTENT_FILTER, "content_filter", id="filter"),
        pytest.param([CALL], FinishReason.STOP, "tool_calls", id="call"),
        pytest.param([CALL, Text("a")], FinishReason.STOP, "tool_calls", id="call and text"),
        pytest.param([CALL], FinishReason.LENGTH, "tool_calls", id="call and length"),
        pytest.param([], FinishReason.LENGTH, "length", id="nothing"),
    ],
)
def test_finish_reason_comes_once_at_the_end(events: list[Event], reason: FinishReason, expected: str) -> None:
    """Only the last chunk has a reason; a call comes before all."""
    frames = frames_of([*events, Finish(reason, "X")])
    reasons = [frame["choices"][0]["finish_reason"] for frame in frames]
    assert reasons == [None] * (len(events) + 1) + [expected]
    assert to_finish_reason(Finish(reason, "X"), has_calls=CALL in events) == expected


USAGE = Usage(prompt=10, cached=7, answer=3, thoughts=2)


@pytest.mark.parametrize(
    ("usage", "expected"),
    [
        pytest.param(
            USAGE,
            {
                "prompt_tokens": 10,
                "completion_tokens": 5,
                "total_tokens": 15,
                "prompt_tokens_details": {"cached_tokens": 7},
                "completion_tokens_details": {"reasoning_tokens": 2},
            },
            id="all",
        ),
        pytest.param(
            Usage(prompt=100, cached=40, answer=7, thoughts=3),
            {
                "prompt_tokens": 100,
                "completion_tokens": 10,
                "total_tokens": 110,
                "prompt_tokens_details": {"cached_tokens": 40},
                "completion_tokens_details": {"reasoning_tokens": 3},
            },
            id="recorded",
        ),
        pytest.param(
            Usage(prompt=10, cached=0, answer=0, thoughts=0),
            {"prompt_tokens": 10, "completion_tokens": 0, "total_tokens": 10},
            id="no answer",
        ),
    ],
)
def test_usage_adds_up(usage: Usage, expected: dict[str, Any]) -> None:
    """Cached tokens are part of the prompt and thoughts part of the completion; details only when there are some."""
    assert to_usage(usage) == expected


@pytest.mark.parametrize(
    ("events", "with_usage", "expected"),
    [
        pytest.param([USAGE], True, [to_usage(USAGE)], id="wanted"),
        pytest.param([USAGE], False, [], id="not wanted"),
        pytest.param([], True, [], id="unknown"),
        pytest.param([Usage(1, 1, 1, 1), USAGE], True, [to_usage(USAGE)], id="told twice"),
    ],
)
def test_usage_is_a_last_chunk(events: list[Event], expected: list[Any], *, with_usage: bool) -> None:
    """A client that wants the counts gets a chunk without choices behind the end."""
    frames = frames_of([Text("a"), *events, STOP], with_usage=with_usage)
    assert frames[2]["choices"][0]["finish_reason"] == "stop"
    assert frames[3:] == [{**HEAD, "choices": [], "usage": usage} for usage in expected]


PIECES = st.lists(
    st.one_of(
        st.builds(Text, st.text(), st.sampled_from([None, SIGNATURE])),
        st.builds(Thought, st.text()),
        st.builds(
            ToolCall, st.none(), st.text(min_size=1), st.dictionaries(st.text(), st.integers(0, 9), max_size=2)
        ),
    ),
    max_size=6,
)


@settings(deadline=None)
@given(PIECES, st.integers(0, 6))
def test_frames_are_same_however_events_come(events: list[Event], cut: int) -> None:
    """Frames do not depend on which events come together, and say all that the events say."""
    whole, pieces = new_stream(), new_stream()
    body = whole.feed([*events, STOP])
    assert pieces.feed(events[:cut]) + pieces.feed(events[cut:]) + pieces.feed([STOP]) == body
    frames = new_decoder().feed(body)
    assert all({**frame, "choices": HEAD} == {**HEAD, "choices": HEAD} for frame in frames)
    deltas = [frame["choices"][0]["delta"] for frame in frames]
    said = "".join(event.text for event in events if isinstance(event, Text))
    assert "".join(delta.get("content", "") for delta in deltas) == said
    calls = [call for delta in deltas for call in delta.get("tool_calls", ())]
    assert [parse_json(call["function"]["arguments"]) for call in calls] == [
        event.arguments for event in events if isinstance(event, ToolCall)
    ]
