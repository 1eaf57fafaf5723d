"""Tests of what is written down of accounts that are out."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from antigravity_proxy.accounts.exclusion import Exclusion, Reason, Standing
from antigravity_proxy.accounts.quota import QuotaPool
from antigravity_proxy.proxy.exclusion_table import UPSERT, ExclusionTable, load_standing, readmit
from antigravity_proxy.proxy.state import STATE_FILE, StateFile

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

NOW_S = 1_790_000_000.0
URL = "https://accounts.google.com/verify"
WHOLE = Exclusion("a", None, Reason.VERIFICATION, "Verify.", NOW_S, None, NOW_S + 1, URL)
LIMIT = Exclusion("a", QuotaPool.OTHERS, Reason.QUOTA, "Quota.", NOW_S, NOW_S + 100, NOW_S + 2)


async def loaded(state: StateFile) -> Standing:
    """What the next run finds."""
    await state.flush()
    standing = await load_standing(state)
    assert standing is not None
    return standing


@pytest.fixture
async def state(tmp_path: Path) -> AsyncIterator[StateFile]:
    """A state file."""
    state = StateFile(tmp_path / STATE_FILE, clock=lambda: NOW_S)
    yield state
    await state.close()


async def test_standing_is_read_back(state: StateFile) -> None:
    """The next run finds every exclusion as it was, and none that was cleared meanwhile."""
    table = ExclusionTable(state, Standing())
    table.keep(Standing((WHOLE, LIMIT)))
    assert set((await loaded(state)).exclusions) == {WHOLE, LIMIT}
    table.keep(Standing((LIMIT,)))
    assert await loaded(state) == Standing((LIMIT,))


async def test_rows_of_another_server_stay(state: StateFile) -> None:
    """A server only takes out what it has put in or found."""
    other = ExclusionTable(state, Standing())
    other.keep(Standing((LIMIT,)))
    ExclusionTable(state, Standing()).keep(Standing((WHOLE,)))
    assert set((await loaded(state)).exclusions) == {WHOLE, LIMIT}


async def test_rows_that_make_no_sense_are_left_out(state: StateFile) -> None:
    """A reason or a quota pool of a newer program does not keep an account out."""
    state.write(UPSERT, [("a", "", "boredom", "", 0, None, 0, None), ("b", "9p", "quota", "", 0, None, 0, None)])
    ExclusionTable(state, Standing()).keep(Standing((LIMIT,)))
    assert await loaded(state) == Standing((LIMIT,))


async def test_readmission_waits_for_a_busy_file(
    state: StateFile, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An account is readmitted although the file could not be looked at, as somebody else was writing it."""
    mine, other = (replace(WHOLE, account_id=name, since_s=4_000_000_000.0) for name in "ab")
    ExclusionTable(state, Standing()).keep(Standing((mine, other)))
    await state.flush()

    async def read_nothing(_state: StateFile, _select: str) -> None:
        """What a busy file gives."""

    with monkeypatch.context() as patch:
        patch.setattr(StateFile, "read", read_nothing)
        await readmit(tmp_path, "a")
    assert await loaded(state) == Standing((other,))


async def test_readmission_makes_no_file(tmp_path: Path) -> None:
    """Where nothing was ever written down there is nothing to take out."""
    await readmit(tmp_path, "a")
    assert not (tmp_path / STATE_FILE).exists()
