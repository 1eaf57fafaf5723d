"""``state.db``: what is nice to know after a restart, and only that.

Source:
    SPEC.md, "State file", and https://www.sqlite.org/atomiccommit.html.
"""

from __future__ import annotations

import asyncio
import logging
import os
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..accounts.disk import FILE_MODE, check_file, make_folder
from ..errors import StoreError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

log = logging.getLogger(__name__)

STATE_FILE = "state.db"
FLUSH_S = 1.0
"""Writes are gathered for so long and written at once."""

BUSY_S = 2.0
"""How long a write waits for another process that writes, and at most a server that stops meanwhile."""

LAST_BUSY_MS = 500
"""How long the last write of a server that stops waits for one."""

READ_BUSY_S = 0.2
"""How long a look waits for one, as somebody waits for it."""

MAX_BYTES = 64 * 1024 * 1024
"""When the file has grown to this size, the older half of its signatures goes."""

MAX_AGE_S = 30 * 24 * 3_600
"""Older rows go."""

MAX_SIGNATURES = 20_000
"""As many of the newest signatures are kept."""

TRIM_EVERY = 1_000
"""After so many rows it is looked whether something is too old or too much."""

SCHEMA = (
    """
    CREATE TABLE signatures (
        call_id TEXT PRIMARY KEY, family TEXT NOT NULL, signature TEXT NOT NULL, at_s INTEGER NOT NULL
    ) WITHOUT ROWID;
    CREATE INDEX signatures_by_age ON signatures (at_s);
    CREATE TABLE exclusions (
        account_id TEXT NOT NULL, quota_pool TEXT NOT NULL, reason TEXT NOT NULL, message TEXT NOT NULL,
        since_s REAL NOT NULL, until_s REAL, probe_at_s REAL NOT NULL, url TEXT,
        PRIMARY KEY (account_id, quota_pool)
    ) WITHOUT ROWID;
    """,
)
"""Each step makes the tables of one version from those of the version before."""


@dataclass(frozen=True, slots=True)
class _Write:
    statement: str
    rows: tuple[Sequence[Any], ...]


class StateFile:
    """The SQLite file of one server; other processes may use it at the same time.

    Nothing here fails: a file that is damaged is put aside and begun anew, and without a disk that can be written
    nothing is remembered. All work on the disk is done in a thread of its own.

    Args:
        path: the file; it need not exist.
        clock: Unix time in seconds.
    """

    def __init__(self, path: Path, *, clock: Callable[[], float]) -> None:
        self._path = path
        self._clock = clock
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="state")
        self._connection: sqlite3.Connection | None = None
        self._is_off = False
        self._is_closed = False
        self._pending: list[_Write] = []
        self._timer: asyncio.TimerHandle | None = None
        self._rows_to_trim = 0
        self._has_warned = False
        self.flushes = 0

    def write(self, statement: str, rows: Iterable[Sequence[Any]]) -> None:
        """Have a statement carried out soon, once for each row; it does not wait for the disk."""
        if self._is_closed:
            return
        self._pending.append(_Write(statement, tuple(rows)))
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(FLUSH_S, self._begin_flush)

    async def read(self, query: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]] | None:
        """The rows a query finds in the file; what has been written within the last second may not be there yet.

        It does not wait for writers.

        Returns:
            None when the file cannot be read now.
        """
        return await asyncio.to_thread(self._read, query, values)

    async def flush(self) -> None:
        """Write what was gathered, now."""
        await asyncio.get_running_loop().run_in_executor(self._thread, self._write, self._take_pending())

    async def close(self) -> None:
        """Write what is left, and close the file; what is written afterwards is lost."""
        if self._is_closed:
            return
        self._is_closed = True
        await asyncio.get_running_loop().run_in_executor(self._thread, self._close, self._take_pending())
        self._thread.shutdown(wait=False)

    def _take_pending(self) -> list[_Write]:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        writes, self._pending = self._pending, []
        return writes

    def _begin_flush(self) -> None:
        self._timer = None
        asyncio.get_running_loop().run_in_executor(self._thread, self._write, self._take_pending())

    # What follows runs in the thread.

    def _read(self, query: str, values: Sequence[Any]) -> list[tuple[Any, ...]] | None:
        if not self._path.is_file():
            return []
        # Writing is allowed, as what a killed process has left behind must be rolled back first.
        address = f"{self._path.absolute().as_uri()}?mode=rw"
        try:
            with closing(sqlite3.connect(address, uri=True, timeout=READ_BUSY_S)) as connection:
                return list(connection.execute(query, values))
        except sqlite3.Error as exc:
            log.info("%s cannot be read now: %s", self._path, exc)
            return None

    def _write(self, writes: list[_Write]) -> None:
        if not writes:
            return

        def commit(connection: sqlite3.Connection) -> None:
            with connection:
                for write in writes:
                    connection.executemany(write.statement, write.rows)
                self._rows_to_trim -= sum(len(write.rows) for write in writes)
                if self._rows_to_trim <= 0:
                    self._rows_to_trim = TRIM_EVERY
                    self._trim(connection)
            self.flushes += 1

        self._try(commit)

    def _close(self, writes: list[_Write]) -> None:
        if self._connection is not None:
            with suppress(sqlite3.Error):
                self._connection.execute(f"PRAGMA busy_timeout = {LAST_BUSY_MS}")
        self._write(writes)
        if self._connection is not None:
            with suppress(sqlite3.Error):
                self._connection.close()
        self._is_off = True

    def _try(self, act: Callable[[sqlite3.Connection], None]) -> None:
        """Do something with the file; one that turns out to be damaged is begun anew, once."""
        for is_last in (False, True):
            if self._is_off:
                return
            try:
                act(self._open())
            except (sqlite3.Error, OSError, StoreError) as exc:
                if not _is_damage(exc):
                    self._warn(exc)
                    return
                self._put_aside(exc)
                self._is_off = is_last
            else:
                self._has_warned = False
                return

    def _warn(self, exc: Exception) -> None:
        if not self._has_warned:
            reason = str(exc).rstrip(".")
            log.warning("%s cannot be used: %s. What it was to keep is forgotten.", self._path, reason)
        self._has_warned = True

    def _open(self) -> sqlite3.Connection:
        if self._connection is not None and not self._path.exists():
            self._connection.close()  # somebody has deleted the file, and what goes on being written to it is lost
            self._connection = None
        if self._connection is None:
            make_folder(self._path.parent)
            with suppress(FileNotFoundError):
                check_file(self._path)
            os.close(os.open(self._path, os.O_RDWR | os.O_CREAT, FILE_MODE))
            self._connection = _connect(self._path, LAST_BUSY_MS / 1_000 if self._is_closed else BUSY_S)
        return self._connection

    def _put_aside(self, exc: Exception) -> None:
        if self._connection is not None:
            with suppress(sqlite3.Error):
                self._connection.close()
            self._connection = None
        aside = self._path.with_name(f"{self._path.name}.damaged")
        log.warning("%s is damaged (%s). It is kept as %s, and a new one is begun.", self._path, exc, aside)
        with suppress(OSError):
            self._path.replace(aside)
            self._path.with_name(f"{self._path.name}-journal").unlink(missing_ok=True)

    def _trim(self, connection: sqlite3.Connection) -> None:
        now_s = self._clock()
        connection.execute("DELETE FROM signatures WHERE at_s < ?", (now_s - MAX_AGE_S,))
        connection.execute("DELETE FROM exclusions WHERE until_s < ? OR since_s < ?", (now_s, now_s - MAX_AGE_S))
        ((count,),) = connection.execute("SELECT count(*) FROM signatures")
        ((used,),) = connection.execute(
            "SELECT (page_count - freelist_count) * page_size "
            "FROM pragma_page_count, pragma_freelist_count, pragma_page_size"
        )
        surplus = max(count - MAX_SIGNATURES, count // 2 if used > MAX_BYTES else 0)
        connection.execute(
            "DELETE FROM signatures WHERE call_id IN (SELECT call_id FROM signatures ORDER BY at_s LIMIT ?)",
            (max(surplus, 0),),
        )


def _is_damage(exc: Exception) -> bool:
    """Whether an error says that the file is no database; anything else is about the disk or a statement."""
    code = exc.sqlite_errorcode if isinstance(exc, sqlite3.Error) else sqlite3.SQLITE_OK
    return code & 0xFF in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)


def _connect(path: Path, busy_s: float) -> sqlite3.Connection:
    connection = sqlite3.connect(path, timeout=busy_s, check_same_thread=False)
    try:
        with connection:
            connection.execute("BEGIN IMMEDIATE")
            ((version,),) = connection.execute("PRAGMA user_version")
            for step in SCHEMA[version:]:
                for statement in step.split(";"):
                    connection.execute(statement)
            if version < len(SCHEMA):
                connection.execute(f"PRAGMA user_version = {len(SCHEMA)}")
    except BaseException:
        connection.close()
        raise
    return connection
