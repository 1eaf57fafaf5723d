"""Counts the requests that are being served, so that a test can wait until none is."""

from __future__ import annotations

import asyncio
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Generator


class Running:
    """The number of requests being served."""

    def __init__(self) -> None:
        self.count = 0
        self._idle = asyncio.Event()
        self._idle.set()

    @contextmanager
    def one(self) -> Generator[None]:
        """Count one request while it is served."""
        self.count += 1
        self._idle.clear()
        try:
            yield
        finally:
            self.count -= 1
            if not self.count:
                self._idle.set()

    async def wait_until_idle(self) -> None:
        """Wait until no request is being served."""
        await self._idle.wait()
