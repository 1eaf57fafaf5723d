"""Tests of the ranges of generationConfig."""

from __future__ import annotations

from typing import Any

import pytest

from antigravity_proxy.simulator.generation_rules import check_generation_config
from antigravity_proxy.simulator.models import MODELS_BY_ID

from .wire import CLAUDE, FLASH, GPT_OSS, PRO, place_of, refusal


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
        (GPT_OSS, {"maxOutputTokens": 1, **thinking(thinkingBudget=8192)}),
        (GPT_OSS, thinking(thinkingBudget=-1)),
        (FLASH, thinking()),
        (FLASH, thinking(includeThoughts=False, thinkingBudget=0)),
        (FLASH, thinking(includeThoughts=True, thinkingBudget=-1)),
        (FLASH, thinking(thinkingBudget=32)),
        (FLASH, thinking(thinkingBudget=32_768)),
        (FLASH, thinking(thinkingLevel="MINIMAL")),
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
        (CLAUDE, thinking(thinkingLevel="LOW"), "thinking_config"),
        (GPT_OSS, thinking(thinkingLevel="LOW"), "thinking_config"),
        (FLASH, thinking(thinkingBudget=31), "thinking_config.thinking_budget"),
        (FLASH, thinking(thinkingBudget=-2), "thinking_config.thinking_budget"),
        (FLASH, thinking(thinkingBudget=32_769), "thinking_config.thinking_budget"),
        (PRO, thinking(thinkingBudget=127), "thinking_config.thinking_budget"),
        (CLAUDE, thinking(thinkingBudget=1023), "thinking_config.thinking_budget"),
        (CLAUDE, thinking(thinkingBudget=-1), "thinking_config.thinking_budget"),
        (CLAUDE, {"maxOutputTokens": 1024, **thinking(thinkingBudget=1024)}, "thinking_config.thinking_budget"),
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


def test_tokens_over_the_cap_have_the_general_text() -> None:
    """Too many output tokens are an invalid argument, without a word more in the message."""
    error = refusal(lambda: check_generation_config({"maxOutputTokens": 100_000}, MODELS_BY_ID[FLASH]))
    assert error.message == "Request contains an invalid argument."
