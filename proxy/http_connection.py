"""One connection of the HTTP client, which carries one exchange after the other.

Source:
    RFC 9112 (HTTP/1.1), section 9.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, TypeAlias, cast

from .exchange import Exchange

if TYPE_CHECKING:
    import ssl
    from collections.abc import Mapping

    from yarl import URL

    from .http_client import HttpClient

    Key: TypeAlias = tuple[str, str, int, URL | None, str | None]
    """Scheme, host and port that a connection leads to, and the proxy it goes through with whose login."""

KEEPALIVE_S = 60.0
MAX_PIECE_BYTES = 1024 * 1024
"""Larger requests are sent piece by piece, so that other requests get their turn meanwhile."""


class Connection(asyncio.Protocol):
    """One connection.

    Attributes:
        key: where it leads.
        has_heard: whether anything of an answer to the last request has come.

    Args:
        client: keeps it between calls.
        key: where it leads.
    """

    def __init__(self, client: HttpClient, key: Key) -> None:
        self.key = key
        self.has_heard = False
        self._client = client
        self._loop = asyncio.get_running_loop()
        self._transport: asyncio.Transport
        self._is_made = False
        self._is_over = False
        self._is_sending = False
        self._exchange: Exchange | None = None
        self._may_write: asyncio.Future[None] | None = None
        self._end_of_idling: asyncio.TimerHandle | None = None

    @property
    def is_usable(self) -> bool:
        """Whether a request can be sent."""
        return not self._is_over and not self._transport.is_closing()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the transport; close it when whoever wanted it has gone meanwhile."""
        self._transport = cast("asyncio.Transport", transport)
        self._is_made = True
        if self._is_over:
            self._transport.abort()

    def data_received(self, data: bytes) -> None:
        """Hand bytes to the exchange; what nobody asked for ends the connection."""
        if self._exchange is None:
            self.abort()
            return
        self.has_heard = True
        self._exchange.feed(data)
        if self._is_sending and self._exchange.is_answered:
            self.resume_writing()

    def connection_lost(self, exc: Exception | None) -> None:
        """Tell everybody."""
        self._is_over = True
        self._client.forget(self)
        self._stop_idling()
        self.resume_writing()
        if self._exchange is not None:
            self._exchange.lose(exc)

    def pause_writing(self) -> None:
        """Wait with the rest of a large request."""
        self._may_write = self._loop.create_future()

    def resume_writing(self) -> None:
        """Go on with it."""
        if self._may_write is not None and not self._may_write.done():
            self._may_write.set_result(None)
        self._may_write = None

    def pause_reading(self) -> None:
        """Take nothing more for now."""
        self._transport.pause_reading()

    def resume_reading(self) -> None:
        """Take more again."""
        self._transport.resume_reading()

    async def ask(self, head: bytes, body: bytes, *, has_body: bool) -> Exchange:
        """Send a request; the answer comes later, or before all was sent, which ends the sending.

        Args:
            head: up to the empty line.
            body: what follows it.
            has_body: whether the answer may have one.
        """
        self._stop_idling()
        self.has_heard = False
        self._exchange = exchange = Exchange(self, has_body=has_body)
        if self._is_over:  # nobody will say so again
            exchange.lose()
        elif len(body) <= MAX_PIECE_BYTES:
            self._transport.write(head + body)
        else:
            self._transport.write(head)
            await self._send_pieces(memoryview(body), exchange)
        return exchange

    async def _send_pieces(self, body: memoryview, exchange: Exchange) -> None:
        self._is_sending = True
        for start in range(0, len(body), MAX_PIECE_BYTES):
            self._transport.write(body[start : start + MAX_PIECE_BYTES])
            if self._may_write is not None:
                await self._may_write
            if exchange.is_answered or self._transport.is_closing():
                return
        self._is_sending = False

    async def start_tls(self, context: ssl.SSLContext, host: str) -> None:
        """Speak TLS from now on.

        Raises:
            OSError: the other end does not, or cannot be trusted.
        """
        self._exchange = None
        secured = await self._loop.start_tls(self._transport, self, context, server_hostname=host)
        if secured is None:
            raise ConnectionAbortedError
        self._transport = secured

    def end(self, exchange: Exchange) -> None:
        """An exchange is over: carry another one, or close when this one was not whole."""
        if exchange is not self._exchange:
            return
        self._exchange = None
        is_sent = not self._is_sending and not self._transport.get_write_buffer_size()
        if exchange.keeps_connection and is_sent and self.is_usable:
            self._end_of_idling = self._loop.call_later(KEEPALIVE_S, self._transport.close)
            self._client.keep(self)
        else:
            self.abort()

    def abort(self) -> None:
        """Close at once; uvloop does not tell of the end when TLS never came about."""
        self._is_over = True
        self._client.forget(self)
        if self._is_made:
            self._transport.abort()

    def _stop_idling(self) -> None:
        if self._end_of_idling is not None:
            self._end_of_idling.cancel()
            self._end_of_idling = None


def to_head(verb: str, target: str, headers: Mapping[str, str]) -> bytes:
    """The head of a request.

    Raises:
        ValueError: a header holds a line end, with which it would be two.
    """
    lines = [f"{verb} {target} HTTP/1.1", *(f"{name}: {value}" for name, value in headers.items()), "", ""]
    head = "\r\n".join(lines)
    if head.count("\n") + head.count("\r") != 2 * (len(lines) - 1):
        raise ValueError("a header of a request holds a line end")
    return head.encode()
