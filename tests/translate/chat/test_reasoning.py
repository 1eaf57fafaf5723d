"""Tests of the many ways to say how much to think."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings

from antigravity_proxy.translate.chat.reasoning import Reasoning, read_reasoning
from antigravity_proxy.translate.chat.wire import to_chat_request

from ..samples import json_values


def reasoning_of(**fields: Any) -> Reasoning:
    """What a request with these fields says about thinking."""
    return read_reasoning(to_chat_request({"model": "m", "messages": [{}], **fields}))


def google(**config: Any) -> dict[str, Any]:
    """Google's extension of the request."""
    return {"google": {"thinking_config": config}}


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        pytest.param({}, Reasoning(), id="nothing"),
        pytest.param({"reasoning_effort": "high"}, Reasoning("high"), id="effort"),
        pytest.param({"reasoning_effort": " HIGH "}, Reasoning("high"), id="capitals"),
        pytest.param({"reasoning_effort": ""}, Reasoning(""), id="empty effort"),
        pytest.param({"reasoning": {"effort": "low"}}, Reasoning("low", "reasoning.effort"), id="object"),
        pytest.param({"reasoning": "high", "thinking": True}, Reasoning(), id="aliases of another type"),
        pytest.param({"google": [], "extra_body": "x"}, Reasoning(), id="extensions of another type"),
        pytest.param({"reasoning_effort": "low", "reasoning": {"effort": "high"}}, Reasoning("low"), id="both"),
        pytest.param({"reasoning": {"enabled": True}}, Reasoning("medium"), id="on"),
        pytest.param({"reasoning": {"enabled": False}}, Reasoning("none"), id="off"),
        pytest.param({"reasoning": {"exclude": True}}, Reasoning(include_thoughts=False), id="excluded"),
        pytest.param({"reasoning": {"exclude": False}}, Reasoning(include_thoughts=True), id="not excluded"),
        pytest.param({"reasoning": {"exclude": "true"}}, Reasoning(), id="text for a boolean"),
        pytest.param({"reasoning": {"max_tokens": 2_000}}, Reasoning(budget=2_000), id="tokens"),
        pytest.param({"reasoning": {"max_tokens": True}}, Reasoning(), id="boolean for a number"),
        pytest.param(
            {"thinking": {"type": "enabled", "budget_tokens": 2_000}}, Reasoning("medium", budget=2_000), id="budget"
        ),
        pytest.param({"thinking": {"type": "disabled", "budget_tokens": 2_000}}, Reasoning("none"), id="disabled"),
        pytest.param({"thinking": {"type": "adaptive"}}, Reasoning(), id="left to the model"),
        pytest.param({"thinking": {"include_thoughts": False}}, Reasoning(include_thoughts=False), id="hidden"),
        pytest.param({"thinking": {"include_thoughts": "true"}}, Reasoning(), id="text is no boolean"),
        pytest.param(
            {"reasoning_effort": "high", "thinking": {"type": "disabled"}},
            Reasoning("high"),
            id="effort beats switch",
        ),
        pytest.param(
            google(thinking_level="HIGH"), Reasoning("high", "google.thinking_config.thinking_level"), id="level"
        ),
        pytest.param(
            {"extra_body": google(thinking_level="low"), "reasoning": {"effort": None}},
            Reasoning("low", "extra_body.google.thinking_config.thinking_level"),
            id="nested level",
        ),
        pytest.param(google(thinking_budget=0), Reasoning(budget=0), id="budget of Google"),
        pytest.param(google(include_thoughts=True), Reasoning(include_thoughts=True), id="shown"),
        pytest.param({"extra_body": google(include_thoughts=False)}, Reasoning(include_thoughts=False), id="nested"),
        pytest.param(
            {"google": {}, "extra_body": google(thinking_budget=5)}, Reasoning(budget=5), id="empty outside"
        ),
        pytest.param(
            {**google(include_thoughts=False), "reasoning_effort": "high"},
            Reasoning("high", include_thoughts=False),
            id="effort, hidden",
        ),
        pytest.param(
            {**google(include_thoughts=False), "reasoning": {"exclude": False}},
            Reasoning(include_thoughts=False),
            id="Google beats the general one",
        ),
        pytest.param(
            {"extra_body": {"google": {"thinkingConfig": {"includeThoughts": False, "thinkingBudget": 5}}}},
            Reasoning(include_thoughts=False, budget=5),
            id="camel case",
        ),
        pytest.param({"google": {"thinking_config": 5}, "extra_body": {"google": []}}, Reasoning(), id="strange"),
    ],
)
def test_reasoning_is_read(fields: dict[str, Any], expected: Reasoning) -> None:
    """Every way to ask for thoughts is understood, and the more particular one counts."""
    assert reasoning_of(**fields) == expected


@settings(deadline=None)
@given(json_values())
def test_any_value_is_read(value: Any) -> None:
    """Values of other types count as absent."""
    inside = {
        "effort": value,
        "enabled": value,
        "exclude": value,
        "max_tokens": value,
        "type": value,
        "budget_tokens": value,
        "include_thoughts": value,
        "thinking_config": {"thinking_level": value, "thinking_budget": value, "include_thoughts": value},
    }
    reasoning = reasoning_of(reasoning=inside, thinking=inside, google=inside, extra_body={"google": value})
    assert reasoning.effort is None or isinstance(reasoning.effort, str)
    assert reasoning.include_thoughts in (None, True, False)
    assert type(reasoning.budget) in (int, type(None))
