"""Tests of the removal of secrets from text."""

from __future__ import annotations

import json
from urllib.parse import urlencode

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from antigravity_proxy.translate.redact import SECRET_KEYS, redact

ACCESS = "ya29" + ".a0Af-_invented.Token123"
REFRESH = "1/" + "/0gInvented-_Token"
OLD_REFRESH = "1/" + "inventedTokenOf20charsOrMore"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(f"token {ACCESS} expired", "token *** expired", id="access token"),
        pytest.param(f"<{REFRESH}>", "<***>", id="refresh token"),
        pytest.param(f"<{OLD_REFRESH}>", "<***>", id="old refresh token"),
        pytest.param("1/short", "1/short", id="short fraction"),
        pytest.param("/v1/userinfoOfSomebodyOrOther", "/v1/userinfoOfSomebodyOrOther", id="address"),
        pytest.param("Bearer abc.def, next", "Bearer ***, next", id="bearer"),
        pytest.param("BEARER  abc", "BEARER  ***", id="bearer in capitals"),
        pytest.param("Bearer Bearer abc", "Bearer Bearer ***", id="bearer twice"),
        pytest.param("Authorization: Basic abc def\nHost: x", "Authorization: ***\nHost: x", id="header"),
        pytest.param("authorization=Basic abc", "authorization=***", id="scheme in form"),
        pytest.param("code=Bearer abc", "code=*** ***", id="scheme after a name"),
        pytest.param("grant_type=x&code=abc&state=y", "grant_type=x&code=***&state=y", id="query"),
        pytest.param("client_secret = 'a b' done", "client_secret = *** done", id="quoted value"),
        pytest.param('client_secret="a b', "client_secret=***", id="cut value"),
        pytest.param('{"id_token": "abc", "n": 1}', '{"id_token": "***", "n": 1}', id="JSON"),
        pytest.param('{"token":"a\\"b\\\\","n":1}', '{"token":"***","n":1}', id="JSON with escapes"),
        pytest.param('{"code":"abc', '{"code":"***', id="cut JSON"),
        pytest.param("{'code': 'abc'}", "{'code': '***'}", id="Python"),
        pytest.param('{"code": 400}', '{"code": 400}', id="number"),
        pytest.param("invalid_grant: Bad Request", "invalid_grant: Bad Request", id="nothing secret"),
        pytest.param("my_token_count=5", "my_token_count=5", id="part of a name"),
        pytest.param("", "", id="empty"),
    ],
)
def test_redact_removes_what_looks_secret(text: str, expected: str) -> None:
    """Tokens and the values of secret names go, the rest stays."""
    assert redact(text) == expected


def test_redact_removes_value_in_nested_json() -> None:
    """JSON that stands as text inside of JSON gives nothing away."""
    inner = json.dumps({"access_token": "hidden", "expires_in": 1})
    assert "hidden" not in redact(json.dumps({"body": inner}))


@pytest.mark.parametrize("key", SECRET_KEYS)
def test_redact_knows_every_secret_name(key: str) -> None:
    """Each secret name is found in forms, JSON and in capitals."""
    for text in (f"{key}=hidden", f'"{key}": "hidden"', f"{key.upper()}=hidden"):
        assert "hidden" not in redact(text)


@pytest.mark.parametrize(
    ("secrets", "text", "expected"),
    [
        pytest.param(["abcdefgh"], "x abcdefgh y", "x *** y", id="known"),
        pytest.param(["abcdefg"], "x abcdefg y", "x abcdefg y", id="too short"),
        pytest.param(["abcdefgh", "abcdefghij"], "abcdefghij", "***", id="one in the other"),
        pytest.param(["abc/+=def"], "x abc%2F%2B%3Ddef", "x ***", id="as in a form"),
        pytest.param(["abcdefgh", "ab***gh12"], "abababcdefghgh12", "ab***", id="made by removal"),
    ],
)
def test_redact_removes_known_secrets(secrets: list[str], text: str, expected: str) -> None:
    """Given values of eight characters and more go wherever they are, even if removal brings them about."""
    assert redact(text, secrets) == expected


secret_text = st.text(alphabet="abAB01/.*_-+% =\"'&", min_size=8, max_size=20)
any_text = st.text(alphabet="abAB01/.*_-+% =\"'&\\:\n") | st.text()
snippets = st.sampled_from(["code=", '"token":"', "Bearer ", "authorization: ", "ya29.", "1//", "v1/", "***"])
wild_text = st.lists(any_text | secret_text | snippets, max_size=6).map("".join)


@settings(deadline=None)
@given(before=any_text, secrets=st.lists(secret_text, min_size=1, max_size=3), after=any_text)
def test_known_secret_never_survives(before: str, secrets: list[str], after: str) -> None:
    """However secrets stand in a text, none of them is in what is left."""
    left = redact(before + "".join(secrets) + after + urlencode({"x": secrets[0]}), secrets)
    assert not any(secret in left for secret in secrets)


@settings(deadline=None)
@given(text=wild_text, secrets=st.lists(secret_text, max_size=2))
def test_redact_twice_changes_nothing_more(text: str, secrets: list[str]) -> None:
    """What has been redacted is left alone by another round."""
    once = redact(text, secrets)
    assert redact(once, secrets) == once


token_text = st.text(alphabet="abcXYZ019_-", min_size=20, max_size=40).map("Q{}".format)
surroundings = st.text(st.characters(exclude_characters="Q")) | st.lists(snippets).map("".join)


@settings(deadline=None)
@given(token=token_text, key=st.sampled_from(SECRET_KEYS), before=surroundings, after=surroundings)
def test_unknown_token_never_survives(token: str, key: str, before: str, after: str) -> None:
    """A token that nobody named is removed where its shape or its place gives it away."""
    forms = (
        "ya29" + f".{token}",
        "1/" + f"/{token}",
        f" Bearer {token}",
        f" {key}={token}",
        urlencode({"x": "1", key: token}),
        json.dumps({key: token}),
        json.dumps({key: token}, indent=2),
    )
    for form in forms:
        assert token not in redact(f"{before}\n{form}\n{after}")
