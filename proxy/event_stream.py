"""A streamed HTTP answer: late headers, comments while upstream is silent, and an honest end after a failure.

Source:
    SPEC.md, "Streams".
"""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from aiohttp import web

from ..translate.problems import to_error_body
from ..translate.sse import KEEPALIVE, encode_frame

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Mapping

    from ..errors import ProxyError

HEADERS = {
    "Content-Type": "text/event-stream; charset=utf-8",
    "Cache-Control": "no-store",
    "X-Accel-Buffering": "no",
}


class EventStream:
    """Sends server-sent events to one client.

    Invariant: the status is open until ``is_committed``; only then may a failure no longer become an HTTP error.

    Args:
        request: what is answered.
        keepalive_s: silence after which a comment is sent.
    """

    def __init__(self, request: web.Request, *, keepalive_s: float) -> None:
        self._request = request
        self._keepalive_s = keepalive_s
        self._response = web.StreamResponse(headers=HEADERS)
        self._commit_lock = asyncio.Lock()
        self._wrote_at = asyncio.get_running_loop().time()

    @property
    def is_committed(self) -> bool:
        """Whether the 200 has been sent."""
        return self._response.prepared

    @property
    def response(self) -> web.StreamResponse:
        """What the handler returns."""
        return self._response

    @asynccontextmanager
    async def kept_alive(self) -> AsyncGenerator[None]:
        """Send a comment whenever nothing was written for a while, which also commits the answer."""
        beat = asyncio.create_task(self._beat())
        try:
            yield
        finally:
            beat.cancel()
            await asyncio.gather(beat, return_exceptions=True)

    async def write(self, frames: bytes, headers: Mapping[str, str] | None = None) -> None:
        """Send whole frames; the first call sends the headers before them."""
        if not self.is_committed:
            await self._commit(headers or {})
        self._wrote_at = asyncio.get_running_loop().time()
        await self._response.write(frames)

    async def fail(self, error: ProxyError) -> None:
        """Say what went wrong and break the connection off.

        A client that reads the frame raises the error; one that does not sees a broken stream, and does not take half
        an answer for a whole one. So neither ``[DONE]`` nor the end of the body is sent.
        """
        await self._response.write(encode_frame(to_error_body(error)))
        if (transport := self._request.transport) is not None:
            transport.close()

    async def _commit(self, headers: Mapping[str, str]) -> None:
        async with self._commit_lock:
            if not self.is_committed:
                self._response.headers.update(headers)
                await self._response.prepare(self._request)

    async def _beat(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            silent_s = loop.time() - self._wrote_at
            if silent_s < self._keepalive_s:
                await asyncio.sleep(self._keepalive_s - silent_s)
            else:
                await self.write(KEEPALIVE)
