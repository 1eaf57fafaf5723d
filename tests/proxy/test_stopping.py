"""Tests of the end of a server's work."""

from __future__ import annotations

import asyncio

import pytest

from antigravity_proxy.errors import ServerStoppingError
from antigravity_proxy.proxy.budget import Budget
from antigravity_proxy.proxy.stopping import Stopping

HOUR_S = 3_600


def budget_of(stopping: Stopping) -> Budget:
    """The time of some work that is not late."""
    return Budget(stopping, HOUR_S)


async def test_work_that_ends_in_time_is_waited_for() -> None:
    """A block that ends while the server waits for it is not disturbed, and the wait ends with it."""
    stopping, may_end = Stopping(), asyncio.Event()

    async def work() -> str:
        async with budget_of(stopping):
            await may_end.wait()
            return "done"

    working = asyncio.create_task(work())
    await asyncio.sleep(0)
    draining = asyncio.create_task(stopping.drain(HOUR_S))
    await asyncio.sleep(0)
    assert (len(stopping), draining.done()) == (1, False)
    may_end.set()
    await draining
    assert await working == "done"
    assert len(stopping) == 0


async def test_work_of_several_blocks_is_waited_for() -> None:
    """Work that begins its next block in the moment in which one ends has all of the time that there is."""
    stopping, may_end, next_may_end = Stopping(), asyncio.Event(), asyncio.Event()

    async def work() -> str:
        async with budget_of(stopping):
            await may_end.wait()
        async with budget_of(stopping):
            await next_may_end.wait()
            return "done"

    working = asyncio.create_task(work())
    await asyncio.sleep(0)
    draining = asyncio.create_task(stopping.drain(HOUR_S))
    await asyncio.sleep(0)
    may_end.set()
    for _ in range(5):
        await asyncio.sleep(0)
    assert not draining.done()
    next_may_end.set()
    await draining
    assert await working == "done"


async def test_work_that_does_not_end_is_ended() -> None:
    """A block that goes on after the time it was given ends with an error that says why, after it has tidied up."""
    stopping, tidied = Stopping(), asyncio.Event()

    async def work() -> None:
        async with budget_of(stopping):
            try:
                await asyncio.Event().wait()
            finally:
                tidied.set()

    working = asyncio.create_task(work())
    await asyncio.sleep(0)
    await stopping.drain(0)
    with pytest.raises(ServerStoppingError, match="being stopped"):
        await working
    assert tidied.is_set()


@pytest.mark.parametrize("is_early", [False, True])
async def test_work_is_ended_at_once_in_a_hurry(*, is_early: bool) -> None:
    """A server that is told to hurry, while it waits or before, ends what runs; afterwards that changes nothing."""
    stopping = Stopping()

    async def work() -> None:
        async with budget_of(stopping):
            await asyncio.Event().wait()

    working = asyncio.create_task(work())
    await asyncio.sleep(0)
    if is_early:
        stopping.hurry()
    draining = asyncio.create_task(stopping.drain(HOUR_S))
    await asyncio.sleep(0)
    if not is_early:
        assert not draining.done()
        stopping.hurry()
        stopping.hurry()
    await draining
    stopping.hurry()
    with pytest.raises(ServerStoppingError):
        await working


async def test_hurry_may_come_when_the_time_runs_out() -> None:
    """A server that is told to hurry in the very moment in which its time is over ends as if it had not been."""
    stopping, loop = Stopping(), asyncio.get_running_loop()
    troubles: list[dict[str, object]] = []
    loop.set_exception_handler(lambda _, trouble: troubles.append(trouble))
    working = asyncio.create_task(_endless(stopping))
    await asyncio.sleep(0)
    draining = asyncio.create_task(stopping.drain(0))
    await asyncio.sleep(0)
    loop.call_soon(stopping.hurry)
    await draining
    with pytest.raises(ServerStoppingError):
        await working
    assert troubles == []


async def _endless(stopping: Stopping) -> None:
    async with budget_of(stopping):
        await asyncio.Event().wait()


async def test_later_work_is_not_begun() -> None:
    """What begins after the end is ended where it first has to wait."""
    stopping = Stopping()
    await stopping.drain(0)
    with pytest.raises(ServerStoppingError):
        async with budget_of(stopping):
            await asyncio.Event().wait()


async def test_time_limits_inside_keep_their_meaning() -> None:
    """A limit that runs out inside of a block is not taken for the end of the server."""
    stopping = Stopping()
    with pytest.raises(TimeoutError):
        async with budget_of(stopping), asyncio.timeout(0):
            await asyncio.Event().wait()


async def test_cancelled_work_stays_cancelled() -> None:
    """A client that leaves is no end of the server."""
    stopping = Stopping()

    async def work() -> None:
        async with budget_of(stopping):
            await asyncio.Event().wait()

    working = asyncio.create_task(work())
    await asyncio.sleep(0)
    working.cancel()
    with pytest.raises(asyncio.CancelledError):
        await working
    assert len(stopping) == 0
