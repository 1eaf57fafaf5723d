"""What a login asks of the browser, and how its answer is read.

Source:
    RFC 6749 section 4.1, RFC 7636 (PKCE), RFC 8252 section 7.3 (loopback), and SPEC.md, "Login".
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import parse_qs, unquote, urlsplit, urlunsplit

from ..errors import LoginError
from ..translate.redact import redact
from .client import AUTH_URI

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from .client import ClientIdentity

SCOPES = tuple(
    f"https://www.googleapis.com/auth/{name}"
    for name in ("aicode", "cloud-platform", "userinfo.email", "userinfo.profile", "cclog", "experimentsandconfigs")
)
"""What Antigravity itself asks for."""

CODE = re.compile(r"4/[A-Za-z0-9._~-]+")
"""What Google's codes look like."""

MAX_REASON_LENGTH = 200
MAX_PASTE_LENGTH = 16_384


@dataclass(frozen=True, slots=True)
class LoginRequest:
    """One question to the browser; printing it shows nothing that belongs to it.

    Attributes:
        url: the page where the user consents.
        redirect_uri: where the browser brings the code.
        state: comes back with the code, and tells this login from others.
        verifier: proves that the code was asked for by us.
    """

    url: str = field(repr=False)
    redirect_uri: str
    state: str = field(repr=False)
    verifier: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class Callback:
    """What the browser brought back.

    Attributes:
        code: to be exchanged for tokens; empty when there is none.
        error: why Google gives none; empty when it does.
        is_ours: whether it is known to belong to this login, as its state has come with it.
    """

    code: str = field(default="", repr=False)
    error: str = ""
    is_ours: bool = True


def to_login_request(identity: ClientIdentity, port: int | None, new_secret: Callable[[], str]) -> LoginRequest:
    """A new question to the browser.

    Args:
        identity: the OAuth client.
        port: of the address the browser comes back to; None for the client's own.
        new_secret: makes 43 to 128 characters of ``[A-Za-z0-9_-]`` that nobody can guess.
    """
    # It costs a fifth of a second, which only a login needs to wait for.
    from google_auth_oauthlib.flow import Flow  # noqa: PLC0415

    redirect_uri = identity.redirect_uri if port is None else _with_port(identity.redirect_uri, port)
    fields = {
        "client_id": identity.client_id,
        "client_secret": identity.client_secret,
        "auth_uri": AUTH_URI,
        "token_uri": identity.token_uri,
    }
    verifier, state = new_secret(), new_secret()
    flow = cast("Any", Flow).from_client_config(
        {"installed": fields}, scopes=SCOPES, redirect_uri=redirect_uri, code_verifier=verifier
    )
    url: str
    url, _ = flow.authorization_url(access_type="offline", prompt="select_account consent", state=state)
    # Flow insists on https, which an address on this machine need not have.
    return LoginRequest(f"{identity.auth_uri}?{urlsplit(url).query}", redirect_uri, state, verifier)


def exchange_form(identity: ClientIdentity, request: LoginRequest, code: str) -> dict[str, str]:
    """The form that exchanges a code for tokens."""
    secret = {"client_secret": identity.client_secret} if identity.client_secret else {}
    return {
        "client_id": identity.client_id,
        **secret,
        "code": code,
        "code_verifier": request.verifier,
        "grant_type": "authorization_code",
        "redirect_uri": request.redirect_uri,
    }


def read_callback(query: Mapping[str, str], state: str) -> Callback:
    """What a visit of the browser brings.

    Args:
        query: the parameters of its URL.
        state: of the login that is under way.

    Raises:
        LoginError: it belongs to another login, or brings nothing; the one under way goes on.
    """
    if query.get("state") != state:
        raise LoginError(
            "This answer belongs to another login, maybe an older one. Use the address that was printed last.",
            code="login_state_mismatch",
        )
    if query.get("error"):
        return Callback(error=redact(query["error"])[:MAX_REASON_LENGTH])
    if not query.get("code"):
        raise LoginError("The address holds no code. Copy all of it.", code="login_code_missing")
    return Callback(query["code"])


def read_paste(text: str, state: str) -> Callback:
    """What somebody pasted: the address of the page the browser ended on, the part behind its ``?``, or the code.

    A code alone does not say which login it is from; that is for Google to check, by the verifier.

    Raises:
        LoginError: it is none of these, or belongs to another login; the one under way goes on.
    """
    pasted = text.strip().strip("\"'<>").replace("\\&", "&")
    if not pasted:
        raise LoginError("Nothing was pasted. Copy the address of the page.", code="login_code_missing")
    if len(pasted) > MAX_PASTE_LENGTH:
        raise LoginError("This is too long for an address. Copy the address of the page.", code="login_code_missing")
    if CODE.fullmatch(code := unquote(pasted)):
        return Callback(code, is_ours=False)
    if "=" not in pasted:
        raise LoginError(
            "This is neither the address of the page nor a code of Google's, which begins with 4/. Copy the address "
            "from the browser.",
            code="login_code_missing",
        )
    _, mark, behind = pasted.partition("?")
    query = parse_qs((behind if mark else pasted).partition("#")[0])
    if "state" not in query:
        raise LoginError("This is a part of the address. Copy all of it.", code="login_code_missing")
    return read_callback({name: values[0] for name, values in query.items()}, state)


def denied(error: str) -> LoginError:
    """The error of a login for which Google gives no code."""
    if error == "access_denied":
        return LoginError("The login was refused in the browser. Start it again and allow it.", code="login_denied")
    return LoginError(f"Google gave no login: {error}. Start it again.", code="login_denied")


def _with_port(url: str, port: int) -> str:
    parts = urlsplit(url)
    host = f"[{parts.hostname}]" if ":" in (parts.hostname or "") else parts.hostname
    return urlunsplit(parts._replace(netloc=f"{host}:{port}"))
