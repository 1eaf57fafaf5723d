"""A streamed HTTP answer: late headers, comments while upstream is silent, and an honest end after a failure.

Source:
    SPEC.md, "Streams".
"""

from __future__ import annotations

import asyncio
import logging
import socket
from typing import TYPE_CHECKING, Self

from aiohttp import web

from ..errors import ProxyError
from ..translate.problems import to_error_body
from ..translate.sse import KEEPALIVE, encode_frame
from .responses import BROKEN_STATUS, own_failure

if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import TracebackType

HEADERS = {
    "Content-Type": "text/event-stream; charset=utf-8",
    "Cache-Control": "no-store",
    "X-Accel-Buffering": "no",
}

MAX_UNSENT_BYTES = 256 * 1024
"""What the operating system takes at most beyond what it has sent, where it can be told so (Linux, macOS)."""

LOOKS = 8
"""How often a write that waits is looked at within its limit."""

log = logging.getLogger(__name__)


class EventStream:
    """Sends server-sent events to one client, as an async context manager.

    While it is open, a comment is sent whenever nothing was written for a while, which also commits the answer.

    Invariant: the status is open until ``is_committed``. An error that ends the block before that passes, to become
    an HTTP error. One that comes after it ends here: it is told in a frame, and the connection is broken off. A
    client that reads the frame raises the error; one that does not sees a broken stream, and does not take half an
    answer for a whole one. So neither ``[DONE]`` nor the end of the body is sent.

    A client that takes nothing for too long is cut off, so that it does not hold the call to Google for ever.

    Args:
        request: what is answered.
        keepalive_s: silence after which a comment is sent.
        write_timeout_s: how long the client may take nothing of a write.
    """

    def __init__(self, request: web.Request, *, keepalive_s: float, write_timeout_s: float) -> None:
        self._request = request
        self._keepalive_s = keepalive_s
        self._write_timeout_s = write_timeout_s
        self._response = web.StreamResponse(headers=HEADERS)
        self._commit_lock = asyncio.Lock()
        self._wrote_at = asyncio.get_running_loop().time()
        self._beat: asyncio.Task[None] | None = None

    @property
    def is_committed(self) -> bool:
        """Whether the 200 has been sent."""
        return self._response.prepared

    @property
    def response(self) -> web.StreamResponse:
        """What the handler returns."""
        return self._response

    async def __aenter__(self) -> Self:
        self._beat = asyncio.create_task(self._keep_alive())
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        assert self._beat is not None
        self._beat.cancel()
        await asyncio.gather(self._beat, return_exceptions=True)
        if not self.is_committed or not isinstance(error, Exception) or isinstance(error, ConnectionError):
            return False
        if not isinstance(error, ProxyError):
            log.error("a stream failed in a way nobody thought of", exc_info=error)
            error = own_failure()
        await self._fail(error)
        return True

    async def write(self, frames: bytes, headers: Mapping[str, str] | None = None) -> None:
        """Send whole frames; the first call sends the headers before them."""
        if not self.is_committed:
            await self._commit(headers or {})
        self._wrote_at = asyncio.get_running_loop().time()
        with _WriteGuard(self._request.transport, self._write_timeout_s):
            await self._response.write(frames)

    async def _fail(self, error: ProxyError) -> None:
        log.info("a stream broke off: %s", type(error).__name__)
        self._request[BROKEN_STATUS] = error.status
        transport = self._request.transport
        if transport is None:
            return
        # Closing waits until the client has taken the frame, which one that does not read never does.
        cut_off = asyncio.get_running_loop().call_later(self._write_timeout_s, transport.abort)
        await self._response.write(encode_frame(to_error_body(error)))
        transport.close()
        if not transport.get_write_buffer_size():
            cut_off.cancel()

    async def _commit(self, headers: Mapping[str, str]) -> None:
        async with self._commit_lock:
            if not self.is_committed:
                _limit_unsent(self._request.transport)
                self._response.headers.update(headers)
                await self._response.prepare(self._request)

    async def _keep_alive(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            silent_s = loop.time() - self._wrote_at
            if silent_s < self._keepalive_s:
                await asyncio.sleep(self._keepalive_s - silent_s)
            else:
                await self.write(KEEPALIVE)


def _limit_unsent(transport: asyncio.Transport | None) -> None:
    """Keep the operating system from taking megabytes at once, which would look as if the client had taken them."""
    connection = None if transport is None else transport.get_extra_info("socket")
    option = getattr(socket, "TCP_NOTSENT_LOWAT", None)
    if connection is not None and option is not None:
        connection.setsockopt(socket.IPPROTO_TCP, option, MAX_UNSENT_BYTES)


class _WriteGuard:
    """Breaks a connection while something is being written to it and its client takes nothing, as a context manager.

    What the operating system has taken counts as taken by the client.

    Args:
        transport: the connection; None when it is gone already.
        timeout_s: how long a client may take nothing.
    """

    def __init__(self, transport: asyncio.Transport | None, timeout_s: float) -> None:
        self._transport = transport
        self._timeout_s = timeout_s
        self._loop = asyncio.get_running_loop()
        self._handle: asyncio.TimerHandle | None = None
        self._waiting: int | None = None
        self._taken_at = 0.0

    def __enter__(self) -> None:
        self._arm()

    def __exit__(self, *_: object) -> None:
        if self._handle is not None:
            self._handle.cancel()

    def _arm(self) -> None:
        self._handle = self._loop.call_later(self._timeout_s / LOOKS, self._look)

    def _look(self) -> None:
        if self._transport is None:
            return
        waiting, now = self._transport.get_write_buffer_size(), self._loop.time()
        if self._waiting is None or waiting < self._waiting:
            self._waiting, self._taken_at = waiting, now
        elif now - self._taken_at >= self._timeout_s:
            log.info("a client took nothing for %g s and is cut off", self._timeout_s)
            self._transport.abort()
            return
        self._arm()
