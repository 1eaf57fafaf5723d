"""The 1.00 of the table: aiohttp on both sides, bytes handed on as they come."""

from __future__ import annotations

import aiohttp
from aiohttp import web

from .relay_options import run, serve

NOT_SENT_ON = {"host", "content-length", "transfer-encoding", "connection", "expect"}
NOT_SENT_BACK = {"content-length", "transfer-encoding", "connection", "server", "date"}


async def main(port: int, host: str, upstream_port: int) -> None:
    """Serve until the process is stopped."""
    connector = aiohttp.TCPConnector(limit=0)
    timeout = aiohttp.ClientTimeout(total=None, sock_connect=10)
    session = aiohttp.ClientSession(connector=connector, auto_decompress=False, timeout=timeout)
    base = f"http://{host}:{upstream_port}"

    async def handle(request: web.Request) -> web.StreamResponse:
        body = await request.read()
        headers = {name: value for name, value in request.headers.items() if name.lower() not in NOT_SENT_ON}
        async with session.post(base + request.path_qs, data=body, headers=headers) as upstream:
            kept = {name: value for name, value in upstream.headers.items() if name.lower() not in NOT_SENT_BACK}
            response = web.StreamResponse(status=upstream.status, headers=kept)
            response.content_length = upstream.content_length
            await response.prepare(request)
            async for data in upstream.content.iter_any():
                await response.write(data)
            await response.write_eof()
            return response

    await serve(handle, port)


if __name__ == "__main__":
    run(main)
