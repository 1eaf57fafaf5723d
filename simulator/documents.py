"""The documents a client of the simulator needs: accounts with their tokens, and the OAuth client.

Source: SPEC.md, "Files".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .accounts import account_id
from .tokens import ACCESS_TOKEN_LIFETIME_S

if TYPE_CHECKING:
    from .accounts import Account
    from .config import SimulatorConfig
    from .state import SimulatorState

SAFETY_MARGIN_S = 300
"""A client that logs in stores an expiry so much earlier than the real one."""

REDIRECT_URI = "http://localhost:51121/oauth-callback"


def account_record(state: SimulatorState, account: Account) -> dict[str, Any]:
    """Give an account as a client would have stored it after a login, with tokens that work."""
    account.has_consented = True
    now_s = state.clock()
    refresh = state.tokens.newest_refresh(account.email) or state.tokens.issue_refresh(account.email)
    record: dict[str, Any] = {
        "type": "oauth",
        "access": state.tokens.issue_access(account.email),
        "refresh": refresh,
        "expires": int((now_s + ACCESS_TOKEN_LIFETIME_S - SAFETY_MARGIN_S) * 1000),
        "email": account.email,
        "createdAt": int(account.created_s * 1000),
    }
    if account.standing.project:
        record["projectId"] = account.standing.project
    return record


def accounts_document(state: SimulatorState, accounts: list[Account]) -> dict[str, Any]:
    """Give a version 2 account document of some accounts, the first of them active."""
    records = {account_id(account.email): account_record(state, account) for account in accounts}
    document: dict[str, Any] = {"version": 2, "autoFailover": False, "accounts": records, "foreignCredentials": {}}
    if records:
        document["activeAccountId"] = next(iter(records))
    return document


def client_document(config: SimulatorConfig, base_url: str) -> dict[str, Any]:
    """Give the document of an installed OAuth client whose addresses are the simulator's.

    The userinfo address is not part of Google's own document.
    """
    return {
        "installed": {
            "client_id": config.client_id,
            "client_secret": config.client_secret,
            "auth_uri": f"{base_url}/o/oauth2/v2/auth",
            "token_uri": f"{base_url}/token",
            "userinfo_uri": f"{base_url}/oauth2/v1/userinfo",
            "redirect_uris": [REDIRECT_URI],
        }
    }


def account_document(state: SimulatorState, account: Account) -> dict[str, Any]:
    """Give what the control API shows of an account; no tokens."""
    now_s = state.clock()
    standing = account.standing
    return {
        "id": account_id(account.email),
        "email": account.email,
        "googleId": account.google_id,
        "options": {name: getattr(standing, name) for name in type(standing).__dataclass_fields__},
        "quota": {
            name: {"fraction": bucket.fraction, "resetsAt": bucket.resets_at_s}
            for name, bucket in account.quota.refilled(now_s).items()
        },
    }
