"""Tests of neutral events to a whole completion."""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING, Any

import pytest

from antigravity_proxy.translate.chat.reply import to_completion
from antigravity_proxy.translate.events import Event, Finish, FinishReason, Media, Text, Thought, ToolCall, Usage

from ..samples import PNG, SIGNATURE

if TYPE_CHECKING:
    from collections.abc import Iterable

    from antigravity_proxy.translate.chat.wire import Completion

STOP = Finish(FinishReason.STOP, "STOP")
EXTRA = {"extra_content": {"google": {"thought_signature": SIGNATURE}}}


def completion_of(events: Iterable[Event]) -> Completion:
    """The completion of these events, whose calls are numbered."""
    numbers = count(1)
    return to_completion(events, "chatcmpl-1", 5, "gemini-3.8-flash", lambda _: f"call_{next(numbers)}")


def message_of(*events: Event) -> Any:
    """The message of the completion."""
    return completion_of([*events, STOP])["choices"][0]["message"]


def test_completion_holds_answer_and_counts() -> None:
    """Thoughts, words and counts of an answer stand in their fields."""
    events: list[Event] = [
        Thought("I need to multiply "),
        Thought("17 by 24."),
        Text("4"),
        Text("08"),
        Usage(prompt=9, cached=0, answer=3, thoughts=42),
        STOP,
    ]
    assert completion_of(events) == {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 5,
        "model": "gemini-3.8-flash",
        "choices": [
            {
                "index": 0,
                "message": {
                    "role": "assistant",
                    "content": "408",
                    "reasoning_content": "I need to multiply 17 by 24.",
                },
                "finish_reason": "stop",
            }
        ],
        "usage": {
            "prompt_tokens": 9,
            "completion_tokens": 45,
            "total_tokens": 54,
            "completion_tokens_details": {"reasoning_tokens": 42},
        },
    }


def test_usage_counts_nothing_when_there_was_no_answer() -> None:
    """A completion of no tokens says so, and one without counts says nothing."""
    usage = completion_of([Usage(prompt=9, cached=0, answer=0, thoughts=0), STOP])["usage"]
    assert usage == {"prompt_tokens": 9, "completion_tokens": 0, "total_tokens": 9}
    assert "usage" not in completion_of([STOP])


@pytest.mark.parametrize(
    ("events", "expected"),
    [
        pytest.param([], {"content": None}, id="nothing"),
        pytest.param([Text("Hi", SIGNATURE), Text("")], {"content": "Hi", **EXTRA}, id="signed text"),
        pytest.param([Text("Hi", "QQ=="), Text("", SIGNATURE)], {"content": "Hi", **EXTRA}, id="signed twice"),
        pytest.param(
            [Media("image/png", PNG)],
            {
                "content": None,
                "images": [{"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PNG}"}}],
            },
            id="image",
        ),
        pytest.param(
            [ToolCall("x", "read", {"n": 1}, SIGNATURE), ToolCall(None, "read", {})],
            {
                "content": None,
                "tool_calls": [
                    {
                        "id": "call_1",
                        "type": "function",
                        "function": {"name": "read", "arguments": '{"n":1}'},
                        **EXTRA,
                    },
                    {"id": "call_2", "type": "function", "function": {"name": "read", "arguments": "{}"}},
                ],
            },
            id="calls",
        ),
    ],
)
def test_message_holds_what_was_said(events: list[Event], expected: dict[str, Any]) -> None:
    """The message has content, or null, and of the rest what there is."""
    assert message_of(*events) == {"role": "assistant", **expected}


@pytest.mark.parametrize(
    ("events", "expected"),
    [
        pytest.param([Text("a"), Finish(FinishReason.LENGTH, "MAX_TOKENS")], "length", id="length"),
        pytest.param([Finish(FinishReason.CONTENT_FILTER, "SAFETY")], "content_filter", id="filter"),
        pytest.param([ToolCall(None, "a", {}), Text("a"), STOP], "tool_calls", id="call"),
        pytest.param([Text("a")], "stop", id="no end"),
    ],
)
def test_finish_reason_is_that_of_the_end(events: list[Event], expected: str) -> None:
    """The reason is that of the end; a call comes before all."""
    assert completion_of(events)["choices"][0]["finish_reason"] == expected
