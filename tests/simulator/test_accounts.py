"""Tests of account values."""

from __future__ import annotations

from typing import Any

import pytest

from antigravity_proxy.simulator.accounts import (
    Account,
    ProjectPlace,
    Standing,
    Tier,
    account_id,
    default_project,
    google_id,
    standing_from,
)


def test_ids_depend_on_the_address_only() -> None:
    """An address always has the same Google id, account id and project."""
    assert google_id("me@example.com") == google_id("me@example.com")
    assert len(google_id("me@example.com")) == 21
    assert google_id("me@example.com").isdigit()
    assert account_id("me@example.com").startswith("google:")
    assert len(account_id("me@example.com")) == 31
    assert default_project("a@b.c") != default_project("b@b.c")


def test_project_is_assigned_once() -> None:
    """An account without a project gets its own; one that has a project keeps it."""
    account = Account("me@example.com", Standing(), 0.0)
    assert account.assign_project() == default_project("me@example.com")
    named = Account("me@example.com", Standing(project="p"), 0.0)
    assert named.assign_project() == "p"
    assert named.google_id == google_id("me@example.com")


@pytest.mark.parametrize(
    ("options", "standing"),
    [
        ({}, Standing()),
        ({"tier": "free", "banned": True}, Standing(tier=Tier.FREE, banned=True)),
        ({"project": None}, Standing()),
        ({"project": "p", "project_place": "list"}, Standing(project="p", project_place=ProjectPlace.LIST)),
        ({"quota_cost": 1, "onboard_polls": 3}, Standing(quota_cost=1, onboard_polls=3)),
        ({"quota_cost": None}, Standing()),
        ({"next_models": True, "retired_models": "a,b"}, Standing(next_models=True, retired_models="a,b")),
        ({"quota_placeholder": True}, Standing(quota_placeholder=True)),
    ],
    ids=str,
)
def test_options_change_the_standing(options: dict[str, Any], standing: Standing) -> None:
    """Options of the right kind replace fields."""
    assert standing_from(options, Standing()) == standing


@pytest.mark.parametrize(
    "options",
    [
        {"colour": "blue"},
        {"tier": "gold"},
        {"project_place": 1},
        {"banned": "yes"},
        {"banned": 1},
        {"onboard_polls": True},
        {"quota_cost": 2},
        {"quota_cost": "x"},
        {"project": 1},
    ],
    ids=str,
)
def test_wrong_options_are_refused(options: dict[str, Any]) -> None:
    """An unknown option or a value of another kind is an error."""
    with pytest.raises(ValueError, match=r"option|valid"):
        standing_from(options, Standing())


@pytest.mark.parametrize(
    ("standing", "host", "shows"),
    [
        (Standing(), "a", False),
        (Standing(quota_placeholder=True), "a", True),
        (Standing(quota_placeholder=True, quota_placeholder_host="a"), "a", True),
        (Standing(quota_placeholder=True, quota_placeholder_host="a"), "b", False),
    ],
)
def test_placeholders_are_shown_on_one_host_or_all(standing: Standing, host: str, *, shows: bool) -> None:
    """An account may see quotas that are not true, everywhere or under one host name."""
    assert standing.shows_placeholders_on(host) is shows
