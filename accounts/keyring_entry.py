"""A key in the keyring of the operating system, for those who have installed the optional package for it."""

from __future__ import annotations

from contextlib import contextmanager
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from ..errors import StoreError

if TYPE_CHECKING:
    from collections.abc import Callable, Generator
    from pathlib import Path

SERVICE = "antigravity-proxy"
"""What our entries are called in the keyring; each has a name of its own beside it."""


INSTALL = "Install it beside this program with `pip install keyring`, or `pipx inject antigravity-proxy keyring`,"
"""What helps when the optional package is missing, up to what follows."""


class KeyPlace(StrEnum):
    """Where a key is kept."""

    FILE = "file"
    KEYRING = "keyring"


class KeyringEntry:
    """One entry of the keyring, which is asked when a method is called.

    Args:
        name: tells it from the entries of other home folders.
        path: the file that names it; only for messages.
    """

    def __init__(self, name: str, *, path: Path) -> None:
        self._name = name
        self._path = path

    def load(self) -> str:
        """The key.

        Raises:
            StoreError: the keyring cannot be used, or has no such entry.
        """
        with self._opened(self._unreachable) as backend:
            key: str | None = backend.get_password(SERVICE, self._name)
        if key is None:
            raise self._unreachable(f"the system's keyring has no entry {self._name} of {SERVICE}")
        return key

    def save(self, key: str) -> None:
        """Keep a key.

        Raises:
            StoreError: the keyring cannot be used, or does not give back what it was given.
        """
        with self._opened(self._untaken) as backend:
            backend.set_password(SERVICE, self._name, key)
            kept = backend.get_password(SERVICE, self._name)
        if kept != key:
            raise self._untaken("the system's keyring forgets what it is given")

    def delete(self) -> None:
        """Remove the entry.

        Raises:
            StoreError: the keyring cannot be used, or has no such entry.
        """
        with self._opened(self._untaken) as backend:
            backend.delete_password(SERVICE, self._name)

    @contextmanager
    def _opened(self, failure: Callable[..., StoreError]) -> Generator[Any]:
        """The keyring's backend, whose methods have no complete types; what goes wrong in the block is a failure."""
        try:
            import keyring  # noqa: PLC0415 -- optional
        except ImportError as error:
            raise failure("the package keyring is not installed", INSTALL) from error
        try:
            yield keyring.get_keyring()
        except Exception as error:  # a backend raises what its system raises
            raise failure(f"the system's keyring cannot be used ({type(error).__name__})") from error

    def _unreachable(self, reason: str, cure: str = "Unlock the keyring of the user who saved them") -> StoreError:
        return StoreError(
            f"The key of the saved accounts cannot be reached: {reason}. {cure} and start this program "
            f"again, or move {self._path} away and sign in again: antigravity-proxy login",
            path=self._path,
        )

    def _untaken(self, reason: str, cure: str = "Unlock the keyring, or choose another,") -> StoreError:
        return StoreError(
            f"The key of the saved accounts stays where it is: {reason}. {cure} and try again.",
            path=self._path,
        )
