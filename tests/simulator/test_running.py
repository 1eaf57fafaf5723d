"""Tests of counting requests."""

from __future__ import annotations

import asyncio

import pytest

from antigravity_proxy.simulator.running import Running


async def test_idle_waits_for_the_last() -> None:
    """Nothing is idle until the last request has ended, however it ended."""
    running = Running()
    await running.wait_until_idle()
    with running.one():
        with pytest.raises(RuntimeError), running.one():
            raise RuntimeError
        assert running.count == 1
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.01):
                await running.wait_until_idle()
    await running.wait_until_idle()
