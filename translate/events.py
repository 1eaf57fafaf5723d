"""The neutral middle: what a conversation is made of, in no dialect's words.

The same parts stand in a request's turns and arrive as the events of an answer. A thought signature rides on the
part that carried it. What an answer has by the thousand is a struct of msgspec's, which is made in a quarter of the
time of a dataclass.

Source:
    SPEC.md, "Translation".
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Literal

from msgspec import Struct


class Text(Struct, frozen=True, gc=False):
    """Words that people read."""

    text: str
    signature: str | None = None


class Thought(Struct, frozen=True, gc=False):
    """Words the model said to itself."""

    text: str
    signature: str | None = None


class Media(Struct, frozen=True, gc=False):
    """An image, a sound, a film or a document.

    Attributes:
        mime_type: such as ``image/png``.
        data: standard base64; the very string that was received.
    """

    mime_type: str
    data: str


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A call of a tool, whole.

    Attributes:
        id: what a result refers to; None when the other side gave none.
        name: as the sender spelled it.
        arguments: a JSON object.
        signature: base64, Gemini only.
    """

    id: str | None
    name: str
    arguments: dict[str, Any]
    signature: str | None = None


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What a tool gave back; only in requests.

    Attributes:
        call_id: id of the call that is answered; None when the client did not say.
        name: the tool's name, if the client said it.
        output: its words.
        is_error: whether ``output`` tells of a failure.
        media: images and files among the result.
    """

    call_id: str | None
    name: str | None
    output: str
    is_error: bool = False
    media: tuple[Media, ...] = ()


class Usage(Struct, frozen=True, gc=False):
    """Token counts of one answer, as upstream counts them.

    Attributes:
        prompt: all of the prompt, cached or not.
        cached: how much of the prompt came from the cache.
        answer: the visible answer, without thoughts.
        thoughts: what the model thought.
    """

    prompt: int
    cached: int
    answer: int
    thoughts: int


class FinishReason(StrEnum):
    """Why an answer ended."""

    STOP = "stop"
    LENGTH = "length"
    CONTENT_FILTER = "content_filter"


class Finish(Struct, frozen=True, gc=False):
    """The answer is complete.

    Attributes:
        reason: ours.
        upstream_reason: Google's word for it.
    """

    reason: FinishReason
    upstream_reason: str


Role = Literal["user", "model"]
Part = Text | Thought | Media | ToolCall | ToolResult
Event = Text | Thought | Media | ToolCall | Usage | Finish


SHOWN = (ToolCall, Media)
"""What shows the client something, whatever is in it."""

WORDS = (Text, Thought)
"""What may be empty; a tuple, as ``isinstance`` would make a union anew for each part that passes."""


def has_substance(event: Event) -> bool:
    """Whether an event shows the client something; an empty text only carries a signature."""
    return isinstance(event, SHOWN) or (isinstance(event, WORDS) and bool(event.text))


@dataclass(frozen=True, slots=True)
class Turn:
    """What one side said without being interrupted."""

    role: Role
    parts: tuple[Part, ...] = field(default=())
