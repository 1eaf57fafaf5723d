"""Tests of what a login asks, and of how its answer is read."""

from __future__ import annotations

import base64
import hashlib
import re
import secrets
from itertools import count
from urllib.parse import parse_qsl, urlsplit

import pytest

from antigravity_proxy.errors import LoginError
from antigravity_proxy.oauth.client import ClientIdentity
from antigravity_proxy.oauth.login import (
    MAX_PASTE_LENGTH,
    Callback,
    LoginRequest,
    denied,
    exchange_form,
    read_callback,
    read_paste,
    to_login_request,
)

IDENTITY = ClientIdentity(client_id="some-id", client_secret="some-key")
STATE = "s" * 43
REQUEST = LoginRequest("https://accounts.google.com/x", "http://localhost:51121/oauth-callback", STATE, "v" * 43)


def new_request(port: int | None = None, identity: ClientIdentity = IDENTITY) -> tuple[LoginRequest, dict[str, str]]:
    """A request, and the parameters of its URL."""
    request = to_login_request(identity, port, lambda: secrets.token_urlsafe(32))
    return request, dict(parse_qsl(urlsplit(request.url).query))


def test_browser_is_asked_for_everything_that_lasts() -> None:
    """The URL asks for consent, six scopes and a token that lasts, and comes back to this machine."""
    request, query = new_request()
    assert request.url.startswith("https://accounts.google.com/o/oauth2/v2/auth?")
    assert query["access_type"] == "offline"
    assert query["prompt"] == "select_account consent"
    assert (query["response_type"], query["client_id"]) == ("code", "some-id")
    assert query["redirect_uri"] == request.redirect_uri == "http://localhost:51121/oauth-callback"
    scopes = query["scope"].split(" ")
    assert all(scope.startswith("https://www.googleapis.com/auth/") for scope in scopes)
    assert [scope.rpartition("/")[2] for scope in scopes] == [
        "aicode",
        "cloud-platform",
        "userinfo.email",
        "userinfo.profile",
        "cclog",
        "experimentsandconfigs",
    ]


def test_code_is_bound_to_a_secret_that_is_not_sent() -> None:
    """The challenge is the S256 of a verifier that nobody sees, and the state is something else."""
    request, query = new_request()
    digest = hashlib.sha256(request.verifier.encode()).digest()
    assert query["code_challenge_method"] == "S256"
    assert query["code_challenge"] == base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
    assert re.fullmatch(r"[A-Za-z0-9_-]{43,128}", request.verifier)
    assert query["state"] == request.state
    assert len({request.verifier, request.state, query["code_challenge"]}) == 3
    assert request.verifier not in request.url
    assert request.state not in repr(request)
    assert request.verifier not in repr(request)


def test_each_login_has_its_own_secrets() -> None:
    """No two logins share a verifier or a state."""
    numbers = count()
    requests = [to_login_request(IDENTITY, None, lambda: f"{next(numbers):043}") for _ in range(2)]
    assert len({text for request in requests for text in (request.state, request.verifier)}) == 4


@pytest.mark.parametrize(
    ("redirect_uri", "moved"),
    [
        ("http://localhost:51121/oauth-callback", "http://localhost:5000/oauth-callback"),
        ("http://[::1]:51121/back", "http://[::1]:5000/back"),
    ],
)
def test_browser_comes_back_to_another_port(redirect_uri: str, moved: str) -> None:
    """A port that the user names takes the place of the client's own."""
    identity = ClientIdentity(client_id="some-id", client_secret="", redirect_uri=redirect_uri)
    request, query = new_request(5000, identity)
    assert request.redirect_uri == query["redirect_uri"] == moved


def test_sign_in_page_may_be_on_this_machine() -> None:
    """A client file can name a page without https, as the simulator's is."""
    identity = ClientIdentity(client_id="some-id", client_secret="", auth_uri="http://127.0.0.1:9/auth")
    assert new_request(None, identity)[0].url.startswith("http://127.0.0.1:9/auth?response_type=code")


def test_code_is_exchanged_with_its_verifier() -> None:
    """The form has what RFC 6749 and RFC 7636 ask for, and a secret only for a client that has one."""
    expected = {
        "client_id": "some-id",
        "client_secret": "some-key",
        "code": "4/x",
        "code_verifier": "v" * 43,
        "grant_type": "authorization_code",
        "redirect_uri": "http://localhost:51121/oauth-callback",
    }
    assert exchange_form(IDENTITY, REQUEST, "4/x") == expected
    del expected["client_secret"]
    assert exchange_form(ClientIdentity("some-id", ""), REQUEST, "4/x") == expected


@pytest.mark.parametrize(
    "pasted",
    [
        f"http://localhost:51121/oauth-callback?state={STATE}&code=4%2Fx",
        f"  https://elsewhere.example/?code=4%2Fx&state={STATE}&scope=a%20b#top \n",
        f"?state={STATE}&code=4/x",
        f"state={STATE}&code=4/x",
        f"'?state={STATE}\\&code=4/x'",
        f"<http://localhost/?state={STATE}&code=4/x>",
        "4/x",
        " 4%2Fx\n",
    ],
    ids=["url", "other-host", "query", "bare-query", "quoted", "bracketed", "code", "escaped-code"],
)
def test_paste_is_read_in_every_form(pasted: str) -> None:
    """The whole address, what is behind its ``?``, or the code alone will do."""
    assert read_paste(pasted, STATE) == Callback("4/x", is_ours="state" in pasted)


@pytest.mark.parametrize(
    ("pasted", "code"),
    [
        ("", "login_code_missing"),
        (" \n", "login_code_missing"),
        ("x" * (MAX_PASTE_LENGTH + 1), "login_code_missing"),
        (f"?state={STATE}", "login_code_missing"),
        ("http://localhost:51121/oauth-callback", "login_code_missing"),
        ("ls", "login_code_missing"),
        ("y", "login_code_missing"),
        ("4/", "login_code_missing"),
        ("4/x and more", "login_code_missing"),
        ("?state=other&code=4/x", "login_state_mismatch"),
        ("?code=4/x", "login_code_missing"),
        ("4/x&scope=a", "login_code_missing"),
        ("?error=access_denied&state=other", "login_state_mismatch"),
    ],
)
def test_paste_of_no_use_is_told(pasted: str, code: str) -> None:
    """What is no answer to this login is refused with what to do, and ends nothing."""
    with pytest.raises(LoginError) as caught:
        read_paste(pasted, STATE)
    assert caught.value.code == code


def test_refusal_needs_the_state_too() -> None:
    """An error counts only with this login's state; it is cut and shows no secrets."""
    assert read_callback({"state": STATE, "error": "access_denied"}, STATE) == Callback(error="access_denied")
    assert len(read_callback({"state": STATE, "error": "e " * 500}, STATE).error) == 200
    with pytest.raises(LoginError):
        read_callback({"error": "access_denied"}, STATE)


@pytest.mark.parametrize(
    ("error", "said"), [("access_denied", "refused in the browser"), ("server_error", "no login: server_error")]
)
def test_denied_login_says_what_to_do(error: str, said: str) -> None:
    """A login without a code says why and that it can be started again."""
    assert said in str(denied(error))
    assert "Start it again" in str(denied(error))
    assert denied(error).code == "login_denied"
