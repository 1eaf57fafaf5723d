"""The many ways clients say how much to think and whether to show it.

Source:
    https://platform.openai.com/docs/guides/reasoning, https://ai.google.dev/gemini-api/docs/openai#thinking and
    SPEC.md, "Reasoning".
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from ..json_text import as_object, is_object

if TYPE_CHECKING:
    from .wire import ChatRequest

T = TypeVar("T")

EFFORT_PARAM = "reasoning_effort"
CAMEL = re.compile("(?<=[a-z])(?=[A-Z])")
"""Between the words of a name such as ``includeThoughts``."""


@dataclass(frozen=True, slots=True)
class Reasoning:
    """What a request says about thinking.

    Attributes:
        effort: the client's word, such as ``high``; None when it says nothing.
        effort_param: where the client said it.
        include_thoughts: whether thoughts are to be shown; None when it says nothing. True makes no model think: it
            means nothing without an effort or a budget.
        budget: tokens for thoughts; None when it says nothing.
    """

    effort: str | None = None
    effort_param: str = EFFORT_PARAM
    include_thoughts: bool | None = None
    budget: int | None = None


def read_reasoning(body: ChatRequest) -> Reasoning:
    """Read ``reasoning_effort`` and its aliases; a more particular one beats a more general one.

    Known are ``reasoning_effort``; ``reasoning: {effort, enabled, exclude, max_tokens}``;
    ``thinking: {type, budget_tokens, include_thoughts}``; and Google's ``google: {thinking_config: {...}}``, also
    inside ``extra_body`` and in camel case. An alias whose value is of another type than expected counts as absent.
    """
    said = (body.reasoning_effort, body.reasoning, body.thinking, body.google, body.extra_body)
    if all(value is None for value in said):
        return Reasoning()
    reasoning = as_object(body.reasoning)
    thinking = as_object(body.thinking)
    google, google_param = _google(body)
    words = {
        EFFORT_PARAM: body.reasoning_effort,
        "reasoning.effort": reasoning.get("effort"),
        f"{google_param}.thinking_level": google.get("thinking_level"),
    }
    effort_param = next((param for param, word in words.items() if isinstance(word, str)), EFFORT_PARAM)
    effort = words[effort_param]
    budget = _first(int, google.get("thinking_budget"), thinking.get("budget_tokens"), reasoning.get("max_tokens"))
    if effort is None and (reasoning.get("enabled") is False or thinking.get("type") == "disabled"):
        effort, budget = "none", None
    if effort is None and (reasoning.get("enabled") is True or thinking.get("type") == "enabled"):
        effort = "medium"
    exclude = reasoning.get("exclude")
    return Reasoning(
        effort=None if effort is None else effort.strip().lower(),
        effort_param=effort_param,
        include_thoughts=_first(
            bool,
            google.get("include_thoughts"),
            thinking.get("include_thoughts"),
            thinking.get("includeThoughts"),
            not exclude if isinstance(exclude, bool) else None,
        ),
        budget=budget,
    )


def _google(body: ChatRequest) -> tuple[dict[str, Any], str]:
    """Google's own settings, and where they stand."""
    for param, holder in (("google", body.google), ("extra_body.google", as_object(body.extra_body).get("google"))):
        for key in ("thinking_config", "thinkingConfig"):
            if is_object(config := as_object(holder).get(key)):
                return {CAMEL.sub("_", name).lower(): value for name, value in config.items()}, f"{param}.{key}"
    return {}, ""


def _first(kind: type[T], *values: Any) -> T | None:
    return next((value for value in values if type(value) is kind), None)
