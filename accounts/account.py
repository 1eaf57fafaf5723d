"""One Google account: its tokens, its identity and how it is shown."""

from __future__ import annotations

import hashlib
import re
import zlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeGuard

if TYPE_CHECKING:
    from collections.abc import Mapping

REFRESH_MARGIN_MS = 60_000
"""A token with less time than this left is refreshed before it is used."""

MARGIN_SPREAD_MS = 30_000
"""So much longer it may be: each account has a margin of its own, or those that began together would ask together."""

MAX_ID_LENGTH = 200
"""Longer account ids are not accepted from a file."""

LEGACY_ID = "legacy:default"
"""The id of a migrated account about whose owner nothing is known."""

UNKNOWN_EMAIL = "[redacted-email]"
"""Shown in place of text that should be an e-mail address and is not one."""

EMAIL = re.compile(r"(?<![\w.+*-])[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
"""What an e-mail address looks like in a text, one that is masked already left aside."""

_MASK = "***"
_DIGEST_LENGTH = 24


@dataclass(frozen=True, slots=True)
class Tokens:
    """The OAuth tokens of one account; printing them shows only when they expire."""

    access: str = field(repr=False)
    refresh: str = field(repr=False)
    expires_ms: int


@dataclass(frozen=True, slots=True)
class Caller:
    """Who a call to Google is made for, and by which way; printing it shows neither.

    Attributes:
        token: the access token.
        proxy: URL of the account's own HTTP proxy; without one the way is that of all calls.
    """

    token: str = field(repr=False)
    proxy: str | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class Account:
    """A Google account that can serve requests.

    Attributes:
        id: stable key of the account in the pool, at most 200 characters.
        tokens: what the account proves itself with.
        email: the owner's address, if known.
        project_id: the Google project that requests are made for, if known.
        created_ms: when the account was added, in milliseconds since 1970, if known.
        signed_in_ms: when a login or an import last brought its tokens, in milliseconds since 1970, if known.
        proxy: URL of the HTTP proxy that all its calls go through, if it has one of its own.
        extra: fields of the file that this version does not know; they survive a rewrite.
    """

    id: str
    tokens: Tokens
    email: str | None = field(default=None, repr=False)
    project_id: str | None = None
    created_ms: int | None = None
    signed_in_ms: int | None = None
    proxy: str | None = field(default=None, repr=False)
    extra: Mapping[str, Any] = field(default_factory=dict[str, Any], repr=False, hash=False)

    @property
    def label(self) -> str:
        """How the account is named in messages: its masked e-mail address, else its id."""
        return mask_email(self.email) if self.email else self.id

    @property
    def caller(self) -> Caller:
        """What its calls are made with."""
        return Caller(self.tokens.access, self.proxy)

    @property
    def refresh_margin_ms(self) -> int:
        """How long before its end the access token is refreshed: 60 to 90 s, always the same for an account.

        Source: SPEC.md, "Tokens".
        """
        return REFRESH_MARGIN_MS + zlib.crc32(self.id.encode("utf-8", "surrogatepass")) % MARGIN_SPREAD_MS

    def needs_refresh(self, now_ms: int) -> bool:
        """Whether the access token has expired or will within the margin."""
        return self.tokens.expires_ms <= now_ms + self.refresh_margin_ms


def is_token(value: Any) -> TypeGuard[str]:
    """Whether the value can be a token: printable ASCII without blanks, as all else could not travel in a header.

    Text without letters and digits is none either, such as the dots of a template.
    """
    if not isinstance(value, str) or not any(map(str.isalnum, value)):
        return False
    return value.isascii() and value.isprintable() and " " not in value


def is_line(value: Any) -> TypeGuard[str]:
    """Whether the value is a text that can be sent and shown, as one with line ends or half characters cannot."""
    return isinstance(value, str) and bool(value) and value.isprintable()


def show_id(account_id: str) -> str:
    """An id that may stand in a file by mistake, with characters that cannot be shown written as escapes."""
    return account_id if is_line(account_id) else account_id.encode("unicode_escape").decode("ascii")


def mask_emails(text: str) -> str:
    """A text with every e-mail address in it masked."""
    return EMAIL.sub(lambda found: mask_email(found[0]), text)


def mask_email(email: str) -> str:
    """The address with all but the ends of its local part hidden.

    ``user@example.com`` becomes ``u***r@example.com``; of a local part shorter than three characters only
    the first is shown. Text that is no address is not shown at all.
    """
    local, _, domain = email.strip().rpartition("@")
    if not local or not domain or not email.strip().isprintable():
        return UNKNOWN_EMAIL
    last = local[-1] if len(local) > 2 else ""
    return f"{local[0]}{_MASK}{last}@{domain}"


def same_email(one: str | None, other: str | None) -> bool:
    """Whether both are known and name the same mailbox, whatever their case."""
    return bool(one and other) and _normal_email(one) == _normal_email(other)


def account_id(*, google_id: str | None = None, email: str | None = None, project_id: str | None = None) -> str:
    """The id of an account from the best that is known about its owner.

    An account that is already in the pool with the same e-mail address keeps the id it has; the pool sees
    to that.

    Args:
        google_id: Google's own id of the user, from the user information.
        email: the owner's address.
        project_id: the Google project of the account.

    Source: SPEC.md, "Account id".
    """
    if google_id:
        return f"google:{_digest(google_id)}"
    if email and (normal := _normal_email(email)):
        return f"email:{_digest(normal)}"
    if project_id:
        return f"project:{_digest(project_id)}"
    return LEGACY_ID


def _normal_email(email: str | None) -> str:
    return (email or "").strip().lower()


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:_DIGEST_LENGTH]
