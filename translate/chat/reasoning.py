"""The many ways clients say how much to think and whether to show it.

Source:
    https://platform.openai.com/docs/guides/reasoning, https://ai.google.dev/gemini-api/docs/openai#thinking and
    SPEC.md, "Reasoning".
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from ..json_text import is_object

if TYPE_CHECKING:
    from .wire import ChatRequest

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Reasoning:
    """What a request says about thinking.

    Attributes:
        effort: the client's word, such as ``high``; None when it says nothing.
        include_thoughts: whether thoughts are to be shown; None when it says nothing.
        budget: tokens for thoughts; None when it says nothing.
    """

    effort: str | None = None
    include_thoughts: bool | None = None
    budget: int | None = None


def read_reasoning(body: ChatRequest) -> Reasoning:
    """Read ``reasoning_effort`` and its aliases; a more particular one beats a more general one.

    Known are ``reasoning_effort``; ``reasoning: {effort, enabled, exclude, max_tokens}``;
    ``thinking: {type, budget_tokens, include_thoughts}``; and Google's ``google: {thinking_config: {...}}``, also
    inside ``extra_body``. Values of another type than expected count as absent.
    """
    reasoning = body.reasoning or {}
    thinking = body.thinking or {}
    google = _google(body)
    effort = _first(str, body.reasoning_effort, reasoning.get("effort"), google.get("thinking_level"))
    budget = _first(int, google.get("thinking_budget"), thinking.get("budget_tokens"), reasoning.get("max_tokens"))
    if effort is None and (reasoning.get("enabled") is False or thinking.get("type") == "disabled"):
        effort, budget = "none", None
    if effort is None and (reasoning.get("enabled") is True or thinking.get("type") == "enabled"):
        effort = "medium"
    exclude = reasoning.get("exclude")
    return Reasoning(
        effort=None if effort is None else effort.strip().lower(),
        include_thoughts=_first(
            bool,
            google.get("include_thoughts"),
            thinking.get("include_thoughts"),
            not exclude if isinstance(exclude, bool) else None,
        ),
        budget=budget,
    )


def _google(body: ChatRequest) -> dict[str, Any]:
    extra = body.extra_body or {}
    for holder in (body.google, extra.get("google")):
        if is_object(holder) and is_object(config := holder.get("thinking_config")):
            return config
    return {}


def _first(kind: type[T], *values: Any) -> T | None:
    return next((value for value in values if type(value) is kind), None)
