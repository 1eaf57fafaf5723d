"""Tests of scenario values."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from antigravity_proxy.simulator.scenario_answers import ANSWER_CHANGES
from antigravity_proxy.simulator.scenario_replies import DELIVERY_CHANGES, ERRORS
from antigravity_proxy.simulator.scenarios import KINDS, Scenario, ScenarioError, Stage, make_scenario


def test_every_kind_is_described_and_implemented() -> None:
    """Every scenario has a sentence and is known to the module of its stage."""
    implemented = {*ERRORS, *ANSWER_CHANGES, *DELIVERY_CHANGES, "status", "oauth-error", "in-stream-error"}
    assert implemented == set(KINDS)
    assert all(kind.sentence.endswith(".") for kind in KINDS.values())


def test_defaults_fill_what_is_not_given() -> None:
    """A scenario has all its parameters, of the right type."""
    assert make_scenario("cut", {}).params == {"after": 1, "headers": False, "clean": False}
    assert make_scenario("cut", {"after": "3", "clean": "true"}).params == {
        "after": 3,
        "headers": False,
        "clean": True,
    }
    assert make_scenario("gone", {"models": ["a", "b"]}).params == {"models": "a,b"}
    assert make_scenario("slow", {"pace": 1}).params == {"pace": 1.0}


@pytest.mark.parametrize(
    ("name", "params", "method", "key_phrase"),
    [
        ("nope", {}, "token", "unknown scenario 'nope'"),
        ("quotas", {}, "token", "the nearest are quota, "),
        ("cut", {}, "nope", "unknown method 'nope'"),
        ("text", {}, "token", "for streamGenerateContent only"),
        ("cut", {"x": 1}, "token", "has no 'x'; it has after"),
        ("crlf", {"x": 1}, "token", "it has none"),
        ("cut", {"after": "soon"}, "token", "cut after must be a number"),
        ("slow", {"pace": None}, "token", "slow pace must be a number"),
    ],
    ids=str,
)
def test_wrong_wishes_are_refused(name: str, params: dict[str, Any], method: str, key_phrase: str) -> None:
    """A wish nobody can fulfil is an error that says why."""
    with pytest.raises(ScenarioError, match=key_phrase):
        make_scenario(name, params, method)


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, True),
        ({"method": "token"}, False),
        ({"account": "a@b.c"}, True),
        ({"account": "x@y.z"}, False),
        ({"model": "m"}, True),
        ({"model": "n"}, False),
    ],
    ids=str,
)
def test_scenario_is_for_its_requests(changes: dict[str, Any], expected: bool) -> None:  # noqa: FBT001
    """Method, account and model narrow the requests a scenario is for."""
    scenario: Scenario = replace(make_scenario("crlf", {}), **changes)
    assert scenario.is_for("streamGenerateContent", "a@b.c", "m") is expected


def test_gone_is_for_its_models() -> None:
    """Models that are gone are gone, others are not."""
    gone = make_scenario("gone", {"models": "m,n"})
    assert gone.is_for("streamGenerateContent", "a@b.c", "n")
    assert not gone.is_for("streamGenerateContent", "a@b.c", "o")


def test_stages_are_closed() -> None:
    """Every stage is used."""
    assert {kind.stage for kind in KINDS.values()} == set(Stage)
