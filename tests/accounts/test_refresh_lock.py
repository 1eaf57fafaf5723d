"""Tests of the lock that keeps other processes from refreshing an account."""

from __future__ import annotations

import asyncio
import stat
from typing import TYPE_CHECKING

import pytest

from antigravity_proxy.accounts.refresh_lock import refresh_lock

if TYPE_CHECKING:
    from pathlib import Path


async def test_lock_is_held_by_one_at_a_time(tmp_path: Path) -> None:
    """Whoever comes later waits until the first is done; other accounts do not wait."""
    path = tmp_path / "accounts.json"
    entered = asyncio.Event()

    async def hold() -> None:
        async with refresh_lock(path, "1"):
            entered.set()

    async with asyncio.timeout(5):
        async with refresh_lock(path, "1"):
            later = asyncio.create_task(hold())
            async with refresh_lock(path, "2"):
                assert not entered.is_set()
        await later
        assert entered.is_set()


async def test_lock_is_that_of_the_file_behind_a_link(tmp_path: Path) -> None:
    """Whoever comes to the account file through a link takes the same lock."""
    (tmp_path / "home").mkdir()
    file, link = tmp_path / "home" / "accounts.json", tmp_path / "accounts.json"
    file.touch()
    link.symlink_to(file)
    async with refresh_lock(link, "1"):
        assert len(list((tmp_path / "home").iterdir())) == 2


async def test_lock_that_is_held_too_long_is_not_waited_for(tmp_path: Path) -> None:
    """A process that hangs does not stop the others for ever."""
    path = tmp_path / "accounts.json"
    async with refresh_lock(path, "1"), asyncio.timeout(5), refresh_lock(path, "1", timeout_s=0.1):
        """The second is not held, and not missed."""


async def test_lock_that_cannot_be_made_is_not_missed(tmp_path: Path) -> None:
    """Where no file can be made, work goes on without a lock."""
    (tmp_path / "file").write_text("")
    async with refresh_lock(tmp_path / "file" / "accounts.json", "1"):
        """Nothing is raised."""


@pytest.mark.parametrize("account_id", ["google:1", "../x/y", "\ud800", "é" * 500])
def test_lock_file_lies_beside_the_accounts(tmp_path: Path, account_id: str) -> None:
    """Whatever an id looks like, its lock is a plain file that only its owner can read."""

    async def hold() -> None:
        async with refresh_lock(tmp_path / "accounts.json", account_id):
            """That is enough."""

    asyncio.run(hold())
    (file,) = tmp_path.iterdir()
    assert file.name.startswith("accounts.json.")
    assert file.name.endswith(".lock")
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
