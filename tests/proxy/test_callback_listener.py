"""Tests of the address the browser comes back to."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING

import aiohttp
import pytest

from antigravity_proxy.oauth.login import Callback, LoginRequest
from antigravity_proxy.proxy.callback_listener import HEADERS, CallbackListener

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

STATE = "s" * 43


@pytest.fixture
async def http() -> AsyncIterator[aiohttp.ClientSession]:
    """A browser."""
    async with aiohttp.ClientSession() as session:
        yield session


def request_for(port: int, host: str = "127.0.0.1") -> LoginRequest:
    """A login that comes back to a port."""
    return LoginRequest("https://accounts.google.com", f"http://{host}:{port}/oauth-callback", STATE, "v" * 43)


@pytest.mark.parametrize(
    ("method", "path", "status", "words"),
    [
        ("GET", "/", 404, "nothing here"),
        ("GET", "/favicon.ico", 404, "nothing here"),
        ("HEAD", f"/oauth-callback?state={STATE}&code=c", 200, ""),
        ("POST", f"/oauth-callback?state={STATE}&code=c", 405, "GET only"),
        ("GET", "/oauth-callback", 400, "belongs to another login"),
        ("GET", "/oauth-callback?state=stale&code=c", 400, "belongs to another login"),
        ("GET", "/oauth-callback?code=c", 400, "belongs to another login"),
        ("GET", "/oauth-callback?state=foreign&error=access_denied", 400, "belongs to another login"),
        ("GET", f"/oauth-callback?state={STATE}", 400, "holds no code"),
    ],
)
async def test_nothing_but_its_own_answer_ends_a_login(
    http: aiohttp.ClientSession, unused_tcp_port: int, method: str, path: str, status: int, words: str
) -> None:
    """Strangers, old addresses and looks ahead get an answer, and the login waits on and takes its own."""
    taken: list[Callback] = []
    async with CallbackListener(request_for(unused_tcp_port), taken.append):
        base = f"http://127.0.0.1:{unused_tcp_port}"
        async with http.request(method, base + path) as response:
            assert response.status == status
            assert words in await response.text()
            assert {name: response.headers[name] for name in HEADERS} == HEADERS
        assert taken == []
        async with http.get(f"{base}/oauth-callback?state={STATE}&code=c") as response:
            assert response.status == 200
            assert "You can close this window" in await response.text()
            assert {name: response.headers[name] for name in HEADERS} == HEADERS
    assert taken == [Callback("c")]


async def test_refusal_is_shown_escaped(http: aiohttp.ClientSession, unused_tcp_port: int) -> None:
    """What Google says is shown as text, whatever is in it."""
    taken: list[Callback] = []
    async with CallbackListener(request_for(unused_tcp_port), taken.append):
        url = f"http://127.0.0.1:{unused_tcp_port}/oauth-callback?state={STATE}&error=%3Cscript%3E"
        async with http.get(url) as response:
            text = await response.text()
    assert (response.status, taken) == (400, [Callback(error="<script>")])
    assert "<script>" not in text
    assert "&lt;script&gt;" in text


async def test_port_that_is_taken_is_told(unused_tcp_port: int) -> None:
    """A port somebody else has leaves the login without a listener, and nothing fails."""
    server = await asyncio.start_server(lambda *_: None, "127.0.0.1", unused_tcp_port)
    async with server, CallbackListener(request_for(unused_tcp_port), lambda _: None) as listener:
        assert not listener.is_listening


async def test_localhost_is_both_kinds_of_address(http: aiohttp.ClientSession, unused_tcp_port: int) -> None:
    """A browser may take localhost for either address; the port is free again after the login."""
    async with CallbackListener(request_for(unused_tcp_port, "localhost"), lambda _: None) as listener:
        assert listener.is_listening
        async with http.get(f"http://localhost:{unused_tcp_port}/") as response:
            assert response.status == 404
    assert not listener.is_listening
    with pytest.raises(aiohttp.ClientConnectorError):
        await http.get(f"http://127.0.0.1:{unused_tcp_port}/")


@pytest.mark.parametrize("turns", range(10))
async def test_listener_that_is_cancelled_gives_its_port_back(unused_tcp_port: int, turns: int) -> None:
    """However far it has come, a login that nobody wants any more leaves the port to the next one."""
    listener = CallbackListener(request_for(unused_tcp_port), lambda _: None)
    opening = asyncio.create_task(listener.__aenter__())
    for _ in range(turns):
        await asyncio.sleep(0)
    opening.cancel()
    with suppress(asyncio.CancelledError):
        await opening
        await listener.__aexit__()
    async with CallbackListener(request_for(unused_tcp_port), lambda _: None) as another:
        assert another.is_listening
