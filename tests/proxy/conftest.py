"""A server and a simulator inside the test, over real sockets."""

from __future__ import annotations

import json
import os
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import aiohttp
import pytest

from antigravity_proxy.accounts.file_format import read_import
from antigravity_proxy.proxy.app import Server
from antigravity_proxy.proxy.services import open_store
from antigravity_proxy.proxy.settings import Settings
from antigravity_proxy.simulator.config import SimulatorConfig
from antigravity_proxy.simulator.server import Simulator

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable
    from contextlib import AbstractAsyncContextManager
    from pathlib import Path

EMAIL = "ada@example.com"


@pytest.fixture(autouse=True)
def _bare_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing of the developer's own settings reaches a test."""
    for name in os.environ:
        if name.startswith(("ANTIGRAVITY_PROXY_", "DSH_ANTIGRAVITY_")):
            monkeypatch.delenv(name)


@dataclass(frozen=True, slots=True)
class Lab:
    """A server with the simulator behind it, and a client in front.

    Attributes:
        url: base of the server, without ``/v1``.
        http: a client session.
        simulator: pretend Google.
        settings: the server's.
    """

    url: str
    http: aiohttp.ClientSession
    simulator: Simulator
    settings: Settings

    async def chat(self, text: str = "Hi", **options: Any) -> tuple[int, Any]:
        """One chat completion that is not streamed: its status and parsed body."""
        body = {"model": "gemini-3.8-flash", "messages": [{"role": "user", "content": text}], **options}
        async with self.http.post(f"{self.url}/v1/chat/completions", json=body) as response:
            return response.status, await response.json()

    async def stream(self, text: str = "Hi", **options: Any) -> bytes:
        """All bytes of a streamed chat completion, as far as they came."""
        body = {
            "model": "gemini-3.8-flash",
            "messages": [{"role": "user", "content": text}],
            "stream": True,
            **options,
        }
        received = b""
        async with self.http.post(f"{self.url}/v1/chat/completions", json=body) as response:
            try:
                async for data in response.content.iter_any():
                    received += data
            except aiohttp.ClientPayloadError:
                received += b"<cut>"
        return received

    def plan(self, name: str, **fields: Any) -> None:
        """Plan what happens to the next calls."""
        self.simulator.schedule(name, **fields)

    async def requests(self, method: str = "streamGenerateContent") -> list[dict[str, Any]]:
        """What the simulator was sent for a method, oldest first."""
        async with self.http.get(f"{self.simulator.base_url}/simulator/requests") as response:
            listed = (await response.json())["requests"]
        return [entry for entry in listed if entry["path"].partition("?")[0].endswith(method)]


OpenLab = "Callable[..., AbstractAsyncContextManager[Lab]]"


@pytest.fixture
def open_lab(tmp_path: Path) -> Callable[..., AbstractAsyncContextManager[Lab]]:
    """Opens a lab with some settings; ``accounts=()`` starts without any account."""

    @asynccontextmanager
    async def open_one(*, accounts: tuple[str, ...] = (EMAIL,), **options: Any) -> AsyncIterator[Lab]:
        async with Simulator(SimulatorConfig(pace_s=0)) as simulator:
            client_file = tmp_path / "client.json"
            client_file.write_text(json.dumps(simulator.client_document()))
            for email in accounts:
                pool = read_import(json.dumps(simulator.accounts_document(email)).encode(), path=tmp_path)
                open_store(tmp_path).update(lambda known, pool=pool: known.with_account(pool.accounts[0]))  # type: ignore[misc]
            settings = Settings(
                **{
                    "home": tmp_path,
                    "port": 0,
                    "base_url": simulator.base_url,
                    "oauth_client_file": client_file,
                    **options,
                }
            )
            async with Server(settings) as server, aiohttp.ClientSession() as http:
                yield Lab(server.url.removesuffix("/v1"), http, simulator, settings)

    return open_one


@pytest.fixture
async def lab(open_lab: Callable[..., AbstractAsyncContextManager[Lab]]) -> AsyncIterator[Lab]:
    """A lab with one account and default settings."""
    async with open_lab() as opened:
        yield opened
