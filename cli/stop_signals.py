"""The signals that ask a server to stop, from its start to the end of the process."""

from __future__ import annotations

import asyncio
import atexit
import os
import signal
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType

STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM)
INTERRUPTED = 130
"""Exit code after Ctrl-C, as shells have it."""


class Stop:
    """How often a server was asked to stop; it belongs to one event loop.

    SIGTERM after the first request changes nothing. Ctrl-C after it has the server hurry, and another one ends the
    process, as something may hang that nobody has thought of.
    """

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._asked = asyncio.Event()
        self._requests = 0
        self._hurry: Callable[[], None] | None = None

    def ask(self, number: int, _frame: FrameType | None) -> None:
        """Take one of the signals; the loop may have ended before the process."""
        if self._requests and number == signal.SIGTERM:
            return
        self._requests += 1
        if self._requests > 2:
            os._exit(INTERRUPTED)
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._asked.set if self._requests == 1 else self._ask_again)

    def _ask_again(self) -> None:
        if self._hurry is not None:
            self._hurry()

    async def wait(self, hurry: Callable[[], None] | None = None) -> None:
        """Wait until the server is asked to stop.

        Args:
            hurry: called when it is asked again, as it takes its time to end.
        """
        self._hurry = hurry
        await self._asked.wait()


def take_signals() -> Stop:
    """Have the signals that ask this process to stop taken, to its very end: none that comes late kills it."""
    stop = Stop()
    # Not as handlers of the event loop, which go with it, before the process has ended.
    for number in STOP_SIGNALS:
        signal.signal(number, stop.ask)
    atexit.register(_ignore_signals)
    return stop


def _ignore_signals() -> None:
    """Take no signal any more, when an interpreter that ends is about to give them their old meaning."""
    for number in STOP_SIGNALS:
        signal.signal(number, signal.SIG_IGN)
