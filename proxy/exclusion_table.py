"""Which accounts are out, in the state file.

Source:
    SPEC.md, "State file".
"""

from __future__ import annotations

import contextlib
import time
from typing import TYPE_CHECKING

from ..accounts.account import is_line
from ..accounts.exclusion import Exclusion, Reason, Standing
from ..accounts.quota import QuotaPool
from .state import STATE_FILE, StateFile

if TYPE_CHECKING:
    from pathlib import Path
    from typing import Any

ALL_MODELS = ""
"""What stands for all quota pools in the table."""

COLUMNS = "account_id, quota_pool, reason, message, since_s, until_s, probe_at_s, url"
SELECT = f"SELECT {COLUMNS} FROM exclusions"  # noqa: S608 -- both are constants
UPSERT = f"INSERT OR REPLACE INTO exclusions ({COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)"  # noqa: S608 -- as above
DELETE = "DELETE FROM exclusions WHERE account_id = ? AND quota_pool = ?"


async def load_standing(state: StateFile) -> Standing | None:
    """The standing that is written down; rows that make no sense to this program are left out.

    Returns:
        None when the file cannot be read now.
    """
    rows = await state.read(SELECT)
    if rows is None:
        return None
    read: list[Exclusion] = []
    for row in rows:
        with contextlib.suppress(ValueError):
            read.append(_to_exclusion(row))
    return Standing(tuple(read))


async def read_standing(home: Path) -> Standing:
    """What holds now, for a program that is not the server."""
    state = StateFile(home / STATE_FILE, clock=time.time)
    try:
        return (await load_standing(state) or Standing()).current(time.time())
    finally:
        await state.close()


async def readmit(home: Path, account_id: str) -> None:
    """Hold nothing against an account any more, for a program that is not the server."""
    if not is_line(account_id):
        return  # no account with such an id has ever served
    state = StateFile(home / STATE_FILE, clock=time.time)
    if await state.read(SELECT) != []:  # None: the file is busy, and may hold something
        state.write("DELETE FROM exclusions WHERE account_id = ?", [(account_id,)])
    await state.close()


class ExclusionTable:
    """Writes down how a standing changes; other servers' rows are left alone.

    Args:
        state: the file.
        standing: what is in it.
    """

    def __init__(self, state: StateFile, standing: Standing) -> None:
        self._state = state
        self._kept = set(standing.exclusions)

    def keep(self, standing: Standing) -> None:
        """Write a standing down; it does not wait for the disk."""
        wanted = set(standing.exclusions)
        if gone := self._kept - wanted:
            self._state.write(DELETE, [_to_row(exclusion)[:2] for exclusion in gone])
        if new := wanted - self._kept:
            self._state.write(UPSERT, [_to_row(exclusion) for exclusion in new])
        self._kept = wanted


def _to_row(exclusion: Exclusion) -> tuple[Any, ...]:
    return (
        exclusion.account_id,
        exclusion.quota_pool or ALL_MODELS,
        exclusion.reason,
        exclusion.message,
        exclusion.since_s,
        exclusion.until_s,
        exclusion.probe_at_s,
        exclusion.url,
    )


def _to_exclusion(row: tuple[Any, ...]) -> Exclusion:
    account_id, quota_pool, reason, *rest = row
    return Exclusion(account_id, QuotaPool(quota_pool) if quota_pool else None, Reason(reason), *rest)
