"""Tests of work that goes on beside the requests."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from antigravity_proxy.errors import ProxyError
from antigravity_proxy.proxy.background import Background

if TYPE_CHECKING:
    import pytest


async def test_work_that_ends_in_time_is_waited_for() -> None:
    """Closing waits for what is under way, and nothing is left of it."""
    background, done = Background(), asyncio.Event()

    async def work() -> None:
        await asyncio.sleep(0)
        done.set()

    background.start(work(), "working")
    assert len(background) == 1
    await background.close(5)
    assert done.is_set()
    assert len(background) == 0


async def test_work_that_hangs_is_cancelled() -> None:
    """Closing does not wait longer than it was told."""
    background, never = Background(), asyncio.Event()

    async def hang() -> None:
        await never.wait()

    background.start(hang(), "hanging")
    await background.close(0.01)
    assert len(background) == 0
    await background.close(0.01)


async def test_failure_is_a_line_in_the_log(caplog: pytest.LogCaptureFixture) -> None:
    """An error of ours is said in the log and goes no further."""
    background = Background()

    async def fail() -> None:
        raise ProxyError("Try again.")

    background.start(fail(), "trying")
    await background.close(5)
    assert [record.getMessage() for record in caplog.records] == ["trying failed: Try again."]
