"""How an answer is to be made: sampling, length, thinking and form.

Source:
    https://ai.google.dev/api/generate-content#generationconfig and SPEC.md, "Options".
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .schema import clean_response_schema
from .target import rules_of

if TYPE_CHECKING:
    from .cloud_wire import GenerationConfig
    from .target import Target

MAX_STOPS = 5
MAX_TOP_K = (1 << 31) - 1
SEED_BITS = 31


@dataclass(frozen=True, slots=True)
class Options:
    """What a client asked of the answer; None where it asked for nothing.

    Attributes:
        temperature: 0 to 2; clamped.
        top_p: 0 to 1; clamped.
        top_k: up to MAX_TOP_K; less than 1 asks for nothing.
        max_tokens: longest answer with its thoughts, clamped to what the model can; less than 1 asks for nothing.
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


def to_generation_config(options: Options, target: Target) -> GenerationConfig:
    """The ``generationConfig`` of a request; ``maxOutputTokens`` is always in it.

    A thinking budget is made to leave room for an answer. A thinking level says nothing of tokens, so where a model
    takes one, a short ``maxOutputTokens`` may be used up by thoughts; it is left as the client wants it.
    """
    max_tokens = target.max_output_tokens
    if options.max_tokens is not None and options.max_tokens > 0:
        max_tokens = min(options.max_tokens, max_tokens)
    config: GenerationConfig = {"maxOutputTokens": max_tokens}
    if options.temperature is not None:
        config["temperature"] = min(max(options.temperature, 0), 2)
    if options.top_p is not None:
        config["topP"] = min(max(options.top_p, 0), 1)
    if options.top_k is not None and options.top_k > 0:
        config["topK"] = min(options.top_k, MAX_TOP_K)
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
        rules = rules_of(target)
        if wanted < 0 and not rules.has_dynamic_budget:
            wanted = rules.smallest_budget
        budget = fit_budget(wanted, max_tokens, rules.smallest_budget)
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
