"""A streamed HTTP answer: late headers, comments while upstream is silent, and an honest end after a failure.

Source:
    SPEC.md, "Streams".
"""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING, Self

from aiohttp import web

from ..errors import ProxyError
from ..translate.problems import to_error_body
from ..translate.sse import KEEPALIVE, encode_frame
from .responses import BROKEN_STATUS, own_failure
from .slow_clients import SlowClientWatch

if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import TracebackType

HEADERS = {
    "Content-Type": "text/event-stream; charset=utf-8",
    "Cache-Control": "no-store",
    "X-Accel-Buffering": "no",
}

log = logging.getLogger(__name__)


class _Response(web.StreamResponse):
    """An answer whose head goes out in one write with the first frames; what opens it writes some at once."""

    _send_headers_immediately = False


class EventStream:
    """Sends server-sent events to one client, as an async context manager.

    While it is open, a comment is sent whenever nothing was written for a while, which also commits the answer.

    Invariant: the status is open until ``is_committed``. An error that ends the block before that passes, to become
    an HTTP error. One that comes after it ends here: it is told in a frame, and the connection is broken off. A
    client that reads the frame raises the error; one that does not sees a broken stream, and does not take half an
    answer for a whole one. So neither ``[DONE]`` nor the end of the body is sent.

    A client that takes nothing for too long is cut off, so that it does not hold the call to Google for ever. What
    the operating system has taken counts as taken.

    Args:
        request: what is answered.
        keepalive_s: silence after which a comment is sent.
        write_timeout_s: how long the client may take nothing of what waits for it.
    """

    def __init__(self, request: web.Request, *, keepalive_s: float, write_timeout_s: float) -> None:
        self._request = request
        self._keepalive_s = keepalive_s
        self._write_timeout_s = write_timeout_s
        self._response = _Response(headers=HEADERS)
        self._commit_lock = asyncio.Lock()
        self._loop = asyncio.get_running_loop()
        self._wrote_at = self._loop.time()
        self._written = 0
        self._silence: asyncio.TimerHandle
        self._watch: SlowClientWatch
        self._comment: asyncio.Task[None] | None = None

    @property
    def is_committed(self) -> bool:
        """Whether the 200 has been sent."""
        return self._response.prepared

    @property
    def response(self) -> web.StreamResponse:
        """What the handler returns."""
        return self._response

    async def __aenter__(self) -> Self:
        self._note_silence_after(self._keepalive_s)
        self._watch = SlowClientWatch(self._request, lambda: self._written, self._write_timeout_s)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        self._watch.stop()
        await self._end_comments()
        if not self.is_committed or not isinstance(error, Exception) or isinstance(error, ConnectionError):
            return False
        if not isinstance(error, ProxyError):
            log.error("a stream failed in a way nobody thought of", exc_info=error)
            error = own_failure()
        await self._fail(error)
        return True

    async def write(self, frames: bytes, headers: Mapping[str, str] | None = None, *, is_last: bool = False) -> None:
        """Send whole frames; the first call sends the headers before them, and the last one the end of the body."""
        if not self.is_committed:
            await self._commit(headers or {})
        if is_last:
            await self._end_comments()  # one behind the end of the body would stand before the next answer
        self._wrote_at = self._loop.time()
        self._written += len(frames)
        await (self._response.write_eof(frames) if is_last else self._response.write(frames))

    async def _end_comments(self) -> None:
        self._silence.cancel()
        if self._comment is not None:
            self._comment.cancel()
            await asyncio.gather(self._comment, return_exceptions=True)

    async def _fail(self, error: ProxyError) -> None:
        log.info("a stream broke off: %s", type(error).__name__)
        self._request[BROKEN_STATUS] = error.status
        transport = self._request.transport
        if transport is None:
            return
        # Closing waits until the client has taken the frame, which one that does not read never does.
        cut_off = self._loop.call_later(self._write_timeout_s, transport.abort)
        await self._response.write(encode_frame(to_error_body(error)))
        transport.close()
        if not transport.get_write_buffer_size():
            cut_off.cancel()

    async def _commit(self, headers: Mapping[str, str]) -> None:
        async with self._commit_lock:
            if not self.is_committed:
                self._response.headers.update(headers)
                await self._response.prepare(self._request)

    def _note_silence_after(self, seconds: float) -> None:
        self._silence = self._loop.call_later(seconds, self._note_silence)

    def _note_silence(self) -> None:
        silent_s = self._loop.time() - self._wrote_at
        if silent_s < self._keepalive_s:
            self._note_silence_after(self._keepalive_s - silent_s)
        else:
            self._comment = self._loop.create_task(self._write_comment())

    async def _write_comment(self) -> None:
        await self.write(KEEPALIVE)
        self._note_silence_after(self._keepalive_s)
