"""Token requests and their answers: what is sent to Google's token address and what comes back."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ..accounts.account import is_token
from ..errors import LoginRequiredError, OtherClientError, UpstreamError, UpstreamGarbledError
from ..translate.json_text import as_object, parse_json
from ..translate.redact import redact

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .client import ClientIdentity

EXPIRY_RESERVE_MS = 300_000
"""A token is taken to expire this much before Google says, so that clocks need not agree."""

MAX_REASON_LENGTH = 300
"""Longer words of Google's are cut."""

INVALID_GRANT = "invalid_grant"
"""Google's word for a refresh token or code that it does not accept any more."""

INVALID_CLIENT = "invalid_client"
UNAUTHORIZED_CLIENT = "unauthorized_client"
"""Google's word for an OAuth client that it does not know, or whose secret is wrong."""


@dataclass(frozen=True, slots=True)
class Grant:
    """What Google gave for a code or a refresh token; printing it shows only when it expires.

    Attributes:
        access: the new access token.
        refresh: the new refresh token; None when the old one stays valid.
        expires_ms: when to take the access token for expired, in milliseconds since 1970.
    """

    access: str = field(repr=False)
    refresh: str | None = field(repr=False)
    expires_ms: int


def refresh_form(identity: ClientIdentity, refresh_token: str) -> dict[str, str]:
    """The form that asks for a new access token.

    Source: RFC 6749, section 6; SPEC.md, "Tokens".
    """
    return {**_client_form(identity), "refresh_token": refresh_token, "grant_type": "refresh_token"}


def read_grant(
    status: int, body: bytes, now_ms: int, *, account: str | None = None, secrets: Iterable[str] = ()
) -> Grant:
    """The tokens in an answer of the token address.

    Args:
        status: its HTTP status.
        body: its content.
        now_ms: when it came, in milliseconds since 1970.
        account: how the account is shown to the user.
        secrets: what was sent and must not appear in a message.

    Raises:
        LoginRequiredError: Google does not accept the refresh token or code any more.
        UpstreamError: Google answered with another error.
        UpstreamGarbledError: the answer is a success without usable tokens.

    Source: RFC 6749, sections 5.1 and 5.2; SPEC.md, "Tokens".
    """
    reply = _parsed(body)
    if not 200 <= status < 300:
        raise _refusal(status, body, reply, account, secrets)
    access, refresh = reply.get("access_token"), reply.get("refresh_token") or None
    lifetime_s = _seconds(reply.get("expires_in"))
    if not is_token(access) or lifetime_s is None or not (refresh is None or is_token(refresh)):
        raise UpstreamGarbledError(
            "Google's token service answered without usable tokens. Try again; if it persists, check that "
            "nothing between this machine and Google changes the answer.",
            upstream_status=status,
        )
    return Grant(access, refresh, now_ms + lifetime_s * 1000 - EXPIRY_RESERVE_MS)


def _parsed(body: bytes) -> dict[str, Any]:
    try:
        return as_object(parse_json(body))
    except ValueError:
        return {}


def _client_form(identity: ClientIdentity) -> dict[str, str]:
    secret = {"client_secret": identity.client_secret} if identity.client_secret else {}
    return {"client_id": identity.client_id, **secret}


def _refusal(
    status: int, body: bytes, reply: dict[str, Any], account: str | None, secrets: Iterable[str]
) -> LoginRequiredError | UpstreamError:
    reason = redact(_reason(reply, body), secrets)[:MAX_REASON_LENGTH]
    if status < 500 and reply.get("error") == INVALID_GRANT:
        return LoginRequiredError(
            f"Google does not accept the login of {account or 'this account'} any more ({reason}). "
            "Sign in anew with `antigravity-proxy login`.",
            account=account,
        )
    if reply.get("error") == UNAUTHORIZED_CLIENT:
        return OtherClientError(
            f"The login of {account or 'this account'} belongs to another OAuth client ({reason}). Sign in anew with "
            "`antigravity-proxy login`, or name that client in ANTIGRAVITY_PROXY_OAUTH_CLIENT_FILE.",
            account=account,
        )
    if reply.get("error") == INVALID_CLIENT:
        advice = "Check the settings that begin with ANTIGRAVITY_PROXY_OAUTH_CLIENT."
    else:
        advice = "Try again later."
    said = f": {reason.rstrip('.')}" if reason else ""
    return UpstreamError(
        f"Google's token service answered with status {status}{said}. {advice}",
        upstream_status=status,
        body=reason,
    )


def _reason(reply: dict[str, Any], body: bytes) -> str:
    error, description = reply.get("error"), reply.get("error_description")
    if details := as_object(error):
        # Google's other services, and the front ends before all of them, use this shape.
        error, description = details.get("status"), details.get("message")
    words = [word for word in (error, description) if isinstance(word, str) and word]
    return ": ".join(words) or " ".join(body.decode("utf-8", "replace").split())


def _seconds(value: Any) -> int | None:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        return max(int(value), 0)
    except (ValueError, OverflowError):
        return None
