"""A keyring in memory, registered with the real package as a backend of its own."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

import keyring
from keyring.backend import KeyringBackend
from keyring.errors import KeyringLocked, PasswordDeleteError

if TYPE_CHECKING:
    from collections.abc import Iterator


class MemoryKeyring(KeyringBackend):
    """Keeps what it is given until the test is over.

    Attributes:
        entries: service and name to what is kept.
        is_locked: whether it gives and takes nothing.
        is_forgetful: whether it takes everything and keeps nothing.
        reads: how often it was asked for an entry.
        threads: from which threads.
    """

    priority = 1.0

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]  # the package has no types for it
        self.entries: dict[tuple[str, str], str] = {}
        self.is_locked = False
        self.is_forgetful = False
        self.reads = 0
        self.threads: set[threading.Thread] = set()

    def get_password(self, service: str, username: str) -> str | None:
        """Give an entry."""
        self.reads += 1
        self.threads.add(threading.current_thread())
        self._open()
        return self.entries.get((service, username))

    def set_password(self, service: str, username: str, password: str) -> None:
        """Keep an entry."""
        self._open()
        if not self.is_forgetful:
            self.entries[service, username] = password

    def delete_password(self, service: str, username: str) -> None:
        """Remove an entry."""
        self._open()
        if self.entries.pop((service, username), None) is None:
            raise PasswordDeleteError("there is none")

    def _open(self) -> None:
        if self.is_locked:
            raise KeyringLocked("locked-canary")


@contextmanager
def memory_keyring() -> Iterator[MemoryKeyring]:
    """The system's keyring while the block runs."""
    before = keyring.get_keyring()
    backend = MemoryKeyring()
    keyring.set_keyring(backend)
    try:
        yield backend
    finally:
        keyring.set_keyring(before)
