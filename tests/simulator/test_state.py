"""Tests of the simulator's memory."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from antigravity_proxy.simulator.config import SimulatorConfig
from antigravity_proxy.simulator.state import SimulatorState

if TYPE_CHECKING:
    from collections.abc import Callable

    from .conftest import Clock


def test_demo_accounts_exist(state: SimulatorState, clock: Clock, random_bytes: Callable[[int], bytes]) -> None:
    """Three accounts exist from the start, unless they are not wanted."""
    assert list(state.accounts) == ["ada@example.com", "ben@example.com", "cleo@example.com"]
    assert state.accounts["cleo@example.com"].standing.project == ""
    assert SimulatorState(SimulatorConfig(has_demo_accounts=False), clock, random_bytes).accounts == {}


def test_account_is_made_once(state: SimulatorState) -> None:
    """An address in any case is the same account."""
    account = state.find_or_make_account(" Me@Example.com ")
    assert account is state.find_or_make_account("me@example.com")
    assert account.standing.project


@pytest.mark.parametrize("text", ["", "me", "a@b@c", "a b@c", "@x", f"{'x' * 65}@y"])
def test_bad_address_is_refused(state: SimulatorState, text: str) -> None:
    """A text that is no address makes no account."""
    with pytest.raises(ValueError, match="no e-mail address"):
        state.find_or_make_account(text)


def test_options_make_an_account(state: SimulatorState) -> None:
    """Options decide about plan, project and quota of a new account."""
    free = state.change_account("f@example.com", {"tier": "free", "quota": {"gemini-5h": 0.25}})
    assert free.standing.project == ""
    assert free.quota.buckets["gemini-5h"].fraction == 0.25
    assert state.change_account("p@example.com", {"project": "mine"}).standing.project == "mine"
    assert state.change_account("n@example.com", {"project": None}).standing.project == ""
    assert state.change_account("d@example.com", {}).standing.project.startswith("simulated-")


def test_options_change_an_account(state: SimulatorState) -> None:
    """Options that are not named stay as they were."""
    before = state.change_account("a@example.com", {"project": "mine"})
    after = state.change_account("A@example.com", {"banned": True})
    assert after is before
    assert (after.standing.project, after.standing.banned) == ("mine", True)


def test_tokens_can_be_revoked(state: SimulatorState) -> None:
    """The acts make tokens invalid."""
    state.change_account("a@example.com", {})
    refresh, access = state.tokens.issue_refresh("a@example.com"), state.tokens.issue_access("a@example.com")
    state.change_account("a@example.com", {"revoke_refresh_tokens": True})
    assert state.tokens.refresh_owner(refresh) is None
    assert state.tokens.access_owner(access) == "a@example.com"
    state.change_account("a@example.com", {"expire_access_tokens": True})
    assert state.tokens.access_owner(access) is None


@pytest.mark.parametrize(
    "options",
    [
        {"colour": 1},
        {"quota": []},
        {"quota": {"x": 1}},
        {"quota": {"gemini-5h": 2}},
        {"quota": {"gemini-5h": "full"}},
    ],
    ids=str,
)
def test_wrong_options_make_no_account(state: SimulatorState, options: dict[str, Any]) -> None:
    """A wrong option is refused before anything is changed."""
    with pytest.raises(ValueError, match=r"option|quota|bucket|fraction"):
        state.change_account("new@example.com", options)
    assert "new@example.com" not in state.accounts


def test_request_id_is_fresh_once(state: SimulatorState) -> None:
    """A request id is fresh the first time only."""
    assert state.is_fresh_request_id("r")
    assert not state.is_fresh_request_id("r")


def test_new_ids_differ(state: SimulatorState) -> None:
    """Ids are hexadecimal and different."""
    assert len(state.new_id()) == 24
    assert state.new_id() != state.new_id()
