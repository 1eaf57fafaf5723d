"""The ranges of ``generationConfig``: sampling, lengths, thinking, and the format of the answer.

Source: SPEC.md, "Options" and "Models"; ranges as in the public Gemini API.
"""

from __future__ import annotations

from typing import Any

from .google_reply import ApiError, invalid_argument
from .models import MAX_THINKING_BUDGET, Family, ModelRow
from .schema_rules import check_message_schema

CONFIG_PATH = "request.generation_config"

RANGES: dict[str, tuple[str, float, float]] = {
    "temperature": ("temperature", 0, 2),
    "topP": ("top_p", 0, 1),
    "topK": ("top_k", 1, 2**31 - 1),
    "candidateCount": ("candidate_count", 1, 1),
}
"""Field to its printed name, its smallest and its largest value."""

MAX_STOP_SEQUENCES = 5
JSON_ANSWER = "application/json"
ANSWER_TYPES = frozenset({"text/plain", JSON_ANSWER})
DYNAMIC_BUDGET, NO_BUDGET = -1, 0
HIDDEN_THOUGHTS_TEXT = "Thinking_config.include_thoughts is only enabled when thinking is enabled."
NO_THINKING_TEXT = "Thinking is not supported for this model."
FORCED_TEXT = "Thinking may not be enabled when tool_choice forces tool use."


def check_generation_config(config: dict[str, Any], model: ModelRow) -> None:
    """Check a generationConfig whose fields are known to have the right types.

    Raises:
        ApiError: 400 for the first value out of range.
    """
    for field, (name, smallest, largest) in RANGES.items():
        if field in config and not smallest <= config[field] <= largest:
            raise invalid_argument(f"{CONFIG_PATH}.{name}", f"{name} must be {smallest} to {largest}.")
    cap = model.max_output_tokens
    if not 1 <= config.get("maxOutputTokens", cap) <= cap:
        raise invalid_argument(f"{CONFIG_PATH}.max_output_tokens", f"{model.runtime_id} takes 1 to {cap}.")
    _check_stop_sequences(config.get("stopSequences", []))
    if "thinkingConfig" in config:
        _check_thinking(config["thinkingConfig"], config.get("maxOutputTokens", cap), model)
    _check_answer_format(config, model.family)


def check_forced_thinking(request: dict[str, Any], family: Family) -> None:
    """Check that a model that must call a function is not told to think as well, which only Gemini can do.

    Raises:
        ApiError: 400 when it is.
    """
    calling: dict[str, Any] = request.get("toolConfig", {}).get("functionCallingConfig", {})
    thinking: dict[str, Any] = request.get("generationConfig", {}).get("thinkingConfig", {})
    is_forced = calling.get("mode") == "ANY" and family is not Family.GEMINI
    if is_forced and thinking.get("thinkingBudget", NO_BUDGET) > NO_BUDGET:
        raise invalid_argument(
            f"{CONFIG_PATH}.thinking_config", "A function must be called; set the budget to 0.", message=FORCED_TEXT
        )


def _check_stop_sequences(sequences: list[str]) -> None:
    if len(sequences) > MAX_STOP_SEQUENCES or not all(sequences):
        raise invalid_argument(
            f"{CONFIG_PATH}.stop_sequences",
            f"At most {MAX_STOP_SEQUENCES} stop sequences are taken, none of them empty.",
        )


def _check_thinking(thinking: dict[str, Any], max_output_tokens: int, model: ModelRow) -> None:
    path = f"{CONFIG_PATH}.thinking_config"
    if not model.thinks:
        raise invalid_argument(path, "The model cannot think.", message=NO_THINKING_TEXT)
    if {"thinkingLevel", "thinkingBudget"} <= thinking.keys():
        raise invalid_argument(
            path, "Give a level or a budget.", message="Cannot set both thinking_level and thinking_budget."
        )
    wanted, other = ("level", "budget") if model.takes_level else ("budget", "level")
    if f"thinking{other.capitalize()}" in thinking:
        raise invalid_argument(
            f"{path}.thinking_{other}",
            f"{model.runtime_id} takes a {wanted}, not a {other}.",
            message=f"Thinking {other} is not supported for this model.",
        )
    if thinking.get("includeThoughts") and thinking.get("thinkingBudget") == NO_BUDGET:
        raise invalid_argument(
            f"{path}.include_thoughts", "There are no thoughts with a budget of 0.", message=HIDDEN_THOUGHTS_TEXT
        )
    _check_budget(thinking.get("thinkingBudget", NO_BUDGET), max_output_tokens, model)


def _check_budget(budget: int, max_output_tokens: int, model: ModelRow) -> None:
    if budget == NO_BUDGET or (budget == DYNAMIC_BUDGET and model.family is Family.GEMINI):
        return
    if not model.min_thinking_budget <= budget <= MAX_THINKING_BUDGET:
        raise _wrong_budget(f"{model.min_thinking_budget} to {MAX_THINKING_BUDGET}, or 0", budget)
    if budget >= max_output_tokens:
        raise _wrong_budget("less than max_output_tokens", budget)


def _wrong_budget(wanted: str, budget: int) -> ApiError:
    return invalid_argument(
        f"{CONFIG_PATH}.thinking_config.thinking_budget",
        f"thinking_budget must be {wanted}.",
        message=f"The thinking budget {budget} is invalid.",
    )


def _check_answer_format(config: dict[str, Any], family: Family) -> None:
    for field, name in (("responseMimeType", "response_mime_type"), ("responseSchema", "response_schema")):
        if field in config and family is not Family.GEMINI:
            raise invalid_argument(f"{CONFIG_PATH}.{name}", f"{name} is for Gemini models only.")
    mime_type: str = config.get("responseMimeType", "text/plain")
    if mime_type not in ANSWER_TYPES:
        raise invalid_argument(
            f"{CONFIG_PATH}.response_mime_type", f"Answers are {' or '.join(sorted(ANSWER_TYPES))}."
        )
    if "responseSchema" in config:
        path = f"{CONFIG_PATH}.response_schema"
        if mime_type != JSON_ANSWER:
            raise invalid_argument(path, f"A schema needs the response_mime_type {JSON_ANSWER}.")
        check_message_schema(config["responseSchema"], path)
