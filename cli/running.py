"""Servers that run until they are told to stop."""

from __future__ import annotations

import json
import tempfile
import threading
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from ..accounts.portable import read_import
from ..errors import ServeError
from ..proxy.app import Server, cannot_listen
from ..proxy.neighbour import is_simulator
from ..proxy.run_file import said_to_run
from ..proxy.services import open_store
from ..simulator.config import SimulatorConfig
from ..simulator.server import Simulator
from . import dsh_key
from .memory import settle_memory
from .stop_signals import take_signals

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..proxy.settings import Settings

DEMO_EMAIL = "ada@example.com"
SETTLE_S = 1.0
"""How long a server that stops waits for what it began for DSH when it started."""


@dataclass(frozen=True, slots=True)
class Ready:
    """A server that listens.

    Attributes:
        url: base URL for clients.
        has_key: whether clients need a key.
        account: who is served, if it is known.
        warning: what is wrong with the saved accounts.
        simulator_url: where the simulator is, if it stands in for Google.
    """

    url: str
    has_key: bool
    account: str | None = None
    warning: str | None = None
    simulator_url: str | None = None


async def serve_google(settings: Settings, announce: Callable[[Ready], None]) -> None:
    """Serve the saved accounts until a signal comes.

    Raises:
        ServeError: the server cannot listen.
    """
    stop = take_signals()
    async with Server(settings) as server:
        settle_memory()
        server.read_ahead()
        server.watch_accounts(partial(dsh_key.follow, settings, is_server=True))
        store = open_store(settings.home)
        pool = store.read()
        account = None if pool.active is None else pool.name_of(pool.active)
        with said_to_run(settings.home, server.url):
            announce(Ready(server.url, has_key=settings.api_key is not None, account=account, warning=store.warning))
            settling = threading.Thread(target=partial(dsh_key.settle, settings, is_server=True), daemon=True)
            settling.start()
            await stop.wait(server.hurry)
    settling.join(SETTLE_S)


async def serve_simulator(settings: Settings, pace_s: float, announce: Callable[[Ready], None]) -> None:
    """Serve a made-up account of the built-in simulator until a signal comes; nothing of the user's is touched.

    Raises:
        ServeError: the server cannot listen.
    """
    stop = take_signals()
    async with Simulator(SimulatorConfig(pace_s=pace_s)) as simulator:
        with tempfile.TemporaryDirectory(prefix="antigravity-proxy-") as folder:
            home = Path(folder)
            async with Server(simulated(settings, simulator, home)) as server:
                server.read_ahead()
                has_key = settings.api_key is not None
                with said_to_run(settings.home, server.url):
                    announce(Ready(server.url, has_key=has_key, simulator_url=simulator.base_url))
                    await stop.wait(server.hurry)


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


async def simulate(port: int, pace_s: float, say_ready: Callable[[str], None]) -> None:
    """Run the simulator alone until a signal comes.

    Args:
        port: where to listen; 0 picks a free port.
        pace_s: seconds between two words of an answer.
        say_ready: told its base URL.

    Raises:
        ServeError: it cannot listen.
    """
    stop = take_signals()
    simulator = Simulator(SimulatorConfig(port=port, pace_s=pace_s))
    try:
        await simulator.start()
    except OSError as exc:
        if await is_simulator(simulator.config.host, port):
            raise ServeError(
                f"{simulator.config.host}:{port} is in use: a simulator runs there already. Use that one, stop it, "
                "or choose another port with --port."
            ) from exc
        raise cannot_listen(exc, simulator.config.host, port) from exc
    try:
        say_ready(simulator.base_url)
        await stop.wait()
    finally:
        await simulator.stop()
