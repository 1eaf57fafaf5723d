"""The event loop commands run in."""

from __future__ import annotations

import asyncio
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Coroutine

T = TypeVar("T")

OPEN_FILES = 65_536
"""A stream takes two sockets, and shells allow 256 or 1,024 open files, however many a process may have."""


def run(work: Coroutine[Any, Any, T]) -> T:
    """The outcome of a command's work, done in the fastest event loop this platform has."""
    try:
        allow_open_files()
        with asyncio.Runner(loop_factory=new_event_loop) as runner:
            return runner.run(work)
    finally:
        work.close()  # a Ctrl-C may come before it began


def new_event_loop() -> asyncio.AbstractEventLoop:
    """That of uvloop where it is installed, else the standard one."""
    try:
        import uvloop
    except ImportError:
        return asyncio.new_event_loop()
    return uvloop.new_event_loop()


def allow_open_files(wanted: int = OPEN_FILES) -> None:
    """Let this process have so many open files, or as many as it may."""
    if sys.platform == "win32":  # it has no such limit
        return
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    allowed = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    if soft != resource.RLIM_INFINITY and soft < allowed:
        with suppress(OSError, ValueError):  # some systems allow less than they say
            resource.setrlimit(resource.RLIMIT_NOFILE, (allowed, hard))
