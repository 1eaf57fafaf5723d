"""The account file as bytes and as a pool: versions 1 and 2 are read, version 2 is written.

Version 2::

    {"version": 2, "activeAccountId": "google:...", "autoFailover": false,
     "accounts": {"google:...": {"type": "oauth", "access": "...", "refresh": "...", "expires": 1757000000000,
                                 "projectId": "...", "email": "...", "createdAt": 1756000000000,
                                 "proxy": "..."}},
     "foreignCredentials": {"other-provider": {}}}

Version 1 holds at most one account, as ``credentials.antigravity``; the other credentials are foreign.
"""

from __future__ import annotations

import json
import math
from functools import partial
from typing import TYPE_CHECKING, Any, cast

from ..errors import StoreError
from .account import MAX_ID_LENGTH, Account, Tokens, account_id, is_line, is_token
from .pool import Pool, Unreadable
from .proxy_url import is_proxy_url

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

NEWEST_VERSION = 2
"""The version that is written; a higher one is refused."""

SEALED_PREFIX = "enc:"
"""How an encrypted token starts, in every version of the encryption."""

SEALED_FIELDS = ("access", "refresh", "proxy")
"""What is encrypted in an entry."""

_NO_PROXY = "Its proxy is no URL such as http://proxy.example:3128."
_PROVIDER = "antigravity"
_TYPE = "oauth"
_DOCUMENT_FIELDS = frozenset(
    {"version", "activeAccountId", "chosenAt", "autoFailover", "accounts", "foreignCredentials"}
)
_LEGACY_FIELDS = frozenset({"version", "credentials"})
_ACCOUNT_FIELDS = frozenset(
    {"type", "access", "refresh", "expires", "projectId", "email", "createdAt", "signedInAt", "proxy"}
)


def read_document(data: bytes, *, path: Path, unseal: Callable[[str], str]) -> Pool:
    """The pool that an account file holds.

    An entry that is no usable account is kept in ``unreadable`` with the reason; it never spoils the others.

    Args:
        data: the whole file.
        path: where it lies; only for messages.
        unseal: gives the plain token for one as it stands in the file, or raises StoreError.

    Raises:
        StoreError: the file is no account document, or a newer program wrote it.

    Source: SPEC.md, "Account file".
    """
    document = _parsed(data, path)
    version = document.get("version")
    if version == 1:
        return _read_legacy(document, path, unseal)
    if version == NEWEST_VERSION:
        return read_current(document, path=path, unseal=unseal)
    if _is_newer(version):
        raise StoreError(
            f"{path} was written by a newer version of this program (file version {version}, "
            f"this program knows {NEWEST_VERSION}). Update antigravity-proxy, or move the file away.",
            path=path,
        )
    raise _damaged(path, "it states no version that was ever in use")


def write_document(pool: Pool, *, seal: Callable[[str], str]) -> bytes:
    """The account file that holds this pool; the same pool gives the same bytes.

    Args:
        pool: what to write.
        seal: gives a token as it is to stand in the file.
    """
    entries: dict[str, Any] = {entry.id: entry.raw for entry in pool.unreadable}
    entries.update((account.id, _write_account(account, seal)) for account in pool.accounts)
    document: dict[str, Any] = {"version": NEWEST_VERSION}
    if (chosen_id := pool.chosen_id) is not None:
        document["activeAccountId"] = chosen_id
    if pool.chosen_ms is not None:
        document["chosenAt"] = pool.chosen_ms
    document["autoFailover"] = pool.auto_failover
    document["accounts"] = {key: entries[key] for key in sorted(entries)}
    document["foreignCredentials"] = pool.foreign
    document.update(pool.extra)
    text = json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False)
    # A lone surrogate can only have come from a JSON escape, and the handler turns it into that escape again.
    return f"{text}\n".encode("utf-8", "backslashreplace")


def parse_object(data: bytes) -> dict[str, Any] | None:
    """The JSON object that a file is; None when it is none."""
    try:
        return _object(_loads(data))
    except (ValueError, RecursionError):
        return None


def is_newer(data: bytes) -> bool:
    """Whether the file states a version above the newest known one, and so is not damaged but ahead of us."""
    document = parse_object(data)
    return document is not None and _is_newer(document.get("version"))


def read_current(document: Mapping[str, Any], *, path: Path, unseal: Callable[[str], str]) -> Pool:
    """The pool that a parsed document of the newest version holds, whatever version it states.

    Raises:
        StoreError: its accounts or foreign credentials are no objects.
    """
    entries = _object(document.get("accounts", {}))
    foreign = _object(document.get("foreignCredentials", {}))
    if entries is None or foreign is None:
        raise _damaged(
            path, "its accounts are no JSON object" if entries is None else "its foreignCredentials are none"
        )
    active_id = document.get("activeAccountId")
    read = [_read_entry(key, raw, unseal) for key, raw in entries.items()]
    return Pool(
        accounts=tuple(entry for entry in read if isinstance(entry, Account)),
        active_id=active_id if isinstance(active_id, str) else None,
        chosen_ms=_number(document.get("chosenAt")),
        auto_failover=document.get("autoFailover") is True,
        foreign=foreign,
        extra=_without(document, _DOCUMENT_FIELDS),
        unreadable=tuple(entry for entry in read if isinstance(entry, Unreadable)),
    )


def _read_legacy(document: Mapping[str, Any], path: Path, unseal: Callable[[str], str]) -> Pool:
    credentials = _object(document.get("credentials", {}))
    if credentials is None:
        raise _damaged(path, "its credentials are no JSON object")
    entries: dict[str, Any] = {}
    if _PROVIDER in credentials:
        raw = credentials[_PROVIDER]
        known = _object(raw) or {}
        key = account_id(email=_text(known.get("email")), project_id=_text(known.get("projectId")))
        entries[key] = raw
    current = {
        **_without(document, _LEGACY_FIELDS),
        "accounts": entries,
        "foreignCredentials": _without(credentials, frozenset({_PROVIDER})),
    }
    return read_current(current, path=path, unseal=unseal)


def _read_entry(key: str, raw: Any, unseal: Callable[[str], str]) -> Account | Unreadable:
    entry = _object(raw)
    unreadable = partial(Unreadable, id=key, raw=raw)
    if entry is None:
        return unreadable(reason="It is no JSON object.")
    email, created_ms = _text(entry.get("email")), _number(entry.get("createdAt"))
    unreadable = partial(unreadable, email=email, created_ms=created_ms)
    if reason := _reason_against(key, entry):
        return unreadable(reason=reason)
    try:
        tokens = Tokens(unseal(entry["access"]), unseal(entry["refresh"]), int(entry["expires"]))
        proxy = None if entry.get("proxy") is None else unseal(entry["proxy"])
    except StoreError as error:
        return unreadable(reason=error.message)
    if proxy is not None and not is_proxy_url(proxy):
        return unreadable(reason=_NO_PROXY)
    return Account(
        id=key,
        tokens=tokens,
        email=email,
        project_id=_text(entry.get("projectId")),
        created_ms=created_ms,
        signed_in_ms=_number(entry.get("signedInAt")),
        proxy=proxy,
        extra=_without(entry, _ACCOUNT_FIELDS),
    )


def _reason_against(key: str, entry: Mapping[str, Any]) -> str | None:
    if len(key) > MAX_ID_LENGTH or not is_line(key):
        return f"Its id is not of 1 to {MAX_ID_LENGTH} characters that can be shown."
    for name, holds, complaint in _FIELD_RULES:
        if not holds(entry.get(name)):
            misnamed = next((other for other in _OTHER_NAMES.get(name, ()) if other in entry), None)
            return complaint if misnamed is None else f"{complaint} Write {name} in place of {misnamed}."
    return None


def _write_account(account: Account, seal: Callable[[str], str]) -> dict[str, Any]:
    tokens = account.tokens
    entry: dict[str, Any] = {
        "type": _TYPE,
        "access": seal(tokens.access),
        "refresh": seal(tokens.refresh),
        "expires": tokens.expires_ms,
        "projectId": account.project_id,
        "email": account.email,
        "createdAt": account.created_ms,
        "signedInAt": account.signed_in_ms,
        "proxy": None if account.proxy is None else seal(account.proxy),
    }
    return {**{name: value for name, value in entry.items() if value is not None}, **account.extra}


def _parsed(data: bytes, path: Path) -> dict[str, Any]:
    try:
        document = _object(_loads(data))
    except (ValueError, RecursionError) as error:
        raise _damaged(path, "it is not JSON") from error
    if document is None:
        raise _damaged(path, "it is no JSON object")
    return document


def _loads(data: bytes) -> Any:
    return json.loads(data.decode("utf-8-sig"), parse_float=_finite, parse_constant=_finite)


def _finite(literal: str) -> float:
    # Python would read 1e999 and NaN, and then write something that is not JSON.
    number = float(literal)
    if not math.isfinite(number):
        raise ValueError(f"{literal} is no JSON number")
    return number


def _damaged(path: Path, reason: str) -> StoreError:
    return StoreError(
        f"{path} is damaged: {reason}. Nothing was changed; repair the file, or move it away and add the "
        "accounts again.",
        path=path,
    )


def _is_newer(version: Any) -> bool:
    return (_number(version) or 0) > NEWEST_VERSION


def _object(value: Any) -> dict[str, Any] | None:
    return cast("dict[str, Any]", value) if isinstance(value, dict) else None


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None


def _number(value: Any) -> int | None:
    return int(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def _is_time(value: Any) -> bool:
    number = _number(value)
    return number is not None and number >= 0


def _is_no_odd_line(value: Any) -> bool:
    return value in (None, "") or is_line(value)


def _without(fields: Mapping[str, Any], known: frozenset[str]) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if name not in known}


_OTHER_NAMES: dict[str, tuple[str, ...]] = {
    "access": ("access_token", "accessToken"),
    "refresh": ("refresh_token", "refreshToken"),
}
"""Field → what other programs call it."""

_FIELD_RULES: tuple[tuple[str, Callable[[Any], bool], str], ...] = (
    ("type", lambda value: value is None or value == _TYPE, f"Its type is not {_TYPE}."),
    ("access", is_token, "Its access token is missing or not printable ASCII without blanks."),
    ("refresh", is_token, "Its refresh token is missing or not printable ASCII without blanks."),
    ("expires", _is_time, "Its expires is no time in milliseconds."),
    ("projectId", _is_no_odd_line, "Its projectId is no text, or has characters that cannot be shown."),
    ("email", _is_no_odd_line, "Its email is no text, or has characters that cannot be shown."),
    (
        "createdAt",
        lambda value: value is None or _number(value) is not None,
        "Its createdAt is no time in milliseconds.",
    ),
    ("proxy", lambda value: value is None or isinstance(value, str), _NO_PROXY),
)
"""What must hold of each field of an account, and what is said when it does not; None stands for absent."""
