"""The addresses of hosts, looked up once for all who ask at the same time, and kept for a while.

A lookup takes a thread of the event loop's few; a hundred calls that begin together would wait for each other's.
"""

from __future__ import annotations

import asyncio
from socket import SOCK_STREAM
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence


KEPT_S = 60.0
"""How long addresses are kept; Google's own names live for some minutes."""


class NameLookup:
    """Looks names up for one server's calls."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._known: dict[tuple[str, int], tuple[float, asyncio.Task[Sequence[Any]]]] = {}

    async def addresses(self, host: str, port: int) -> Sequence[Any]:
        """The addresses of a host, as ``getaddrinfo`` says them.

        Raises:
            OSError: it has none, or nobody can be asked.
            UnicodeError: it is no name.
        """
        known = self._known.get((host, port))
        if known is not None and self._loop.time() < known[0]:
            lookup = known[1]
        else:
            lookup = asyncio.create_task(self._look_up(host, port))
            self._known[host, port] = self._loop.time() + KEPT_S, lookup
        return await asyncio.shield(lookup)  # others may wait for it, too

    async def _look_up(self, host: str, port: int) -> Sequence[Any]:
        try:
            return await self._loop.getaddrinfo(host, port, type=SOCK_STREAM)
        except (OSError, UnicodeError):
            self.forget(host, port)
            raise

    def forget(self, host: str, port: int) -> None:
        """Look a name up again next time: its addresses lead nowhere."""
        self._known.pop((host, port), None)

    def close(self) -> None:
        """Wait for no lookup any more."""
        for _, lookup in self._known.values():
            lookup.cancel()
