"""Tests of how the requests of families differ."""

from __future__ import annotations

from dataclasses import replace

import pytest

from antigravity_proxy.catalog.builtin import MODELS
from antigravity_proxy.catalog.model import Effort, Family
from antigravity_proxy.catalog.routing import route_to
from antigravity_proxy.translate.media_types import ALL_TYPES, IMAGE_TYPES
from antigravity_proxy.translate.target import FAMILY_RULES, FamilyRules, media_types_of, rules_of

from .samples import CLAUDE


def test_every_family_of_the_catalogue_has_rules() -> None:
    """A route can go to any family the catalogue knows."""
    assert set(FAMILY_RULES) == set(Family)


@pytest.mark.parametrize(
    ("model_id", "expected"),
    [
        pytest.param(
            "gemini-3.8-flash",
            FamilyRules(
                schema_field="parametersJsonSchema",
                has_call_ids=False,
                is_signed=True,
                takes_thoughts=True,
                has_response_schema=True,
                has_model_media=True,
                thinks_when_forced=True,
                smallest_budget=128,
                has_dynamic_budget=True,
                media_types=ALL_TYPES,
            ),
            id="gemini",
        ),
        pytest.param(
            "claude-opus-4-6",
            FamilyRules(
                schema_field="parameters",
                has_call_ids=True,
                is_signed=False,
                takes_thoughts=False,
                has_response_schema=False,
                has_model_media=False,
                thinks_when_forced=False,
                smallest_budget=1_024,
                has_dynamic_budget=False,
                media_types=IMAGE_TYPES,
            ),
            id="claude",
        ),
        pytest.param(
            "gpt-oss-120b",
            FamilyRules(
                schema_field="parameters",
                has_call_ids=True,
                is_signed=False,
                takes_thoughts=False,
                has_response_schema=False,
                has_model_media=False,
                thinks_when_forced=False,
                smallest_budget=1_024,
                has_dynamic_budget=False,
                media_types=frozenset(),
            ),
            id="gpt-oss",
        ),
    ],
)
def test_route_has_the_rules_of_its_family(model_id: str, expected: FamilyRules) -> None:
    """A route of the catalogue is a target, and its family decides the form of the request."""
    assert rules_of(route_to(model_id, None)) == expected


@pytest.mark.parametrize("family", FAMILY_RULES)
def test_smallest_budget_is_within_every_effort(family: str) -> None:
    """No effort stands for fewer tokens than its family takes, and only some leave it to the model."""
    rules = FAMILY_RULES[family]
    routes = [route_to(model.id, effort) for model in MODELS for effort in Effort if model.family == family]
    budgets = {route.thinking.get("thinkingBudget", 0) for route in routes if route.thinking is not None} - {0}
    assert min(budgets - {-1}) >= rules.smallest_budget
    assert (-1 in budgets) is rules.has_dynamic_budget


def test_model_may_take_other_media_than_its_family() -> None:
    """What is known of one model goes before what its family takes."""
    assert media_types_of(CLAUDE) == IMAGE_TYPES
    assert media_types_of(replace(CLAUDE, media_types=frozenset({"application/pdf"}))) == {"application/pdf"}
