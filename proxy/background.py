"""Work that goes on beside the requests, and ends with the server."""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING, Any

from ..errors import ProxyError

if TYPE_CHECKING:
    from collections.abc import Coroutine

log = logging.getLogger(__name__)


class Background:
    """The tasks of one server that nobody waits for; they belong to one event loop."""

    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[None]] = set()

    def __len__(self) -> int:
        return len(self._tasks)

    def start(self, work: Coroutine[Any, Any, None], what: str) -> None:
        """Begin some work; an error in it is a line in the log.

        Args:
            work: what is done.
            what: says in the log which work failed, such as "activating an account".
        """
        task = asyncio.create_task(_logged(work, what))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def close(self, timeout_s: float) -> None:
        """Wait for all work, and cancel what does not end in time.

        Args:
            timeout_s: how long to wait, in seconds.
        """
        if not self._tasks:
            return
        _, late = await asyncio.wait(self._tasks, timeout=timeout_s)
        for task in late:
            task.cancel()
        await asyncio.gather(*late, return_exceptions=True)


async def _logged(work: Coroutine[Any, Any, None], what: str) -> None:
    try:
        await work
    except ProxyError as exc:
        log.warning("%s failed: %s", what, exc)
