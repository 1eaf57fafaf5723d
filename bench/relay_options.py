"""The command line of the relays."""

from __future__ import annotations

import argparse
import asyncio
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from aiohttp import web

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Coroutine
    from typing import Any


def run(main: Callable[[int, str, int], Coroutine[Any, Any, None]]) -> None:
    """Run a relay with the port and the upstream of the command line."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--upstream", type=urlsplit, required=True)
    options = parser.parse_args()
    asyncio.run(main(options.port, options.upstream.hostname, options.upstream.port))


async def serve(handle: Callable[[web.Request], Awaitable[web.StreamResponse]], port: int) -> None:
    """Answer every POST with a handler, until the process is stopped."""
    app = web.Application(client_max_size=64 << 20)
    app.router.add_post("/{path:.*}", handle)
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", port, backlog=4096).start()
    await asyncio.Event().wait()
