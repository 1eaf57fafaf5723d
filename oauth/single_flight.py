"""One piece of work per key at a time, shared by all who ask for it meanwhile.

The work runs in a task of its own, because whoever asked first may leave before the others:

- a caller that is cancelled leaves, and the others still get the outcome;
- when the last one leaves, the work is cancelled too, and that caller waits until it has ended; or, as the owner
  wants it, the work goes on, and whoever asks again joins it;
- a key is free again as soon as its work has ended or was given up.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Hashable

K = TypeVar("K", bound="Hashable")
V = TypeVar("V")


@dataclass(slots=True, eq=False)
class _Flight(Generic[V]):
    task: asyncio.Task[V]
    waiters: int = 0


class SingleFlight(Generic[K, V]):
    """Work that is under way, by key; it belongs to one event loop.

    Args:
        runs_on: whether work goes on when everybody who waited for it has left; else it is cancelled then.
    """

    def __init__(self, *, runs_on: bool = False) -> None:
        self._runs_on = runs_on
        self._flights: dict[K, _Flight[V]] = {}

    def __len__(self) -> int:
        return len(self._flights)

    def __contains__(self, key: K) -> bool:
        return key in self._flights

    async def run(self, key: K, factory: Callable[[], Coroutine[Any, Any, V]]) -> V:
        """The outcome of the work for this key, started now unless it is under way.

        Args:
            key: what the work is about.
            factory: begins the work.

        Raises:
            Exception: whatever the work raises, to every caller that waits for it.
        """
        flight = self._flights.get(key)
        if flight is None:
            flight = self._flights[key] = _Flight(asyncio.create_task(factory()))
            flight.task.add_done_callback(partial(self._land, key, flight))
        flight.waiters += 1
        try:
            # Unlike awaiting the task, this leaves it alone when the caller is cancelled.
            await asyncio.wait((flight.task,))
        except asyncio.CancelledError:
            if flight.waiters == 1 and not self._runs_on:
                self._forget(key, flight)
                flight.task.cancel()
                await asyncio.wait((flight.task,))
            raise
        finally:
            flight.waiters -= 1
        return flight.task.result()

    async def drain(self, timeout_s: float) -> None:
        """Wait for the work that is under way, and cancel what has not ended in time.

        Args:
            timeout_s: how long to wait, in seconds.
        """
        tasks = [flight.task for flight in self._flights.values()]
        if not tasks:
            return
        _, late = await asyncio.wait(tasks, timeout=timeout_s)
        for task in late:
            task.cancel()
        await asyncio.gather(*late, return_exceptions=True)

    def _land(self, key: K, flight: _Flight[V], task: asyncio.Task[V]) -> None:
        self._forget(key, flight)
        if not task.cancelled():
            # Given-up work may end in an error that nobody is left to look at.
            task.exception()

    def _forget(self, key: K, flight: _Flight[V]) -> None:
        if self._flights.get(key) is flight:
            del self._flights[key]
