"""The end of a server: what it is generating gets a little time, and then an end that clients understand.

Source:
    SPEC.md, "Stopping".
"""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING

from ..errors import ServerStoppingError

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator


class Stopping:
    """Ends the work of one server when it stops; it belongs to one event loop."""

    def __init__(self) -> None:
        self._limits: set[asyncio.Timeout] = set()
        self._idle = asyncio.Event()
        self._idle.set()
        self._is_over = False
        self._has_time = True
        self._grace: asyncio.Timeout | None = None

    def __len__(self) -> int:
        return len(self._limits)

    @asynccontextmanager
    async def bound(self) -> AsyncGenerator[None]:
        """Run a block that ends with the server.

        Raises:
            ServerStoppingError: the server stops, and the block has not ended in time.
        """
        limit = asyncio.timeout(0 if self._is_over else None)
        try:
            async with limit:
                self._limits.add(limit)
                self._idle.clear()
                try:
                    yield
                finally:
                    self._limits.discard(limit)
                    if not self._limits:
                        self._idle.set()
        except TimeoutError as exc:
            if not limit.expired():
                raise
            raise ServerStoppingError("The server is being stopped. Send the request again when it runs.") from exc

    async def drain(self, grace_s: float) -> None:
        """Wait for the blocks that run, then end those that are left, and all that come later.

        Args:
            grace_s: how long to wait, in seconds.
        """
        with suppress(TimeoutError):
            async with asyncio.timeout(grace_s if self._has_time else 0) as self._grace:
                while self._limits:  # a request may begin its next block in the moment in which one ends
                    await self._idle.wait()
        self._is_over, self._grace = True, None
        for limit in self._limits:
            limit.reschedule(asyncio.get_running_loop().time())

    def hurry(self) -> None:
        """Wait no longer for the blocks that run; also when that has not begun."""
        self._has_time = False
        if self._grace is not None:
            self._grace.reschedule(asyncio.get_running_loop().time())
