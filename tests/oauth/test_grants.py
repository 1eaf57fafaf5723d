"""Tests of token requests and their answers."""

from __future__ import annotations

import json
from typing import Any

import pytest

from antigravity_proxy.errors import LoginRequiredError, UpstreamError, UpstreamGarbledError
from antigravity_proxy.oauth.client import ClientIdentity
from antigravity_proxy.oauth.grants import Grant, read_grant, refresh_form

IDENTITY = ClientIdentity("id", "secret")
NOW_MS = 1_000_000


def dumped(reply: Any) -> bytes:
    """The JSON of an answer."""
    return json.dumps(reply).encode()


def test_refresh_form_has_exact_fields() -> None:
    """A refresh sends the client and the refresh token."""
    assert refresh_form(IDENTITY, "refresh") == {
        "client_id": "id",
        "client_secret": "secret",
        "refresh_token": "refresh",
        "grant_type": "refresh_token",
    }


def test_refresh_form_leaves_out_secret_when_client_has_none() -> None:
    """A client without a secret sends no empty one."""
    assert "client_secret" not in refresh_form(ClientIdentity("id", ""), "refresh")


@pytest.mark.parametrize("expires_in", [3600, 3600.9, "3600"], ids=["whole", "fraction", "text"])
def test_read_grant_takes_reserve_off_lifetime(expires_in: object) -> None:
    """A token counts as expired five minutes before Google says."""
    body = dumped({"access_token": "fresh-1", "expires_in": expires_in, "token_type": "Bearer"})
    assert read_grant(200, body, NOW_MS) == Grant("fresh-1", None, NOW_MS + (3600 - 300) * 1000)


def test_read_grant_returns_rotated_refresh_token() -> None:
    """A new refresh token in the answer is handed on."""
    body = dumped({"access_token": "a", "refresh_token": "r", "expires_in": 3600})
    assert read_grant(200, body, NOW_MS).refresh == "r"


def test_grant_repr_shows_no_token() -> None:
    """Printing a grant shows only when it expires."""
    text = repr(Grant("hidden-1", "hidden-2", 5))
    assert "hidden" not in text
    assert "5" in text


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(b"<html>ok</html>", id="HTML"),
        pytest.param(b"", id="empty"),
        pytest.param(b"\xff", id="not text"),
        pytest.param(b"[" * 100_000, id="too deep"),
        pytest.param(b"[]", id="list"),
        pytest.param(dumped({"expires_in": 3600}), id="no token"),
        pytest.param(dumped({"access_token": "", "expires_in": 3600}), id="empty token"),
        pytest.param(dumped({"access_token": "a\nb", "expires_in": 3600}), id="token with line end"),
        pytest.param(dumped({"access_token": "a"}), id="no lifetime"),
        pytest.param(dumped({"access_token": "a", "expires_in": True}), id="lifetime true"),
        pytest.param(dumped({"access_token": "a", "expires_in": "soon"}), id="lifetime in words"),
        pytest.param(b'{"access_token": "a", "expires_in": 1e999}', id="lifetime without end"),
        pytest.param(dumped({"access_token": "a", "expires_in": 1, "refresh_token": 5}), id="refresh number"),
    ],
)
def test_success_without_tokens_is_garbled(body: bytes) -> None:
    """A success without usable tokens is no success."""
    with pytest.raises(UpstreamGarbledError, match="without usable tokens") as caught:
        read_grant(200, body, NOW_MS)
    assert caught.value.upstream_status == 200


@pytest.mark.parametrize("status", [400, 401])
def test_refused_grant_asks_for_login(status: int) -> None:
    """When Google does not accept the refresh token, the account has to log in again."""
    body = dumped({"error": "invalid_grant", "error_description": "Token has been expired or revoked."})
    with pytest.raises(LoginRequiredError, match="Sign in anew with `antigravity-proxy login`") as caught:
        read_grant(status, body, NOW_MS, account="u***r@example.com")
    assert "u***r@example.com" in str(caught.value)
    assert "invalid_grant: Token has been expired or revoked." in str(caught.value)
    assert "antigravity-proxy login" in str(caught.value)
    assert caught.value.account == "u***r@example.com"


@pytest.mark.parametrize(
    ("status", "body", "reason"),
    [
        pytest.param(400, dumped({"error": "invalid_request"}), "invalid_request", id="no description"),
        pytest.param(500, dumped({"error": "invalid_grant"}), "invalid_grant", id="grant refused by a fault"),
        pytest.param(
            429,
            dumped({"error": {"code": 429, "status": "RESOURCE_EXHAUSTED", "message": "Slow down"}}),
            "RESOURCE_EXHAUSTED: Slow down",
            id="shape of other services",
        ),
        pytest.param(503, b"<html>\n  Try later\n</html>", "<html> Try later </html>", id="HTML"),
        pytest.param(302, dumped({"error": 5}), '{"error": 5}', id="redirect"),
    ],
)
def test_other_failure_names_status_and_reason(status: int, body: bytes, reason: str) -> None:
    """Any other failure is Google's, with its status and its own words."""
    with pytest.raises(UpstreamError) as caught:
        read_grant(status, body, NOW_MS)
    assert type(caught.value) is UpstreamError
    assert caught.value.status == 502
    assert caught.value.upstream_status == status
    assert caught.value.body == reason
    assert str(caught.value).endswith(f" status {status}: {reason}. Try again later.")


def test_login_of_another_client_is_told() -> None:
    """A refresh token that another OAuth client was given asks for a login, or for that client."""
    body = dumped({"error": "unauthorized_client", "error_description": "Unauthorized"})
    with pytest.raises(LoginRequiredError, match="belongs to another OAuth client") as caught:
        read_grant(401, body, NOW_MS, account="u***r@example.com")
    assert "The login of u***r@example.com" in str(caught.value)
    assert "ANTIGRAVITY_PROXY_OAUTH_CLIENT_FILE" in str(caught.value)


@pytest.mark.parametrize("description", ["Unauthorized", "The OAuth client was not found."])
def test_refused_client_names_the_settings(description: str) -> None:
    """A client that Google does not know is not mended by waiting; the message says where it is set."""
    body = dumped({"error": "invalid_client", "error_description": description})
    with pytest.raises(UpstreamError) as caught:
        read_grant(401, body, NOW_MS)
    assert (caught.value.status, caught.value.upstream_status) == (502, 401)
    assert str(caught.value) == (
        f"Google's token service answered with status 401: invalid_client: {description.rstrip('.')}. "
        "Check the settings that begin with ANTIGRAVITY_PROXY_OAUTH_CLIENT."
    )


def test_failure_without_words_names_status() -> None:
    """A failure without content still names its status."""
    with pytest.raises(UpstreamError, match=r"answered with status 502\. Try"):
        read_grant(502, b"", NOW_MS)


def test_long_reason_is_cut() -> None:
    """Google's words are cut after 300 characters."""
    with pytest.raises(UpstreamError) as caught:
        read_grant(500, b"x" * 5000, NOW_MS)
    assert caught.value.body == "x" * 300


@pytest.mark.parametrize("error", ["invalid_grant", "server_error"])
def test_secrets_never_appear_in_message(error: str) -> None:
    """What was sent is not in the message, even where the cut goes through it."""
    secret = "sent-secret-value"
    words = f"refresh_token=other {secret} {'x' * 250} {secret}"
    with pytest.raises((LoginRequiredError, UpstreamError)) as caught:
        read_grant(400, dumped({"error": error, "error_description": words}), NOW_MS, secrets=(secret,))
    assert "sent" not in str(caught.value)
    assert "other" not in str(caught.value)
