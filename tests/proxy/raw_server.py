"""A server that answers with exactly the bytes a test wants, and keeps the bytes it was sent."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from antigravity_proxy.proxy.way import DIRECT

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence

    from antigravity_proxy.proxy.http_client import HttpClient
    from antigravity_proxy.proxy.way import Way

RESET = object()
"""A step that resets the connection."""

Step = bytes | float | object


@dataclass
class RawServer:
    """What the server has seen.

    Attributes:
        url: its base, without a slash at the end.
        requests: the bytes of every request, heads with bodies.
        connections: how many were opened.
    """

    url: str = ""
    requests: list[bytes] = field(default_factory=list[bytes])
    connections: int = 0

    def headers(self, index: int = -1) -> list[str]:
        """The header lines of a request, as they were sent."""
        return self.requests[index].partition(b"\r\n\r\n")[0].decode().split("\r\n")[1:]


@asynccontextmanager
async def raw_server(*replies: Sequence[Step], is_kept_open: bool = False) -> AsyncIterator[RawServer]:
    """Serve replies in turn, the last one again and again.

    Args:
        replies: each is a list of bytes to send and seconds to wait; ``RESET`` at its end resets the connection.
        is_kept_open: whether a connection takes further requests.
    """
    server = RawServer()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        server.connections += 1
        try:
            while await _read_request(reader, server):
                for step in replies[min(len(server.requests), len(replies)) - 1]:
                    await _take(step, writer)
                if not is_kept_open:
                    break
        except ConnectionError:
            pass  # the client may leave whenever it likes
        finally:
            writer.close()

    listening = await asyncio.start_server(serve, "127.0.0.1", 0)
    server.url = f"http://127.0.0.1:{listening.sockets[0].getsockname()[1]}"
    try:
        yield server
    finally:
        listening.close()


async def _read_request(reader: asyncio.StreamReader, server: RawServer) -> bool:
    try:
        head = await reader.readuntil(b"\r\n\r\n")
    except asyncio.IncompleteReadError:
        return False
    length = [line for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:")]
    body = await reader.readexactly(int(length[0].partition(b":")[2])) if length else b""
    server.requests.append(head + body)
    return True


async def _take(step: Step, writer: asyncio.StreamWriter) -> None:
    if isinstance(step, bytes):
        writer.write(step)
        await writer.drain()
    elif isinstance(step, (int, float)):
        await asyncio.sleep(step)
    else:
        writer.transport.abort()


def reply(body: bytes, *, status: int = 200, **headers: str) -> bytes:
    """A whole reply with its length."""
    lines = [f"HTTP/1.1 {status} Reply", f"Content-Length: {len(body)}"]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    return "\r\n".join([*lines, "", ""]).encode() + body


async def asked(client: HttpClient, url: str, way: Way = DIRECT, body: bytes | None = b"{}") -> bytes:
    """The whole body of the answer that a client gets."""
    exchange = await client.send("POST", url, {}, body, way)
    try:
        received = b""
        while data := await exchange.read():
            received += data
        return received
    finally:
        exchange.close()
