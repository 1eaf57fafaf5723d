"""Tests of a login from the question to the saved account, against the simulator's consent."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from antigravity_proxy.errors import LoginError, OtherClientError, UpstreamError
from antigravity_proxy.proxy import login as login_module

from .conftest import EMAIL

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from antigravity_proxy.proxy.login import LoggedIn, Login

    from .conftest import Lab, OpenLab


@pytest.fixture
async def lab(open_lab: OpenLab) -> AsyncIterator[Lab]:
    """A server without an account."""
    async with open_lab(accounts=()) as opened:
        yield opened


async def allow(lab: Lab, login: Login, email: str = EMAIL, decision: str = "allow") -> str:
    """What a user does in the browser; gives the address that it ends on."""
    url = login.request.url.replace("/auth?", f"/auth/approve?account={email}&decision={decision}&")
    async with lab.http.get(url, allow_redirects=False) as response:
        assert response.status == 302, await response.text()
        return response.headers["Location"]


async def log_in(lab: Lab, port: int, email: str = EMAIL) -> LoggedIn:
    """A login through the browser."""
    async with await lab.services.desk.service.begin(port) as login:
        async with lab.http.get(await allow(lab, login, email)) as response:
            assert response.status == 200
        return await login.finish()


async def test_browser_brings_an_account(lab: Lab, unused_tcp_port: int) -> None:
    """After a login the account is saved and active, with its address, plan and project, and serves."""
    done = await log_in(lab, unused_tcp_port)
    saved = lab.saved()
    assert (done.account.email, done.plan, done.warning) == (EMAIL, "Google AI Pro", None)
    assert done.project is not None
    assert saved.project_id == done.project.id
    assert saved.id.startswith("google:")
    assert lab.active() == EMAIL
    (token,) = lab.requests("token")
    assert token["body"]["grant_type"] == "authorization_code"
    assert (await lab.chat())[0] == 200


async def test_pasted_address_wins_too(lab: Lab, unused_tcp_port: int) -> None:
    """Pasting is as good as the browser's visit, also after something that was of no use."""
    async with await lab.services.desk.service.begin(unused_tcp_port) as login:
        address = await allow(lab, login)
        for useless in ("", "?state=stale&code=c"):
            with pytest.raises(LoginError):
                login.paste(useless)
        login.paste(address)
        login.paste(address)
        assert (await login.finish()).account.email == EMAIL


async def test_bare_code_is_checked_by_google(lab: Lab, unused_tcp_port: int) -> None:
    """A code without its state is tied to this login by the verifier."""
    async with await lab.services.desk.service.begin(unused_tcp_port) as login:
        address = await allow(lab, login)
        login.paste(f" {address.partition('code=')[2].partition('&')[0]}\n")
        assert (await login.finish()).account.email == EMAIL


@pytest.mark.refused("Malformed auth code")
async def test_login_goes_on_after_a_bare_code_that_is_refused(lab: Lab, unused_tcp_port: int) -> None:
    """A code that somebody typed, maybe of an older login, does not end the one that the browser may still finish."""
    async with await lab.services.desk.service.begin(unused_tcp_port) as login:
        address = await allow(lab, login)
        login.paste("4/of-an-older-login")
        login.paste(address)
        assert (await login.finish()).account.email == EMAIL
        assert "does not accept the login code" in str(login.complaint)
        for _ in range(20):
            login.paste(address)


@pytest.mark.refused("Malformed auth code")
async def test_code_that_google_refuses_is_told(lab: Lab, unused_tcp_port: int) -> None:
    """A code that is not of this login leads to one sentence and no account."""
    async with await lab.services.desk.service.begin(unused_tcp_port) as login:
        login.paste(f"?state={login.request.state}&code=4/somebody-elses")
        with pytest.raises(LoginError, match="does not accept the login code") as caught:
            await login.finish()
    assert caught.value.code == "login_code_refused"
    assert lab.services.store.read().accounts == ()


async def test_refusal_in_the_browser_ends_the_login(lab: Lab, unused_tcp_port: int) -> None:
    """Whoever says no gets a page, and the login ends with a sentence."""
    async with await lab.services.desk.service.begin(unused_tcp_port) as login:
        async with lab.http.get(await allow(lab, login, decision="deny")) as response:
            assert response.status == 400
        with pytest.raises(LoginError, match="refused in the browser"):
            await login.finish()


async def test_login_nobody_answers_ends(lab: Lab, unused_tcp_port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """A login does not wait for ever."""
    monkeypatch.setattr(login_module, "LOGIN_TIMEOUT_S", 0.01)
    async with await lab.services.desk.service.begin(unused_tcp_port) as login:
        with pytest.raises(LoginError, match="Nobody logged in within") as caught:
            await login.finish()
    assert caught.value.code == "login_timed_out"


async def test_same_owner_keeps_the_account(lab: Lab, unused_tcp_port: int) -> None:
    """A second login of one owner renews the tokens, and keeps the id and the age; another owner is added."""
    first = (await log_in(lab, unused_tcp_port)).account
    await log_in(lab, unused_tcp_port, "ben@example.com")
    again = (await log_in(lab, unused_tcp_port)).account
    assert (again.id, again.created_ms) == (first.id, first.created_ms)
    assert again.tokens != first.tokens
    assert len(lab.services.store.read().accounts) == 2
    assert lab.active() == EMAIL


async def test_unknown_owner_is_a_new_account_each_time(lab: Lab, unused_tcp_port: int) -> None:
    """When Google does not say whose account it is, the login is good, and no other account is overwritten."""
    for _ in range(2):
        lab.plan("status", method="userinfo", status=503)
        done = await log_in(lab, unused_tcp_port)
        assert done.account.id.startswith("anonymous:")
        assert len(done.account.id) == len("anonymous:") + 32
        assert done.account.email is None
    assert len(lab.services.store.read().accounts) == 2
    assert (await lab.chat())[0] == 200


async def test_owner_without_id_is_known_by_address(lab: Lab, unused_tcp_port: int) -> None:
    """An owner whose id Google does not say is known by the address, also when Google says the id later."""
    email = "me@example.com"
    lab.simulator.add_account(email, hides_id=True)
    first = (await log_in(lab, unused_tcp_port, email)).account
    assert (first.id, first.email) == ("email:8c2a47d3bdb8d3096a6479f5", email)
    lab.simulator.add_account(email, hides_id=False)
    again = (await log_in(lab, unused_tcp_port, email)).account
    assert (again.id, again.created_ms) == (first.id, first.created_ms)
    assert len(lab.services.store.read().accounts) == 1


async def test_failed_look_at_the_account_does_not_undo_the_login(lab: Lab, unused_tcp_port: int) -> None:
    """When the project cannot be found now, the account is saved and the reason told."""
    lab.plan("verify", method="loadCodeAssist", times=-1)
    done = await log_in(lab, unused_tcp_port)
    assert done.plan is None
    assert done.warning is not None
    assert lab.active() == EMAIL


@pytest.mark.parametrize(
    ("scenario", "kind"),
    [
        ({"name": "oauth-error", "error": "invalid_client", "status": 401}, UpstreamError),
        ({"name": "oauth-error", "error": "unauthorized_client", "status": 401}, OtherClientError),
    ],
)
async def test_token_host_that_fails_is_told(
    lab: Lab, unused_tcp_port: int, scenario: dict[str, object], kind: type[Exception]
) -> None:
    """Another failure of the exchange is told as what it is, without a secret in it."""
    lab.plan(method="token", **scenario)  # type: ignore[arg-type]
    with pytest.raises(kind) as caught:
        await log_in(lab, unused_tcp_port)
    (token,) = lab.requests("token")
    assert token["body"]["code"] not in str(caught.value)
    assert token["body"]["client_secret"] not in str(caught.value)


async def test_login_that_does_not_last_is_refused(
    lab: Lab, unused_tcp_port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without a refresh token there is no account, and the user hears what to do."""
    post_form = lab.services.upstream.post_form

    async def without_refresh(url: str, form: dict[str, str]) -> tuple[int, bytes]:
        status, body = await post_form(url, form)
        return status, body.replace(b'"refresh_token"', b'"other"')

    monkeypatch.setattr(lab.services.upstream, "post_form", without_refresh)
    with pytest.raises(LoginError, match="Google gave no refresh token"):
        await log_in(lab, unused_tcp_port)
    assert lab.services.store.read().accounts == ()


async def test_logins_at_once_do_not_disturb_each_other(lab: Lab, unused_tcp_port: int) -> None:
    """Logins have secrets of their own: each takes its own answer and no other."""
    logins = [await lab.services.desk.service.begin(unused_tcp_port) for _ in range(3)]
    addresses = [await allow(lab, login, f"user{number}@example.com") for number, login in enumerate(logins)]
    for number, login in enumerate(logins):
        with pytest.raises(LoginError):
            login.paste(addresses[number - 1])
        login.paste(addresses[number])
    done = await asyncio.gather(*(login.finish() for login in logins))
    assert [entry.account.email for entry in done] == [f"user{number}@example.com" for number in range(3)]
