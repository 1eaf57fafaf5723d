"""Tests of the list of models with what is left of them, over real sockets."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from antigravity_proxy.errors import UnknownModelError
from antigravity_proxy.proxy.model_list import find_model, list_models, read_models

from .conftest import EMAIL, eventually

if TYPE_CHECKING:
    from .conftest import Lab, OpenLab

BEN = "ben@example.com"
GEMINI, CLAUDE = "gemini-3.8-flash", "claude-sonnet-4-6"


def left_of(lab: Lab) -> dict[str, float | None]:
    """What the list says is left of a Gemini and of a Claude model."""
    rows = {row["id"]: row for row in list_models(lab.services)["data"]}
    return {model_id: rows[model_id]["quota_remaining"] for model_id in (GEMINI, CLAUDE)}


async def test_list_has_what_the_active_account_has_left(open_lab: OpenLab) -> None:
    """The first list waits for nothing; the next ones say what is left of a model, and when all of it is back."""
    async with open_lab(accounts=(BEN,)) as lab:
        lab.save(EMAIL, quota_cost=0.25)
        await lab.chat()
        assert left_of(lab) == {GEMINI: None, CLAUDE: None}
        await eventually(lambda: not len(lab.services.background))
        assert left_of(lab) == {GEMINI: 0.75, CLAUDE: 1.0}
        row = await find_model(lab.services, GEMINI)
        assert (row["source"], row["quota_remaining"]) == ("a***a@example.com", 0.75)
        resets_at = row["quota_resets_at"]
        assert resets_at is not None
        assert resets_at.endswith("Z")
        lab.services.store.update(lambda pool: pool.activated(lab.saved(BEN).id))
        assert left_of(lab) == {GEMINI: None, CLAUDE: None}


async def test_list_without_an_account_says_nothing_of_quota(open_lab: OpenLab) -> None:
    """Nobody has quota where nobody is signed in."""
    async with open_lab(accounts=()) as lab:
        assert left_of(lab) == {GEMINI: None, CLAUDE: None}
        assert (await find_model(lab.services, GEMINI))["source"] == "built-in"
        with pytest.raises(UnknownModelError):
            await find_model(lab.services, "gemini-9")


async def test_list_that_waits_has_all(lab: Lab) -> None:
    """Read from Google now, the list has the quota at once."""
    listing = await read_models(lab.services, lab.saved())
    assert {row["quota_remaining"] for row in listing["data"]} == {1.0}
    assert {row["source"] for row in listing["data"]} == {"a***a@example.com"}
