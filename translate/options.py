"""How an answer is to be made: sampling, length, thinking and form.

Source:
    https://ai.google.dev/api/generate-content#generationconfig and SPEC.md, "Options".
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .schema import clean_response_schema

if TYPE_CHECKING:
    from .target import Target

MAX_STOPS = 5
MAX_TOP_K = (1 << 31) - 1
SEED_BITS = 31
SMALLEST_BUDGETS = {"gemini": 128, "claude": 1_024, "gpt-oss": 1_024}
"""Family → the smallest ``thinkingBudget`` above 0 that all its models take."""

DYNAMIC_FAMILIES = ("gemini",)
"""Families that take the budget -1, which leaves it to the model."""


@dataclass(frozen=True, slots=True)
class Options:
    """What a client asked of the answer; None where it asked for nothing.

    Attributes:
        temperature: 0 to 2; clamped.
        top_p: 0 to 1; clamped.
        top_k: 1 to MAX_TOP_K; clamped.
        max_tokens: longest answer with its thoughts; clamped to what the model can.
        stop: texts that end the answer, at most MAX_STOPS.
        seed: any integer.
        is_json: whether the answer must be JSON.
        response_schema: JSON Schema the answer must follow.
        include_thoughts: whether thoughts are shown, if the model thinks.
        thinking_budget: tokens for thoughts, in place of what the effort stands for.
    """

    temperature: float | None = None
    top_p: float | None = None
    top_k: int | None = None
    max_tokens: int | None = None
    stop: tuple[str, ...] = ()
    seed: int | None = None
    is_json: bool = False
    response_schema: dict[str, Any] | None = None
    include_thoughts: bool | None = None
    thinking_budget: int | None = None


def to_generation_config(options: Options, target: Target) -> dict[str, Any]:
    """The ``generationConfig`` of a request; ``maxOutputTokens`` is always in it."""
    max_tokens = target.max_output_tokens
    if options.max_tokens is not None:
        max_tokens = min(max(options.max_tokens, 1), max_tokens)
    config: dict[str, Any] = {"maxOutputTokens": max_tokens}
    if options.temperature is not None:
        config["temperature"] = min(max(options.temperature, 0), 2)
    if options.top_p is not None:
        config["topP"] = min(max(options.top_p, 0), 1)
    if options.top_k is not None:
        config["topK"] = min(max(options.top_k, 1), MAX_TOP_K)
    if options.stop:
        config["stopSequences"] = list(options.stop)
    if options.seed is not None:
        config["seed"] = options.seed % (1 << SEED_BITS)
    if options.is_json:
        config["responseMimeType"] = "application/json"
    if options.response_schema is not None:
        config["responseSchema"] = clean_response_schema(options.response_schema)
    if (thinking := _thinking(options, target, max_tokens)) is not None:
        config["thinkingConfig"] = thinking
    return config


def _thinking(options: Options, target: Target, max_tokens: int) -> dict[str, Any] | None:
    if target.thinking is None:
        return None
    thinking = dict(target.thinking)
    if "thinkingBudget" in thinking:
        wanted = thinking["thinkingBudget"] if options.thinking_budget is None else options.thinking_budget
        smallest = SMALLEST_BUDGETS[target.family]
        if wanted < 0 and target.family not in DYNAMIC_FAMILIES:
            wanted = smallest
        budget = fit_budget(wanted, max_tokens, smallest)
        thinking["thinkingBudget"] = budget
        thinking["includeThoughts"] = budget != 0
    if options.include_thoughts is False:
        thinking["includeThoughts"] = False
    return thinking


def fit_budget(budget: int, max_tokens: int, smallest: int) -> int:
    """A thinking budget that leaves room for an answer, as thoughts count as output.

    Args:
        budget: tokens; 0 is off, -1 leaves it to the model.
        max_tokens: what the whole answer may take.
        smallest: the least the family accepts above 0.

    Returns:
        0 or -1 as they are; else ``smallest`` to half of ``max_tokens``, or 0 if that is too little to think.
    """
    if budget <= 0:
        return max(budget, -1)
    room = max_tokens // 2
    return min(max(budget, smallest), room) if room >= smallest else 0
