"""A relay that looks at no byte: the least that a program in Python can do."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import cast

from .relay_options import run


class End(asyncio.Protocol):
    """One end of a relayed connection; what comes before there is another end waits."""

    def __init__(self, other: End | None = None) -> None:
        self.other = other
        self.transport: asyncio.Transport | None = None
        self.early: list[bytes] = []

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the transport."""
        self.transport = cast("asyncio.Transport", transport)

    def data_received(self, data: bytes) -> None:
        """Hand bytes on."""
        if self.other is not None and self.other.transport is not None:
            self.other.transport.write(data)
        else:
            self.early.append(data)

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002 -- asyncio names it so
        """Close the other end."""
        self.transport = None
        if self.other is not None and self.other.transport is not None:
            self.other.transport.close()


class ClientEnd(End):
    """The end that a client has opened: it opens the other one."""

    def __init__(self, host: str, port: int) -> None:
        super().__init__()
        self._address = host, port
        self._task: asyncio.Task[None] | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Connect to upstream."""
        super().connection_made(transport)
        self._task = asyncio.create_task(self._connect())

    async def _connect(self) -> None:
        _, self.other = await asyncio.get_running_loop().create_connection(lambda: End(self), *self._address)
        if self.early and self.other.transport is not None:
            self.other.transport.write(b"".join(self.early))


async def main(port: int, host: str, upstream_port: int) -> None:
    """Serve until the process is stopped."""
    loop = asyncio.get_running_loop()
    server = await loop.create_server(partial(ClientEnd, host, upstream_port), "127.0.0.1", port, backlog=4096)
    await server.serve_forever()


if __name__ == "__main__":
    run(main)
