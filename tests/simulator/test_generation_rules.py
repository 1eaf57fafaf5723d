"""Tests of the ranges of generationConfig."""

from __future__ import annotations

from typing import Any

import pytest

from antigravity_proxy.simulator.generation_rules import check_forced_thinking, check_generation_config
from antigravity_proxy.simulator.models import MODELS, MODELS_BY_ID, Family

from .wire import CLAUDE, FLASH, GPT_OSS, PRO, TIERED, place_of, refusal


def thinking(**fields: Any) -> dict[str, Any]:
    """Give a generationConfig with a thinkingConfig."""
    return {"thinkingConfig": fields}


@pytest.mark.parametrize(
    ("runtime_id", "config"),
    [
        (FLASH, {}),
        (FLASH, {"temperature": 0, "topP": 1, "topK": 1, "candidateCount": 1, "seed": -1}),
        (FLASH, {"temperature": 2.0, "maxOutputTokens": 65_536, "stopSequences": ["a"] * 5}),
        (PRO, {"maxOutputTokens": 65_535}),
        (CLAUDE, {"maxOutputTokens": 64_000, **thinking(includeThoughts=True, thinkingBudget=1024)}),
        (CLAUDE, {"maxOutputTokens": 1025, **thinking(thinkingBudget=1024)}),
        (GPT_OSS, {"maxOutputTokens": 8193, **thinking(thinkingBudget=8192)}),
        (FLASH, {"maxOutputTokens": 1001, **thinking(thinkingBudget=1000)}),
        (FLASH, {"maxOutputTokens": 1, **thinking(thinkingBudget=0)}),
        (FLASH, {"maxOutputTokens": 1, **thinking(thinkingBudget=-1)}),
        (FLASH, thinking()),
        (FLASH, thinking(includeThoughts=False, thinkingBudget=0)),
        (FLASH, thinking(includeThoughts=True)),
        (FLASH, thinking(includeThoughts=True, thinkingBudget=-1)),
        (FLASH, thinking(thinkingBudget=32)),
        (FLASH, thinking(thinkingBudget=32_768)),
        (TIERED, thinking(thinkingLevel="MINIMAL")),
        (TIERED, {"maxOutputTokens": 1, **thinking(includeThoughts=True, thinkingLevel="HIGH")}),
        (CLAUDE, thinking(thinkingBudget=0)),
        (FLASH, {"responseMimeType": "text/plain"}),
        (FLASH, {"responseMimeType": "application/json", "responseSchema": {"type": "object"}}),
    ],
    ids=lambda value: str(value)[:60],
)
def test_values_in_range_pass(runtime_id: str, config: dict[str, Any]) -> None:
    """Values the model takes pass, the limits included."""
    check_generation_config(config, MODELS_BY_ID[runtime_id])


@pytest.mark.parametrize(
    ("runtime_id", "config", "field"),
    [
        (FLASH, {"temperature": 2.1}, "temperature"),
        (FLASH, {"temperature": -0.1}, "temperature"),
        (FLASH, {"topP": 1.1}, "top_p"),
        (FLASH, {"topK": 0}, "top_k"),
        (FLASH, {"candidateCount": 2}, "candidate_count"),
        (FLASH, {"maxOutputTokens": 0}, "max_output_tokens"),
        (FLASH, {"maxOutputTokens": 65_537}, "max_output_tokens"),
        (PRO, {"maxOutputTokens": 65_536}, "max_output_tokens"),
        (CLAUDE, {"maxOutputTokens": 64_001}, "max_output_tokens"),
        (GPT_OSS, {"maxOutputTokens": 32_769}, "max_output_tokens"),
        (FLASH, {"stopSequences": ["a"] * 6}, "stop_sequences"),
        (FLASH, {"stopSequences": ["a", ""]}, "stop_sequences"),
        (FLASH, thinking(thinkingBudget=1000, thinkingLevel="LOW"), "thinking_config"),
        (TIERED, thinking(thinkingBudget=1000, thinkingLevel="LOW"), "thinking_config"),
        ("gemini-4.0-plain", thinking(includeThoughts=False, thinkingBudget=0), "thinking_config"),
        (FLASH, thinking(includeThoughts=True, thinkingBudget=0), "thinking_config.include_thoughts"),
        (CLAUDE, thinking(includeThoughts=True, thinkingBudget=0), "thinking_config.include_thoughts"),
        (GPT_OSS, thinking(includeThoughts=True, thinkingBudget=0), "thinking_config.include_thoughts"),
        (TIERED, thinking(thinkingBudget=1000), "thinking_config.thinking_budget"),
        (TIERED, thinking(thinkingBudget=0), "thinking_config.thinking_budget"),
        (TIERED, thinking(thinkingBudget=-1), "thinking_config.thinking_budget"),
        (FLASH, thinking(thinkingBudget=31), "thinking_config.thinking_budget"),
        (FLASH, thinking(thinkingBudget=-2), "thinking_config.thinking_budget"),
        (FLASH, thinking(thinkingBudget=32_769), "thinking_config.thinking_budget"),
        (PRO, thinking(thinkingBudget=127), "thinking_config.thinking_budget"),
        (CLAUDE, thinking(thinkingBudget=1023), "thinking_config.thinking_budget"),
        (CLAUDE, thinking(thinkingBudget=-1), "thinking_config.thinking_budget"),
        (GPT_OSS, thinking(thinkingBudget=-1), "thinking_config.thinking_budget"),
        (CLAUDE, {"maxOutputTokens": 1024, **thinking(thinkingBudget=1024)}, "thinking_config.thinking_budget"),
        (GPT_OSS, {"maxOutputTokens": 8192, **thinking(thinkingBudget=8192)}, "thinking_config.thinking_budget"),
        (FLASH, {"maxOutputTokens": 999, **thinking(thinkingBudget=1000)}, "thinking_config.thinking_budget"),
        (GPT_OSS, thinking(thinkingBudget=32_768), "thinking_config.thinking_budget"),
        (FLASH, {"responseMimeType": "text/html"}, "response_mime_type"),
        (FLASH, {"responseSchema": {}}, "response_schema"),
        (FLASH, {"responseMimeType": "text/plain", "responseSchema": {}}, "response_schema"),
        (
            FLASH,
            {"responseMimeType": "application/json", "responseSchema": {"required": ["a"]}},
            "response_schema.required[0]",
        ),
        (CLAUDE, {"responseMimeType": "text/plain"}, "response_mime_type"),
        (GPT_OSS, {"responseSchema": {}}, "response_schema"),
    ],
    ids=lambda value: str(value)[:60],
)
def test_values_out_of_range_are_refused(runtime_id: str, config: dict[str, Any], field: str) -> None:
    """A value out of range is a 400 that names the field."""
    error = refusal(lambda: check_generation_config(config, MODELS_BY_ID[runtime_id]))
    assert (error.http_status, place_of(error)[0]) == (400, f"request.generation_config.{field}")


@pytest.mark.parametrize("runtime_id", [row.runtime_id for row in MODELS if row.runtime_id != TIERED])
def test_level_is_for_one_runtime_id(runtime_id: str) -> None:
    """Every runtime id but one refuses a thinking level."""
    error = refusal(lambda: check_generation_config(thinking(thinkingLevel="LOW"), MODELS_BY_ID[runtime_id]))
    assert error.message == "Thinking level is not supported for this model."


def forced(mode: str, **fields: Any) -> dict[str, Any]:
    """Give a request that thinks under a mode of calling functions."""
    return {"generationConfig": thinking(**fields), "toolConfig": {"functionCallingConfig": {"mode": mode}}}


@pytest.mark.parametrize("family", [Family.CLAUDE, Family.GPT_OSS])
def test_forced_call_does_not_think(family: Family) -> None:
    """Claude and GPT-OSS refuse to think when they have to call a function."""
    error = refusal(lambda: check_forced_thinking(forced("ANY", thinkingBudget=8192), family))
    assert (error.http_status, place_of(error)[0]) == (400, "request.generation_config.thinking_config")
    assert error.message == "Thinking may not be enabled when tool_choice forces tool use."


@pytest.mark.parametrize(
    ("request_fields", "family"),
    [
        (forced("ANY", thinkingBudget=1000), Family.GEMINI),
        (forced("ANY", thinkingBudget=0), Family.CLAUDE),
        (forced("ANY"), Family.GPT_OSS),
        (forced("VALIDATED", thinkingBudget=1024), Family.CLAUDE),
        ({"generationConfig": thinking(thinkingBudget=1024)}, Family.CLAUDE),
        ({}, Family.CLAUDE),
    ],
    ids=["gemini", "off", "not set", "not forced", "no tools", "nothing"],
)
def test_other_calls_may_think(request_fields: dict[str, Any], family: Family) -> None:
    """Thinking is refused only beside a forced call, and never on Gemini."""
    check_forced_thinking(request_fields, family)


def test_tokens_over_the_cap_have_the_general_text() -> None:
    """Too many output tokens are an invalid argument, without a word more in the message."""
    error = refusal(lambda: check_generation_config({"maxOutputTokens": 100_000}, MODELS_BY_ID[FLASH]))
    assert error.message == "Request contains an invalid argument."
