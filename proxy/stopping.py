"""The end of a server: what it is generating gets a little time, and then an end that clients understand.

Source:
    SPEC.md, "Stopping".
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .budget import Budget


class Stopping:
    """Ends the work of one server when it stops; it belongs to one event loop."""

    def __init__(self) -> None:
        self._budgets: set[Budget] = set()
        self._idle = asyncio.Event()
        self._idle.set()
        self._is_over = False
        self._has_time = True
        self._grace: asyncio.Timeout | None = None

    def __len__(self) -> int:
        return len(self._budgets)

    @property
    def is_over(self) -> bool:
        """Whether work that begins now is ended at once."""
        return self._is_over

    def begin(self, budget: Budget) -> None:
        """Wait for some work when the server stops."""
        self._budgets.add(budget)
        self._idle.clear()

    def end(self, budget: Budget) -> None:
        """Some work is over."""
        self._budgets.discard(budget)
        if not self._budgets:
            self._idle.set()

    async def drain(self, grace_s: float) -> None:
        """Wait for the work that runs, then end what is left of it, and all that comes later.

        Args:
            grace_s: how long to wait, in seconds.
        """
        with suppress(TimeoutError):
            async with asyncio.timeout(grace_s if self._has_time else 0) as self._grace:
                while self._budgets:  # a request may begin its next block in the moment in which one ends
                    await self._idle.wait()
        self._is_over, self._grace = True, None
        for budget in self._budgets:
            budget.stop()

    def hurry(self) -> None:
        """Wait no longer for the work that runs; also when that has not begun."""
        self._has_time = False
        if self._grace is not None and not self._grace.expired():
            self._grace.reschedule(asyncio.get_running_loop().time())
