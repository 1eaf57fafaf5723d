"""Tests of answers and token counts."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from antigravity_proxy.simulator.answer import Usage, count_tokens, is_thought, words


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("", []),
        ("Hello", ["Hello"]),
        ("Hello,  world\n", ["Hello,  ", "world\n"]),
        ("  x", ["  ", "x"]),
        ("x" * 30, ["x" * 24, "x" * 6]),
    ],
    ids=["nothing", "one", "two", "leading blank", "long"],
)
def test_words(text: str, pieces: list[str]) -> None:
    """A token is a word with the blanks after it, of 24 characters at most."""
    assert words(text) == pieces


@settings(deadline=None)
@given(st.text())
def test_words_lose_nothing(text: str) -> None:
    """The tokens of a text joined are the text."""
    assert "".join(words(text)) == text


@pytest.mark.parametrize(
    ("value", "count"),
    [
        ("two words", 2),
        (7, 1),
        (None, 1),
        ([{"text": "two words"}], 3),
        ([{"inlineData": {"mimeType": "image/png", "data": "aGk="}}], 258),
        ({"a": {"b": "c"}}, 3),
    ],
    ids=str,
)
def test_count_tokens(value: Any, count: int) -> None:
    """Words and names count one each, media a fixed number."""
    assert count_tokens(value) == count


def test_usage_leaves_out_zeros() -> None:
    """Counts of nothing are not printed; prompt and total always are."""
    assert Usage(3, 0, 0, 0).metadata() == {"promptTokenCount": 3, "totalTokenCount": 3}
    assert Usage(10, 7, 3, 2).metadata() == {
        "promptTokenCount": 10,
        "cachedContentTokenCount": 7,
        "candidatesTokenCount": 3,
        "thoughtsTokenCount": 2,
        "totalTokenCount": 15,
    }


def test_is_thought() -> None:
    """Only thought: true makes a thought."""
    assert is_thought({"text": "x", "thought": True})
    assert not is_thought({"text": "x", "thought": False})
    assert not is_thought({"text": "x"})
