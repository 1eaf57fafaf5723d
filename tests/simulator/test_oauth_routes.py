"""Tests of a login over a real socket."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlsplit

import pytest

from antigravity_proxy.simulator.authorization import SCOPES
from antigravity_proxy.simulator.tokens import challenge_of

if TYPE_CHECKING:
    import aiohttp

    from antigravity_proxy.simulator.server import Simulator

VERIFIER = "v" * 43
REDIRECT = "http://localhost:51121/oauth-callback"


def query_of(simulator: Simulator, **changes: str) -> dict[str, str]:
    """Give the parameters of a correct authorisation request."""
    return {
        "client_id": simulator.config.client_id,
        "response_type": "code",
        "redirect_uri": REDIRECT,
        "scope": " ".join(SCOPES),
        "code_challenge": challenge_of(VERIFIER),
        "code_challenge_method": "S256",
        "state": "the-state",
        "access_type": "offline",
        "prompt": "select_account consent",
        **changes,
    }


async def approve(simulator: Simulator, session: aiohttp.ClientSession, **changes: str) -> dict[str, str]:
    """Press a button of the consent page and give the parameters the browser is sent back with."""
    url = f"{simulator.base_url}/o/oauth2/v2/auth/approve"
    async with session.get(url, params=query_of(simulator, **changes), allow_redirects=False) as answer:
        assert answer.status == 302
        return {name: values[0] for name, values in parse_qs(urlsplit(answer.headers["Location"]).query).items()}


async def exchange(simulator: Simulator, session: aiohttp.ClientSession, **fields: str) -> tuple[int, dict[str, Any]]:
    """Post a form to the token endpoint."""
    client = {"client_id": simulator.config.client_id, "client_secret": simulator.config.client_secret}
    async with session.post(f"{simulator.base_url}/token", data=client | fields) as answer:
        return answer.status, await answer.json()


def code_fields(code: str) -> dict[str, str]:
    """Give the fields of a code exchange."""
    return {
        "grant_type": "authorization_code",
        "code": code,
        "redirect_uri": REDIRECT,
        "code_verifier": VERIFIER,
    }


async def test_consent_page_is_shown(simulator: Simulator, session: aiohttp.ClientSession) -> None:
    """The page lists the accounts and is not cached."""
    url = f"{simulator.base_url}/o/oauth2/v2/auth"
    async with session.get(url, params=query_of(simulator, login_hint="ben@example.com")) as answer:
        page = await answer.text()
        assert answer.headers["Cache-Control"] == "no-store"
    assert 'value="ben@example.com" checked' in page
    assert "cleo@example.com" in page


@pytest.mark.parametrize("path", ["/o/oauth2/v2/auth", "/o/oauth2/v2/auth/approve"])
async def test_bad_request_shows_an_error(simulator: Simulator, session: aiohttp.ClientSession, path: str) -> None:
    """A wrong request is a page with an error, and nobody is sent back."""
    async with session.get(simulator.base_url + path, params={"client_id": "x"}) as answer:
        assert answer.status == 400
        assert "invalid_client" in await answer.text()
    assert simulator.requests()[-1]["refusal"] == "The OAuth client was not found."


async def test_login_from_page_to_userinfo(simulator: Simulator, session: aiohttp.ClientSession) -> None:
    """Allowing gives a code, the code gives tokens, the token says who it is."""
    answer = await approve(simulator, session, account="ada@example.com", decision="allow")
    assert answer["state"] == "the-state"
    status, tokens = await exchange(simulator, session, **code_fields(answer["code"]))
    assert status == 200
    headers = {"Authorization": f"Bearer {tokens['access_token']}"}
    for version in ("v1", "v2"):
        url = f"{simulator.base_url}/oauth2/{version}/userinfo?alt=json"
        async with session.get(url, headers=headers) as userinfo:
            document = await userinfo.json()
    assert document["email"] == "ada@example.com"
    assert document["id"] == simulator.state.accounts["ada@example.com"].google_id
    status, refreshed = await exchange(
        simulator, session, grant_type="refresh_token", refresh_token=tokens["refresh_token"]
    )
    assert (status, refreshed["expires_in"]) == (200, 3599)
    assert simulator.requests()[-1]["account"] == "ada@example.com"


async def test_typed_address_makes_an_account(simulator: Simulator, session: aiohttp.ClientSession) -> None:
    """An address that is typed wins over the chosen one and makes an account; a hint is the last resort."""
    await approve(simulator, session, account="ada@example.com", email="New@example.com", decision="allow")
    await approve(simulator, session, login_hint="hint@example.com", decision="allow")
    assert {"new@example.com", "hint@example.com"} <= set(simulator.state.accounts)


async def test_no_address_is_an_error(simulator: Simulator, session: aiohttp.ClientSession) -> None:
    """Without an address nobody can be allowed."""
    url = f"{simulator.base_url}/o/oauth2/v2/auth/approve"
    async with session.get(url, params=query_of(simulator, decision="allow"), allow_redirects=False) as answer:
        assert answer.status == 400


async def test_denial_is_sent_back(simulator: Simulator, session: aiohttp.ClientSession) -> None:
    """Denying sends the browser back with an error."""
    assert await approve(simulator, session, decision="deny") == {"state": "the-state", "error": "access_denied"}


async def test_second_login_without_consent_has_no_refresh_token(
    simulator: Simulator, session: aiohttp.ClientSession
) -> None:
    """A client that was allowed before and does not ask for consent gets no refresh token."""
    given: list[bool] = []
    for prompt in ("select_account", "select_account", "consent"):
        answer = await approve(simulator, session, account="ada@example.com", decision="allow", prompt=prompt)
        _, tokens = await exchange(simulator, session, **code_fields(answer["code"]))
        given.append("refresh_token" in tokens)
    assert given == [True, False, True]


async def test_wrong_grant_is_refused(simulator: Simulator, session: aiohttp.ClientSession) -> None:
    """A refusal of the token endpoint has its own form and is logged."""
    status, document = await exchange(simulator, session, grant_type="refresh_token", refresh_token="1//x")
    assert (status, document["error"]) == (400, "invalid_grant")
    assert simulator.requests()[-1]["refusal"] == "Token has been expired or revoked."


async def test_token_request_must_be_a_form(simulator: Simulator, session: aiohttp.ClientSession) -> None:
    """JSON is no form."""
    async with session.post(f"{simulator.base_url}/token", json={}) as answer:
        assert (answer.status, (await answer.json())["error"]) == (400, "invalid_request")


async def test_scenarios_reach_the_token_endpoint(simulator: Simulator, session: aiohttp.ClientSession) -> None:
    """The token endpoint can be told to fail for one account."""
    refresh = simulator.add_account("me@example.com")["record"]["refresh"]
    simulator.schedule("oauth-error", method="token", account="me@example.com")
    fields = {"grant_type": "refresh_token", "refresh_token": refresh}
    assert [(await exchange(simulator, session, **fields))[0] for _ in range(2)] == [400, 200]


async def test_userinfo_wants_a_token(simulator: Simulator, session: aiohttp.ClientSession) -> None:
    """Without a token nobody is anybody."""
    async with session.get(f"{simulator.base_url}/oauth2/v1/userinfo") as answer:
        assert answer.status == 401


async def test_userinfo_can_leave_out_the_id(simulator: Simulator, session: aiohttp.ClientSession) -> None:
    """An account may be one whose number Google does not say."""
    simulator.add_account("ada@example.com", hides_id=True)
    answer = await approve(simulator, session, account="ada@example.com", decision="allow")
    _, tokens = await exchange(simulator, session, **code_fields(answer["code"]))
    headers = {"Authorization": f"Bearer {tokens['access_token']}"}
    async with session.get(f"{simulator.base_url}/oauth2/v1/userinfo?alt=json", headers=headers) as userinfo:
        document = await userinfo.json()
    assert (document["email"], "id" in document) == ("ada@example.com", False)
