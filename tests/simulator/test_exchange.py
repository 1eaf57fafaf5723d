"""Tests of serving a request, and of playing an answer over a real socket."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import aiohttp
import pytest
from aiohttp import ClientPayloadError, ClientSession, ServerDisconnectedError, web

from antigravity_proxy.simulator.config import SimulatorConfig
from antigravity_proxy.simulator.delivery import Abort, Begin, Send, Step, Wait
from antigravity_proxy.simulator.exchange import play
from antigravity_proxy.simulator.server import Simulator

from .wire import Caller, user

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable

    Serve = Callable[[list[Step]], Awaitable[str]]


async def test_refusal_is_logged(caller: Caller, simulator: Simulator) -> None:
    """A refused request is logged with its status and the text of the answer."""
    status, document = await caller.document("loadCodeAssist", {"x": 1})
    entry = simulator.requests()[-1]
    assert (status, entry["status"], entry["refusal"]) == (400, 400, document["error"]["message"])
    assert entry["account"] == "me@example.com"
    assert entry["body"] == {"x": 1}


@pytest.mark.parametrize("authorization", ["", "Bearer nobody", "Basic x", "bearer"])
async def test_bad_token_is_unauthenticated(caller: Caller, authorization: str) -> None:
    """A missing, unknown or otherwise wrong token is a 401 in Google's words."""
    status, document = await caller.document("loadCodeAssist", {}, Authorization=authorization)
    assert (status, document["error"]["status"]) == (401, "UNAUTHENTICATED")


async def test_client_that_leaves_is_logged(caller: Caller, simulator: Simulator) -> None:
    """A client that goes away in the middle is marked, with the time it stayed."""
    body = caller.envelope({"contents": [user("[[simulate stall after=1 seconds=60]] x")]})
    answer = await caller.post("streamGenerateContent", body)
    await answer.content.readline()
    answer.close()
    await simulator.idle()
    entry = simulator.requests()[-1]
    assert entry["aborted"] is True
    assert 0 <= entry["abortedAfter"] < 5
    assert entry["status"] is None


async def test_cut_connection_has_no_status(caller: Caller, simulator: Simulator) -> None:
    """A connection the simulator broke itself before the headers has no status and no leaving client."""
    with pytest.raises(aiohttp.ServerDisconnectedError):
        await caller.generate("[[simulate cut after=0]] x")
    entry = simulator.requests()[-1]
    assert (entry["status"], entry["aborted"]) == (None, False)


async def test_large_body_is_refused(session: aiohttp.ClientSession) -> None:
    """A body over the limit is a 413, which is logged too."""
    async with Simulator(SimulatorConfig(max_body_bytes=100)) as simulator:
        caller = Caller(simulator, session, simulator.add_account("a@example.com")["record"])
        async with caller.post("streamGenerateContent", caller.envelope({"contents": [user("x" * 200)]})) as answer:
            assert answer.status == 413
        assert simulator.requests()[-1]["status"] == 413


@pytest.fixture
async def serve() -> AsyncIterator[Serve]:
    """Give a function that starts a server which takes some steps, and gives its URL."""
    runners: list[web.AppRunner] = []

    async def start(steps: list[Step]) -> str:
        async def handle(request: web.Request) -> web.StreamResponse:
            return await play(request, steps, {"Content-Type": "text/event-stream"}, 203)

        app = web.Application()
        app.router.add_get("/", handle)
        runner = web.AppRunner(app)
        runners.append(runner)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        return f"http://127.0.0.1:{runner.addresses[0][1]}/"

    yield start
    for runner in runners:
        await runner.cleanup()


async def test_play_sends_everything(serve: Serve, session: ClientSession) -> None:
    """Status, headers and all bytes arrive, in order."""
    url = await serve([Wait(0), Send(b"a"), *[Send(b"b")] * 40])
    async with session.get(url) as answer:
        assert answer.status == 203
        assert answer.headers["Content-Type"] == "text/event-stream"
        assert await answer.read() == b"a" + b"b" * 40


async def test_play_nothing_is_an_empty_body(serve: Serve, session: ClientSession) -> None:
    """Without steps the answer has headers and no body."""
    async with session.get(await serve([])) as answer:
        assert await answer.read() == b""


async def test_play_begins_before_waiting(serve: Serve, session: ClientSession) -> None:
    """The headers arrive while the server still waits."""
    async with asyncio.timeout(5), session.get(await serve([Begin(), Wait(0.05), Send(b"a")])) as answer:
        assert answer.status == 203
        assert await answer.read() == b"a"


async def test_abort_before_headers_is_a_disconnect(serve: Serve, session: ClientSession) -> None:
    """A connection broken before the headers has no answer at all."""
    url = await serve([Abort()])
    with pytest.raises(ServerDisconnectedError):
        await session.get(url)


async def test_abort_in_the_body_is_an_incomplete_answer(serve: Serve, session: ClientSession) -> None:
    """A connection broken in the body leaves the answer incomplete."""
    async with session.get(await serve([Send(b"a"), Abort()])) as answer:
        assert await answer.content.readany() == b"a"
        with pytest.raises(ClientPayloadError):
            await answer.read()


async def test_abort_after_the_client_is_fine(serve: Serve, session: ClientSession) -> None:
    """A connection that is gone already need not be broken."""
    url = await serve([Wait(0.05), Abort()])
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.01):
            await session.get(url)
    await asyncio.sleep(0.06)
