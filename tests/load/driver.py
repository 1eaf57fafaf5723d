"""Asks a counted server for a great many answers, of all kinds, and takes its counts."""

from __future__ import annotations

import asyncio
import base64
import os
import random
import sys
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import aiohttp
import orjson

from antigravity_proxy.accounts.account import Account, Tokens
from antigravity_proxy.proxy.services import open_store

from .upstream import HELD, PAUSING, SILENT, LightUpstream

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable

SERVER = Path(__file__).with_name("counted_server.py")
FAR_FUTURE_MS = 4_000_000_000_000
AT_ONCE = 32
PATIENCE_S = 0.05
"""How long a client waits that leaves before the first byte."""

TIMEOUT = aiohttp.ClientTimeout(total=120)
CHANCE = random.Random("soak")  # noqa: S311 -- no secret
WORDS = " ".join(CHANCE.choices(["alpha", "beta", "gamma", "delta"], k=170_000))
PICTURE = f"data:image/png;base64,{base64.b64encode(CHANCE.randbytes(150_000)).decode()}"


def _body(content: Any, *, stream: bool) -> bytes:
    messages = [{"role": "user", "content": content}]
    return orjson.dumps({"model": "gemini-3.8-flash", "messages": messages, "stream": stream})


SMALL = [_body("How are you?", stream=stream) for stream in (False, True)]
LARGE = [_body(WORDS, stream=stream) for stream in (False, True)]
IMAGE = [_body([{"type": "image_url", "image_url": {"url": PICTURE}}], stream=stream) for stream in (False, True)]
LEFT_IN_THE_MIDDLE = _body(PAUSING.decode(), stream=True)
LEFT_BEFORE = [_body(SILENT.decode(), stream=stream) for stream in (False, True)]
WAITING = _body(HELD.decode(), stream=True)


@dataclass(frozen=True, slots=True)
class Counts:
    """What a server uses: tasks, sockets, other files, memory in KiB, processor time in seconds."""

    tasks: int
    sockets: int
    files: int
    rss_kib: int
    cpu_s: float
    pid: int

    @property
    def things(self) -> tuple[int, int, int]:
        """All that can be left behind."""
        return self.tasks, self.sockets, self.files


@dataclass
class Load:
    """A server, the upstream behind it, and what has come of the requests so far.

    Attributes:
        url: base of the server.
        upstream: what it asks.
        outcomes: how many requests ended in which way.
    """

    url: str
    upstream: LightUpstream
    outcomes: dict[str, int] = field(default_factory=lambda: {"whole": 0, "left": 0, "failed": 0})

    async def counts(self) -> Counts:
        """What the server uses now; the connection to ask for it, and its task, are among it."""
        async with aiohttp.ClientSession() as http, http.get(f"{self.url}/counts") as response:
            return Counts(**await response.json())

    async def settled(self, holds: Callable[[Counts], bool], within_s: float) -> Counts:
        """The counts as soon as something holds of them, or what they are after some time."""
        loop = asyncio.get_running_loop()
        deadline = loop.time() + within_s
        while not holds(counts := await self.counts()) and loop.time() < deadline:  # noqa: ASYNC110 -- counts
            await asyncio.sleep(0.1)  # what is counted is in another process
        return counts

    async def ask(self, numbers: range) -> None:
        """Make requests: a tenth are of one megabyte, a twentieth have a picture, a fifth are left by the client."""
        waiting = iter(numbers)

        async def work(http: aiohttp.ClientSession) -> None:
            for number in waiting:
                self.outcomes[await self._one(http, number)] += 1

        async with aiohttp.ClientSession(timeout=TIMEOUT) as http, asyncio.TaskGroup() as group:
            for _ in range(AT_ONCE):
                group.create_task(work(http))

    async def stream_at_once(self, streams: int) -> Counts:
        """Begin so many streams before any of them ends, and read them all; the counts while all are open."""
        self.upstream.held = 0
        self.upstream.release.clear()
        connector = aiohttp.TCPConnector(limit=0)
        async with aiohttp.ClientSession(connector=connector, timeout=TIMEOUT) as http, asyncio.TaskGroup() as group:
            tasks = [group.create_task(self._whole(http, WAITING)) for _ in range(streams)]
            while self.upstream.held < streams and not any(task.done() for task in tasks):  # noqa: ASYNC110 -- a count
                await asyncio.sleep(0.05)
            counts = await self.counts()
            self.upstream.release.set()
        for task in tasks:
            self.outcomes[task.result()] += 1
        return counts

    async def _one(self, http: aiohttp.ClientSession, number: int) -> str:
        is_stream = bool(number // 20 % 2)
        match number % 20:
            case 0 | 10:
                return await self._whole(http, LARGE[is_stream])
            case 5:
                return await self._whole(http, IMAGE[is_stream])
            case 2 | 12:
                return await self._left(http, LEFT_BEFORE[is_stream])
            case 7 | 17:
                return await self._left(http, LEFT_IN_THE_MIDDLE)
            case _:
                return await self._whole(http, SMALL[is_stream])

    async def _whole(self, http: aiohttp.ClientSession, body: bytes) -> str:
        async with self._post(http, body) as response:
            answer = await response.read()
        return "whole" if response.status == 200 and b"end." in answer else "failed"

    async def _left(self, http: aiohttp.ClientSession, body: bytes) -> str:
        try:
            async with asyncio.timeout(PATIENCE_S), self._post(http, body) as response:
                await response.content.readany()
                await response.read()
        except TimeoutError:
            return "left"
        return "failed"

    def _post(self, http: aiohttp.ClientSession, body: bytes) -> Any:
        headers = {"Content-Type": "application/json"}
        return http.post(f"{self.url}/v1/chat/completions", data=body, headers=headers)


@asynccontextmanager
async def open_load(home: Path, *, open_files: int | None = None) -> AsyncGenerator[Load]:
    """A counted server with one account, in a process of its own.

    Args:
        home: its folder.
        open_files: how many the shell allows that starts it; None for as many as here.
    """
    shell = ["sh", "-c", f'ulimit -Sn {open_files}; exec "$@"', "sh"] if open_files is not None else []
    tokens = Tokens("access-token", "refresh-token", FAR_FUTURE_MS)
    account = Account(id="google:load", tokens=tokens, email="ada@example.com", project_id="project")
    open_store(home).update(lambda pool: pool.with_account(account))
    async with LightUpstream() as upstream:
        kept = {name: value for name, value in os.environ.items() if not name.startswith("ANTIGRAVITY_PROXY_")}
        process = await asyncio.create_subprocess_exec(
            *shell,
            *(sys.executable, str(SERVER), str(home), upstream.url),
            stdout=asyncio.subprocess.PIPE,
            env=kept,
        )
        try:
            assert process.stdout is not None
            url = (await process.stdout.readline()).decode().strip()
            yield Load(url.removesuffix("/v1"), upstream)
        finally:
            process.terminate()
            await process.wait()
