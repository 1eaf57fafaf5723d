"""The HTTP client: connections to Google, opened where they must be and kept for the next call.

A call costs a third of what it does with aiohttp's client, and an event of a stream far less. asyncio has the sockets
and TLS, aiohappyeyeballs chooses among the addresses of a name, httptools parses.

Source:
    RFC 9112 (HTTP/1.1) and RFC 9110, section 9.3.6 (CONNECT).
"""

from __future__ import annotations

import asyncio
import ssl
from dataclasses import dataclass
from functools import cached_property, lru_cache
from socket import SOCK_STREAM
from typing import TYPE_CHECKING, Self, cast
from urllib.parse import urlsplit

from aiohappyeyeballs import start_connection  # pyright: ignore[reportUnknownVariableType] -- a bare tuple

from ..errors import UpstreamTimeoutError, UpstreamUnreachableError
from .exchange import Exchange
from .way import PROXY_LOGIN

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import TypeAlias

    from yarl import URL

    from .way import Way

    _Key: TypeAlias = tuple[str, str, int, URL | None, str | None]
    """Scheme, host and port that a connection leads to, and the proxy it goes through with whose login."""

CONNECT_TIMEOUT_S = 10.0
KEEPALIVE_S = 60.0
MAX_PIECE_BYTES = 1024 * 1024
"""Larger requests are sent piece by piece, so that other requests get their turn meanwhile."""

ADDRESS_DELAY_S = 0.25
"""After this the next address of a name is tried beside the first. Source: RFC 8305, section 5."""

DEFAULT_PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True, slots=True)
class Address:
    """Where a URL leads.

    Attributes:
        scheme: ``http`` or ``https``.
        host: without brackets.
        port: the scheme's own where the URL names none.
        netloc: the Host header.
        target: path and query.
    """

    scheme: str
    host: str
    port: int
    netloc: str
    target: str


@lru_cache(maxsize=64)
def read_url(url: str) -> Address:
    """Where a URL leads; calls go to few of them."""
    parts = urlsplit(url)
    target = f"{parts.path or '/'}?{parts.query}" if parts.query else parts.path or "/"
    port = parts.port or DEFAULT_PORTS[parts.scheme]
    return Address(parts.scheme, parts.hostname or "", port, parts.netloc.rpartition("@")[2], target)


class HttpClient:
    """All connections of one server, as an async context manager that closes them.

    Args:
        new_ssl_context: makes what TLS goes by; it is asked once, and not before TLS is needed.
    """

    def __init__(self, new_ssl_context: Callable[[], ssl.SSLContext] = ssl.create_default_context) -> None:
        self._new_ssl_context = new_ssl_context
        self._open: set[Connection] = set()
        self._idle: dict[_Key, list[Connection]] = {}

    @cached_property
    def _ssl_context(self) -> ssl.SSLContext:
        return self._new_ssl_context()

    @property
    def connections(self) -> tuple[int, int]:
        """How many connections there are, and how many of them wait for a call."""
        return len(self._open), sum(map(len, self._idle.values()))

    async def send(self, verb: str, url: str, headers: Mapping[str, str], body: bytes | None, way: Way) -> Exchange:
        """Send a request, and hand out the answer when its head is there; whoever takes it must close it.

        Raises:
            ProxyError: there is no connection, or no answer came.
        """
        address = read_url(url)
        proxy = way["proxy"]
        key = (address.scheme, address.host, address.port, proxy, (way["proxy_headers"] or {}).get(PROXY_LOGIN))
        connection = self._take(key) or await self._connect(key, address, way)
        try:
            sent = headers if body is None else {**headers, "Content-Length": str(len(body))}
            head = to_head(verb, address.target, {"Host": address.netloc, **sent})
            exchange = await connection.ask(head, body or b"", has_body=verb != "HEAD")
            await exchange.wait_for_head()
        except BaseException:
            connection.abort()
            raise
        return exchange

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        for connection in tuple(self._open):
            connection.abort()
        await asyncio.sleep(0)  # the event loop closes the sockets in its next turn

    def keep(self, connection: Connection) -> None:
        """Keep a connection for the next call."""
        self._idle.setdefault(connection.key, []).append(connection)

    def learn(self, connection: Connection) -> None:
        """There is a new connection."""
        self._open.add(connection)

    def forget(self, connection: Connection) -> None:
        """A connection is no more."""
        self._open.discard(connection)
        idle = self._idle.get(connection.key, [])
        if connection in idle:
            idle.remove(connection)

    def _take(self, key: _Key) -> Connection | None:
        idle = self._idle.get(key)
        while idle:
            if (connection := idle.pop()).is_usable:
                return connection
        return None

    async def _connect(self, key: _Key, address: Address, way: Way) -> Connection:
        place = f"{address.host}:{address.port}"
        try:
            async with asyncio.timeout(CONNECT_TIMEOUT_S):
                return await self._open_way(key, address, way)
        except TimeoutError as exc:
            raise UpstreamTimeoutError(
                f"No connection to Google came about within {CONNECT_TIMEOUT_S:g} s. Send the request again."
            ) from exc
        except ssl.SSLCertVerificationError as exc:
            raise UpstreamUnreachableError(
                f"The certificate of {address.host} is not trusted on this machine. Check its clock and "
                "certificates, and the proxy variables."
            ) from exc
        except OSError as exc:
            raise UpstreamUnreachableError(
                f"There is no connection to {place}. Check the network and the proxy variables."
            ) from exc

    async def _open_way(self, key: _Key, address: Address, way: Way) -> Connection:
        proxy = way["proxy"]
        if proxy is None:
            return await self._open_to(key, address.scheme, address.host, address.port)
        proxy_port = proxy.port or DEFAULT_PORTS[proxy.scheme]
        try:
            connection = await self._open_to(key, proxy.scheme, proxy.host or "", proxy_port)
        except OSError as exc:
            raise UpstreamUnreachableError(
                f"There is no connection to the HTTP proxy {proxy.host}:{proxy_port}. Check the account's own proxy "
                "(`antigravity-proxy accounts list`), or HTTPS_PROXY and NO_PROXY."
            ) from exc
        try:
            await self._tunnel(connection, address, way["proxy_headers"] or {})
        except BaseException:
            connection.abort()
            raise
        return connection

    async def _tunnel(self, connection: Connection, address: Address, headers: Mapping[str, str]) -> None:
        """Have a proxy connect us on."""
        place = f"{address.host}:{address.port}"
        exchange = await connection.ask(to_head("CONNECT", place, {"Host": place, **headers}), b"", has_body=False)
        await exchange.wait_for_head()
        if exchange.status != 200:
            raise UpstreamUnreachableError(
                f"The HTTP proxy does not let us through to Google (status {exchange.status}). Check the account's "
                "own proxy (`antigravity-proxy accounts list`), or HTTPS_PROXY and NO_PROXY."
            )
        if address.scheme == "https":
            await connection.start_tls(self._ssl_context, address.host)

    async def _open_to(self, key: _Key, scheme: str, host: str, port: int) -> Connection:
        loop = asyncio.get_running_loop()
        opened = await start_connection(
            await loop.getaddrinfo(host, port, type=SOCK_STREAM), happy_eyeballs_delay=ADDRESS_DELAY_S
        )
        is_secure = scheme == "https"
        _, connection = await loop.create_connection(
            lambda: Connection(self, key),
            sock=opened,
            ssl=self._ssl_context if is_secure else None,
            server_hostname=host if is_secure else None,
        )
        return connection


class Connection(asyncio.Protocol):
    """One connection, which carries one exchange after the other.

    Attributes:
        key: where it leads.

    Args:
        client: keeps it between calls.
        key: where it leads.
    """

    def __init__(self, client: HttpClient, key: _Key) -> None:
        self.key = key
        self._client = client
        self._loop = asyncio.get_running_loop()
        self._transport: asyncio.Transport
        self._exchange: Exchange | None = None
        self._may_write: asyncio.Future[None] | None = None
        self._end_of_idling: asyncio.TimerHandle | None = None

    @property
    def is_usable(self) -> bool:
        """Whether a request can be sent."""
        return not self._transport.is_closing()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the transport."""
        self._transport = cast("asyncio.Transport", transport)
        self._client.learn(self)

    def data_received(self, data: bytes) -> None:
        """Hand bytes to the exchange; what nobody asked for ends the connection."""
        if self._exchange is None:
            self.abort()
        else:
            self._exchange.feed(data)

    def connection_lost(self, exc: Exception | None) -> None:
        """Tell everybody."""
        self._client.forget(self)
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
        """Send a request; the answer comes later.

        Args:
            head: up to the empty line.
            body: what follows it.
            has_body: whether the answer may have one.
        """
        if self._end_of_idling is not None:
            self._end_of_idling.cancel()
        self._exchange = exchange = Exchange(self, has_body=has_body)
        if len(body) <= MAX_PIECE_BYTES:
            self._transport.write(head + body)
            return exchange
        self._transport.write(head)
        pieces = memoryview(body)
        for start in range(0, len(body), MAX_PIECE_BYTES):
            self._transport.write(pieces[start : start + MAX_PIECE_BYTES])
            if self._may_write is not None:
                await self._may_write
            if self._transport.is_closing():
                break
        return exchange

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
        if exchange.keeps_connection and self.is_usable:
            self._end_of_idling = self._loop.call_later(KEEPALIVE_S, self._transport.close)
            self._client.keep(self)
        else:
            self.abort()

    def abort(self) -> None:
        """Close at once."""
        self._transport.abort()


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
