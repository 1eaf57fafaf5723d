"""Work on large requests, done beside the event loop.

Source:
    SPEC.md, "Large requests".
"""

from __future__ import annotations

import asyncio
import gc
from concurrent.futures import Future
from enum import IntEnum
from functools import partial
from itertools import count
from queue import PriorityQueue
from threading import Thread
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeAlias

    _Piece: TypeAlias = "tuple[Rank, int, Callable[[], None] | None]"
    """What is done when, the smallest first: its rank, a number that counts, and how it is done; None ends it all."""

T = TypeVar("T")

LARGE_BYTES = 256 * 1024
"""Work on an ordinary body of this size may take tens of milliseconds, on a smaller one less than others notice."""

LOOK_BYTES = 64 * 1024
"""So much of a body is looked at once."""

MARKS = (b",", b"%", b"\\")
"""What work is known by: one stands between two members, or before a character that must be decoded."""

BYTES_PER_MARK = 13
"""So many bytes of an ordinary body come to one of them; in long texts there are far fewer."""

LONG_TEXT_BYTES = 64
"""So many bytes of long texts, such as base64, are the work of one byte of an ordinary body."""


class Rank(IntEnum):
    """Which work is done before which other."""

    BEGUN = 0
    NEW = 1
    END = 2


def size_of(body: bytes) -> int:
    """How much work a body is, as the bytes of an ordinary one: a picture in base64 is little for its size."""
    size = len(body)
    if size < LARGE_BYTES:
        return size
    starts = range(0, size, LOOK_BYTES)
    pieces = ((mark, start, start + LOOK_BYTES) for start in starts for mark in MARKS)
    marks = sum(body.count(*piece) for piece in pieces if body.find(*piece) >= 0)  # to find none is far faster
    return min(size, marks * BYTES_PER_MARK + size // LONG_TEXT_BYTES)


class LargeWork:
    """Does the work on large bodies in a thread of its own, one piece after the other.

    One thread is enough, as all threads of a Python take turns. Bodies that were begun go before new ones, in which
    nobody has looked yet: parsed they take far more memory, so few of them are parsed while others are worked on.
    Python's own pools are waited for when a program ends, however long that takes; this thread ends with it.
    """

    def __init__(self) -> None:
        self._pieces: PriorityQueue[_Piece] = PriorityQueue()
        self._numbers = count()
        self._thread: Thread | None = None

    async def run(self, work: Callable[[], T], size: int, rank: Rank = Rank.BEGUN) -> T:
        """The outcome of some work, which must not touch anything of the event loop's.

        A caller that is cancelled leaves at once: work that has not begun is not done, and of other work the outcome
        is dropped.

        Args:
            work: is done at once when there is little of it.
            size: of the body that it is about, as ``size_of`` gives it.
            rank: whether anything was done with that body before.
        """
        return work() if size < LARGE_BYTES else await self._begun(work, rank)

    def _begun(self, work: Callable[[], T], rank: Rank) -> asyncio.Future[T]:
        # No frame that an error passes keeps the future that has it: it would stay for long, and the body with it.
        outcome: Future[T] = Future()
        self._pieces.put((rank, next(self._numbers), partial(_carry_out, work, outcome)))
        if self._thread is None:
            self._thread = Thread(target=_serve, args=(self._pieces,), name="large-requests", daemon=True)
            self._thread.start()
        return asyncio.wrap_future(outcome)

    def close(self) -> None:
        """Let the thread end after the work that it has; it is not waited for."""
        self._pieces.put((Rank.END, next(self._numbers), None))


# What follows runs in the thread.


def _serve(pieces: PriorityQueue[_Piece]) -> None:
    while (piece := pieces.get()[-1]) is not None:
        piece()
        del piece  # megabytes may hang on it, and the next one may be long in coming


def _carry_out(work: Callable[[], T], outcome: Future[T]) -> None:
    if not outcome.set_running_or_notify_cancel():
        return
    # Among millions of new objects Python would look for cycles again and again, of which there are none, and all
    # threads would wait for it.
    gc.disable()
    try:
        outcome.set_result(work())
    except BaseException as exc:  # noqa: BLE001 -- it is raised where the outcome is waited for
        outcome.set_exception(exc)
    finally:
        gc.enable()
        del outcome  # as above
