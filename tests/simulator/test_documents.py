"""Tests of the documents clients import."""

from __future__ import annotations

from typing import TYPE_CHECKING

from antigravity_proxy.simulator.accounts import account_id
from antigravity_proxy.simulator.config import SimulatorConfig
from antigravity_proxy.simulator.documents import (
    account_document,
    account_record,
    accounts_document,
    client_document,
)

if TYPE_CHECKING:
    from antigravity_proxy.simulator.state import SimulatorState

    from .conftest import Clock


def test_record_has_working_tokens(state: SimulatorState, clock: Clock) -> None:
    """A record holds valid tokens, and expires five minutes before they do."""
    account = state.find_or_make_account("me@example.com")
    record = account_record(state, account)
    assert state.tokens.access_owner(record["access"]) == "me@example.com"
    assert state.tokens.refresh_owner(record["refresh"]) == "me@example.com"
    assert record["expires"] == (clock.now_s + 3299) * 1000
    assert record["type"] == "oauth"
    assert record["projectId"] == account.standing.project
    assert account_record(state, account)["refresh"] == record["refresh"]


def test_record_without_project(state: SimulatorState) -> None:
    """A free account has no project in its record."""
    assert "projectId" not in account_record(state, state.accounts["cleo@example.com"])


def test_accounts_document_is_version_two(state: SimulatorState) -> None:
    """The document has all accounts under their ids, the first one active."""
    accounts = list(state.accounts.values())
    document = accounts_document(state, accounts)
    assert document["version"] == 2
    assert document["activeAccountId"] == account_id("ada@example.com")
    assert set(document["accounts"]) == {account_id(account.email) for account in accounts}
    assert "activeAccountId" not in accounts_document(state, [])


def test_client_document_points_here() -> None:
    """All addresses of the client are the simulator's."""
    document = client_document(SimulatorConfig(), "http://127.0.0.1:1")["installed"]
    assert document["auth_uri"] == "http://127.0.0.1:1/o/oauth2/v2/auth"
    assert document["token_uri"] == "http://127.0.0.1:1/token"
    assert document["userinfo_uri"] == "http://127.0.0.1:1/oauth2/v1/userinfo"
    assert document["redirect_uris"] == ["http://localhost:51121/oauth-callback"]


def test_account_document_has_no_tokens(state: SimulatorState) -> None:
    """What is shown of an account has options and quota, but no token."""
    document = account_document(state, state.accounts["ada@example.com"])
    assert document["options"]["tier"] == "paid"
    assert document["quota"]["gemini-5h"] == {"fraction": 1.0, "resetsAt": None}
    assert not {"access", "refresh"} & set(document)
