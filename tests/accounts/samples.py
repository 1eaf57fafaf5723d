"""Accounts and documents that the tests of this folder start from."""

from __future__ import annotations

from typing import Any

from antigravity_proxy.accounts.account import Account, Tokens, account_id

EXPIRES_MS = 1_757_000_000_000
CREATED_MS = 1_756_000_000_000


def make_tokens(name: str = "first", expires_ms: int = EXPIRES_MS) -> Tokens:
    """Tokens that can be told apart by their name."""
    return Tokens(access=f"access-{name}", refresh=f"refresh-{name}", expires_ms=expires_ms)


def make_account(email: str, **fields: Any) -> Account:
    """The account of this address, with any field replaced."""
    values: dict[str, Any] = {
        "id": account_id(email=email),
        "tokens": make_tokens(email),
        "email": email,
        "created_ms": CREATED_MS,
    }
    return Account(**{**values, **fields})


def make_entry(name: str = "first", **fields: Any) -> dict[str, Any]:
    """An account as it stands in the file, with any field replaced."""
    entry = {
        "type": "oauth",
        "access": f"access-{name}",
        "refresh": f"refresh-{name}",
        "expires": EXPIRES_MS,
        "projectId": "demo",
        "email": f"{name}@example.com",
        "createdAt": CREATED_MS,
    }
    return {**entry, **fields}
