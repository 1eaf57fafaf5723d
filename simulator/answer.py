"""What a model answers, as a value: its parts, why it ended, what it cost; and what it was asked."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from .fields import is_list, is_object

WORD = re.compile(r"\S{1,24}\s*|\s+")
"""One token of the simulator: a word with the blanks after it; long runs count by 24 characters."""

MEDIA_TOKENS = 258
"""Tokens of one image or other medium.

Source: the public Gemini API, tokens of a small image.
"""

Part = dict[str, Any]
"""One part as it goes over the wire."""


@dataclass(frozen=True, slots=True)
class Usage:
    """How many tokens went in and came out.

    Attributes:
        prompt: tokens of the question, with the cached ones.
        cached: how many of them an earlier request of the same session had brought.
        answer: tokens of text and calls.
        thoughts: tokens of thoughts.
    """

    prompt: int
    cached: int
    answer: int
    thoughts: int

    def metadata(self) -> dict[str, int]:
        """Give ``usageMetadata``; counts of nothing are left out, as the service does."""
        optional = {
            "cachedContentTokenCount": self.cached,
            "candidatesTokenCount": self.answer,
            "thoughtsTokenCount": self.thoughts,
        }
        return {
            "promptTokenCount": self.prompt,
            **{name: count for name, count in optional.items() if count},
            "totalTokenCount": self.prompt + self.answer + self.thoughts,
        }


@dataclass(frozen=True, slots=True)
class Answer:
    """A whole answer, before it is cut into events.

    Attributes:
        parts: thoughts, texts, calls and media in order.
        usage: token counts.
        finish_reason: why the model stopped, or None for an answer that does not say.
        finish_message: the sentence beside some finish reasons.
        block_reason: set when the prompt was refused, so that there is no candidate.
    """

    parts: tuple[Part, ...]
    usage: Usage
    finish_reason: str | None = "STOP"
    finish_message: str | None = None
    block_reason: str | None = None


def words(text: str) -> list[str]:
    """Cut a text into tokens; joined they are the text again."""
    return WORD.findall(text)


def count_tokens(value: Any) -> int:
    """Count the tokens of a JSON value: words of all texts and names in it, and a fixed number per medium."""
    if isinstance(value, str):
        return len(words(value))
    if is_object(value):
        if "inlineData" in value:
            return MEDIA_TOKENS
        return sum(1 + count_tokens(member) for member in value.values())
    if is_list(value):
        return sum(count_tokens(item) for item in value)
    return 1


def is_thought(part: Part) -> bool:
    """Say whether a part is a thought."""
    return part.get("thought") is True
