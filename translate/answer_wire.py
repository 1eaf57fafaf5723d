"""An event of an answer as Google writes it, taken apart no further than it is read.

Every field may hold anything: what is of another shape than Google's documents say is left as it came, and whoever
reads the event decides what that means. msgspec makes these in half the time that it takes to make dictionaries.

Source:
    https://ai.google.dev/api/generate-content#v1beta.GenerateContentResponse
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

from msgspec import UNSET, DecodeError, Struct, UnsetType
from msgspec.json import Decoder

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

Plain: TypeAlias = str | int | float | bool | None
"""What is neither a list nor an object."""


class Part(Struct, rename="camel", gc=False):
    """A piece of content."""

    text: Any = None
    thought: Any = None
    thought_signature: Any = None
    function_call: Any = None
    inline_data: Any = None


class Content(Struct, gc=False):
    """What the model says in one event."""

    parts: list[Part | list[Any] | Plain] | dict[str, Any] | Plain = None


class Candidate(Struct, rename="camel", gc=False):
    """One of the answers; there is one."""

    content: Content | list[Any] | Plain = None
    finish_reason: Any = None


class UsageMetadata(Struct, rename="camel", gc=False):
    """Token counts so far."""

    prompt_token_count: Any = None
    cached_content_token_count: Any = None
    candidates_token_count: Any = None
    thoughts_token_count: Any = None


class AnswerBody(Struct, rename="camel", gc=False):
    """A piece of an answer."""

    candidates: list[Candidate | list[Any] | Plain] | dict[str, Any] | Plain = None
    usage_metadata: UsageMetadata | list[Any] | Plain = None
    prompt_feedback: Any = None


class AnswerEvent(AnswerBody, rename="camel", gc=False):
    """One event: a piece of an answer, bare or under ``response``, or an error."""

    response: AnswerBody | list[Any] | Plain | UnsetType = UNSET
    error: Any = None


Value: TypeAlias = AnswerEvent | list[Any] | Plain
"""What an event can be; only the first is one of Google's."""

_decode: Callable[[bytes], Value] = Decoder(AnswerEvent | list[Any] | Plain).decode


def parse_events(texts: Sequence[bytes]) -> list[Value]:
    """Parse some events.

    Raises:
        ValueError: one of them is not JSON, or nested deeper than the parser goes.
    """
    try:
        return list(map(_decode, texts))
    except (DecodeError, RecursionError) as exc:
        raise ValueError(str(exc)) from exc
