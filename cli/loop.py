"""The event loop commands run in."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Coroutine

T = TypeVar("T")


def run(work: Coroutine[Any, Any, T]) -> T:
    """The outcome of a command's work, done in the fastest event loop this platform has."""
    with asyncio.Runner(loop_factory=new_event_loop) as runner:
        return runner.run(work)


def new_event_loop() -> asyncio.AbstractEventLoop:
    """That of uvloop where it is installed, else the standard one."""
    try:
        import uvloop
    except ImportError:
        return asyncio.new_event_loop()
    return uvloop.new_event_loop()
