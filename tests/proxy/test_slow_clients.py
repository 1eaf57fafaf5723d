"""Tests of clients that do not take their answers; those of streams are tested with the streams."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest
from aiohttp import web

from .conftest import eventually, settle

if TYPE_CHECKING:
    from collections.abc import Callable

    from .conftest import Leap, OpenLab

SIZE = 24 * 2**20
ASK = b"GET /large HTTP/1.1\r\nHost: localhost\r\n\r\n"


def add_large(size: int) -> Callable[[web.Application], None]:
    """Adds a route whose answer has so many bytes."""

    async def handle(_request: web.Request) -> web.Response:
        return web.Response(body=b"1" * size)

    return lambda app: app.router.add_get("/large", handle)  # type: ignore[return-value]


async def test_client_that_does_not_take_a_whole_answer_is_cut_off(
    open_lab: OpenLab, leap: Leap, caplog: pytest.LogCaptureFixture
) -> None:
    """A client that asks for something large and does not read loses its connection, and counts as one that left."""
    async with open_lab(idle_timeout=40, extend=add_large(SIZE)) as lab:
        _, writer = await asyncio.open_connection("127.0.0.1", lab.port, limit=1_024)
        writer.write(ASK)
        await eventually(lambda: b"requests_running 1" in lab.services.metrics.render())
        seconds = 0
        while lab.open_connections() and seconds < 500:  # the operating systems of both ends take some of it first
            await settle()
            leap(1)
            seconds += 1
        assert lab.open_connections() == 0
        assert b'route="/large",status="499"' in lab.services.metrics.render()
        writer.close()
    assert caplog.records == []


async def test_slow_client_gets_a_whole_answer(open_lab: OpenLab, leap: Leap) -> None:
    """A client that takes something now and then gets everything, and its connection stays usable."""
    async with open_lab(idle_timeout=20, extend=add_large(SIZE)) as lab:
        reader, writer = await asyncio.open_connection("127.0.0.1", lab.port, limit=2**16)
        for _ in range(2):
            writer.write(ASK)
            await reader.readuntil(b"\r\n\r\n")
            received = 0
            while received < SIZE:
                received += len(await reader.read(2**19))
                leap(0.25)
                await asyncio.sleep(0)
            assert received == SIZE
        writer.close()
        await writer.wait_closed()


@pytest.mark.parametrize("size", [1, 64 * 1024, 64 * 1024 + 1])
async def test_answers_of_any_size_are_sent_once(open_lab: OpenLab, size: int) -> None:
    """Small and large answers come whole, one after the other on one connection."""
    async with open_lab(extend=add_large(size)) as lab:
        for _ in range(3):
            async with lab.http.get(f"{lab.url}/large") as response:
                assert await response.read() == b"1" * size
            async with lab.http.head(f"{lab.url}/large") as response:
                assert response.headers["Content-Length"] == str(size)
