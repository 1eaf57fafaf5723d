"""Who we are to Google's login: the OAuth client and the addresses that belong to it."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ..errors import SettingsError
from ..translate.json_text import as_object, is_object
from .builtin_client import builtin_client
from .trust import distrust, is_loopback, split_url

if TYPE_CHECKING:
    from collections.abc import Mapping

AUTH_URI = "https://accounts.google.com/o/oauth2/v2/auth"
TOKEN_URI = "https://oauth2.googleapis.com/token"  # noqa: S105 - an address
USERINFO_URI = "https://www.googleapis.com/oauth2/v1/userinfo?alt=json"
REDIRECT_URI = "http://localhost:51121/oauth-callback"

SIGN_IN_HOST = "accounts.google.com"
"""Where the user consents; older client files name it for the tokens too."""

ADVICE = "Download the JSON of a desktop client from the Google Cloud console, and change nothing in it."
"""What to do about a client file that cannot be used."""

_KINDS = ("installed", "web")


@dataclass(frozen=True, slots=True)
class ClientIdentity:
    """An OAuth client: what it is called, and where it logs in.

    Attributes:
        client_id: the client's public name.
        client_secret: empty for a client of a kind that has none.
        auth_uri: the page where the user consents.
        token_uri: where codes and refresh tokens are exchanged for access tokens.
        userinfo_uri: where an access token is answered with its owner.
        redirect_uri: where the browser brings the code.

    Source: SPEC.md, "OAuth client".
    """

    client_id: str = field(repr=False)
    client_secret: str = field(repr=False)
    auth_uri: str = AUTH_URI
    token_uri: str = TOKEN_URI
    userinfo_uri: str = USERINFO_URI
    redirect_uri: str = REDIRECT_URI


def resolve_identity(
    client_id: str | None = None,
    client_secret: str | None = None,
    client_file: str | Mapping[str, Any] | None = None,
) -> ClientIdentity:
    """The OAuth client from explicit values, else from a client file, else the built-in one.

    The built-in secret is used with the built-in id only.

    Args:
        client_id: replaces the id of the file or the built-in one.
        client_secret: replaces the secret likewise.
        client_file: the text or the JSON object of a client file as Google's console gives it. Read from its
            ``installed`` or ``web`` part are client_id, client_secret, auth_uri, token_uri, the first usable of
            redirect_uris, and userinfo_uri, which is ours.

    Raises:
        SettingsError: the file is no client file, or an address in it is on a host that must get no tokens.

    Source: SPEC.md, "OAuth client".
    """
    fields: Mapping[str, Any] = {} if client_file is None else _client_fields(client_file)
    if not client_id and client_file is None:
        builtin_id, builtin_secret = builtin_client()
        client_id, client_secret = builtin_id, client_secret or builtin_secret
    return ClientIdentity(
        client_id=client_id or _required_text(fields, "client_id"),
        client_secret=client_secret or _text(fields, "client_secret"),
        auth_uri=_trusted_uri(fields, "auth_uri", AUTH_URI),
        token_uri=_trusted_uri(fields, "token_uri", TOKEN_URI),
        userinfo_uri=_trusted_uri(fields, "userinfo_uri", USERINFO_URI),
        redirect_uri=_redirect_uri(fields),
    )


def _client_fields(client_file: str | Mapping[str, Any]) -> Mapping[str, Any]:
    document: Any = client_file
    if isinstance(client_file, str):
        try:
            document = json.loads(client_file)
        except (ValueError, RecursionError):
            # The cause is left out: it would carry the text of the file.
            raise SettingsError(f"The OAuth client file is not JSON. {ADVICE}") from None
    for kind in _KINDS:
        if is_object(fields := as_object(document).get(kind)):
            return fields
    raise SettingsError(f'The OAuth client file has no "installed" or "web" part. {ADVICE}')


def _text(fields: Mapping[str, Any], name: str) -> str:
    value = fields.get(name, "")
    if not isinstance(value, str):
        raise SettingsError(f"{name} in the OAuth client file is no text. {ADVICE}")
    return value


def _required_text(fields: Mapping[str, Any], name: str) -> str:
    value = _text(fields, name)
    if not value:
        raise SettingsError(f"The OAuth client file has no {name}. {ADVICE}")
    return value


def _trusted_uri(fields: Mapping[str, Any], name: str, default: str) -> str:
    url = _text(fields, name) or default
    if (reason := distrust(url, more_hosts=(SIGN_IN_HOST,))) is not None:
        raise SettingsError(f"{name} in the OAuth client file {reason}. {ADVICE}")
    return url


def _redirect_uri(fields: Mapping[str, Any]) -> str:
    listed = fields.get("redirect_uris") or [REDIRECT_URI]
    urls: list[Any] = [*listed] if isinstance(listed, list) else [listed]
    for url in urls:
        parts = split_url(url) if isinstance(url, str) else None
        if parts is not None and is_loopback(parts.hostname or "") and distrust(url) is None:
            # Google's desktop clients list a bare http://localhost and accept any port and path on it.
            return url if parts.port is not None else REDIRECT_URI
    hosts = ", ".join(map(_host_of, urls))
    raise SettingsError(
        f"None of the redirect_uris in the OAuth client file is on this machine ({hosts}), and the login code "
        f"would be sent there. Add {REDIRECT_URI} to the client."
    )


def _host_of(url: Any) -> str:
    parts = split_url(url) if isinstance(url, str) else None
    return (parts.hostname if parts else None) or "no address"
