"""Tests of the time to the first content: unit tests, and what comes before a generation, over real sockets."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pytest

from antigravity_proxy.errors import BudgetSpentError, ProxyError, ServerStoppingError
from antigravity_proxy.proxy import app as proxy_app
from antigravity_proxy.proxy.budget import Budget
from antigravity_proxy.proxy.stopping import Stopping

from .conftest import EMAIL, chat_body, chat_request, eventually, settle, tasks_beside_connections
from .raw_server import reply
from .test_event_stream import frames_of, split_chunks, text_of
from .test_generation import STREAM
from .test_time_limits import GENERATE, while_asked

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from .conftest import Lab, Leap, OpenLab

FETCH = "fetchAvailableModels"
NEW = "gemini-4.0-flash"


async def test_budget_is_spent_over_several_blocks(leap: Leap) -> None:
    """Blocks share one time; the one in which it ends gets an error that names the limit and its length."""
    budget = Budget(Stopping(), 30)
    async with budget:
        leap(20)
        await asyncio.sleep(0)
    async with budget:
        await asyncio.sleep(0)
    leap(20)
    with pytest.raises(BudgetSpentError, match=r"within 30 s.*FIRST_BYTE_TIMEOUT"):
        async with budget:
            await asyncio.Event().wait()
    with pytest.raises(BudgetSpentError):
        async with budget:
            await asyncio.Event().wait()


async def test_lifted_budget_holds_nobody_up(leap: Leap) -> None:
    """Work whose time does not run takes as long as it likes; restored, the time ends where it always did."""
    budget, done = Budget(Stopping(), 30), asyncio.Event()

    async def work() -> None:
        async with budget:
            budget.lift()
            leap(40)
            await settle()
            done.set()
            budget.failure = ProxyError("It is gone.")
            budget.restore()
            await asyncio.Event().wait()

    with pytest.raises(BudgetSpentError, match=r"again\. The attempt before the last one failed: It is gone\.$"):
        await work()
    assert done.is_set()
    assert budget.left_s <= 0


async def test_stopped_work_stays_stopped() -> None:
    """What is done about the time of work that the server has ended changes nothing, whatever has run out first."""
    stopping = Stopping()
    await stopping.drain(0)
    budget = Budget(stopping, 0)

    async def work() -> None:
        async with budget:
            budget.lift()
            try:
                await asyncio.Event().wait()
            finally:
                budget.restore()
                budget.stop()

    with pytest.raises(ServerStoppingError):
        await work()


async def test_other_limits_keep_their_meaning() -> None:
    """A limit that runs out inside of a block is not taken for the budget's."""
    with pytest.raises(TimeoutError):
        async with Budget(Stopping(), 30), asyncio.timeout(0):
            await asyncio.Event().wait()


@dataclass
class MediaHost:
    """A server of one picture.

    Attributes:
        url: of the picture.
        visits: how many requests have come.
        leavings: how many connections have ended.
        may_answer: set when the picture may be sent.
    """

    url: str = ""
    visits: int = 0
    leavings: int = 0
    may_answer: asyncio.Event = field(default_factory=asyncio.Event)

    def messages(self) -> list[Any]:
        """A question about the picture."""
        picture = {"type": "image_url", "image_url": {"url": self.url}}
        return [{"role": "user", "content": [{"type": "text", "text": "What is it?"}, picture]}]


@asynccontextmanager
async def media_host(lab: Lab) -> AsyncIterator[MediaHost]:
    """A server of media on this machine, which the lab is allowed to ask."""
    host = MediaHost()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        host.visits += 1
        answering = asyncio.create_task(host.may_answer.wait())
        leaving = asyncio.create_task(reader.read())
        await asyncio.wait((answering, leaving), return_when=asyncio.FIRST_COMPLETED)
        if host.may_answer.is_set():
            writer.write(reply(b"png", Content_Type="image/png"))
        answering.cancel()
        await leaving
        host.leavings += 1
        writer.close()

    assert lab.services.remote_media is not None
    lab.services.remote_media._is_allowed = lambda _: True
    listening = await asyncio.start_server(serve, "127.0.0.1", 0)
    host.url = f"http://127.0.0.1:{listening.sockets[0].getsockname()[1]}/a.png"
    try:
        yield host
    finally:
        listening.close()


@STREAM
async def test_budget_ends_a_look_up(open_lab: OpenLab, leap: Leap, *, stream: bool) -> None:
    """A silent catalogue ends at the limit with a 504 that names it, and the call to Google with it."""
    async with open_lab(first_byte_timeout=5, keepalive=1) as lab:
        lab.plan("silence", method=FETCH)
        asked = lab.http.post(f"{lab.url}/v1/chat/completions", json=chat_body(model=NEW, stream=stream))
        async with await while_asked(lab, leap, (FETCH, 6.0), of=asked) as response:
            error = (await response.json())["error"]
            assert (response.status, error["code"]) == (504, "upstream_timeout")
            assert "within 5 s" in error["message"]
            assert "FIRST_BYTE_TIMEOUT" in error["message"]
        await eventually(lambda: bool(lab.requests(FETCH)[0]["aborted"]))


@STREAM
async def test_look_up_and_generation_share_the_budget(open_lab: OpenLab, leap: Leap, *, stream: bool) -> None:
    """What the look-up of a model took is not there any more for the generation."""
    async with open_lab(first_byte_timeout=30, keepalive=100) as lab:
        lab.save(EMAIL, next_models=True)
        lab.plan("stall", method=FETCH, after=0, seconds=6)
        lab.plan("silence")
        asked = lab.http.post(f"{lab.url}/v1/chat/completions", json=chat_body(model=NEW, stream=stream))
        async with await while_asked(lab, leap, (FETCH, 7.0), (GENERATE, 24.0), of=asked) as response:
            assert response.status == 504
            assert "within 30 s" in (await response.json())["error"]["message"]


async def test_budget_ends_a_search_for_one_model(open_lab: OpenLab, leap: Leap) -> None:
    """A client that asks for one model by its id waits no longer for Google than any other."""
    async with open_lab(first_byte_timeout=5) as lab:
        lab.plan("silence", method=FETCH, times=-1)
        asking = asyncio.ensure_future(lab.get(f"/v1/models/{NEW}"))
        await eventually(lambda: len(lab.requests(FETCH)) == 2)  # one of them for the quota, beside
        leap(6)
        status, body = await asking
        assert (status, body["error"]["code"]) == (504, "upstream_timeout")


@STREAM
async def test_fetching_and_generation_share_the_budget(open_lab: OpenLab, leap: Leap, *, stream: bool) -> None:
    """The time that media at web addresses take is not there any more for the generation."""
    async with open_lab(first_byte_timeout=30, keepalive=100, fetch_media=True) as lab, media_host(lab) as host:
        lab.plan("silence")
        body = chat_body(messages=host.messages(), stream=stream)
        asking = asyncio.ensure_future(lab.http.post(f"{lab.url}/v1/chat/completions", json=body))
        await eventually(lambda: host.visits == 1)
        leap(15)
        host.may_answer.set()
        async with await while_asked(lab, leap, (GENERATE, 16.0), of=asking) as response:
            assert response.status == 504
            assert "within 30 s" in (await response.json())["error"]["message"]


@STREAM
async def test_budget_ends_the_fetching_of_media(open_lab: OpenLab, leap: Leap, *, stream: bool) -> None:
    """A server of media that is silent holds a request no longer than the limit, and is left alone then."""
    async with open_lab(first_byte_timeout=5, keepalive=100, fetch_media=True) as lab, media_host(lab) as host:
        body = chat_body(messages=host.messages(), stream=stream)
        asking = asyncio.ensure_future(lab.http.post(f"{lab.url}/v1/chat/completions", json=body))
        await eventually(lambda: host.visits == 1)
        leap(6)
        async with await asking as response:
            assert response.status == 504
            assert "within 5 s" in (await response.json())["error"]["message"]
        await eventually(lambda: host.leavings == 1)
        assert lab.requests() == []


async def test_comments_flow_while_media_are_fetched(open_lab: OpenLab, leap: Leap) -> None:
    """A stream that waits for media shows that it lives, and then comes as any other."""
    async with open_lab(fetch_media=True) as lab, media_host(lab) as host:
        reader, writer = await asyncio.open_connection("127.0.0.1", lab.port)
        writer.write(chat_request(lab.port, messages=host.messages(), stream=True))
        await eventually(lambda: host.visits == 1)
        leap(16)
        received = await reader.readuntil(b": keepalive\n\n")
        host.may_answer.set()
        received += await reader.readuntil(b"\r\n0\r\n\r\n")
        writer.close()
    _, body, _ = split_chunks(received)
    assert "1 image/png" in text_of(body)


async def test_media_that_fail_after_comments_are_told_in_the_stream(open_lab: OpenLab, leap: Leap) -> None:
    """Once comments have flowed, media that do not come are an error frame and a broken connection."""
    async with open_lab(fetch_media=True) as lab, media_host(lab) as host:
        reader, writer = await asyncio.open_connection("127.0.0.1", lab.port)
        writer.write(chat_request(lab.port, messages=host.messages(), stream=True))
        await eventually(lambda: host.visits == 1)
        leap(16)
        received = await reader.readuntil(b": keepalive\n\n")
        leap(5)
        _, body, rest = split_chunks(received + await reader.read())
        (failure,) = frames_of(body)
        assert "did not arrive within 20 s" in failure["error"]["message"]
        assert rest == b""
        writer.close()


@pytest.mark.parametrize("what", ["look-up", "media"])
@STREAM
async def test_stopping_ends_what_comes_before(
    open_lab: OpenLab, monkeypatch: pytest.MonkeyPatch, what: str, *, stream: bool
) -> None:
    """A server that stops tells the clients that have not got as far as a generation, too."""
    monkeypatch.setattr(proxy_app, "GRACE_S", 0)
    async with open_lab(fetch_media=True) as lab, media_host(lab) as host:
        lab.plan("silence", method=FETCH)
        asked = {"model": NEW} if what == "look-up" else {"messages": host.messages()}
        reader, writer = await asyncio.open_connection("127.0.0.1", lab.port)
        writer.write(chat_request(lab.port, stream=stream, **asked))
        await eventually(lambda: host.visits + len(lab.requests(FETCH)) == 1)
        await lab.server.__aexit__(None, None, None)
        received = await reader.read()
    assert received.startswith(b"HTTP/1.1 503 ")
    assert b'"code":"server_stopping"' in received
    writer.close()


@pytest.mark.parametrize("what", ["look-up", "media"])
@STREAM
async def test_leaving_ends_what_comes_before(open_lab: OpenLab, what: str, *, stream: bool) -> None:
    """A client that leaves before there is a generation leaves nothing behind, and none is begun."""
    async with open_lab(fetch_media=True) as lab, media_host(lab) as host:
        tasks = tasks_beside_connections()
        lab.plan("silence", method=FETCH)
        asked = {"model": NEW} if what == "look-up" else {"messages": host.messages()}
        _, writer = await asyncio.open_connection("127.0.0.1", lab.port)
        writer.write(chat_request(lab.port, stream=stream, **asked))
        await eventually(lambda: host.visits + len(lab.requests(FETCH)) == 1)
        writer.close()
        await settle()
        assert lab.left_over() == {}
        assert host.leavings == host.visits
        assert tasks_beside_connections() <= tasks
        assert lab.requests() == []
        lab.simulator.state.scenarios.clear()
        assert (await lab.chat())[0] == 200
