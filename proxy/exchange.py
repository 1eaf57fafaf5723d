"""One HTTP request and its answer, which is handed on as its bytes come.

Everything that has come is handed out as one piece, however many chunks it was sent in.

Source:
    RFC 9112 (HTTP/1.1); httptools parses.
"""

from __future__ import annotations

import asyncio
import zlib
from typing import TYPE_CHECKING, Protocol

import httptools

from ..errors import UpstreamGarbledError, UpstreamUnreachableError
from .inflater import Inflater

if TYPE_CHECKING:
    from ..errors import ProxyError

MAX_HEAD_BYTES = 64 * 1024
"""Most that may come of headers, and of trailers, before something else does."""

MAX_WAITING_BYTES = 256 * 1024
"""With so much that nobody has read yet, a connection is not read from."""

IDENTITY = b"identity"
ZLIB_ENCODINGS = frozenset({b"gzip", b"x-gzip", b"deflate"})
"""What an answer may be encoded in, though nobody has asked for it."""

BROKEN = "The connection to Google broke in the middle of the answer. Send the request again."


class Carrier(Protocol):
    """The connection that carries an exchange."""

    def pause_reading(self) -> None:
        """Take nothing more for now."""
        ...

    def resume_reading(self) -> None:
        """Take more again."""
        ...

    def end(self, exchange: Exchange) -> None:
        """An exchange is over, whole or not; nothing when it is not the last one."""
        ...


class Exchange:
    """One request and its answer.

    Attributes:
        status: HTTP status; 0 until the head has come.
        headers: by name in lower case, as bytes.
        is_complete: whether the whole answer has come.
        on_body: takes a part of the body.

    Args:
        carrier: its connection.
        has_body: whether the answer may have a body; that to HEAD has none, whatever its headers say.

    Invariant: ``_waiter`` is there while somebody waits, and nobody waits while there is something to take.
    """

    def __init__(self, carrier: Carrier, *, has_body: bool) -> None:
        self.status = 0
        self.headers: dict[bytes, bytes] = {}
        self.is_complete = False
        self._carrier = carrier
        self._has_body = has_body
        self._chunks: list[bytes] = []
        # The parser calls this with each part of the body: of one read there may be hundreds.
        self.on_body = self._chunks.append
        self._parser = httptools.HttpResponseParser(self)
        self._loop = asyncio.get_running_loop()
        self._inflater: Inflater | None = None
        self._has_ended = False
        self._may_go_on = False
        self._bodiless_bytes = 0
        self._header_bytes = 0
        self._pieces: list[bytes] = []
        self._waiting_bytes = 0
        self._waiter: asyncio.Future[None] | None = None
        self._failure: ProxyError | None = None
        self._until_s: float | None = None
        self._timer: asyncio.TimerHandle | None = None

    @property
    def keeps_connection(self) -> bool:
        """Whether the connection can carry another exchange: nothing of this one is left in it, or waits here."""
        return self.is_read and self._may_go_on

    @property
    def is_answered(self) -> bool:
        """Whether the head is there, or is known not to come."""
        return bool(self.status) or self._failure is not None

    @property
    def is_read(self) -> bool:
        """Whether the whole answer has come and was handed out."""
        return self.is_complete and not self._pieces

    def on_message_begin(self) -> None:
        """Take the first byte of an answer; the parser calls this."""
        if self._has_ended:
            raise ValueError("an answer that nobody has asked for")

    def on_header(self, name: bytes, value: bytes) -> None:
        """Take a header; the parser calls this."""
        self._header_bytes += len(name) + len(value)
        if self._header_bytes > MAX_HEAD_BYTES:
            raise ValueError("too many headers")
        self.headers[name.lower()] = value

    def on_headers_complete(self) -> None:
        """Take the end of the head; the parser calls this. What is said in advance (1xx) counts for nothing."""
        status = self._parser.get_status_code()
        if status < 200:
            self.headers.clear()
            return
        self.status = status
        self.is_complete = not self._has_body
        self._may_go_on = self._has_body and self._parser.should_keep_alive()
        encoding = self.headers.get(b"content-encoding", IDENTITY).lower()
        if encoding in ZLIB_ENCODINGS:
            self._inflater = Inflater()
        elif encoding != IDENTITY:
            raise ValueError(encoding)

    def on_message_complete(self) -> None:
        """Take the end of the answer; the parser calls this."""
        if self.status:
            self._has_ended = True
            self._take_body()
            self._complete()

    def _take_body(self) -> None:
        """Take what the parser has found of the body."""
        if not self._chunks:
            return
        data = b"".join(self._chunks)
        self._chunks.clear()
        self._bodiless_bytes = 0
        if self._inflater is None:
            self._keep(data)
        else:
            self._inflater.feed(data)
            self._inflate(self._inflater)

    def _keep(self, data: bytes) -> None:
        if data:
            self._pieces.append(data)
        self._waiting_bytes += len(data)

    def _inflate(self, inflater: Inflater) -> None:
        """Decode as much as may wait."""
        try:
            self._keep(inflater.take(MAX_WAITING_BYTES + 1 - self._waiting_bytes))
        except zlib.error:
            self._fail(UpstreamGarbledError("Google's answer cannot be decompressed. Send the request again."))

    def _complete(self) -> None:
        """With its last byte an answer is complete, unless its compressed text goes on."""
        if self._failure is not None or (self._inflater is not None and self._inflater.has_rest):
            return
        if self._inflater is None or self._inflater.is_whole:
            self.is_complete = True
        else:
            self._fail(UpstreamGarbledError(BROKEN))

    def feed(self, data: bytes) -> None:
        """Take what has come over the connection."""
        if self._has_ended:
            self._may_go_on = False
        self._bodiless_bytes += len(data)
        try:
            self._parser.feed_data(data)
        except (httptools.HttpParserError, httptools.HttpParserUpgrade) as exc:
            self._may_go_on = False
            self._fail(
                UpstreamGarbledError(
                    f"Google's answer is not proper HTTP ({type(exc).__name__}). Send the request again; if that "
                    "fails too, check the proxy variables."
                )
            )
        self._take_body()
        if self._bodiless_bytes > MAX_HEAD_BYTES:
            self._fail(UpstreamGarbledError("Google's answer has headers without end. Send the request again."))
        if self._waiting_bytes > MAX_WAITING_BYTES:
            self._carrier.pause_reading()
        self._wake()

    def lose(self, cause: Exception | None = None) -> None:
        """Take the end of the connection, which ends an answer that does not say how long it is.

        Args:
            cause: why it broke; None when the other end has closed it in good order.
        """
        if not self.status:
            self._fail(UpstreamUnreachableError("Google closed the connection without an answer. Send it again."))
        elif cause is None and {b"content-length", b"transfer-encoding"}.isdisjoint(self.headers):
            self._has_ended = True
            self._complete()
        elif not self._has_ended:
            self._fail(UpstreamGarbledError(BROKEN))
        self._wake()

    def _fail(self, error: ProxyError) -> None:
        if not self.is_complete and self._failure is None:
            self._failure = error

    async def wait_for_head(self) -> None:
        """Wait until status and headers are there.

        Raises:
            ProxyError: they did not come.
        """
        while not self.status:
            await self._wait(None)

    async def read(self, until_s: float | None = None) -> bytes:
        """All bytes that have come; waits for the first; empty at the end.

        Args:
            until_s: how long to wait, in the event loop's time.

        Raises:
            ProxyError: the answer broke off.
            TimeoutError: nothing has come in time.
        """
        while not self._pieces:
            if self.is_complete:
                return b""
            await self._wait(until_s)
        data = self._pieces[0] if len(self._pieces) == 1 else b"".join(self._pieces)
        self._pieces.clear()
        was_full = self._waiting_bytes > MAX_WAITING_BYTES
        self._waiting_bytes = 0
        if self._inflater is not None and self._inflater.has_rest:
            self._inflate(self._inflater)
            if self._has_ended:
                self._complete()
        if was_full and self._waiting_bytes <= MAX_WAITING_BYTES:
            self._carrier.resume_reading()
        return data

    async def _wait(self, until_s: float | None) -> None:
        if self._failure is not None:
            raise self._failure
        self._waiter = self._loop.create_future()
        self._until_s = until_s
        if until_s is not None and (self._timer is None or until_s < self._timer.when()):
            # One timer looks after all reads whose limits come later, so that a read costs none of its own.
            if self._timer is not None:
                self._timer.cancel()
            self._timer = self._loop.call_at(until_s, self._look)
        try:
            await self._waiter
        finally:
            self._waiter = None

    def _look(self) -> None:
        self._timer = None
        if self._waiter is None or self._waiter.done() or self._until_s is None:
            return
        if self._loop.time() >= self._until_s:
            self._waiter.set_exception(TimeoutError())
        else:
            self._timer = self._loop.call_at(self._until_s, self._look)

    def _wake(self) -> None:
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)

    def close(self) -> None:
        """Give the connection back, or close it when there is more to come."""
        if self._timer is not None:
            self._timer.cancel()
        self._carrier.end(self)
