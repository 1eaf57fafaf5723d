"""Accounts as a file that travels: the exports of this program, and what is imported from others.

Source:
    SPEC.md, "Import" and "Export".
"""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, cast

from ..errors import StoreError
from .file_format import SEALED_FIELDS, SEALED_PREFIX, parse_object, read_current, read_document, write_document

if TYPE_CHECKING:
    from pathlib import Path

    from .pool import Pool

_NO_ACCESS = MappingProxyType({"access": "none", "expires": 0})
"""What stands for an access token that is not there yet."""


def write_export(pool: Pool) -> bytes:
    """The usable accounts of a pool as a file with plain tokens, for ``read_import`` elsewhere.

    Credentials of other providers, unknown fields of the file and entries that cannot be read are left out.
    """
    return write_document(replace(pool, foreign={}, extra={}, unreadable=(), chosen_ms=None), seal=_plain)


def read_import(data: bytes, *, path: Path) -> Pool:
    """The accounts of a file that the user brings along.

    Read are our own exports, the account files of DSH (versions 1 and 2), and ``{"accounts": {...}}`` without a
    version, all with plain tokens. In the last of these an account may have its refresh token alone.

    Args:
        data: the whole file.
        path: where it lies; only for messages.

    Returns:
        A pool with at least one usable account; what cannot be used is in ``unreadable`` with the reason.

    Raises:
        StoreError: the file is none of these, its tokens are encrypted, or it holds no usable account.

    Source: SPEC.md, "Import".
    """
    if "version" not in (document := _imported(data, path)):
        pool = read_current(_with_access(document), path=path, unseal=_plain)
    else:
        pool = read_document(data, path=path, unseal=_plain)
    tokens = [token for account in pool.accounts for token in (account.tokens.access, account.tokens.refresh)]
    others = [_fields(entry.raw).get(name) for entry in pool.unreadable for name in SEALED_FIELDS]
    if any(isinstance(text, str) and text.startswith(SEALED_PREFIX) for text in (*tokens, *others)):
        raise StoreError(
            f"The tokens in {path} are encrypted and can only be read where they were written. "
            "Import the file the account first came from.",
            path=path,
        )
    if not pool.accounts:
        reasons = "".join(f" {entry.label}: {entry.reason}" for entry in pool.unreadable)
        cure = f"Correct it.{reasons}" if reasons else "Import the file of a program that is signed in."
        raise StoreError(f"{path} holds no usable Antigravity account. {cure}", path=path)
    return pool


def _imported(data: bytes, path: Path) -> dict[str, Any]:
    document = parse_object(data)
    if document is None or not _may_hold_accounts(document):
        raise StoreError(
            f'{path} is no account file. It must be JSON such as {{"accounts": {{"google:1": {{"email": "...", '
            '"refresh": "..."}}}, or the account file of DSH.',
            path=path,
        )
    return document


def _may_hold_accounts(document: dict[str, Any]) -> bool:
    return bool({"version", "accounts"} & document.keys()) and isinstance(document.get("accounts", {}), dict)


def _with_access(document: dict[str, Any]) -> dict[str, Any]:
    """The document with an access token that has run out for accounts that have none, so that one is asked for."""
    completed: dict[str, Any] = {
        key: {**_fields(raw), **_NO_ACCESS} if isinstance(raw, dict) and "access" not in raw else raw
        for key, raw in document["accounts"].items()
    }
    return {**document, "accounts": completed}


def _fields(raw: Any) -> dict[str, Any]:
    return cast("dict[str, Any]", raw) if isinstance(raw, dict) else {}


def _plain(token: str) -> str:
    return token
