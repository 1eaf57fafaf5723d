"""What a model is, and the route one request takes to it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping


class Family(StrEnum):
    """Families of models that take the same form of request."""

    GEMINI = "gemini"
    CLAUDE = "claude"
    GPT_OSS = "gpt-oss"


class Effort(StrEnum):
    """How much a model should think, in OpenAI's words."""

    NONE = "none"
    MINIMAL = "minimal"
    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"
    XHIGH = "xhigh"


@dataclass(frozen=True, slots=True)
class Runtime:
    """One runtime id and what Google takes for it.

    Attributes:
        id: what is sent upstream.
        family: which form of request it takes.
        max_output_tokens: largest ``maxOutputTokens`` it accepts.
        thinking: effort → its ``thinkingConfig``; None when it takes none.
        media_types: the mime types it takes; None for all those of its family.
    """

    id: str
    family: Family
    max_output_tokens: int
    thinking: Mapping[Effort, Mapping[str, Any]] | None
    media_types: frozenset[str] | None = None


@dataclass(frozen=True, slots=True)
class Model:
    """One model as users know it.

    Attributes:
        id: public id, such as ``gemini-3.8-flash``.
        name: for people.
        family: which form of request it takes.
        context_tokens: size of the context window.
        max_output_tokens: largest answer.
        inputs: ``text``, ``image``, ``audio``, ``video``, ``pdf``.
        efforts: levels worth offering to a user, lowest first.
        runtimes: effort → what serves it; None for what the built-in table says.
        own_effort: how much it thinks when a client asks for nothing.
    """

    id: str
    name: str
    family: Family
    context_tokens: int
    max_output_tokens: int
    inputs: tuple[str, ...]
    efforts: tuple[Effort, ...]
    runtimes: Mapping[Effort, Runtime] | None = None
    own_effort: Effort | None = None


@dataclass(frozen=True, slots=True)
class Route:
    """Where one request goes: a runtime id and what holds for it.

    Attributes:
        model_id: public id the client asked for.
        runtime_id: id that is sent upstream.
        family: which form of request the runtime id takes.
        effort: what the client asked for; None when it asked for nothing.
        max_output_tokens: largest ``maxOutputTokens`` the runtime id accepts.
        thinking: ``thinkingConfig`` for this runtime id and effort; None sends none.
        media_types: mime types the runtime id takes; None for those of its family.
    """

    model_id: str
    runtime_id: str
    family: Family
    effort: Effort | None
    max_output_tokens: int
    thinking: Mapping[str, Any] | None
    media_types: frozenset[str] | None = None
