"""Tests of what a busy server does to the disk, over real sockets."""

from __future__ import annotations

import asyncio
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING, Any

import pytest

from antigravity_proxy.oauth.refresh import REFRESH_AGAIN_MS
from antigravity_proxy.proxy.signature_memory import INSERT
from antigravity_proxy.proxy.state import FLUSH_S, STATE_FILE, StateFile

from .test_state import list_of, put

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from antigravity_proxy.accounts.pool import Pool

    from .conftest import Lab, OpenLab
    from .trio import Clock

REQUESTS = 150
AT_ONCE = 10
TOOL = {"type": "function", "function": {"name": "look_up", "parameters": {"type": "object", "properties": {}}}}
NOW_S = 1_790_000_000


async def call_tools(lab: Lab, count: int) -> list[int]:
    """Get answers with signed calls, several at a time; their statuses."""
    lab.plan("call", function="look_up", times=count)
    gate = asyncio.Semaphore(AT_ONCE)

    async def one(number: int) -> int:
        async with gate:
            return (await lab.chat(f"Look {number} up", tools=[TOOL]))[0]

    return await asyncio.gather(*(one(number) for number in range(count)))


def commits_in(path: Path) -> int:
    """How often a file has been written, as SQLite counts it.

    Source: https://www.sqlite.org/fileformat.html#file_change_counter
    """
    return int.from_bytes(path.read_bytes()[24:28], "big")


async def test_load_costs_one_write_a_second(open_lab: OpenLab, tmp_path: Path) -> None:
    """However many answers there are, the state file is written once a second, and the account file not at all."""
    async with open_lab() as lab:
        assert await call_tools(lab, 1) == [200]
        await lab.services.signatures._state.flush()  # writes down what the first request has made known
        accounts, before = (tmp_path / "accounts.json").stat(), commits_in(tmp_path / STATE_FILE)
        loop = asyncio.get_running_loop()
        started = loop.time()
        assert await call_tools(lab, REQUESTS) == [200] * REQUESTS
        writes = commits_in(tmp_path / STATE_FILE) - before
        assert writes <= (loop.time() - started) / FLUSH_S
        after = (tmp_path / "accounts.json").stat()
        assert (after.st_ino, after.st_mtime_ns) == (accounts.st_ino, accounts.st_mtime_ns)
    with closing(sqlite3.connect(tmp_path / STATE_FILE)) as connection:
        assert list(connection.execute("SELECT count(*) FROM signatures")) == [(REQUESTS + 1,)]


async def test_refused_tokens_cost_one_write_each(trio: Lab, clock: Clock) -> None:
    """When Google refuses every token, each is replaced once in a while, and not with every request."""
    writes: list[Pool] = []
    trio.services.store.watch(lambda _, after: writes.append(after))
    trio.plan("bad-token", times=-1)
    for rounds in (1, 2):
        answers = await asyncio.gather(*(trio.chat() for _ in range(AT_ONCE)))
        answers += [await trio.chat() for _ in range(AT_ONCE)]
        assert {(status, body["error"]["code"]) for status, body in answers} == {(401, "upstream_unauthorized")}
        assert len(writes) == 3 * rounds
        clock.now_s += REFRESH_AGAIN_MS / 1_000


async def test_start_does_not_touch_a_large_file(open_lab: OpenLab, tmp_path: Path) -> None:
    """A server that starts and ends leaves a large state file as it was: nobody waits until it is tidied up."""
    state = StateFile(tmp_path / STATE_FILE, clock=lambda: float(NOW_S))
    state.write(INSERT, [(f"call_{number}", "gemini", "QUJD" * 100, NOW_S) for number in range(20_000)])
    await state.close()
    before = (tmp_path / STATE_FILE).read_bytes(), (tmp_path / STATE_FILE).stat().st_mtime_ns
    async with open_lab() as lab:
        assert (await lab.chat())[0] == 200
    assert ((tmp_path / STATE_FILE).read_bytes(), (tmp_path / STATE_FILE).stat().st_mtime_ns) == before


def _replace_by_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


LOSSES: dict[str, Callable[[Path], Any]] = {
    "deleted": lambda path: path.unlink(),
    "garbage": lambda path: put(path, b"garbage" * 1_000),
    "cut": lambda path: put(path, path.read_bytes()[:5_000]),
    "empty": lambda path: put(path, b""),
    "folder": _replace_by_folder,
}


@pytest.mark.parametrize("lose", LOSSES.values(), ids=LOSSES)
async def test_losing_the_state_costs_only_comfort(
    open_lab: OpenLab, tmp_path: Path, lose: Callable[[Path], Any]
) -> None:
    """Whatever happens to the state file, while the server runs and before it starts again, it answers."""
    for _ in range(2):
        async with open_lab() as lab:
            assert await call_tools(lab, 3) == [200] * 3
            await lab.services.signatures._state.flush()
            if (tmp_path / STATE_FILE).is_file():
                lose(tmp_path / STATE_FILE)
            assert await call_tools(lab, 3) == [200] * 3
        assert {"accounts.json", "accounts.key"} <= {path.name for path in list_of(tmp_path)}
