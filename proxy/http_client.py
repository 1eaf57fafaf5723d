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
from typing import TYPE_CHECKING, Self
from urllib.parse import urlsplit

from aiohappyeyeballs import start_connection  # pyright: ignore[reportUnknownVariableType] -- a bare tuple

from ..errors import UpstreamError, UpstreamTimeoutError, UpstreamUnreachableError
from .http_connection import Connection, to_head
from .name_lookup import NameLookup
from .way import PROXY_LOGIN

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from yarl import URL

    from .exchange import Exchange
    from .http_connection import Key
    from .way import Way

CONNECT_TIMEOUT_S = 10.0
ADDRESS_DELAY_S = 0.25
"""After this the next address of a name is tried beside the first. Source: RFC 8305, section 5."""

CHECK_PROXY = "Check the account's own proxy (`antigravity-proxy accounts list`), or HTTPS_PROXY and NO_PROXY."

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

    @property
    def place(self) -> str:
        """Host and port, as CONNECT wants them."""
        return to_place(self.host, self.port)


def to_place(host: str, port: int) -> str:
    """Host and port in one; an IPv6 address has brackets then. Source: RFC 3986, section 3.2.2."""
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def proxy_name(proxy: URL) -> str:
    """What a proxy is called in messages, which its login is no part of."""
    return f"HTTP proxy {to_place(proxy.host or '', proxy.port or DEFAULT_PORTS[proxy.scheme])}"


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
        self._idle: dict[Key, list[Connection]] = {}

    @cached_property
    def _names(self) -> NameLookup:
        return NameLookup()

    @cached_property
    def _ssl_context(self) -> ssl.SSLContext:
        return self._new_ssl_context()

    @property
    def connections(self) -> tuple[int, int]:
        """How many connections there are, and how many of them wait for a call."""
        return len(self._open), sum(map(len, self._idle.values()))

    async def send(
        self,
        verb: str,
        url: str,
        headers: Mapping[str, str],
        body: bytes | None,
        way: Way,
        *,
        may_repeat: bool = True,
    ) -> Exchange:
        """Send a request, and hand out the answer when its head is there; whoever takes it must close it.

        Args:
            verb: such as ``POST``.
            url: where to.
            headers: without Host and Content-Length.
            body: None for none.
            way: past which proxy.
            may_repeat: whether the same bytes may be sent again, when a kept connection ends without an answer.

        Raises:
            ProxyError: there is no connection, or no answer came.
        """
        address = read_url(url)
        proxy = way["proxy"]
        key = (address.scheme, address.host, address.port, proxy, (way["proxy_headers"] or {}).get(PROXY_LOGIN))
        sent = headers if body is None else {**headers, "Content-Length": str(len(body))}
        request = to_head(verb, address.target, {"Host": address.netloc, **sent}), body or b""
        kept = self._take(key)
        if kept is not None:
            try:
                return await _answer(kept, *request, has_body=verb != "HEAD")
            except UpstreamUnreachableError:
                if kept.has_heard:
                    raise
                self._drop(key)  # it had ended, unseen, as the others of its time may have
                if not may_repeat:
                    raise
        return await _answer(await self._connect(key, address, way), *request, has_body=verb != "HEAD")

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        self._names.close()
        for connection in tuple(self._open):
            connection.abort()
        await asyncio.sleep(0)  # the event loop closes the sockets in its next turn

    def keep(self, connection: Connection) -> None:
        """Keep a connection for the next call."""
        self._idle.setdefault(connection.key, []).append(connection)

    def forget(self, connection: Connection) -> None:
        """A connection is no more."""
        self._open.discard(connection)
        idle = self._idle.get(connection.key, [])
        if connection in idle:
            idle.remove(connection)

    def _take(self, key: Key) -> Connection | None:
        idle = self._idle.get(key)
        while idle:
            if (connection := idle.pop()).is_usable:
                return connection
        return None

    def _drop(self, key: Key) -> None:
        for connection in self._idle.pop(key, ()):
            connection.abort()

    async def _connect(self, key: Key, address: Address, way: Way) -> Connection:
        try:
            async with asyncio.timeout(CONNECT_TIMEOUT_S):
                return await self._open_way(key, address, way)
        except TimeoutError as exc:
            proxy = way["proxy"]
            raise UpstreamTimeoutError(
                f"No connection to Google came about within {CONNECT_TIMEOUT_S:g} s. Send the request again."
                if proxy is None
                else f"The {proxy_name(proxy)} gave no connection to {address.place} within {CONNECT_TIMEOUT_S:g} s. "
                f"{CHECK_PROXY}"
            ) from exc
        except ssl.SSLError as exc:
            raise _without_tls(exc, address.host) from exc
        except (OSError, UnicodeError) as exc:
            raise UpstreamUnreachableError(
                f"There is no connection to {address.place}. Check the network and the proxy variables."
            ) from exc

    async def _open_way(self, key: Key, address: Address, way: Way) -> Connection:
        proxy = way["proxy"]
        if proxy is None:
            return await self._open_to(key, address.scheme, address.host, address.port)
        host, name = proxy.host or "", proxy_name(proxy)
        try:
            connection = await self._open_to(key, proxy.scheme, host, proxy.port or DEFAULT_PORTS[proxy.scheme])
        except ssl.SSLError as exc:
            raise _without_tls(exc, host) from exc
        except (OSError, UnicodeError) as exc:  # a name with empty or long parts is none
            raise UpstreamUnreachableError(f"There is no connection to the {name}. {CHECK_PROXY}") from exc
        try:
            await _tunnel(connection, address.place, way["proxy_headers"] or {}, name)
            if address.scheme == "https":
                await connection.start_tls(self._ssl_context, address.host)
        except BaseException:
            connection.abort()
            raise
        return connection

    async def _open_to(self, key: Key, scheme: str, host: str, port: int) -> Connection:
        loop = asyncio.get_running_loop()
        found = await self._names.addresses(host, port)
        try:
            opened = await start_connection(found, happy_eyeballs_delay=ADDRESS_DELAY_S)
        except OSError:
            self._names.forget(host, port)
            raise
        is_secure = scheme == "https"
        connection = Connection(self, key)
        try:
            await loop.create_connection(
                lambda: connection,
                sock=opened,
                ssl=self._ssl_context if is_secure else None,
                server_hostname=host if is_secure else None,
            )
        except BaseException:
            connection.abort()
            raise
        if connection.is_usable:
            self._open.add(connection)
        return connection


async def _answer(connection: Connection, head: bytes, body: bytes, *, has_body: bool) -> Exchange:
    """Send a request, and wait for the head of its answer."""
    try:
        exchange = await connection.ask(head, body, has_body=has_body)
        await exchange.wait_for_head()
    except BaseException:
        connection.abort()
        raise
    return exchange


async def _tunnel(connection: Connection, place: str, headers: Mapping[str, str], name: str) -> None:
    """Have a proxy connect us on; ``name`` says in messages which one it is."""
    try:
        head = to_head("CONNECT", place, {"Host": place, **headers})
        exchange = await _answer(connection, head, b"", has_body=False)
    except UpstreamError as exc:
        raise UpstreamUnreachableError(f"The {name} does not answer as one. {CHECK_PROXY}") from exc
    if not 200 <= exchange.status < 300:
        raise UpstreamUnreachableError(
            f"The {name} does not let us through to {place} (status {exchange.status}). {CHECK_PROXY}"
        )


def _without_tls(error: ssl.SSLError, host: str) -> UpstreamUnreachableError:
    """What to say when a connection cannot be secured."""
    if isinstance(error, ssl.SSLCertVerificationError):
        return UpstreamUnreachableError(
            f"The certificate of {host} is not trusted on this machine. Check its clock and certificates, and the "
            "proxy variables."
        )
    return UpstreamUnreachableError(
        f"{host} does not speak TLS as it should ({error.reason}). Check the network and the proxy variables."
    )
