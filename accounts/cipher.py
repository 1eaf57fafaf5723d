"""Encryption of the tokens in the account file, and where its key is.

It keeps tokens out of backups, screenshots and synchronised folders that hold the account file alone. It does
not protect them from a program that runs as the same user, which can read the key as we do.
"""

from __future__ import annotations

import os
import secrets
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from cryptography.fernet import Fernet, InvalidToken

from ..errors import StoreError
from .disk import create_file, make_folder, read_file, replace_file
from .file_format import SEALED_PREFIX
from .keyring_entry import KeyPlace, KeyringEntry

if TYPE_CHECKING:
    from collections.abc import Callable

VERSION_PREFIX = f"{SEALED_PREFIX}v1:"
"""How a token that this module encrypted starts; without any such prefix a token is plain."""


KEYRING_PREFIX = b"keyring:"
"""How a key file starts that holds no key, but the name of the keyring's entry that does."""


class KeyFile:
    """A key in a file of its own that only its owner can read, or in the system's keyring, which the file then says.

    What the keyring said is kept in memory, also that it gives no key, as asking it may ask the user.

    Args:
        path: the file.
        new_key: makes a key.
        new_tag: gives a text that no other process uses at the same time.

    Source: SPEC.md, "Account file".
    """

    def __init__(
        self,
        path: Path,
        *,
        new_key: Callable[[], bytes] = Fernet.generate_key,
        new_tag: Callable[[], str] = secrets.token_hex,
    ) -> None:
        self._path = path
        self._new_key = new_key
        self._new_tag = new_tag
        self._from_keyring: dict[str, bytes | StoreError] = {}

    @property
    def path(self) -> Path:
        """The file."""
        return self._path

    @property
    def place(self) -> KeyPlace:
        """Where the key is, or will be once there is one.

        Raises:
            StoreError: the file cannot be read.
        """
        return KeyPlace.FILE if _entry_name(self._content()) is None else KeyPlace.KEYRING

    def load(self) -> bytes | None:
        """The key, or None when there is no file.

        Raises:
            StoreError: the file cannot be read, or holds no key, or the keyring does not give it.
        """
        content = self._content()
        name = _entry_name(content)
        if name is None:
            return None if content is None else self._checked(content)
        if name not in self._from_keyring:
            try:
                self._from_keyring[name] = self._checked(self._entry(name).load().encode())
            except StoreError as error:
                self._from_keyring[name] = error
        said = self._from_keyring[name]
        if isinstance(said, StoreError):
            raise StoreError(said.message, path=self._path)
        return said

    def load_or_create(self) -> bytes:
        """The key, for which a file is created first when there is none.

        Raises:
            StoreError: as for ``load``, or the file cannot be created.
        """
        if (key := self.load()) is not None:
            return key
        key = self._new_key()
        try:
            make_folder(self._path.parent)
            if create_file(self._path, key + b"\n", tag=self._new_tag()):
                return key
        except OSError as error:
            raise self._unwritable(error) from error
        return self.load_or_create()

    def move(self, place: KeyPlace) -> None:
        """Keep the key elsewhere. It stays the same key, so at no moment is there a token that cannot be read.

        Only for the holder of the account file's lock.

        Raises:
            StoreError: as for ``load``, or the new place does not take it, and it is where it was.
        """
        content = self._content()
        before = _entry_name(content)
        if content is not None and place is self.place:
            return
        key = self.load() or self._new_key()
        if place is KeyPlace.KEYRING:
            name = self._new_tag()
            self._entry(name).save(key.decode())
            self._replace(KEYRING_PREFIX + name.encode())
        else:
            self._replace(key)
        if before is not None:
            with suppress(StoreError):  # what stays behind is of no use without the account file
                self._entry(before).delete()

    def _content(self) -> bytes | None:
        try:
            return read_file(self._path)[0].strip()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise StoreError(
                f"The key file {self._path} cannot be read: {error.strerror}. Check its permissions.",
                path=self._path,
            ) from error

    def _checked(self, key: bytes) -> bytes:
        try:
            Fernet(key)
        except ValueError as error:
            raise StoreError(
                f"{self._path} holds no key. Put the right file back, or move it away and sign in again: "
                "antigravity-proxy login",
                path=self._path,
            ) from error
        return key

    def _entry(self, name: str) -> KeyringEntry:
        return KeyringEntry(name, path=self._path)

    def _replace(self, content: bytes) -> None:
        try:
            make_folder(self._path.parent)
            replace_file(Path(os.path.realpath(self._path)), content + b"\n", tag=self._new_tag())
        except OSError as error:
            raise self._unwritable(error) from error

    def _unwritable(self, error: OSError) -> StoreError:
        return StoreError(
            f"The key file {self._path} cannot be created: {error.strerror}. "
            "Check the disk space and the permissions of its folder.",
            path=self._path,
        )


def _entry_name(content: bytes | None) -> str | None:
    """The entry of the keyring that a key file names; None when it does not."""
    if content is None or not content.startswith(KEYRING_PREFIX):
        return None
    return content.removeprefix(KEYRING_PREFIX).decode("ascii", "replace")


class TokenCipher:
    """Encrypts and decrypts the tokens of one reading or writing of the account file.

    Args:
        key_file: where the key is; read once at most, and only when a token needs it.
    """

    def __init__(self, key_file: KeyFile) -> None:
        self._key_file = key_file

    def seal(self, token: str) -> str:
        """The token as it is to stand in the file.

        Raises:
            StoreError: there is no key, and none can be made.
        """
        return VERSION_PREFIX + self._writer.encrypt(token.encode()).decode()

    def unseal(self, text: str) -> str:
        """The token that stands in the file, encrypted or plain.

        Raises:
            StoreError: it is encrypted with another key, or in a newer way.
        """
        if not text.startswith(SEALED_PREFIX):
            return text
        if not text.startswith(VERSION_PREFIX):
            raise self._failure("A newer version of this program encrypted the tokens; update antigravity-proxy.")
        if self._reader is None:
            raise self._failure(
                f"The tokens are encrypted and the key file {self._key_file.path} is gone. "
                "Put the key file back, or sign in again: antigravity-proxy login"
            )
        try:
            return self._reader.decrypt(text.removeprefix(VERSION_PREFIX)).decode()
        except (InvalidToken, ValueError) as error:
            raise self._failure(
                f"The tokens were encrypted with another key than the one in {self._key_file.path}. "
                "Put the right key file back, or sign in again: antigravity-proxy login"
            ) from error

    def _failure(self, message: str) -> StoreError:
        return StoreError(message, path=self._key_file.path)

    @cached_property
    def _reader(self) -> Fernet | None:
        key = self._key_file.load()
        return None if key is None else Fernet(key)

    @cached_property
    def _writer(self) -> Fernet:
        return Fernet(self._key_file.load_or_create())
