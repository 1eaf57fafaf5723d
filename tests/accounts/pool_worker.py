"""Adds, changes and removes accounts of its own while other processes do the same.

Usage: ``pool_worker.py FILE NAME ROUNDS``. Each round adds one account; every second round takes it away again.
Those that stay have a proxy of their own and new tokens.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from antigravity_proxy.accounts.account import Account, Tokens
from antigravity_proxy.accounts.store import AccountStore

if TYPE_CHECKING:
    from antigravity_proxy.accounts.pool import Pool


def add(store: AccountStore, account_id: str) -> None:
    """Add an account and check that it is there."""
    account = Account(id=account_id, tokens=Tokens("access", "refresh", 1))
    store.update(lambda pool: pool.with_account(account))
    assert store.read().get(account_id) == account


def remove(store: AccountStore, account_id: str) -> None:
    """Take an account away and check that it stays away, even when a late refresh reports."""

    def finish_refresh(pool: Pool) -> Pool:
        return pool.with_tokens(account_id, Tokens("late", "refresh", 2), started_from="refresh")

    assert store.read().get(account_id) is not None
    store.update(lambda pool: pool.without(account_id))
    store.update(finish_refresh)
    assert store.read().get(account_id) is None


def change(store: AccountStore, account_id: str) -> None:
    """Activate an account, give it a proxy and new tokens, and check that nobody's changes undo these."""
    renewed = Account(id=account_id, tokens=Tokens("new", "refresh", 2), proxy=f"http://{account_id}.example")
    assert store.update(lambda pool: pool.activated(account_id)).active_id == account_id
    store.update(lambda pool: pool.with_proxy(account_id, renewed.proxy))
    store.update(lambda pool: pool.with_tokens(account_id, renewed.tokens, started_from="refresh"))
    assert store.read().get(account_id) == renewed


def main() -> None:
    """Do the rounds."""
    path, name, rounds = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
    store = AccountStore(path)
    for number in range(rounds):
        add(store, f"{name}-{number}")
        if number % 2:
            remove(store, f"{name}-{number}")
        else:
            change(store, f"{name}-{number}")


if __name__ == "__main__":
    main()
