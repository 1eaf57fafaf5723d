"""A server and a simulator inside the test, over real sockets."""

from __future__ import annotations

import asyncio
import json
import os
import socket
import time
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias

import aiohttp
import pytest

from antigravity_proxy.accounts.portable import read_import
from antigravity_proxy.proxy.app import Server, build_app
from antigravity_proxy.proxy.services import SERVICES, open_store
from antigravity_proxy.proxy.settings import Settings
from antigravity_proxy.simulator.config import SimulatorConfig
from antigravity_proxy.simulator.server import Simulator

from ..complaints import check_complaints, expected_complaints
from .trio import A, B, C, Clock, activate_quietly

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterable
    from contextlib import AbstractAsyncContextManager
    from pathlib import Path

    from aiohttp import web

    from antigravity_proxy.accounts.account import Account
    from antigravity_proxy.accounts.pool import Pool
    from antigravity_proxy.proxy.services import Services

EMAIL = "ada@example.com"
MODEL = "gemini-3.8-flash"
OWN_VARIABLES = ("ANTIGRAVITY_PROXY_", "DSH_ANTIGRAVITY_")
PROXY_VARIABLES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY")
TURNS_TO_SETTLE = 200
"""Turns of the event loop after which both ends of a connection have long done what they could."""

CUT = b"<cut>"
"""Stands at the end of bytes that came over a connection which broke."""

OpenLab: TypeAlias = "Callable[..., AbstractAsyncContextManager[Lab]]"
Leap: TypeAlias = "Callable[[float], None]"


def clear_environment(patch: pytest.MonkeyPatch) -> None:
    """Take the developer's own settings out of the environment."""
    for name in tuple(os.environ):
        if name.startswith(OWN_VARIABLES) or name.upper() in PROXY_VARIABLES:
            patch.delenv(name)


@pytest.fixture(autouse=True)
def _bare_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing of the developer's own settings reaches a test."""
    clear_environment(monkeypatch)


def chat_body(text: str = "Hi", **options: Any) -> dict[str, Any]:
    """A chat request with one message."""
    return {"model": MODEL, "messages": [{"role": "user", "content": text}], **options}


def chat_request(port: int, text: str = "Hi", *, version: str = "1.1", **options: Any) -> bytes:
    """A chat request as bytes, for clients that look at every byte of the answer."""
    body = json.dumps(chat_body(text, **options)).encode()
    head = (
        f"POST /v1/chat/completions HTTP/{version}\r\nHost: 127.0.0.1:{port}\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body


async def eventually(holds: Callable[[], bool], *, within_s: float = 10) -> None:
    """Wait until something holds; it fails only when that never comes, however busy the machine is."""
    async with asyncio.timeout(within_s):
        while not holds():  # noqa: ASYNC110 -- what is waited for happens at the other end of a connection
            await asyncio.sleep(0.005)


async def settle() -> None:
    """Let everything run that can, here and at the other ends of this test's connections, until all only wait."""
    for _ in range(TURNS_TO_SETTLE):
        await asyncio.sleep(0)


@dataclass(frozen=True, slots=True)
class Lab:
    """A server with the simulator behind it, and a client in front.

    Attributes:
        url: base of the server, without ``/v1``.
        port: where it listens.
        http: a client session.
        simulator: pretend Google.
        services: the server's parts.
        server: the server.
        pauses: the seconds the server has slept between attempts; it does not really sleep.
    """

    url: str
    port: int
    http: aiohttp.ClientSession
    simulator: Simulator
    services: Services
    server: Server
    pauses: list[float] = field(default_factory=list[float])

    async def get(self, path: str, **options: Any) -> tuple[int, Any]:
        """The status and parsed body of a GET."""
        async with self.http.get(f"{self.url}{path}", **options) as response:
            return response.status, await response.json()

    async def chat(self, text: str = "Hi", **options: Any) -> tuple[int, Any]:
        """One chat completion that is not streamed: its status and parsed body."""
        body = chat_body(text, **options)
        async with self.http.post(f"{self.url}/v1/chat/completions", json=body) as response:
            return response.status, await response.json()

    async def stream(self, text: str = "Hi", **options: Any) -> bytes:
        """All bytes of a streamed chat completion, as far as they came."""
        body = chat_body(text, stream=True, **options)
        received = b""
        async with self.http.post(f"{self.url}/v1/chat/completions", json=body) as response:
            try:
                async for data in response.content.iter_any():
                    received += data
            except aiohttp.ClientPayloadError:
                received += CUT
        return received

    async def send(self, data: bytes, *, until: bytes | None = None) -> bytes:
        """Everything that comes back for some bytes, up to a mark or until the server closes the connection."""
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        try:
            writer.write(data)
            async with asyncio.timeout(5):
                return await (reader.read() if until is None else reader.readuntil(until))
        finally:
            writer.close()

    def plan(self, name: str, **fields: Any) -> None:
        """Plan what happens to the next calls."""
        self.simulator.schedule(name, **fields)

    def requests(self, method: str = "streamGenerateContent") -> list[dict[str, Any]]:
        """What the simulator was sent for a method, oldest first."""
        return [
            entry
            for entry in self.simulator.requests()
            if entry["path"].partition("?")[0].endswith((":" + method, "/" + method))
        ]

    def open_calls(self) -> int:
        """How many connections to Google are in use."""
        opened, idle = self.services.upstream._http.connections
        return opened - idle

    def open_connections(self) -> int:
        """How many clients are connected."""
        server = self.server._runner.server
        return 0 if server is None else len(server.connections)

    def left_over(self) -> dict[str, int]:
        """What belongs to running requests, and how much of it there is; nothing when all have ended."""
        services = self.services
        counts = {
            "connections of clients": self.open_connections(),
            "calls to Google": self.open_calls(),
            "generations": len(services.generator.stopping),
            "tasks beside": len(services.background),
            "searches for a project": len(services.projects._flights),
            "readings of the catalogue": len(services.live_models._flights),
            "refreshes": len(services.tokens._flights),
            "locks": int(services.tokens._storing.locked()),
            "requests at the simulator": self.simulator.state.running.count,
        }
        return {what: count for what, count in counts.items() if count}

    def runtime_ids(self) -> list[str]:
        """The runtime ids that were asked for, in order."""
        return [entry["body"]["model"] for entry in self.requests()]

    def save(self, email: str, *, with_project: bool = True, expired: bool = False, **standing: Any) -> Account:
        """Save an account of the simulator and make it the active one.

        Args:
            email: whose.
            with_project: whether the project is saved with it, if the account has one.
            expired: whether its access token has run out.
            standing: what the simulator lets it do.
        """
        made = self.simulator.add_account(email, **standing)
        record = made["record"]
        if not with_project:
            record.pop("projectId", None)
        if expired:
            record["expires"] = 1
        document = json.dumps({"accounts": {made["id"]: record}}).encode()
        (account,) = read_import(document, path=self.services.settings.home).accounts

        def add(pool: Pool) -> Pool:
            others = tuple(other for other in pool.accounts if other.id != account.id)
            return replace(pool, accounts=others).with_account(account)

        self.services.store.update(add)
        return account

    def set_failover(self, *, on: bool) -> None:
        """Let other accounts stand in, or not."""
        self.services.store.update(lambda pool: replace(pool, auto_failover=on))

    def active(self) -> str | None:
        """The address of the active account."""
        active = self.services.store.read().active
        return None if active is None else active.email

    def askers(self) -> list[str | None]:
        """Whose subscription each generation was asked with, in order."""
        return [entry["account"] for entry in self.requests()]

    def saved(self, email: str = EMAIL) -> Account:
        """An account as it is saved."""
        return next(account for account in self.services.store.read().accounts if account.email == email)


def unused_port() -> int:
    """A port of this machine that nobody has."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port: int = found.getsockname()[1]
        return port


def tasks_beside_connections() -> set[asyncio.Task[Any]]:
    """All tasks but those of open connections, which are kept for a while."""
    return {task for task in asyncio.all_tasks() if "RequestHandler.start" not in repr(task.get_coro())}


@asynccontextmanager
async def open_lab_in(
    home: Path,
    *,
    accounts: tuple[str, ...] = (EMAIL,),
    extend: Callable[[web.Application], None] = lambda _: None,
    clock: Callable[[], float] = time.time,
    refused: Iterable[str] = (),
    sleeps: bool = False,
    **options: Any,
) -> AsyncIterator[Lab]:
    """A lab whose accounts are kept in a folder.

    At its end the simulator must have had nothing against what it was sent.

    Args:
        home: the folder.
        accounts: addresses of the accounts there are.
        extend: adds routes.
        clock: the server's time.
        refused: what the simulator refuses all the same, in its words.
        sleeps: whether the server really sleeps between attempts.
        options: settings.
    """
    pauses: list[float] = []

    async def pause(seconds: float) -> None:
        pauses.append(seconds)
        await asyncio.sleep(seconds if sleeps else 0)

    async with Simulator(SimulatorConfig(pace_s=0)) as simulator:
        client_file = home / "client.json"
        # Its own port may be in use, by a login of the developer's too.
        document = json.dumps(simulator.client_document())
        client_file.write_text(document.replace(":51121/", f":{unused_port()}/"))
        for email in accounts:
            pool = read_import(json.dumps(simulator.accounts_document(email)).encode(), path=home)
            open_store(home).update(lambda known, added=pool.accounts[0]: known.with_account(added))  # type: ignore[misc]
        named = {"home": home, "port": 0, "base_url": simulator.base_url, "oauth_client_file": client_file}
        settings = Settings(**{**named, **options})
        app = build_app(settings, pause=pause, clock=clock)
        extend(app)
        async with Server(settings, app) as server, aiohttp.ClientSession() as http:
            url = server.url.removesuffix("/v1")
            yield Lab(url, int(url.rpartition(":")[2]), http, simulator, app[SERVICES], server, pauses)
        check_complaints(simulator.requests(), refused)


@pytest.fixture
def open_lab(tmp_path: Path, request: pytest.FixtureRequest) -> OpenLab:
    """Opens a lab with some settings; ``accounts=()`` starts without any account."""
    return partial(open_lab_in, tmp_path, refused=expected_complaints(request.node))


@pytest.fixture
async def lab(open_lab: OpenLab) -> AsyncIterator[Lab]:
    """A lab with one account and default settings."""
    async with open_lab() as opened:
        yield opened


@pytest.fixture
def clock() -> Clock:
    """The server's time."""
    return Clock()


@pytest.fixture
async def leap(monkeypatch: pytest.MonkeyPatch) -> Leap:
    """Moves the time of the event loop ahead by some seconds, so that limits run out while nobody waits for them."""
    loop = asyncio.get_running_loop()
    real_time, leaps = loop.time, [0.0]
    monkeypatch.setattr(loop, "time", lambda: real_time() + sum(leaps))
    return leaps.append


@pytest.fixture
async def trio(open_lab: OpenLab, clock: Clock) -> AsyncIterator[Lab]:
    """Three accounts, the first of them active, and failover on."""
    async with open_lab(accounts=(A, B, C), clock=clock) as lab:
        activate_quietly(lab, A)
        lab.set_failover(on=True)
        yield lab
