"""Tests of authorisation requests and pages."""

from __future__ import annotations

import pytest

from antigravity_proxy.simulator.authorization import (
    SCOPES,
    AuthorizationError,
    consent_page,
    error_page,
    read_authorization,
)

QUERY = {
    "client_id": "client",
    "response_type": "code",
    "redirect_uri": "http://localhost:51121/oauth-callback",
    "scope": " ".join(SCOPES),
    "code_challenge": "x" * 43,
    "code_challenge_method": "S256",
    "state": "s t",
    "access_type": "offline",
    "prompt": "select_account consent",
}


def test_good_request_is_read() -> None:
    """A correct request gives all that is needed later."""
    authorization = read_authorization(QUERY | {"login_hint": "a@b.c"}, "client")
    assert authorization.redirect_uri == "http://localhost:51121/oauth-callback"
    assert (authorization.challenge, authorization.is_offline, authorization.asks_consent) == ("x" * 43, True, True)
    assert authorization.login_hint == "a@b.c"


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"client_id": "other"}, "invalid_client"),
        ({"response_type": "token"}, "unsupported_response_type"),
        ({"redirect_uri": ""}, "redirect_uri_mismatch"),
        ({"redirect_uri": "https://localhost/"}, "redirect_uri_mismatch"),
        ({"redirect_uri": "http://example.com/"}, "redirect_uri_mismatch"),
        ({"redirect_uri": "http://localhost/#x"}, "redirect_uri_mismatch"),
        ({"code_challenge": "short"}, "invalid_request"),
        ({"code_challenge_method": "plain"}, "invalid_request"),
        ({"scope": SCOPES[0]}, "invalid_scope"),
    ],
    ids=str,
)
def test_bad_request_has_a_code(changes: dict[str, str], code: str) -> None:
    """A wrong parameter is an error with the code Google uses."""
    with pytest.raises(AuthorizationError) as caught:
        read_authorization(QUERY | changes, "client")
    assert caught.value.code == code


def test_answer_url_returns_the_state() -> None:
    """The browser goes back with the answer and the state, if there was one."""
    authorization = read_authorization(QUERY, "client")
    assert authorization.answer_url(code="4/x") == "http://localhost:51121/oauth-callback?state=s+t&code=4%2Fx"
    bare = read_authorization(QUERY | {"state": "", "redirect_uri": "http://127.0.0.1/?a=b"}, "client")
    assert bare.answer_url(error="access_denied") == "http://127.0.0.1/?a=b&error=access_denied"
    assert not read_authorization(QUERY | {"access_type": "", "prompt": ""}, "client").is_offline


@pytest.mark.parametrize(
    ("hint", "checked", "typed"),
    [("", "a@b.c", ""), ("x@y.z", "x@y.z", ""), ("new@y.z", None, "new@y.z")],
    ids=["none", "known", "new"],
)
def test_consent_page_suggests_an_account(hint: str, checked: str | None, typed: str) -> None:
    """The hinted account is chosen, else the first; an unknown one is filled in."""
    page = consent_page({"state": '"><script>', "email": "x"}, ["a@b.c", "x@y.z"], hint)
    assert "<script>" not in page
    assert page.count(" checked") == (checked is not None)
    if checked is not None:
        assert f'value="{checked}" checked' in page
    assert f'name="email" value="{typed}"' in page


def test_consent_page_without_accounts() -> None:
    """Without accounts there is still a field to type one in."""
    assert 'name="email"' in consent_page({}, [], "")


def test_error_page_escapes() -> None:
    """What is wrong is shown as text."""
    assert "&lt;b&gt;" in error_page(AuthorizationError("invalid_scope", "<b>"))
