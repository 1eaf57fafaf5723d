"""Real servers for the tests of this folder."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ..complaints import check_complaints, expected_complaints
from .callers import AsyncStream, AsyncWhole, Caller, Streamer, SyncStream, SyncWhole
from .clients import open_async_client, open_client
from .process import Running, run_command
from .simulator_control import SimulatorControl

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

    from openai import AsyncOpenAI, OpenAI


@pytest.fixture(scope="session")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """One ``serve --simulate`` process for all tests that do not change it."""
    home = tmp_path_factory.mktemp("home")
    with run_command("serve", "--simulate", "--port", "0", "--pace", "0", home=home) as running:
        yield running


@pytest.fixture
def simulator(served: Running, request: pytest.FixtureRequest) -> Iterator[SimulatorControl]:
    """The simulator behind ``served``, with nothing planned and nothing recorded.

    At the end it must have had nothing against what it was sent.
    """
    control = SimulatorControl(served.simulator_url)
    control.reset()
    yield control
    check_complaints(control.requests(), expected_complaints(request.node))
    control.reset()


@pytest.fixture(autouse=True)
def _strictness(request: pytest.FixtureRequest) -> None:
    """Every test that talks to ``served`` is watched by its simulator."""
    if "served" in request.fixturenames:
        request.getfixturevalue("simulator")


@pytest.fixture(scope="session")
def client(served: Running) -> Iterator[OpenAI]:
    """The real client, which fails at once instead of trying again."""
    with open_client(served.url) as made:
        yield made


@pytest.fixture
async def async_client(served: Running) -> AsyncIterator[AsyncOpenAI]:
    """The real asynchronous client, which fails at once instead of trying again."""
    async with open_async_client(served.url) as made:
        yield made


@pytest.fixture(params=["sync", "async"])
def streamer(request: pytest.FixtureRequest, client: OpenAI, async_client: AsyncOpenAI) -> Streamer:
    """Each of the two ways to stream."""
    return SyncStream(client) if request.param == "sync" else AsyncStream(async_client)


@pytest.fixture(params=["sync-whole", "sync-stream", "async-whole", "async-stream"])
def caller(request: pytest.FixtureRequest, client: OpenAI, async_client: AsyncOpenAI) -> Caller:
    """Each of the four ways to ask."""
    callers: dict[str, Caller] = {
        "sync-whole": SyncWhole(client),
        "sync-stream": SyncStream(client),
        "async-whole": AsyncWhole(async_client),
        "async-stream": AsyncStream(async_client),
    }
    return callers[request.param]
