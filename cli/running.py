"""Servers that run until they are told to stop."""

from __future__ import annotations

import asyncio
import json
import signal
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from ..accounts.file_format import read_import
from ..proxy.app import Server
from ..proxy.services import open_store
from ..simulator.config import SimulatorConfig
from ..simulator.server import Simulator

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType

    from ..proxy.settings import Settings

STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM)
DEMO_EMAIL = "ada@example.com"


class Announce(Protocol):
    """Says that the server is ready."""

    def __call__(self, url: str, *, has_key: bool, account: str | None, simulator_url: str | None) -> None:
        """Say it.

        Args:
            url: base URL for clients.
            has_key: whether clients need a key.
            account: who is served.
            simulator_url: where the simulator is, if it stands in for Google.
        """
        ...


async def serve_google(settings: Settings, announce: Announce) -> None:
    """Serve the saved accounts until a signal comes.

    Raises:
        ServeError: the server cannot listen.
    """
    stop = stop_signal()
    async with Server(settings) as server:
        active = open_store(settings.home).read().active
        announce(
            server.url,
            has_key=settings.api_key is not None,
            account=active.label if active is not None else None,
            simulator_url=None,
        )
        await stop.wait()


async def serve_simulator(settings: Settings, pace_s: float, announce: Announce) -> None:
    """Serve a made-up account of the built-in simulator until a signal comes; nothing of the user's is touched.

    Raises:
        ServeError: the server cannot listen.
    """
    stop = stop_signal()
    async with Simulator(SimulatorConfig(pace_s=pace_s)) as simulator:
        with tempfile.TemporaryDirectory(prefix="antigravity-proxy-") as folder:
            home = Path(folder)
            async with Server(simulated(settings, simulator, home)) as server:
                announce(
                    server.url,
                    has_key=settings.api_key is not None,
                    account=None,
                    simulator_url=simulator.base_url,
                )
                await stop.wait()


def simulated(settings: Settings, simulator: Simulator, home: Path) -> Settings:
    """The same settings, with the simulator for Google and a made-up account in ``home``."""
    client_file = home / "client.json"
    client_file.write_text(json.dumps(simulator.client_document()), encoding="utf-8")
    document = json.dumps(simulator.accounts_document(DEMO_EMAIL)).encode()
    pool = read_import(document, path=home)
    open_store(home).update(lambda _: pool)
    return settings.model_copy(
        update={
            "home": home,
            "base_url": simulator.base_url,
            "oauth_client_file": client_file,
            "oauth_client_id": None,
            "oauth_client_secret": None,
            "project_id": None,
        }
    )


async def simulate(port: int, pace_s: float) -> None:
    """Run the simulator alone until a signal comes.

    Raises:
        ServeError: it cannot listen.
    """
    stop = stop_signal()
    async with Simulator(SimulatorConfig(port=port, pace_s=pace_s)) as simulator:
        print_simulator(simulator.base_url)
        await stop.wait()


def print_simulator(url: str) -> None:
    """Say where the simulator is and how to point a proxy at it."""
    import sys

    print(  # noqa: T201 -- what the command is for
        f"The simulator is ready at {url}\n"
        "To put it in Google's place:\n"
        f"  curl -s {url}/simulator/client.json > client.json\n"
        f"  curl -s {url}/simulator/accounts.json > accounts.json\n"
        f"  export ANTIGRAVITY_PROXY_BASE_URL={url} ANTIGRAVITY_PROXY_OAUTH_CLIENT_FILE=client.json\n"
        "  antigravity-proxy accounts import accounts.json\n"
        "  antigravity-proxy serve",
        file=sys.stderr,
    )


def stop_signal() -> asyncio.Event:
    """An event that is set when the process is asked to stop."""
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in STOP_SIGNALS:
        try:
            loop.add_signal_handler(number, stop.set)
        except NotImplementedError:  # Windows
            signal.signal(number, _setter(loop, stop))
    return stop


def _setter(loop: asyncio.AbstractEventLoop, stop: asyncio.Event) -> Callable[[int, FrameType | None], None]:
    def set_stop(_number: int, _frame: FrameType | None) -> None:
        loop.call_soon_threadsafe(stop.set)

    return set_stop
