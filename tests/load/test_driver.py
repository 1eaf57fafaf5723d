"""A short soak: what a server has used for a few hundred requests is given back."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

from .driver import open_load

if TYPE_CHECKING:
    from pathlib import Path

ROUND = 200
STREAMS = 100
MAX_GROWTH = 1.3


on_linux = pytest.mark.skipif(sys.platform != "linux", reason="only Linux shows in /proc what a process uses")


@on_linux
async def test_load_leaves_nothing_behind(tmp_path: Path) -> None:
    """After requests of all kinds, tasks, sockets and files are what they were, and memory nearly."""
    async with open_load(tmp_path) as load:
        start = await load.counts()
        await load.ask(range(ROUND))
        first = await load.settled(lambda counts: counts.tasks == start.tasks, 10)
        await load.ask(range(ROUND, 3 * ROUND))
        during = await load.stream_at_once(STREAMS)
        assert during.sockets >= 2 * STREAMS
        assert load.outcomes == {"whole": 3 * ROUND * 4 // 5 + STREAMS, "left": 3 * ROUND // 5, "failed": 0}
        await load.upstream.stop()
        end = await load.settled(lambda counts: counts.things == start.things, 10)
    assert end.things == start.things
    assert end.rss_kib < MAX_GROWTH * first.rss_kib


@on_linux
async def test_more_streams_run_than_a_shell_allows_files(tmp_path: Path) -> None:
    """A shell that allows few open files does not keep many clients out."""
    async with open_load(tmp_path, open_files=64) as load:
        await load.stream_at_once(STREAMS)
        assert load.outcomes == {"whole": STREAMS, "left": 0, "failed": 0}
