"""A server whose use of memory, sockets, files and time can be asked for at ``/counts``.

Usage: ``counted_server.py HOME BASE_URL``. It writes its address to stdout, and ends when it is told to.
"""

from __future__ import annotations

import asyncio
import os
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from aiohttp import web

from antigravity_proxy.cli.loop import run
from antigravity_proxy.cli.stop_signals import take_signals
from antigravity_proxy.proxy.app import Server, build_app
from antigravity_proxy.proxy.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Iterator


def descriptors() -> Iterator[str]:
    """What each open descriptor of this process leads to; Linux alone shows it."""
    for entry in Path("/proc/self/fd").iterdir():
        try:
            yield str(entry.readlink())
        except FileNotFoundError:  # the one of this very look
            continue


def resident_kib() -> int:
    """How much memory this process has."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmRSS:"))


async def get_counts(_request: web.Request) -> web.Response:
    """What this process uses now."""
    kinds = [target.partition(":")[0] for target in descriptors()]
    return web.json_response(
        {
            "tasks": len(asyncio.all_tasks()),
            "sockets": kinds.count("socket"),
            "files": len(kinds) - kinds.count("socket"),
            "rss_kib": resident_kib(),
            "cpu_s": time.process_time(),
            "pid": os.getpid(),
        }
    )


async def main(home: Path, base_url: str) -> None:
    """Serve until a signal comes."""
    stop = take_signals()
    settings = Settings(home=home, port=0, base_url=base_url)
    app = build_app(settings)
    app.router.add_get("/counts", get_counts)
    async with Server(settings, app) as server:
        print(server.url, flush=True)  # noqa: T201 -- whoever starts it reads it
        await stop.wait()


if __name__ == "__main__":
    run(main(Path(sys.argv[1]), sys.argv[2]))
