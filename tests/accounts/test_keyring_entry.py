"""Tests of entries in the system's keyring."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from antigravity_proxy.accounts.keyring_entry import KeyringEntry
from antigravity_proxy.errors import StoreError

from .memory_keyring import MemoryKeyring, memory_keyring

if TYPE_CHECKING:
    from collections.abc import Iterator

ENTRY = KeyringEntry("one", path=Path("accounts.key"))


@pytest.fixture
def backend() -> Iterator[MemoryKeyring]:
    """The system's keyring."""
    with memory_keyring() as made:
        yield made


def test_entry_is_kept_under_our_name(backend: MemoryKeyring) -> None:
    """A key is kept under the name of the program and that of the entry, is read back, and can be removed."""
    ENTRY.save("key")
    assert backend.entries == {("antigravity-proxy", "one"): "key"}
    assert ENTRY.load() == "key"
    ENTRY.delete()
    assert backend.entries == {}


def test_missing_entry_is_explained(backend: MemoryKeyring) -> None:
    """An entry that is gone is named, with the way out."""
    with pytest.raises(StoreError, match=r"no entry one of antigravity-proxy\. .* accounts\.key away and sign in"):
        ENTRY.load()


def test_locked_keyring_is_explained(backend: MemoryKeyring) -> None:
    """A keyring that stays locked is named with the way out; a file that may hold the key is not to be moved away."""
    backend.is_locked = True
    for call in (ENTRY.load, ENTRY.delete, lambda: ENTRY.save("key-canary")):
        with pytest.raises(StoreError, match=r"cannot be used \(KeyringLocked\)\. Unlock the keyring") as caught:
            call()
        assert ("away" in str(caught.value)) == (call == ENTRY.load)
        assert "canary" not in str(caught.value)


def test_keyring_that_keeps_nothing_is_refused(backend: MemoryKeyring) -> None:
    """A keyring that takes a key without keeping it is found out before anything depends on it."""
    backend.is_forgetful = True
    with pytest.raises(StoreError, match="forgets what it is given"):
        ENTRY.save("key")


def test_missing_package_is_explained(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the optional package the message says how to get it, not to unlock a keyring."""
    monkeypatch.setitem(sys.modules, "keyring", None)
    for call in (ENTRY.load, lambda: ENTRY.save("key-canary")):
        with pytest.raises(StoreError, match=r"is not installed\. Install it beside this program with") as caught:
            call()
        assert "`pipx inject antigravity-proxy keyring`, and " in str(caught.value)
        assert "Unlock" not in str(caught.value)
