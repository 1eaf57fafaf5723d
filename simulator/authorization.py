"""The browser's part of a login: what an authorisation request must say, and the two pages.

Source: SPEC.md, "Login"; RFC 6749, section 4.1; RFC 7636, section 4.3.
"""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING
from urllib.parse import urlencode, urlsplit

from .config import LOOPBACK_HOSTS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

SCOPE_PREFIX = "https://www.googleapis.com/auth/"
SCOPES = tuple(
    SCOPE_PREFIX + name
    for name in (
        "aicode",
        "cloud-platform",
        "userinfo.email",
        "userinfo.profile",
        "cclog",
        "experimentsandconfigs",
    )
)
CHALLENGE_LENGTH = 43
PAGE_HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}
STYLE = "body{font:16px/1.5 system-ui;max-width:34rem;margin:3rem auto;padding:0 1rem}label{display:block}"


class AuthorizationError(Exception):
    """The request is one Google would show an error page for, instead of sending the browser back.

    Args:
        code: the OAuth error code.
        message: what is wrong.
    """

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


@dataclass(frozen=True, slots=True)
class Authorization:
    """A valid authorisation request.

    Attributes:
        redirect_uri: where the browser goes with the answer.
        state: is returned unchanged; empty when there is none.
        challenge: the S256 challenge.
        is_offline: whether a refresh token is wanted.
        asks_consent: whether the person is asked again although they have agreed before.
        login_hint: the e-mail that is suggested; empty for none.
    """

    redirect_uri: str
    state: str
    challenge: str
    is_offline: bool
    asks_consent: bool
    login_hint: str

    def answer_url(self, **answer: str) -> str:
        """Give the URL that brings the browser back with an answer."""
        fields = {"state": self.state, **answer} if self.state else answer
        separator = "&" if urlsplit(self.redirect_uri).query else "?"
        return f"{self.redirect_uri}{separator}{urlencode(fields)}"


def read_authorization(query: Mapping[str, str], client_id: str) -> Authorization:
    """Give the authorisation request of a query.

    Args:
        query: the parameters.
        client_id: the one client there is.

    Raises:
        AuthorizationError: when a parameter is missing or wrong.
    """
    if query.get("client_id") != client_id:
        raise AuthorizationError("invalid_client", "The OAuth client was not found.")
    redirect_uri = query.get("redirect_uri", "")
    target = urlsplit(redirect_uri)
    if target.scheme != "http" or target.hostname not in LOOPBACK_HOSTS or target.fragment:
        raise AuthorizationError("redirect_uri_mismatch", "redirect_uri must be http on a loopback host.")
    if query.get("response_type") != "code":
        raise AuthorizationError("unsupported_response_type", "response_type must be code.")
    challenge = query.get("code_challenge", "")
    if query.get("code_challenge_method") != "S256" or len(challenge) != CHALLENGE_LENGTH:
        raise AuthorizationError("invalid_request", "A PKCE challenge with the method S256 is required.")
    missing = set(SCOPES) - set(query.get("scope", "").split(" "))
    if missing:
        raise AuthorizationError("invalid_scope", f"Missing scopes: {' '.join(sorted(missing))}")
    return Authorization(
        redirect_uri=redirect_uri,
        state=query.get("state", ""),
        challenge=challenge,
        is_offline=query.get("access_type") == "offline",
        asks_consent="consent" in query.get("prompt", "").split(" "),
        login_hint=query.get("login_hint", ""),
    )


def consent_page(query: Mapping[str, str], emails: Iterable[str], login_hint: str) -> str:
    """Give the page on which a person chooses an account and allows or denies.

    Args:
        query: the parameters of the request; the form sends them along.
        emails: the accounts to choose from.
        login_hint: the one that is chosen already.
    """
    hidden = "".join(
        f'<input type="hidden" name="{escape(name)}" value="{escape(value)}">'
        for name, value in query.items()
        if name != "email"
    )
    listed = list(emails)
    chosen = login_hint if login_hint in listed else "" if login_hint else next(iter(listed), "")
    choices = "".join(
        f'<label><input type="radio" name="account" value="{escape(email)}"'
        f"{' checked' if email == chosen else ''}> {escape(email)}</label>"
        for email in listed
    )
    typed = escape("" if chosen else login_hint)
    return _page(
        "Choose an account",
        "<p>This is not Google. It is the simulator of antigravity-proxy; these accounts are made up.</p>"
        f'<form action="/o/oauth2/v2/auth/approve">{hidden}{choices}'
        f'<label>or any e-mail address: <input name="email" value="{typed}"></label>'
        '<p><button name="decision" value="allow">Allow</button> '
        '<button name="decision" value="deny">Deny</button></p></form>',
    )


def error_page(error: AuthorizationError) -> str:
    """Give the page for a request that cannot be served."""
    return _page("Access blocked", f"<p>Error 400: {escape(error.code)}</p><p>{escape(error.message)}</p>")


def _page(title: str, content: str) -> str:
    return (
        f'<!DOCTYPE html><html lang="en"><meta charset="utf-8"><title>{title}</title><style>{STYLE}</style>'
        f"<h1>{title}</h1>{content}</html>"
    )
