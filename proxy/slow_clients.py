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


class SlowClientWatch:
    """Watches a client until it is stopped, and breaks its connection when it takes nothing for too long.

    What the operating system has taken counts as taken. It works by a timer, so that writing costs no more for it.

    Args:
        request: whose connection.
        written: how many bytes have been given to the connection so far.
        limit_s: how long the client may take nothing of what waits for it.
    """

    def __init__(self, request: web.Request, written: Callable[[], int], limit_s: float) -> None:
        self._request = request
        self._written = written
        self._limit_s = limit_s
        self._loop = asyncio.get_running_loop()
        self._most_taken, self._taken_at = 0, self._loop.time()
        self._timer = self._loop.call_later(limit_s / LOOKS, self._look)

    def stop(self) -> None:
        """Watch no longer."""
        self._timer.cancel()

    def _look(self) -> None:
        transport = self._request.transport
        if transport is None:
            return
        waiting = transport.get_write_buffer_size()
        taken = self._written() - waiting
        if not waiting or taken > self._most_taken:
            self._most_taken, self._taken_at = taken, self._loop.time()
        elif self._loop.time() - self._taken_at >= self._limit_s:
            log.info("a client took nothing for %g s and is cut off", self._limit_s)
            transport.abort()
            return
        self._timer = self._loop.call_later(self._limit_s / LOOKS, self._look)


async def send_whole(request: web.Request, response: web.Response, limit_s: float) -> bool:
    """Send an answer that is not streamed; a large one only as long as the client takes it.

    Returns:
        Whether the client is still there.
    """
    size, transport = response.content_length or 0, request.transport
    if size <= LARGE_BYTES or transport is None:
        return True  # the library sends it, and need not wait
    watch = SlowClientWatch(request, lambda: size, limit_s)
    transport.set_write_buffer_limits(high=0)  # so that the end is reached when everything was taken
    try:
        await response.prepare(request)
        await response.write_eof()
    except ConnectionError:
        return False
    finally:
        transport.set_write_buffer_limits()
        watch.stop()
    return True
