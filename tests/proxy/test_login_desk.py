"""Tests of the login that a page begins."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest

from antigravity_proxy.errors import LoginError
from antigravity_proxy.proxy.login_desk import LoginDesk

from .conftest import EMAIL, eventually
from .test_login import allow

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from antigravity_proxy.proxy.login import Login, LoginService

    from .conftest import Lab, OpenLab


@pytest.fixture
async def lab(open_lab: OpenLab) -> AsyncIterator[Lab]:
    """A server without an account."""
    async with open_lab(accounts=()) as opened:
        yield opened


class OnPort:
    """The service, with a port for the browser to come back to that is free."""

    def __init__(self, service: LoginService, port: int) -> None:
        self._service = service
        self._port = port

    async def begin(self) -> Login:
        """A new login."""
        return await self._service.begin(self._port)


@pytest.fixture
async def desk(lab: Lab, unused_tcp_port: int) -> AsyncIterator[LoginDesk]:
    """A desk whose logins come back to a free port."""
    service: Any = OnPort(lab.services.desk.service, unused_tcp_port)
    desk = LoginDesk(service, lab.services.new_id)
    yield desk
    await desk.close()


async def ended(desk: LoginDesk, login_id: str) -> dict[str, object]:
    """How a login has ended."""
    await eventually(lambda: desk.look_at(login_id)["status"] != "pending")
    return desk.look_at(login_id)


async def test_login_is_begun_and_followed(lab: Lab, desk: LoginDesk) -> None:
    """A page gets the address to open, and sees the login end with an account."""
    begun = await desk.begin()
    login_id = str(begun["login_id"])
    assert (begun["status"], begun["is_listening"]) == ("pending", True)
    assert "code_challenge=" in str(begun["auth_url"])
    login = desk._known(login_id).login
    async with lab.http.get(await allow(lab, login)) as response:
        assert response.status == 200
    document = await ended(desk, login_id)
    assert document["status"] == "succeeded"
    assert (document["account"], document["plan"]) == ("a***a@example.com", "Google AI Pro")
    assert lab.active() == EMAIL
    with pytest.raises(LoginError) as caught:
        desk.paste(login_id, "?code=c")
    assert caught.value.code == "login_not_pending"
    assert (await desk.cancel(login_id))["status"] == "succeeded"


async def test_only_one_login_at_a_time(desk: LoginDesk) -> None:
    """A page that is reloaded, and two that begin at once, come back to one login; a cancelled one makes way."""
    begun, also = await asyncio.gather(desk.begin(), desk.begin())
    assert begun == also == await desk.begin()
    assert (await desk.cancel(begun["login_id"]))["status"] == "cancelled"
    again = await desk.begin()
    assert (again["status"], again["is_listening"]) == ("pending", True)
    with pytest.raises(LoginError) as caught:
        desk.look_at(begun["login_id"])
    assert caught.value.code == "login_not_found"


async def test_paste_of_no_use_leaves_the_login_pending(lab: Lab, desk: LoginDesk) -> None:
    """A page may try again after pasting the wrong thing."""
    begun = await desk.begin()
    login_id = begun["login_id"]
    with pytest.raises(LoginError):
        desk.paste(login_id, "?state=stale&code=c")
    assert desk.look_at(login_id)["status"] == "pending"
    assert desk.paste(login_id, await allow(lab, desk._known(login_id).login, decision="deny"))["status"] == "pending"
    document = await ended(desk, login_id)
    assert (document["status"], document["code"]) == ("failed", "login_denied")


async def test_login_cancelled_at_once_frees_its_port(desk: LoginDesk) -> None:
    """A login that is cancelled before it has begun to wait is over too, and the next one can listen."""
    begun = await desk.begin()
    assert (await desk.cancel(begun["login_id"]))["status"] == "cancelled"
    assert (await desk.begin())["is_listening"] is True


async def test_login_that_breaks_makes_way_for_the_next(
    desk: LoginDesk, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """A fault that nobody thought of ends the login too; the page says so, and the log says which."""
    begun = await desk.begin()
    login = desk._known(begun["login_id"]).login

    def fail(*_: object) -> None:
        raise ZeroDivisionError("nobody thought of it")

    monkeypatch.setattr(login._service, "complete", fail)
    login.paste(f"?state={login.request.state}&code=c")
    document = await ended(desk, begun["login_id"])
    assert document["status"] == "failed"
    assert "The log says what" in str(document["message"])
    assert "nobody thought of it" in caplog.text
    assert (await desk.begin())["is_listening"] is True


async def test_login_whose_port_was_taken_tries_again(desk: LoginDesk) -> None:
    """Coming back to a login that could not listen makes a new one, as its port may be free by then."""
    begun = await desk.begin()
    login = desk._known(begun["login_id"]).login
    login._listener.is_listening = False
    again = await desk.begin()
    assert again["login_id"] != begun["login_id"]
    assert again["is_listening"] is True
