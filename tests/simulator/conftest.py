"""A running simulator with a clock of its own, and a client that calls it correctly."""

from __future__ import annotations

import hashlib
import itertools
from typing import TYPE_CHECKING

import aiohttp
import pytest

from antigravity_proxy.simulator.config import SimulatorConfig
from antigravity_proxy.simulator.server import Simulator
from antigravity_proxy.simulator.state import SimulatorState

from .wire import EMAIL, Caller

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

START_S = 1_788_609_600.0
"""2026-09-05T12:00:00Z."""


class Clock:
    """A clock that stands still until it is told otherwise."""

    def __init__(self) -> None:
        self.now_s = START_S

    def __call__(self) -> float:
        """Give the time."""
        return self.now_s


@pytest.fixture
def clock() -> Clock:
    """Give a clock that stands still at noon of 5 September 2026."""
    return Clock()


@pytest.fixture
def random_bytes() -> Callable[[int], bytes]:
    """Give a source of bytes that is the same in every run."""
    counter = itertools.count()
    return lambda size: hashlib.shake_256(next(counter).to_bytes(8, "big")).digest(size)


@pytest.fixture
def state(clock: Clock, random_bytes: Callable[[int], bytes]) -> SimulatorState:
    """Give the memory of a simulator that does not run."""
    return SimulatorState(SimulatorConfig(pace_s=0), clock, random_bytes)


@pytest.fixture
async def simulator(clock: Clock, random_bytes: Callable[[int], bytes]) -> AsyncIterator[Simulator]:
    """Give a running simulator."""
    async with Simulator(SimulatorConfig(pace_s=0), clock=clock, random_bytes=random_bytes) as running:
        yield running


@pytest.fixture
async def session() -> AsyncIterator[aiohttp.ClientSession]:
    """Give an HTTP client."""
    async with aiohttp.ClientSession() as client:
        yield client


@pytest.fixture
async def caller(simulator: Simulator, session: aiohttp.ClientSession) -> Caller:
    """Give a client with a paid account."""
    return Caller(simulator, session, simulator.add_account(EMAIL)["record"])
