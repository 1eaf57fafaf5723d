"""From a public model and an effort to the runtime id that is called, and what to call after a 404.

Source:
    SPEC.md, "Models" and "When a runtime id answers 404".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..errors import RequestError
from .builtin import (
    LEVEL_PREFIXES,
    LEVELS,
    OUTPUT_CAPS,
    RUNTIME_IDS,
    STATIC_FALLBACKS,
    THINKING_BUDGETS,
    UNKNOWN_OUTPUT_CAP,
)
from .model import Effort, Family, Route

if TYPE_CHECKING:
    from collections.abc import Mapping

EFFORT_WORDS: Mapping[str, Effort | None] = {
    "": None,
    "auto": None,
    "default": None,
    "none": Effort.NONE,
    "off": Effort.NONE,
    "disable": Effort.NONE,
    "disabled": Effort.NONE,
    "minimal": Effort.MINIMAL,
    "low": Effort.LOW,
    "medium": Effort.MEDIUM,
    "high": Effort.HIGH,
    "xhigh": Effort.XHIGH,
    "extra_high": Effort.XHIGH,
    "max": Effort.XHIGH,
    "ultra": Effort.XHIGH,
}
"""What clients say for an effort → ours; None leaves the choice to the model's default."""

LEVEL_SUFFIXES = (Effort.LOW, Effort.MEDIUM, Effort.HIGH)


def family_of(runtime_id: str) -> Family:
    """Which form of request a runtime id takes; unknown names are taken for Gemini's."""
    if runtime_id.startswith("claude-"):
        return Family.CLAUDE
    if runtime_id.startswith("gpt-oss-"):
        return Family.GPT_OSS
    return Family.GEMINI


def resolve_runtime_id(model_id: str, effort: Effort | None) -> str:
    """The runtime id behind a public id; an id outside the table stands for itself."""
    by_effort = RUNTIME_IDS.get(model_id)
    return model_id if by_effort is None else by_effort[effort or Effort.NONE]


def output_cap(runtime_id: str) -> int:
    """The largest ``maxOutputTokens`` a runtime id accepts."""
    return next((cap for prefix, cap in OUTPUT_CAPS if runtime_id.startswith(prefix)), UNKNOWN_OUTPUT_CAP)


def thinking_config(runtime_id: str, effort: Effort | None) -> Mapping[str, Any] | None:
    """The ``thinkingConfig`` that makes a runtime id think as much as asked.

    "Off" is sent too, and also when the client asked for nothing: without it the service applies a budget of its own.

    Returns:
        ``{"includeThoughts": bool, "thinkingBudget": int}`` or ``{"includeThoughts": bool, "thinkingLevel": str}``;
        None for a runtime id of no known family.
    """
    effort = effort or Effort.NONE
    thinks = effort is not Effort.NONE
    if runtime_id.startswith(LEVEL_PREFIXES):
        return {"includeThoughts": thinks, "thinkingLevel": LEVELS[effort]}
    for prefix, low, medium, high in THINKING_BUDGETS:
        if runtime_id.startswith(prefix):
            budgets = {Effort.NONE: 0, Effort.MINIMAL: low, Effort.LOW: low, Effort.MEDIUM: medium}
            return {"includeThoughts": thinks, "thinkingBudget": budgets.get(effort, high)}
    return None


def read_effort(word: str | None, param: str = "reasoning_effort") -> Effort | None:
    """The effort a client's word stands for; None leaves it to the model.

    Args:
        word: what the client said.
        param: where it said it.

    Raises:
        RequestError: the word is not in the table.
    """
    if word is None:
        return None
    if word not in EFFORT_WORDS:
        known = ", ".join(Effort)
        raise RequestError(f"{param} is {word[:40]!r}; known are {known}.", param=param)
    return EFFORT_WORDS[word]


def route_to(model_id: str, effort: Effort | None) -> Route:
    """The route a request for a public model takes first."""
    return _route(model_id, resolve_runtime_id(model_id, effort), effort)


def reroute(route: Route, runtime_id: str) -> Route:
    """The same request, sent to another runtime id; caps and thinking are those of the new one."""
    return _route(route.model_id, runtime_id, route.effort)


def _route(model_id: str, runtime_id: str, effort: Effort | None) -> Route:
    return Route(
        model_id=model_id,
        runtime_id=runtime_id,
        family=family_of(runtime_id),
        effort=effort,
        max_output_tokens=output_cap(runtime_id),
        thinking=thinking_config(runtime_id, effort),
    )


def static_fallback(runtime_id: str, effort: Effort | None) -> str | None:
    """The fallback for a runtime id that answered 404, if we know one.

    A level at the end of the failing id (``gemini-3.7-flash-high``) beats the effort that was asked for.
    """
    for prefix, model_id in STATIC_FALLBACKS:
        if runtime_id.startswith(prefix):
            level = runtime_id.removeprefix(prefix).removeprefix("-")
            return resolve_runtime_id(model_id, Effort(level) if level in LEVEL_SUFFIXES else effort)
    return None
