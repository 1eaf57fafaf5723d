"""Takes the steps of a delivery: writes, waits, and breaks connections."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from aiohttp import web

from .delivery import Begin, Send, Step, Wait

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

WRITES_PER_TURN = 16
"""After so many writes the other streams get their turn, even when nothing has to be waited for."""


async def play(
    request: web.Request, steps: Iterable[Step], headers: Mapping[str, str], status: int = 200
) -> web.StreamResponse:
    """Answer a request step by step.

    Args:
        request: what is answered.
        steps: what to do in which order.
        headers: of the response.
        status: of the response.

    Returns:
        The response, finished or broken off.
    """
    response = web.StreamResponse(status=status, headers=headers)
    writes = 0
    for step in steps:
        match step:
            case Wait(seconds):
                await asyncio.sleep(seconds)
            case Begin():
                await _begin(response, request)
            case Send(data):
                await _begin(response, request)
                await response.write(data)
                writes += 1
                if writes % WRITES_PER_TURN == 0:
                    await asyncio.sleep(0)
            case _:
                # Only breaking the connection is left; a client that has gone has done so itself.
                if request.transport is not None:
                    request.transport.abort()
                return response
    await _begin(response, request)
    await response.write_eof()
    return response


async def _begin(response: web.StreamResponse, request: web.Request) -> None:
    if not response.prepared:
        await response.prepare(request)
