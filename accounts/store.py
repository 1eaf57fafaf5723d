"""The account file on disk; nothing else writes it.

Readers take the file as they find it: it changes in one step, so it is never half written. Writers take the
lock beside it, read it anew, and only then change it, so no process undoes what another one did.
"""

from __future__ import annotations

import os
import secrets
import threading
import time
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from filelock import FileLock, Timeout

from ..errors import StoreError
from .cipher import KeyFile, TokenCipher
from .disk import FILE_MODE, create_file, make_folder, read_file, remove_unfinished, replace_file
from .file_format import is_newer, read_document, write_document
from .pool import Pool

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from .keyring_entry import KeyPlace

KEY_NAME = "accounts.key"
LOCK_TIMEOUT_S = 10.0
LOCK_POLL_S = 0.01

MAX_COPIES = 5
"""So many copies of a damaged file are kept, the last one among them."""

SETTLED_NS = 50_000_000
"""A file that changed less than this before it was read may change again within the same clock tick."""


def _version_of(status: os.stat_result) -> tuple[int, int, int]:
    """What tells one content of the file from the next without reading it."""
    return status.st_mtime_ns, status.st_size, status.st_ino


@dataclass(frozen=True, slots=True)
class _Snapshot:
    pool: Pool
    version: tuple[int, int, int] | None
    warning: str | None


class AccountStore:
    """The account pool of a folder, shared with every other process that uses the folder.

    All methods may be called from any thread. They read and write files, so in a coroutine ``update`` belongs
    into a thread; ``read`` usually costs one ``stat``.

    Args:
        path: the account file; the key for its tokens is in ``accounts.key`` beside it. It need not exist; a symbolic
            link to it is kept.
        now_ns: the time, in nanoseconds since 1970.
        new_tag: gives a text that no other process uses at the same time.
        lock_timeout_s: how long to wait for another process to finish its change.

    Source: SPEC.md, "Account file".
    """

    def __init__(
        self,
        path: Path,
        *,
        now_ns: Callable[[], int] = time.time_ns,
        new_tag: Callable[[], str] = secrets.token_hex,
        lock_timeout_s: float = LOCK_TIMEOUT_S,
    ) -> None:
        self._path = path
        self._key_file = KeyFile(path.with_name(KEY_NAME), new_tag=new_tag)
        self._now_ns = now_ns
        self._new_tag = new_tag
        self._lock_timeout_s = lock_timeout_s
        self._watcher: Callable[[Pool, Pool], None] | None = None
        self._has_no_time = threading.Event()
        # Replaced as a whole, so threads see either the old or the new one.
        self._snapshot = _Snapshot(pool=Pool(), version=None, warning=None)

    @property
    def path(self) -> Path:
        """The account file."""
        return self._path

    @property
    def warning(self) -> str | None:
        """What was wrong with the file at the last reading, in words for the user; None when all was well."""
        return self._snapshot.warning

    @property
    def latest(self) -> Pool:
        """The pool as it was read or written last here; the file may have another one by now."""
        return self._snapshot.pool

    def read(self) -> Pool:
        """The pool as it stands in the file now.

        A missing file is an empty pool. A file that cannot be used gives the last pool that could, and
        ``warning`` says what is wrong.
        """
        with suppress(OSError):
            if self._snapshot.version == _version_of(os.stat(self._path)):  # noqa: PTH116 -- at every request: a third faster
                return self._snapshot.pool
        try:
            self._snapshot = self._load()
        except StoreError as error:
            self._snapshot = _Snapshot(self._snapshot.pool, version=None, warning=error.message)
        return self._snapshot.pool

    def update(self, change: Callable[[Pool], Pool], *, lock_timeout_s: float | None = None) -> Pool:
        """Change the pool and give what it became; nothing is written when nothing changed.

        Args:
            change: gives the new pool for the one in the file; it runs under the lock, so it must be quick.
            lock_timeout_s: how long to wait for another process; None waits as long as the store does, and no longer
                once ``end_waits`` was called.

        Raises:
            StoreError: the file is damaged, newer than this program or no file, and was left alone, another process
                holds the lock for too long, or the disk refuses.
        """
        target = Path(os.path.realpath(self._path))
        with self._locked(target, lock_timeout_s):
            before = self._load()
            after = change(before.pool)
            if after != before.pool:
                self._write(target, after)
        # Kept also for when the file cannot be read any more: an older pool may have a refresh token that is gone.
        self._snapshot = _Snapshot(after, version=None, warning=_warning_of(after, self._path))
        if self._watcher is not None and after != before.pool:
            self._watcher(before.pool, after)
        return after

    def end_waits(self) -> None:
        """Wait for other processes no more, as this one ends; changes that wait for one fail now."""
        self._has_no_time.set()

    def watch(self, watcher: Callable[[Pool, Pool], None]) -> None:
        """Let somebody know of each change that is made here, after it is written.

        Args:
            watcher: is given the pool before and after, in the thread of the change; it must not raise.
        """
        self._watcher = watcher

    @property
    def key_place(self) -> KeyPlace:
        """Where the key for the tokens is.

        Raises:
            StoreError: the key file cannot be read.
        """
        return self._key_file.place

    def move_key(self, place: KeyPlace) -> None:
        """Keep the key for the tokens elsewhere from now on; the account file does not change.

        Raises:
            StoreError: it cannot be read from where it is or written to where it shall be, and stays where it is.
        """
        with self._locked(Path(os.path.realpath(self._path))):
            if self._key_file.load() is None and (lost := self._load().pool.unreadable):
                # A new key in the place of the lost one would make it look as if it were the wrong one.
                raise StoreError(f"There is no key to be moved. {lost[0].reason}", path=self._path)
            self._key_file.move(place)

    @contextmanager
    def _locked(self, target: Path, timeout_s: float | None = None) -> Generator[None]:
        limit_s = self._lock_timeout_s if timeout_s is None else timeout_s
        lock = FileLock(target.with_name(f"{target.name}.lock"), timeout=limit_s, mode=FILE_MODE)
        try:
            make_folder(target.parent)
            lock.acquire(
                poll_interval=LOCK_POLL_S, cancel_check=self._has_no_time.is_set if timeout_s is None else None
            )
        except Timeout as error:
            how_long = "while this one was ending" if self._has_no_time.is_set() else f"for more than {limit_s:g} s"
            raise StoreError(
                f"Another process has held {lock.lock_file} {how_long}. "
                "End the antigravity-proxy that hangs, and try again.",
                path=target,
            ) from error
        except OSError as error:
            raise _refusal("locked", target, error) from error
        try:
            yield
        finally:
            lock.release()

    def _load(self) -> _Snapshot:
        try:
            data, status = read_file(self._path)
        except FileNotFoundError:
            return _Snapshot(Pool(), version=None, warning=None)
        except OSError as error:
            raise _refusal("read", self._path, error) from error
        try:
            pool = read_document(data, path=self._path, unseal=TokenCipher(self._key_file).unseal)
        except StoreError:
            if not is_newer(data):
                self._set_aside(data, status)
            raise
        is_settled = self._now_ns() - status.st_mtime_ns > SETTLED_NS
        # What cannot be read today may be readable when the key file is back, with the account file unchanged.
        is_final = is_settled and not pool.unreadable
        return _Snapshot(pool, _version_of(status) if is_final else None, _warning_of(pool, self._path))

    def _write(self, target: Path, pool: Pool) -> None:
        remove_unfinished(target)
        remove_unfinished(self._key_file.path)
        if pool.is_blank:
            try:
                target.unlink(missing_ok=True)
            except OSError as error:
                raise _refusal("removed", target, error) from error
            return
        data = write_document(pool, seal=TokenCipher(self._key_file).seal)
        try:
            replace_file(target, data, tag=self._new_tag())
        except OSError as error:
            raise _refusal("written", target, error) from error

    def _set_aside(self, data: bytes, status: os.stat_result) -> None:
        # The time of the damage names the copy, so one damage gives one copy however often it is read.
        damaged = datetime.fromtimestamp(status.st_mtime_ns / 1e9, UTC)
        copy = self._path.with_name(f"{self._path.name}.corrupt-{damaged:%Y%m%dT%H%M%S.%fZ}")
        with suppress(OSError):
            if not copy.exists():
                create_file(copy, data, tag=self._new_tag())
                self._remove_old_copies(copy)

    def _remove_old_copies(self, newest: Path) -> None:
        prefix = f"{self._path.name}.corrupt-"
        copies = sorted(entry for entry in self._path.parent.iterdir() if entry.name.startswith(prefix))
        others = [copy for copy in copies if copy.name != newest.name]
        for copy in others[: 1 - MAX_COPIES]:
            copy.unlink(missing_ok=True)


def _warning_of(pool: Pool, path: Path) -> str | None:
    if not pool.unreadable:
        return None
    labels: dict[str, list[str]] = {}
    for entry in pool.unreadable:
        labels.setdefault(entry.reason, []).append(pool.name_of(entry))
    sentences = (f"{path}: {', '.join(names)} cannot be used. {reason}" for reason, names in labels.items())
    return " ".join(sentences)


def _refusal(done: str, path: Path, error: OSError) -> StoreError:
    return StoreError(
        f"{path} cannot be {done}: {error.strerror or error}. Check the disk space and the permissions of "
        "the file and its folder.",
        path=path,
    )
