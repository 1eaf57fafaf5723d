"""Tests of the OAuth client and its addresses."""

from __future__ import annotations

import json
from typing import Any

import pytest

from antigravity_proxy.errors import SettingsError
from antigravity_proxy.oauth.builtin_client import builtin_client
from antigravity_proxy.oauth.client import ClientIdentity, resolve_identity

OWN = {
    "client_id": "own-id",
    "client_secret": "own-secret",
    "auth_uri": "https://accounts.google.com/o/oauth2/auth",
    "token_uri": "https://oauth2.googleapis.com/token",
    "redirect_uris": ["http://localhost"],
}
SIMULATED = {
    "client_id": "sim-id",
    "client_secret": "sim-secret",
    "auth_uri": "http://127.0.0.1:8085/auth",
    "token_uri": "http://127.0.0.1:8085/token",
    "userinfo_uri": "http://[::1]:8085/userinfo",
    "redirect_uris": ["urn:ietf:wg:oauth:2.0:oob", "http://127.0.0.1:51121/oauth-callback"],
}


def test_builtin_client_is_used_when_nothing_is_given() -> None:
    """Without settings the built-in client logs in at Google."""
    identity = resolve_identity()
    assert (identity.client_id, identity.client_secret) == builtin_client()
    assert identity.auth_uri == "https://accounts.google.com/o/oauth2/v2/auth"
    assert identity.token_uri == "https://oauth2.googleapis.com/token"
    assert identity.userinfo_uri == "https://www.googleapis.com/oauth2/v1/userinfo?alt=json"
    assert identity.redirect_uri == "http://localhost:51121/oauth-callback"


@pytest.mark.parametrize("kind", ["installed", "web"])
def test_client_file_replaces_builtin_client(kind: str) -> None:
    """A file of Google's console is used, and what it leaves out has Google's addresses."""
    identity = resolve_identity(client_file=json.dumps({kind: OWN}))
    assert identity == ClientIdentity(
        client_id="own-id",
        client_secret="own-secret",
        auth_uri="https://accounts.google.com/o/oauth2/auth",
        token_uri="https://oauth2.googleapis.com/token",
    )


def test_client_file_may_point_to_this_computer() -> None:
    """All addresses can be on a loopback host, and the redirect that is there is chosen."""
    identity = resolve_identity(client_file={"installed": SIMULATED})
    assert identity.auth_uri == "http://127.0.0.1:8085/auth"
    assert identity.token_uri == "http://127.0.0.1:8085/token"
    assert identity.userinfo_uri == "http://[::1]:8085/userinfo"
    assert identity.redirect_uri == "http://127.0.0.1:51121/oauth-callback"


@pytest.mark.parametrize(
    ("client_id", "client_secret", "client_file", "expected"),
    [
        pytest.param("x", "y", {"installed": OWN}, ("x", "y"), id="both over file"),
        pytest.param("x", None, {"installed": OWN}, ("x", "own-secret"), id="id over file"),
        pytest.param(None, "y", {"installed": OWN}, ("own-id", "y"), id="secret over file"),
        pytest.param("x", "y", None, ("x", "y"), id="both over built-in"),
        pytest.param("x", None, None, ("x", ""), id="id alone has no secret"),
        pytest.param(None, "y", None, (builtin_client()[0], "y"), id="secret over built-in"),
        pytest.param("", "", None, builtin_client(), id="empty is not given"),
        pytest.param("x", "y", {"installed": {}}, ("x", "y"), id="file without client"),
        pytest.param(None, None, {"installed": {"client_id": "x"}}, ("x", ""), id="file without secret"),
    ],
)
def test_explicit_values_beat_file(
    client_id: str | None,
    client_secret: str | None,
    client_file: dict[str, Any] | None,
    expected: tuple[str, str],
) -> None:
    """Each explicit value replaces its own, and the built-in secret goes with the built-in id only."""
    identity = resolve_identity(client_id, client_secret, client_file)
    assert (identity.client_id, identity.client_secret) == expected


@pytest.mark.parametrize("name", ["auth_uri", "token_uri", "userinfo_uri"])
def test_client_file_with_foreign_host_is_refused(name: str) -> None:
    """An address where tokens would leave is refused with its host, and without the rest of it."""
    client_file = {"installed": {**OWN, name: "https://user:hidden@evil.example/steal"}}
    with pytest.raises(SettingsError, match=r"names the host evil\.example") as caught:
        resolve_identity(client_file=client_file)
    assert name in str(caught.value)
    assert "only go to *.googleapis.com, accounts.google.com or to this machine" in str(caught.value)
    assert "hidden" not in str(caught.value)


def test_client_file_with_unusable_address_is_refused() -> None:
    """An address without a host is refused too."""
    with pytest.raises(SettingsError, match="token_uri in the OAuth client file must be a URL"):
        resolve_identity(client_file={"installed": {**OWN, "token_uri": "https://[::1"}})


@pytest.mark.parametrize(
    ("listed", "hosts"),
    [
        pytest.param(["https://app.example/callback"], "app.example", id="foreign host"),
        pytest.param(["ftp://localhost/"], "no address", id="other scheme"),
        pytest.param([5, "x"], "no address, no address", id="no addresses"),
        pytest.param("https://app.example/callback", "app.example", id="no list"),
    ],
)
def test_client_file_without_loopback_redirect_is_refused(listed: Any, hosts: str) -> None:
    """A client whose redirects all leave this machine is refused with their hosts."""
    with pytest.raises(SettingsError) as caught:
        resolve_identity(client_file={"web": {**OWN, "redirect_uris": listed}})
    assert f"({hosts})" in str(caught.value)


@pytest.mark.parametrize(
    ("client_file", "reason"),
    [
        pytest.param("{", "is not JSON", id="cut"),
        pytest.param("[" * 100_000, "is not JSON", id="too deep"),
        pytest.param("[]", 'no "installed" or "web" part', id="list"),
        pytest.param({"installed": "x"}, 'no "installed" or "web" part', id="part is text"),
        pytest.param({"installed": {}}, "has no client_id", id="no client"),
        pytest.param({"installed": {"client_id": 5}}, "client_id in the OAuth client file is no text", id="number"),
    ],
)
def test_unusable_client_file_is_refused(client_file: str | dict[str, Any], reason: str) -> None:
    """A file that is no client file is refused with the reason."""
    with pytest.raises(SettingsError, match=reason):
        resolve_identity(client_file=client_file)


def test_broken_client_file_is_not_quoted() -> None:
    """Neither the message nor the cause of the error holds the text of the file."""
    with pytest.raises(SettingsError) as caught:
        resolve_identity(client_file='{"client_secret": "hidden", ')
    assert "hidden" not in str(caught.value)
    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__


def test_repr_hides_client() -> None:
    """Printing the identity shows neither id nor secret."""
    text = repr(ClientIdentity("hidden-id", "hidden-secret"))
    assert "hidden" not in text
    assert "oauth2.googleapis.com" in text
