"""Tests of the neutral middle."""

from __future__ import annotations

import pytest

from antigravity_proxy.translate.events import FinishReason, Media, Text, Thought, ToolCall, ToolResult, Turn


def test_parts_cannot_be_changed() -> None:
    """A part that two turns share is the same for both."""
    text = Text("Hello")
    with pytest.raises(AttributeError):
        text.text = "Bye"  # type: ignore[misc]


def test_parts_of_different_kinds_are_different() -> None:
    """A thought with the same words is not the text."""
    assert Text("a") == Text("a", None)
    assert len({Text("a"), Thought("a"), Text("a", "QUJD")}) == 3


def test_parts_start_without_extras() -> None:
    """What is not known is absent: signatures, media, failure, parts."""
    assert ToolCall("call_1", "read", {}).signature is None
    result = ToolResult("call_1", "read", "done")
    assert (result.is_error, result.media) == (False, ())
    assert Turn("user").parts == ()


def test_results_can_be_looked_up() -> None:
    """Equal results are one member of a set, with their media."""
    image = Media("image/png", "AAAA")
    assert len({ToolResult("a", None, "x", media=(image,)), ToolResult("a", None, "x", media=(image,))}) == 1


def test_finish_reasons_are_the_words_of_clients() -> None:
    """The values are what OpenAI calls the same things."""
    assert list(FinishReason) == ["stop", "length", "content_filter"]
