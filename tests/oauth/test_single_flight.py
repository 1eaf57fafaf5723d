"""Tests of work that is shared by all who ask for it."""

from __future__ import annotations

import asyncio
import gc
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pytest

from antigravity_proxy.oauth.single_flight import SingleFlight

if TYPE_CHECKING:
    from collections.abc import AsyncIterator


@dataclass
class Work:
    """Work that ends when it is told to, and counts what happens to it."""

    started: int = 0
    cancelled: int = 0
    ended: int = 0
    go: asyncio.Event = field(default_factory=asyncio.Event)
    error: Exception | None = None

    async def run(self) -> int:
        """Wait for the word, then return how often the work was started."""
        self.started += 1
        try:
            await self.go.wait()
        except asyncio.CancelledError:
            self.cancelled += 1
            raise
        self.ended += 1
        if self.error is not None:
            raise self.error
        return self.started


async def settle() -> None:
    """Let every task run until it waits."""
    for _ in range(10):
        await asyncio.sleep(0)


@pytest.fixture(autouse=True)
async def nothing_left_behind() -> AsyncIterator[None]:
    """After each test no task is left, and no error has gone unseen."""
    unseen: list[dict[str, object]] = []
    loop = asyncio.get_running_loop()
    loop.set_exception_handler(lambda _, context: unseen.append(context))
    yield
    await settle()
    gc.collect()
    assert asyncio.all_tasks() == {asyncio.current_task()}
    assert unseen == []


async def test_callers_of_one_key_share_work() -> None:
    """However many ask at the same time, the work is done once and all get its outcome."""
    flight, work = SingleFlight[str, int](), Work()
    callers = [asyncio.create_task(flight.run("a", work.run)) for _ in range(100)]
    await settle()
    assert len(flight) == 1
    work.go.set()
    assert await asyncio.gather(*callers) == [1] * 100
    assert work.started == 1
    assert len(flight) == 0


async def test_keys_are_independent() -> None:
    """Work for one key does not wait for that of another."""
    flight, slow, quick = SingleFlight[str, int](), Work(), Work()
    caller = asyncio.create_task(flight.run("slow", slow.run))
    await settle()
    quick.go.set()
    assert await flight.run("quick", quick.run) == 1
    slow.go.set()
    assert await caller == 1


async def test_ended_work_is_done_again() -> None:
    """An outcome is not kept for those who ask later."""
    flight, work = SingleFlight[str, int](), Work()
    work.go.set()
    assert await flight.run("a", work.run) == 1
    assert await flight.run("a", work.run) == 2


async def test_error_goes_to_all_callers() -> None:
    """When the work fails, everybody who waits gets its error, and it is tried anew afterwards."""
    flight, work = SingleFlight[str, int](), Work(error=ValueError("broken"))
    callers = [asyncio.create_task(flight.run("a", work.run)) for _ in range(3)]
    await settle()
    work.go.set()
    outcomes = await asyncio.gather(*callers, return_exceptions=True)
    assert outcomes == [work.error] * 3
    assert len(flight) == 0
    work.error = None
    assert await flight.run("a", work.run) == 2


@pytest.mark.parametrize("leaver", [0, 1, 2], ids=["first", "middle", "last"])
async def test_cancelled_caller_does_not_cancel_others(leaver: int) -> None:
    """Whoever leaves, even the one who began the work, the others get its outcome."""
    flight, work = SingleFlight[str, int](), Work()
    callers = [asyncio.create_task(flight.run("a", work.run)) for _ in range(3)]
    await settle()
    callers[leaver].cancel()
    await settle()
    assert callers[leaver].cancelled()
    work.go.set()
    await settle()
    assert [caller.result() for caller in callers if caller is not callers[leaver]] == [1, 1]
    assert (work.started, work.cancelled, work.ended) == (1, 0, 1)


async def test_work_is_cancelled_when_last_caller_leaves() -> None:
    """Work that nobody waits for any more is given up."""
    flight, work = SingleFlight[str, int](), Work()
    callers = [asyncio.create_task(flight.run("a", work.run)) for _ in range(3)]
    await settle()
    for caller in callers:
        caller.cancel()
    await settle()
    assert all(caller.cancelled() for caller in callers)
    assert (work.started, work.cancelled, work.ended) == (1, 1, 0)
    assert len(flight) == 0


async def test_work_runs_on_when_it_is_told_to() -> None:
    """Work that must be seen to its end outlives its callers, and whoever asks meanwhile joins it."""
    flight, work = SingleFlight[str, int](runs_on=True), Work()
    callers = [asyncio.create_task(flight.run("a", work.run)) for _ in range(3)]
    await settle()
    for caller in callers:
        caller.cancel()
    await settle()
    assert all(caller.cancelled() for caller in callers)
    assert (work.started, work.cancelled, len(flight)) == (1, 0, 1)
    newcomer = asyncio.create_task(flight.run("a", work.run))
    await settle()
    work.go.set()
    assert await newcomer == 1
    assert (work.started, work.cancelled, work.ended, len(flight)) == (1, 0, 1, 0)


async def test_drain_waits_for_work_that_runs_on() -> None:
    """Whoever closes sees begun work to its end."""
    flight, work = SingleFlight[str, int](runs_on=True), Work()
    caller = asyncio.create_task(flight.run("a", work.run))
    await settle()
    caller.cancel()
    closing = asyncio.create_task(flight.drain(60))
    await settle()
    assert not closing.done()
    work.go.set()
    await closing
    assert (work.ended, work.cancelled, len(flight)) == (1, 0, 0)
    await flight.drain(60)


async def test_drain_cancels_what_does_not_end() -> None:
    """Closing does not wait for ever."""
    flight, work = SingleFlight[str, int](runs_on=True), Work()
    caller = asyncio.create_task(flight.run("a", work.run))
    await settle()
    caller.cancel()
    await flight.drain(0)
    assert (work.ended, work.cancelled, len(flight)) == (0, 1, 0)


async def test_error_of_work_that_runs_on_is_nobodys() -> None:
    """An error that nobody waits for any more is reported to nobody, and the work is tried anew."""
    flight, work = SingleFlight[str, int](runs_on=True), Work(error=ValueError("late"))
    caller = asyncio.create_task(flight.run("a", work.run))
    await settle()
    caller.cancel()
    await settle()
    work.go.set()
    await settle()
    assert (work.ended, len(flight)) == (1, 0)
    work.error = None
    assert await flight.run("a", work.run) == 2


async def test_new_caller_does_not_join_given_up_work() -> None:
    """Whoever asks while given-up work is still ending gets work of its own."""
    flight, ending, work = SingleFlight[str, int](), asyncio.Event(), Work()

    async def end_slowly() -> int:
        try:
            await asyncio.Event().wait()
        finally:
            await ending.wait()
        return 0

    leaver = asyncio.create_task(flight.run("a", end_slowly))
    await settle()
    leaver.cancel()
    await settle()
    assert not leaver.done()
    newcomer = asyncio.create_task(flight.run("a", work.run))
    await settle()
    ending.set()
    await settle()
    assert leaver.cancelled()
    assert len(flight) == 1
    work.go.set()
    assert await newcomer == 1


async def test_error_of_given_up_work_is_nobodys() -> None:
    """An error that given-up work ends in, even after its last caller is gone, is reported to nobody."""
    flight, ending = SingleFlight[str, int](), asyncio.Event()

    async def fail_late() -> int:
        try:
            await asyncio.Event().wait()
        finally:
            await ending.wait()
            raise ValueError("late")

    caller = asyncio.create_task(flight.run("a", fail_late))
    await settle()
    caller.cancel()
    await settle()
    caller.cancel()
    await settle()
    assert caller.cancelled()
    ending.set()


async def test_work_that_cancels_itself_cancels_callers() -> None:
    """Work that ends as cancelled is passed on as such."""
    flight = SingleFlight[str, int]()

    async def give_up() -> int:
        raise asyncio.CancelledError

    with pytest.raises(asyncio.CancelledError):
        await flight.run("a", give_up)
    assert len(flight) == 0


async def test_keys_under_way_are_known() -> None:
    """A key is contained as long as its work is under way."""
    work, flights = Work(), SingleFlight[str, int]()
    asking = asyncio.create_task(flights.run("a", work.run))
    await settle()
    assert "a" in flights
    assert "b" not in flights
    work.go.set()
    await asking
    assert "a" not in flights
