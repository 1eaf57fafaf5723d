"""The time that one request has until its first content, over everything that is done for it.

Source:
    SPEC.md, "Time limits".
"""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from ..errors import BudgetSpentError

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator


class Budget:
    """A time that begins when this is made; it belongs to one event loop.

    Attributes:
        until_s: when it is over, by the clock of the event loop.

    Args:
        limit_s: how long it is.
    """

    def __init__(self, limit_s: float) -> None:
        self._limit_s = limit_s
        self.until_s = asyncio.get_running_loop().time() + limit_s

    @asynccontextmanager
    async def bound(self) -> AsyncGenerator[asyncio.Timeout]:
        """Run a block that ends with this time, unless what is handed out is told otherwise.

        Raises:
            BudgetSpentError: the time is over, and the block has not ended.
        """
        limit = asyncio.timeout_at(self.until_s)
        try:
            async with limit:
                yield limit
        except TimeoutError as exc:
            if not limit.expired():
                raise
            raise BudgetSpentError(
                f"No answer came about within {self._limit_s:g} s, which is the limit for all that comes before its "
                "first content (ANTIGRAVITY_PROXY_FIRST_BYTE_TIMEOUT). Send the request again."
            ) from exc
