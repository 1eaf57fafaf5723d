"""Tests of the state file."""

from __future__ import annotations

import asyncio
import sqlite3
import stat
import sys
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from antigravity_proxy.proxy import state as state_module
from antigravity_proxy.proxy.signature_memory import INSERT
from antigravity_proxy.proxy.state import MAX_AGE_S, SCHEMA, STATE_FILE, StateFile

from ..accounts.not_files import NOT_FILES

if TYPE_CHECKING:
    from collections.abc import Callable

NOW_S = 1_790_000_000
KILLED_WRITER = Path(__file__).with_name("killed_writer.py")


def row(number: int, at_s: int = NOW_S, signature: str = "QUJD") -> tuple[Any, ...]:
    """A row of the table of signatures."""
    return f"call_{number}", "gemini", signature, at_s


def open_state(home: Path) -> StateFile:
    """The state file of a folder."""
    return StateFile(home / STATE_FILE, clock=lambda: float(NOW_S))


def put(path: Path, data: bytes) -> None:
    """Make a file that is in the way."""
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(data)


def remove(path: Path) -> None:
    """Delete a file."""
    path.unlink()


def list_of(folder: Path) -> list[Path]:
    """What lies in a folder."""
    return list(folder.iterdir())


def mode_of(path: Path) -> int:
    """Who may do what with a file."""
    return stat.S_IMODE(path.stat().st_mode)


async def call_ids(state: StateFile) -> set[str]:
    """What is kept."""
    await state.flush()
    return {call_id for (call_id,) in await state.read("SELECT call_id FROM signatures") or ()}


async def count(state: StateFile) -> int:
    """How many rows are kept."""
    return len(await call_ids(state))


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A folder that does not exist yet."""
    return tmp_path / "home"


async def test_rows_are_there_at_once_and_after_a_restart(home: Path) -> None:
    """What was written is read back by this server and by the next one."""
    state = open_state(home)
    state.write(INSERT, [row(1), row(2)])
    assert await call_ids(state) == {"call_1", "call_2"}
    state.write(INSERT, [row(3)])
    await state.close()
    again = open_state(home)
    assert await call_ids(again) == {"call_1", "call_2", "call_3"}
    await again.close()


async def test_looking_makes_no_file(home: Path) -> None:
    """A server that has nothing to remember leaves nothing behind."""
    state = open_state(home)
    assert await count(state) == 0
    await state.close()
    assert list_of(home.parent) == []


async def test_files_are_private(home: Path) -> None:
    """Folder and files belong to the owner alone."""
    state = open_state(home)
    state.write(INSERT, [row(1)])
    await state.flush()
    assert [mode_of(home), mode_of(home / STATE_FILE)] == [0o700, 0o600]
    await state.close()


async def test_many_writes_are_one_commit(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A thousand rows in a row reach the disk together, by themselves, a moment later."""
    monkeypatch.setattr(state_module, "FLUSH_S", 0.0)
    state = open_state(home)
    for number in range(1_000):
        state.write(INSERT, [row(number)])
    assert state.flushes == 0
    while state.flushes == 0:  # noqa: ASYNC110 -- the thread has no event to wait for
        await asyncio.sleep(0)
    assert await count(state) == 1_000
    assert state.flushes == 1
    await state.close()


async def test_closing_twice_and_writing_late_is_harmless(home: Path) -> None:
    """What comes after the end is lost, and nothing fails."""
    state = open_state(home)
    state.write(INSERT, [row(1)])
    await state.close()
    await state.close()
    state.write(INSERT, [row(2)])
    assert await state.read("SELECT call_id FROM signatures") == [("call_1",)]


async def test_look_does_not_wait_for_a_writer(home: Path) -> None:
    """While another process holds the file, a look finds nothing instead of waiting for it."""
    state = open_state(home)
    state.write(INSERT, [row(1)])
    await state.flush()
    with closing(sqlite3.connect(home / STATE_FILE)) as other:
        other.execute("BEGIN EXCLUSIVE")
        assert await state.read("SELECT call_id FROM signatures") is None
        other.rollback()
    assert await call_ids(state) == {"call_1"}
    await state.close()


@pytest.mark.parametrize("has_written", [True, False])
async def test_end_does_not_wait_long_for_a_writer(
    home: Path, monkeypatch: pytest.MonkeyPatch, *, has_written: bool
) -> None:
    """While another process holds the file, a server that ends gives up what it still had to write."""
    monkeypatch.setattr(state_module, "BUSY_S", 3_600)
    monkeypatch.setattr(state_module, "LAST_BUSY_MS", 20)
    state = open_state(home)
    state.write(INSERT, [row(1)])
    await state.flush()
    if not has_written:
        await state.close()
        state = open_state(home)
    with closing(sqlite3.connect(home / STATE_FILE)) as other:
        other.execute("BEGIN EXCLUSIVE")
        state.write(INSERT, [row(2)])
        await state.close()
        other.rollback()
    assert await state.read("SELECT call_id FROM signatures") == [("call_1",)]


@pytest.mark.parametrize("damage", [b"this is no database, and never was one", b"SQLite format 3\0" + b"\xff" * 500])
async def test_damaged_file_is_kept_aside(home: Path, damage: bytes, caplog: pytest.LogCaptureFixture) -> None:
    """A file that SQLite cannot read is moved away with a warning, and a new one is begun."""
    put(home / STATE_FILE, damage)
    state = open_state(home)
    state.write(INSERT, [row(1)])
    assert await call_ids(state) == {"call_1"}
    assert (home / f"{STATE_FILE}.damaged").read_bytes() == damage
    assert "is damaged" in caplog.text
    await state.close()


async def test_file_that_is_damaged_for_good_is_done_without(
    home: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """When the new file is no good either, nothing is remembered and nothing fails."""

    def refuse(_path: Path, _busy_s: float) -> sqlite3.Connection:
        error = sqlite3.DatabaseError("file is not a database")
        error.sqlite_errorcode = sqlite3.SQLITE_NOTADB
        raise error

    monkeypatch.setattr(state_module, "_connect", refuse)
    state = open_state(home)
    state.write(INSERT, [row(1)])
    assert await count(state) == 0
    state.write(INSERT, [row(2)])
    await state.close()
    assert caplog.text.count("is damaged") == 2


async def test_disk_that_refuses_is_said_once(home: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Where nothing can be written, nothing is remembered, which is one line in the log."""
    put(home, b"a file in place of the folder")
    state = open_state(home)
    for number in range(3):
        state.write(INSERT, [row(number)])
        assert await count(state) == 0
    await state.close()
    assert caplog.text.count("cannot be used") == 1


@pytest.mark.parametrize("put_at", NOT_FILES.values(), ids=NOT_FILES)
async def test_what_is_no_file_is_done_without(
    home: Path, caplog: pytest.LogCaptureFixture, put_at: Callable[[Path], object]
) -> None:
    """A pipe or a folder in place of the file is said once; nothing waits for it, and it stays."""
    put(home / "other", b"")
    put_at(home / STATE_FILE)
    state = open_state(home)
    assert await call_ids(state) == set()
    for number in range(2):
        state.write(INSERT, [row(number)])
        assert await call_ids(state) == set()
    await state.close()
    assert caplog.text.count("where a file should be. Move it away, and try again. What it was to keep") == 1
    assert not (home / STATE_FILE).is_file()


async def test_deleted_file_is_made_anew(home: Path) -> None:
    """A file that somebody deletes meanwhile comes back with the next rows."""
    state = open_state(home)
    state.write(INSERT, [row(1)])
    await state.flush()
    remove(home / STATE_FILE)
    state.write(INSERT, [row(2)])
    assert await call_ids(state) == {"call_2"}
    await state.close()


async def test_faulty_row_costs_its_own_commit(home: Path, caplog: pytest.LogCaptureFixture) -> None:
    """A row that the table does not take is no damage: the file stays, and later rows are kept."""
    state = open_state(home)
    state.write(INSERT, [row(1)])
    await state.flush()
    state.write(INSERT, [("call_2", None, None, None)])
    await state.flush()
    state.write(INSERT, [row(3)])
    assert await call_ids(state) == {"call_1", "call_3"}
    assert "NOT NULL" in caplog.text
    await state.close()


async def test_looking_commits_nothing(home: Path) -> None:
    """However often something is looked up, rows wait until they are written together."""
    state = open_state(home)
    state.write(INSERT, [row(1)])
    await state.flush()
    state.write(INSERT, [row(2)])
    for _ in range(20):
        await state.read("SELECT 1")
    assert state.flushes == 1
    await state.close()


async def test_old_rows_go(home: Path) -> None:
    """What is older than a month is dropped at the next write of another run."""
    state = open_state(home)
    state.write(INSERT, [row(1, NOW_S - MAX_AGE_S - 1), row(2, NOW_S - MAX_AGE_S)])
    assert await call_ids(state) == {"call_2"}
    await state.close()


async def test_number_of_rows_is_bounded(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of too many rows the oldest go."""
    monkeypatch.setattr(state_module, "MAX_SIGNATURES", 3)
    monkeypatch.setattr(state_module, "TRIM_EVERY", 1)
    state = open_state(home)
    for number in range(6):
        state.write(INSERT, [row(number, NOW_S + number)])
    assert await call_ids(state) == {"call_3", "call_4", "call_5"}
    await state.close()


async def test_size_is_bounded(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """When the file has become too large its older half is dropped, so it does not grow on."""
    monkeypatch.setattr(state_module, "MAX_BYTES", 200_000)
    monkeypatch.setattr(state_module, "TRIM_EVERY", 10)
    state = open_state(home)
    for number in range(200):
        state.write(INSERT, [row(number, NOW_S + number, "A" * 10_000)])
        await state.flush()
    await state.close()
    assert (home / STATE_FILE).stat().st_size < 600_000
    with closing(sqlite3.connect(home / STATE_FILE)) as connection:
        assert ("call_199",) in list(connection.execute("SELECT call_id FROM signatures"))


async def test_file_of_a_newer_version_is_left_alone(home: Path) -> None:
    """A file that a newer program made keeps its version and its tables."""
    state = open_state(home)
    state.write(INSERT, [row(1)])
    await state.close()
    with closing(sqlite3.connect(home / STATE_FILE)) as connection:
        connection.execute("PRAGMA user_version = 99")
    state = open_state(home)
    assert await call_ids(state) == {"call_1"}
    await state.close()
    with closing(sqlite3.connect(home / STATE_FILE)) as connection:
        assert list(connection.execute("PRAGMA user_version")) == [(99,)]


async def test_two_servers_share_the_file(home: Path) -> None:
    """Two servers write at the same time, and both find what the other wrote."""
    one, two = open_state(home), open_state(home)
    for number in range(50):
        (one if number % 2 else two).write(INSERT, [row(number)])
    await asyncio.gather(one.flush(), two.flush())
    assert await count(one) == await count(two) == 50
    await one.close()
    await two.close()


async def test_file_survives_kill_at_any_moment(home: Path) -> None:
    """A server that is killed while it writes leaves a file that can be read, with what it had committed."""
    for _ in range(5):
        process = await asyncio.create_subprocess_exec(
            sys.executable, str(KILLED_WRITER), str(home), stdout=asyncio.subprocess.PIPE
        )
        assert process.stdout is not None
        committed = int(await process.stdout.readline())
        process.kill()
        await process.wait()
        state = open_state(home)
        kept = await count(state)
        await state.close()
        assert kept >= committed > 0
    assert not (home / f"{STATE_FILE}.damaged").exists()


def test_each_version_of_the_tables_is_one_step() -> None:
    """The steps of the schema are statements that SQLite takes one after the other."""
    with closing(sqlite3.connect(":memory:")) as connection:
        for step in SCHEMA:
            connection.executescript(step)
        names = {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    assert names == {"signatures", "exclusions"}
