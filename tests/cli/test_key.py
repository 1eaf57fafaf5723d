"""Tests of ``antigravity-proxy accounts key``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from antigravity_proxy.accounts.account import Account, Tokens
from antigravity_proxy.proxy.services import open_store

from ..accounts.memory_keyring import memory_keyring

if TYPE_CHECKING:
    from pathlib import Path

    from .conftest import Command

ADA = Account("google:1", Tokens("access", "refresh", 1), email="ada@example.com")


def test_key_goes_where_the_user_wants_it(command: Command, home: Path) -> None:
    """The key moves to the keyring and back, each time with a sentence on where it is, and no account is lost."""
    pool = open_store(home).update(lambda pool: pool.with_account(ADA))
    in_file = f"The key for the tokens is in a file beside {home / 'accounts.json'}.\n"
    in_keyring = "The key for the tokens is in the system's keyring, under antigravity-proxy.\n"
    with memory_keyring() as backend:
        assert command("accounts", "key").stdout == in_file
        assert command("accounts", "key", "keyring").stdout == (
            f"{in_keyring}Copies of accounts.key that were made before still open them; delete these.\n"
        )
        assert len(backend.entries) == 1
        assert command("accounts", "key").stdout == in_keyring
        assert "a***a@example.com" in command("accounts", "list").stdout
        assert command("accounts", "key", "file").stdout == in_file
    assert open_store(home).read() == pool


def test_locked_keyring_is_one_sentence(command: Command, home: Path) -> None:
    """A keyring that cannot be used is named, and the key stays where it is."""
    open_store(home).update(lambda pool: pool.with_account(ADA))
    with memory_keyring() as backend:
        backend.is_locked = True
        result = command("accounts", "key", "keyring")
    assert (result.exit_code, result.stdout) == (1, "")
    assert "the system's keyring cannot be used (KeyringLocked)." in str(result.exception)
    assert "in a file" in command("accounts", "key").stdout


def test_looking_creates_nothing(command: Command, home: Path) -> None:
    """Asking where the key is before there is one makes none."""
    assert command("accounts", "key").exit_code == 0
    assert not home.exists()
