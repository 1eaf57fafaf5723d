"""Clients that do not take what they asked for: they are cut off, so that they hold nothing here for ever.

Source:
    SPEC.md, "Time limits".
"""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from aiohttp import web

LOOKS = 8
"""How often the connection is looked at within the limit."""

LARGE_BYTES = 64 * 1024
"""An answer that is not larger goes out without waiting for the client."""

log = logging.getLogger(__name__)


async def cut_off(request: web.Request, written: Callable[[], int], limit_s: float) -> None:
    """Watch a client, and break its connection when it takes nothing for too long.

    What the operating system has taken counts as taken.

    Args:
        request: whose connection.
        written: how many bytes have been given to the connection so far.
        limit_s: how long the client may take nothing of what waits for it.
    """
    loop = asyncio.get_running_loop()
    most_taken, taken_at = 0, loop.time()
    while (transport := request.transport) is not None:
        waiting = transport.get_write_buffer_size()
        taken = written() - waiting
        if not waiting or taken > most_taken:
            most_taken, taken_at = taken, loop.time()
        elif loop.time() - taken_at >= limit_s:
            log.info("a client took nothing for %g s and is cut off", limit_s)
            transport.abort()
            return
        await asyncio.sleep(limit_s / LOOKS)


async def send_whole(request: web.Request, response: web.Response, limit_s: float) -> bool:
    """Send an answer that is not streamed; a large one only as long as the client takes it.

    Returns:
        Whether the client is still there.
    """
    size, transport = response.content_length or 0, request.transport
    if size <= LARGE_BYTES or transport is None:
        return True  # the library sends it, and need not wait
    watch = asyncio.create_task(cut_off(request, lambda: size, limit_s))
    transport.set_write_buffer_limits(high=0)  # so that the end is reached when everything was taken
    try:
        await response.prepare(request)
        await response.write_eof()
    except ConnectionError:
        return False
    finally:
        transport.set_write_buffer_limits()
        watch.cancel()
        await asyncio.gather(watch, return_exceptions=True)
    return True
