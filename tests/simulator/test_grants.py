"""Tests of the token endpoint's decisions."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from antigravity_proxy.simulator.grants import GrantError, grant_owner, token_document
from antigravity_proxy.simulator.tokens import challenge_of

if TYPE_CHECKING:
    from antigravity_proxy.simulator.state import SimulatorState

REDIRECT = "http://localhost:51121/oauth-callback"
VERIFIER = "v" * 43


def form_of(state: SimulatorState, **fields: str) -> dict[str, str]:
    """Give a form of the known client."""
    return {"client_id": state.config.client_id, "client_secret": state.config.client_secret, **fields}


def code_form(
    state: SimulatorState, fields: dict[str, str] | None = None, *, is_offline: bool = True
) -> dict[str, str]:
    """Give a form that exchanges a fresh code, with some fields changed."""
    code = state.tokens.issue_code("ada@example.com", REDIRECT, challenge_of(VERIFIER), is_offline=is_offline)
    return form_of(
        state,
        **{
            "grant_type": "authorization_code",
            "code": code,
            "redirect_uri": REDIRECT,
            "code_verifier": VERIFIER,
            **(fields or {}),
        },
    )


def refresh_form(state: SimulatorState, token: str) -> dict[str, str]:
    """Give a form that refreshes."""
    return form_of(state, grant_type="refresh_token", refresh_token=token)


def test_code_gives_tokens(state: SimulatorState) -> None:
    """A code, its verifier and its redirect URI give both tokens."""
    document = token_document(state, code_form(state))
    assert (document["expires_in"], document["token_type"]) == (3599, "Bearer")
    assert state.tokens.access_owner(document["access_token"]) == "ada@example.com"
    assert state.tokens.refresh_owner(document["refresh_token"]) == "ada@example.com"
    assert "refresh_token" not in token_document(state, code_form(state, is_offline=False))


def test_code_works_once(state: SimulatorState) -> None:
    """The second use of a code is an invalid grant."""
    form = code_form(state)
    token_document(state, form)
    with pytest.raises(GrantError) as caught:
        token_document(state, form)
    assert caught.value.document() == {"error": "invalid_grant", "error_description": "Malformed auth code."}


@pytest.mark.parametrize(
    ("fields", "code", "status"),
    [
        ({"client_id": "x"}, "invalid_client", 401),
        ({"client_secret": "x"}, "invalid_client", 401),
        ({"grant_type": "password"}, "unsupported_grant_type", 400),
        ({"code": "x"}, "invalid_grant", 400),
        ({"redirect_uri": "http://localhost/"}, "redirect_uri_mismatch", 400),
        ({"code_verifier": "w" * 43}, "invalid_grant", 400),
    ],
    ids=str,
)
def test_wrong_exchange_is_refused(state: SimulatorState, fields: dict[str, str], code: str, status: int) -> None:
    """Everything about an exchange must be right."""
    with pytest.raises(GrantError) as caught:
        token_document(state, code_form(state, fields))
    assert (caught.value.code, caught.value.status) == (code, status)


def test_verifier_is_required(state: SimulatorState) -> None:
    """An exchange without a verifier is refused."""
    form = code_form(state)
    del form["code_verifier"]
    with pytest.raises(GrantError, match="Missing code verifier"):
        token_document(state, form)


def test_refresh_gives_an_access_token(state: SimulatorState) -> None:
    """A refresh token stays and gives a new access token."""
    token = state.tokens.issue_refresh("ada@example.com")
    document = token_document(state, refresh_form(state, token))
    assert state.tokens.access_owner(document["access_token"]) == "ada@example.com"
    assert "refresh_token" not in document
    assert grant_owner(state, refresh_form(state, token)) == "ada@example.com"
    assert grant_owner(state, code_form(state)) == "ada@example.com"
    assert grant_owner(state, {}) is None


def test_refresh_may_rotate(state: SimulatorState) -> None:
    """An account may get a new refresh token each time, which ends the old one."""
    state.change_account("ada@example.com", {"rotate_refresh_token": True})
    old = state.tokens.issue_refresh("ada@example.com")
    new = token_document(state, refresh_form(state, old))["refresh_token"]
    assert state.tokens.refresh_owner(old) is None
    assert state.tokens.refresh_owner(new) == "ada@example.com"


@pytest.mark.parametrize("token", ["", "1//unknown"])
def test_unknown_refresh_token_is_refused(state: SimulatorState, token: str) -> None:
    """A token that is unknown or revoked is an invalid grant."""
    with pytest.raises(GrantError, match="expired or revoked"):
        token_document(state, refresh_form(state, token))
