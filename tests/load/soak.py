"""A long soak, by ``make soak``: prints what a server uses beside the limits, and exits 1 when one is passed.

Usage: ``python -m tests.load.soak [--requests 100000] [--streams 1000] [--idle 30]``
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import tempfile
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING

from .driver import open_load

if TYPE_CHECKING:
    from .driver import Load

WARM_UP = 1_000
"""After so many requests memory is measured first."""

MAX_GROWTH = 1.3
MAX_IDLE_PERCENT = 0.5
PIECE = 10_000
"""After so many requests there is a line."""

MIB = 1024
SETTLE_S = 30.0


def say(what: str, found: str, *, is_good: bool) -> bool:
    """Print a line of the table."""
    print(f"{'good' if is_good else 'BAD '}  {what:<44} {found}", flush=True)  # noqa: T201 -- a table
    return is_good


async def idle_percent(load: Load, seconds: float) -> float:
    """How much of a processor the server takes while nobody asks it anything."""
    before = await load.counts()
    await asyncio.sleep(seconds)
    return 100 * ((await load.counts()).cpu_s - before.cpu_s) / seconds


async def soak(load: Load, requests: int, streams: int, idle_s: float) -> bool:
    """Do it all; whether all is within its limits."""
    start = await load.counts()
    await load.ask(range(WARM_UP))
    first = await load.settled(lambda counts: counts.tasks <= start.tasks, SETTLE_S)
    began_s = perf_counter()
    for done in range(WARM_UP, requests, PIECE):
        await load.ask(range(done, min(done + PIECE, requests)))
        counts = await load.counts()
        rate = (min(done + PIECE, requests) - WARM_UP) / (perf_counter() - began_s)
        say(f"  so far {load.outcomes}", f"{counts.rss_kib / MIB:.1f} MiB, {rate:.0f} a second", is_good=True)
    last = await load.settled(lambda counts: counts.tasks <= start.tasks, SETTLE_S)
    idle = await idle_percent(load, idle_s)
    during = await load.stream_at_once(streams)
    await load.upstream.stop()
    end = await load.settled(lambda counts: counts.things == start.things, SETTLE_S)
    growth = last.rss_kib / first.rss_kib
    expected = {"whole": requests * 4 // 5 + streams, "left": requests // 5, "failed": 0}
    memory = f"{first.rss_kib / MIB:.1f} MiB, {last.rss_kib / MIB:.1f} MiB: {growth:.2f} of {MAX_GROWTH}"
    return all(
        (
            say("requests and streams", f"{load.outcomes}", is_good=load.outcomes == expected),
            say(f"memory after the first {WARM_UP} and after {requests}", memory, is_good=growth < MAX_GROWTH),
            say("tasks, sockets, files before", f"{start.things}", is_good=True),
            say("tasks, sockets, files afterwards", f"{end.things}", is_good=end.things == start.things),
            say(f"with {streams} streams at once", f"{during.rss_kib / MIB:.1f} MiB, {during.things}", is_good=True),
            say("idle", f"{idle:.2f} % of a processor, of {MAX_IDLE_PERCENT} %", is_good=idle < MAX_IDLE_PERCENT),
        )
    )


async def main() -> int:
    """Read the options, and do it."""
    parser = argparse.ArgumentParser(description="Soak a server in requests.")
    parser.add_argument("--requests", type=int, default=100_000)
    parser.add_argument("--streams", type=int, default=1_000)
    parser.add_argument("--idle", type=float, default=30)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        async with open_load(Path(folder)) as load:
            return int(not await soak(load, options.requests, options.streams, options.idle))


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
