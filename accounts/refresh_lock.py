"""A lock that keeps other processes from refreshing the same account meanwhile."""

from __future__ import annotations

import asyncio
import hashlib
import logging
import os
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from filelock import AsyncFileLock, Timeout

from .disk import FILE_MODE, make_folder

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

REFRESH_LOCK_TIMEOUT_S = 30.0
"""Longer than asking (8 s) and storing (10 s) may take; who holds the lock for longer is not waited for."""

POLL_S = 0.05
DIGEST_CHARACTERS = 12

log = logging.getLogger(__name__)


@asynccontextmanager
async def refresh_lock(
    path: Path, account_id: str, *, timeout_s: float = REFRESH_LOCK_TIMEOUT_S
) -> AsyncGenerator[None]:
    """Hold the lock of an account; where it cannot be had, go on without.

    Google refuses a refresh token that it has rotated. Of two processes that share an account file the later one
    finds the new token in the file when it gets the lock, and does not send the old one.

    Args:
        path: the account file.
        account_id: which account.
        timeout_s: how long to wait for another process.
    """
    lock = await asyncio.to_thread(_lock_of, path, account_id, timeout_s)
    try:
        await lock.acquire(poll_interval=POLL_S)
    except (OSError, Timeout) as error:
        log.info("refreshing without a lock: %s", error)
    try:
        yield
    finally:
        await lock.release()


def _lock_of(path: Path, account_id: str, timeout_s: float) -> AsyncFileLock:
    # Beside the file itself, as the lock of the store: another process may come to it through a link.
    target = Path(os.path.realpath(path))
    digest = hashlib.sha256(account_id.encode("utf-8", "surrogatepass")).hexdigest()[:DIGEST_CHARACTERS]
    with suppress(OSError):
        make_folder(target.parent)
    return AsyncFileLock(target.with_name(f"{target.name}.{digest}.lock"), timeout=timeout_s, mode=FILE_MODE)
