"""Tests of one connection of the HTTP client, over real sockets."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest
import uvloop

from antigravity_proxy.errors import UpstreamUnreachableError
from antigravity_proxy.proxy import http_connection
from antigravity_proxy.proxy.http_client import HttpClient
from antigravity_proxy.proxy.http_connection import MAX_PIECE_BYTES, to_head
from antigravity_proxy.proxy.way import DIRECT

from .conftest import eventually, settle
from .raw_server import asked, raw_server, reply

if TYPE_CHECKING:
    from collections.abc import Callable

    from .raw_server import Step

CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"


def test_header_cannot_hold_a_line_end() -> None:
    """A value that would make two headers is refused before anything is sent."""
    assert to_head("GET", "/", {"A": "b"}) == b"GET / HTTP/1.1\r\nA: b\r\n\r\n"
    for end in "\r\n":
        with pytest.raises(ValueError, match="line end"):
            to_head("GET", "/", {"A": f"b{end}C: d"})


async def test_answer_that_is_closed_twice_ends_no_other() -> None:
    """Once its connection carries another exchange, closing an answer again changes nothing."""
    async with raw_server([reply(b"a")], is_kept_open=True) as server, HttpClient() as client:
        first = await client.send("POST", server.url, {}, b"", DIRECT)
        await first.read()
        first.close()
        second = await client.send("POST", server.url, {}, b"", DIRECT)
        first.close()
        assert await second.read() == b"a"
        second.close()
        assert (server.connections, client.connections) == (1, (1, 1))


async def test_idle_connection_is_closed_after_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    """A connection that nobody uses does not stay for ever."""
    monkeypatch.setattr(http_connection, "KEEPALIVE_S", 0.01)
    async with raw_server([reply(b"a")], is_kept_open=True) as server, HttpClient() as client:
        await asked(client, server.url)
        await eventually(lambda: client.connections == (0, 0))


async def test_bytes_that_nobody_asked_for_end_a_connection() -> None:
    """An idle connection that speaks is closed: its next answer would be that of another request."""
    steps: list[Step] = [reply(b"a"), 0.02, reply(b"stray")]
    async with raw_server(steps, is_kept_open=True) as server, HttpClient() as client:
        assert await asked(client, server.url) == b"a"
        assert client.connections == (1, 1)
        await eventually(lambda: client.connections == (0, 0))


async def test_answer_that_is_left_ends_its_connection() -> None:
    """Closing an answer before its end, and being cancelled before its head, close the connection."""
    async with raw_server([CHUNKED + b"1\r\na\r\n", 30], [30]) as server, HttpClient() as client:
        exchange = await client.send("POST", server.url, {}, b"", DIRECT)
        assert await exchange.read() == b"a"
        exchange.close()
        await settle()
        assert client.connections == (0, 0)
        calling = asyncio.create_task(asked(client, server.url))
        await eventually(lambda: len(server.requests) == 2)
        calling.cancel()
        await settle()
        assert client.connections == (0, 0)


async def test_large_body_waits_for_the_other_end() -> None:
    """A body that the other end does not take waits, and is given up when the connection closes."""
    begun = asyncio.Event()

    async def serve(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await begun.wait()
        writer.transport.abort()

    listening = await asyncio.start_server(serve, "127.0.0.1", 0, limit=1024)
    url = f"http://127.0.0.1:{listening.sockets[0].getsockname()[1]}"
    async with HttpClient() as client:
        calling = asyncio.create_task(asked(client, url, body=bytes(40 * MAX_PIECE_BYTES)))
        await eventually(lambda: client.connections == (1, 0))
        await settle()
        assert not calling.done()
        begun.set()
        with pytest.raises(UpstreamUnreachableError):
            await calling
    listening.close()


async def check_early_answer() -> None:
    """A large body is not sent on after the answer has come, and its connection carries no other."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(reply(b"too large", status=400))
        await reader.read(1)
        await left.wait()
        writer.transport.abort()

    left = asyncio.Event()
    listening = await asyncio.start_server(serve, "127.0.0.1", 0, limit=1024)
    url = f"http://127.0.0.1:{listening.sockets[0].getsockname()[1]}"
    async with HttpClient() as client:
        exchange = await client.send("POST", url, {}, bytes(20 * MAX_PIECE_BYTES), DIRECT)
        assert (exchange.status, await exchange.read()) == (400, b"too large")
        exchange.close()
        await eventually(lambda: client.connections == (0, 0))
    left.set()
    listening.close()


@pytest.mark.parametrize("new_loop", [asyncio.new_event_loop, uvloop.new_event_loop], ids=["asyncio", "uvloop"])
def test_answer_before_the_end_of_a_request_is_seen(new_loop: Callable[[], asyncio.AbstractEventLoop]) -> None:
    """In both event loops a refusal that comes early is handed out without waiting for the rest of the request."""
    with asyncio.Runner(loop_factory=new_loop) as runner:
        runner.run(check_early_answer())
