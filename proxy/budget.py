"""The time that one request has until its first content, over everything that is done for it.

Source:
    SPEC.md, "Time limits" and "Stopping".
"""

from __future__ import annotations

import asyncio
import math
from typing import TYPE_CHECKING, Self

from ..errors import BudgetSpentError, ServerStoppingError

if TYPE_CHECKING:
    from types import TracebackType

    from ..errors import ProxyError
    from .stopping import Stopping


class Budget:
    """A time that begins when this is made, as an async context manager for the work that it holds for.

    The work ends with the server in any case. A budget may be entered again after it was left.

    Attributes:
        failure: what went wrong before, which is told when the time is over.

    Args:
        stopping: ends the work with the server.
        limit_s: how much time there is.

    Raises:
        BudgetSpentError: the time is over, and the work is not.
        ServerStoppingError: the server stops, and the work has not ended in time.
    """

    def __init__(self, stopping: Stopping, limit_s: float) -> None:
        self.failure: ProxyError | None = None
        self._stopping = stopping
        self._limit_s = limit_s
        self._loop = asyncio.get_running_loop()
        self._until_s = self._loop.time() + limit_s
        self._is_stopped = False
        self._timeout: asyncio.Timeout

    @property
    def left_s(self) -> float:
        """What is left of the time, even while it does not run; nothing, or less, when it is over."""
        return 0.0 if self._timeout.expired() else self._until_s - self._loop.time()

    def lift(self) -> None:
        """Let the work take as long as it likes, as long as the server runs."""
        self._end_at(None)

    def restore(self) -> None:
        """Let the time run again, up to the same moment as before."""
        self._end_at(self._until_s)

    def stop(self) -> None:
        """End the work, as the server stops."""
        self._end_at(self._loop.time())
        self._is_stopped = True

    def _end_at(self, moment_s: float | None) -> None:
        if not self._is_stopped and not self._timeout.expired():
            self._timeout.reschedule(moment_s)

    async def __aenter__(self) -> Self:
        self._is_stopped = self._stopping.is_over
        self._timeout = asyncio.timeout_at(-math.inf if self._is_stopped else self._until_s)
        await self._timeout.__aenter__()
        self._stopping.begin(self)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stopping.end(self)
        try:
            await self._timeout.__aexit__(kind, error, trace)
        except TimeoutError as exc:
            raise (_stopping_error() if self._is_stopped else self._spent_error()) from exc

    def _spent_error(self) -> BudgetSpentError:
        before = "" if self.failure is None else f" The attempt before the last one failed: {self.failure}"
        return BudgetSpentError(
            f"No answer came about within {self._limit_s:g} s, which is the limit for all that comes before its "
            f"first content (ANTIGRAVITY_PROXY_FIRST_BYTE_TIMEOUT). Send the request again.{before}"
        )


def _stopping_error() -> ServerStoppingError:
    return ServerStoppingError("The server is being stopped. Send the request again when it runs.")
