"""Tests of the documents of discovery."""

from __future__ import annotations

import pytest

from antigravity_proxy.simulator.accounts import Account, ProjectPlace, Standing, Tier
from antigravity_proxy.simulator.catalogue import (
    code_assist_document,
    models_document,
    onboarding_document,
    projects_document,
    quota_document,
)
from antigravity_proxy.simulator.models import MODELS, Pool
from antigravity_proxy.simulator.quota import Quota

NOON_S = 1_788_609_600.0


def account(**standing: object) -> Account:
    """Give an account."""
    return Account("me@example.com", Standing(**standing), 0.0)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("place", "project", "shown"),
    [
        (ProjectPlace.LOAD, "p", "p"),
        (
            ProjectPlace.LOAD_OBJECT,
            "p",
            {"id": "p", "name": "projects/p", "projectNumber": "123456789012"},
        ),
        (ProjectPlace.LIST, "p", None),
        (ProjectPlace.LOAD, "", None),
    ],
    ids=["text", "object", "list only", "none"],
)
def test_load_shows_project_in_its_shape(place: ProjectPlace, project: str, shown: object) -> None:
    """The project is a text, an object, or not there."""
    document = code_assist_document(account(project=project, project_place=place))
    assert document.get("cloudaicompanionProject") == shown


def test_plan_is_the_paid_tier() -> None:
    """The current tier is the free one for everybody; a plan stands in paidTier."""
    paid, free = code_assist_document(account()), code_assist_document(account(tier=Tier.FREE))
    assert paid["currentTier"]["id"] == free["currentTier"]["id"] == "free-tier"
    assert paid["paidTier"]["id"] == "g1-pro-tier"
    assert "paidTier" not in free
    assert [tier["id"] for tier in free["allowedTiers"] if tier.get("isDefault")] == ["free-tier"]


def test_projects_are_listed() -> None:
    """The list has the project, or nothing at all."""
    assert projects_document(account(project="p"))["projects"][0]["id"] == "p"
    assert projects_document(account()) == {}


def test_onboarding_names_the_project() -> None:
    """A finished onboarding names the project as an object."""
    document = onboarding_document(account(project="p"))
    assert document["done"] is True
    assert document["response"]["cloudaicompanionProject"] == {"id": "p"}


def test_models_are_listed_with_quota() -> None:
    """Every row is listed with its limits and the quota of its pool."""
    quota = Quota()
    quota.spend(Pool.GEMINI, 0.38, NOON_S)
    document = models_document(quota, NOON_S, is_current_client=True)
    assert list(document["models"]) == [row.runtime_id for row in MODELS]
    flash = document["models"]["gemini-3.8-flash-low"]
    assert flash["quotaInfo"] == {"remainingFraction": 0.62, "resetTime": "2026-09-05T17:00:00Z"}
    assert (flash["maxOutputTokens"], flash["thinkingBudget"], flash["recommended"]) == (65_536, 1000, True)
    assert flash["supportedMimeTypes"]["image/png"] is True
    claude = document["models"]["claude-sonnet-4-6"]
    assert claude["quotaInfo"]["remainingFraction"] == 1.0
    assert (claude["supportsImages"], claude["supportsVideo"]) == (True, False)
    assert "thinkingBudget" not in document["models"]["gemini-3.6-flash-low"]
    assert document["models"]["chat_20706"]["isInternal"] is True
    assert document["deprecatedModelIds"]["gemini-3.1-pro-high"]["newModelId"] == "gemini-pro-agent"


def test_outdated_client_sees_the_old_catalogue() -> None:
    """Rows and lists leave the newest families out."""
    document = models_document(Quota(), NOON_S, is_current_client=False)
    assert not [name for name in document["models"] if "3.8" in name or "3.7" in name]
    assert "gemini-3.8" not in str(document["agentModelSorts"]) + str(document["tieredModelIds"])


def test_next_models_are_listed_for_their_account() -> None:
    """An account may have made-up models too, one of which cannot think, and lack others."""
    standing = Standing(next_models=True, retired_models="gpt-oss-120b-medium, gemini-3-flash")
    document = models_document(Quota(), NOON_S, is_current_client=True, standing=standing)
    rows = document["models"]
    assert rows["gemini-4.0-plain"]["supportsThinking"] is False
    assert rows["gemini-4.0-secret"]["isInternal"] is True
    assert document["deprecatedModelIds"]["gemini-4.0-old"]["newModelId"] == "gemini-4.0-flash-low"
    assert not {"gpt-oss-120b-medium", "gemini-3-flash"} & rows.keys()


def test_quota_summary_has_two_groups() -> None:
    """The summary has a weekly and a five-hour bucket per pool."""
    quota = Quota()
    quota.spend(Pool.THIRD_PARTY, 0.5, NOON_S)
    groups = quota_document(quota, NOON_S)["groups"]
    assert [[bucket["bucketId"] for bucket in group["buckets"]] for group in groups] == [
        ["gemini-weekly", "gemini-5h"],
        ["3p-weekly", "3p-5h"],
    ]
    assert groups[1]["buckets"][1]["remainingFraction"] == 0.5
    assert groups[1]["buckets"][1]["resetTime"] == "2026-09-05T17:00:00Z"
    assert groups[1]["buckets"][0]["remainingFraction"] == 0.95
