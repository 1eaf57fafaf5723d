"""From a public model and an effort to the runtime id that is called, and what to call after a 404.

Source:
    SPEC.md, "Models" and "When a runtime id answers 404".
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
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
from .model import Effort, Family, Route, Runtime

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .model import Model

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

KEPT_RUNTIMES = 256
"""Of so many runtime ids it is kept what the tables say, as every request asks for one."""

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


@lru_cache(maxsize=KEPT_RUNTIMES)
def builtin_runtime(runtime_id: str) -> Runtime:
    """What the built-in tables know of a runtime id."""
    thinking = {effort: config for effort in Effort if (config := thinking_config(runtime_id, effort)) is not None}
    return Runtime(runtime_id, family_of(runtime_id), output_cap(runtime_id), thinking or None)


def route_over(model_id: str, runtime: Runtime, effort: Effort | None) -> Route:
    """The route to a runtime id, with the caps, thinking and media that hold for it."""
    return Route(
        model_id=model_id,
        runtime_id=runtime.id,
        family=runtime.family,
        effort=effort,
        max_output_tokens=runtime.max_output_tokens,
        thinking=None if runtime.thinking is None else runtime.thinking[effort or Effort.NONE],
        media_types=runtime.media_types,
    )


def route_to(model_id: str, effort: Effort | None) -> Route:
    """The route a request for a public model of the built-in table takes first."""
    return route_over(model_id, builtin_runtime(resolve_runtime_id(model_id, effort)), effort)


def route_model(model: Model, effort: Effort | None) -> Route:
    """The route a request for a model takes first."""
    if effort is None:
        effort = model.own_effort
    if model.runtimes is None:
        return route_to(model.id, effort)
    return route_over(model.id, model.runtimes[effort or Effort.NONE], effort)


def reroute(route: Route, runtime_id: str) -> Route:
    """The same request, sent to another runtime id of the built-in tables, whose caps and thinking then hold."""
    return route_over(route.model_id, builtin_runtime(runtime_id), route.effort)


def without_thinking(route: Route) -> Route:
    """The same route for a request that needs no thoughts."""
    if route.thinking is None:
        return replace(route, effort=Effort.NONE)
    amount = {"thinkingLevel": LEVELS[Effort.NONE]} if "thinkingLevel" in route.thinking else {"thinkingBudget": 0}
    return replace(route, effort=Effort.NONE, thinking={"includeThoughts": False, **amount})


def fallback_route(route: Route) -> Route | None:
    """The route to the static fallback of a runtime id that answered 404, if we know one."""
    runtime_id = static_fallback(route.runtime_id, route.effort)
    return None if runtime_id is None else reroute(route, runtime_id)


def static_fallback(runtime_id: str, effort: Effort | None) -> str | None:
    """The fallback for a runtime id that answered 404, if we know one.

    A level at the end of the failing id (``gemini-3.7-flash-high``) beats the effort that was asked for.
    """
    for prefix, model_id in STATIC_FALLBACKS:
        if runtime_id.startswith(prefix):
            level = runtime_id.removeprefix(prefix).removeprefix("-")
            return resolve_runtime_id(model_id, Effort(level) if level in LEVEL_SUFFIXES else effort)
    return None
