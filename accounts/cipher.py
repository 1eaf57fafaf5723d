"""Encryption of the tokens in the account file, and the key file beside it.

It keeps tokens out of backups, screenshots and synchronised folders that hold the account file alone. It does
not protect them from a program that runs as the same user, which can read the key as we do.
"""

from __future__ import annotations

import secrets
from functools import cached_property
from typing import TYPE_CHECKING

from cryptography.fernet import Fernet, InvalidToken

from ..errors import StoreError
from .disk import create_file, make_folder
from .file_format import SEALED_PREFIX

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

VERSION_PREFIX = f"{SEALED_PREFIX}v1:"
"""How a token that this module encrypted starts; without any such prefix a token is plain."""


class KeyFile:
    """A key in a file of its own that only its owner can read.

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

    @property
    def path(self) -> Path:
        """The file."""
        return self._path

    def load(self) -> bytes | None:
        """The key in the file, or None when there is no file.

        Raises:
            StoreError: the file cannot be read, or holds no key.
        """
        try:
            key = self._path.read_bytes().strip()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise StoreError(
                f"The key file {self._path} cannot be read: {error.strerror}. Check its permissions.",
                path=self._path,
            ) from error
        try:
            Fernet(key)
        except ValueError as error:
            raise StoreError(
                f"{self._path} holds no key. Put the right file back, or move it away and import the accounts again.",
                path=self._path,
            ) from error
        return key

    def load_or_create(self) -> bytes:
        """The key in the file, which is created first when there is none.

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
            raise StoreError(
                f"The key file {self._path} cannot be created: {error.strerror}. "
                "Check the disk space and the permissions of its folder.",
                path=self._path,
            ) from error
        return self.load_or_create()


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
                "Put the key file back, or import the account again."
            )
        try:
            return self._reader.decrypt(text.removeprefix(VERSION_PREFIX)).decode()
        except (InvalidToken, ValueError) as error:
            raise self._failure(
                f"The tokens were encrypted with another key than the one in {self._key_file.path}. "
                "Put the right key file back, or import the account again."
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
