"""Tests of how commands ask for saved accounts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from antigravity_proxy.accounts.account import Account, Tokens
from antigravity_proxy.accounts.pool import Pool
from antigravity_proxy.cli.saved import find_saved, find_usable, require_accounts
from antigravity_proxy.errors import AccountError, NoAccountError, StoreError
from antigravity_proxy.proxy.services import open_store

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from antigravity_proxy.accounts.store import AccountStore

    from .conftest import Command

ADA = Account("google:1", Tokens("access", "refresh", 1), email="ada@example.com")


def save(home: Path) -> AccountStore:
    """A home with an account."""
    open_store(home).update(lambda _: Pool((ADA,)))
    return open_store(home)


def test_saved_account_is_found(home: Path) -> None:
    """An account that can be used is found by all."""
    store = save(home)
    assert require_accounts(store).accounts == (ADA,)
    assert find_saved(store, "ada@") == find_usable(store, "1") == ADA


def test_account_without_its_key_is_found_and_not_usable(home: Path) -> None:
    """An entry that cannot be read is told as what it is; it can be found to be removed."""
    save(home)
    (home / "accounts.key").unlink()
    store = open_store(home)
    assert find_saved(store, "ada@").id == ADA.id
    with pytest.raises(AccountError, match=r"a\*\*\*a@example.com cannot be used\. "):
        find_usable(store, "ada@")
    with pytest.raises(StoreError, match=r"a\*\*\*a@example.com cannot be used\. "):
        require_accounts(store)


ASKING: tuple[Callable[[AccountStore], object], ...] = (
    require_accounts,
    lambda store: find_saved(store, "1"),
    lambda store: find_usable(store, "1"),
)


@pytest.mark.parametrize("ask", ASKING, ids=["require", "saved", "usable"])
def test_nothing_saved_and_nothing_readable_are_told_apart(home: Path, ask: Callable[[AccountStore], object]) -> None:
    """A damaged file is not called an empty one."""
    with pytest.raises(NoAccountError, match="No account is saved"):
        ask(open_store(home))
    home.mkdir()
    (home / "accounts.json").write_text("{")
    with pytest.raises(StoreError, match="is damaged"):
        ask(open_store(home))


@pytest.mark.parametrize(
    "words",
    [
        ("quota",),
        ("quota", "1"),
        ("accounts", "activate", "1"),
        ("accounts", "remove", "1"),
        ("accounts", "set-proxy", "1", "none"),
        ("accounts", "failover"),
        ("accounts", "failover", "on"),
        ("accounts", "failover", "off"),
        ("accounts", "export"),
    ],
    ids=" ".join,
)
def test_every_command_that_needs_accounts_says_so(command: Command, home: Path, words: tuple[str, ...]) -> None:
    """Without any account each of them says the same, and creates nothing; with a damaged file each says that."""
    result = command(*words)
    assert (result.exit_code, result.stdout) == (1, "")
    assert str(result.exception) == "No account is saved. Add one: antigravity-proxy login"
    assert not home.exists()
    home.mkdir()
    (home / "accounts.json").write_text("{")
    damaged = command(*words)
    assert (damaged.exit_code, damaged.stdout) == (1, "")
    assert "is damaged" in str(damaged.exception)
