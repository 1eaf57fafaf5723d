"""The address on this machine that the browser comes back to after a login.

Source:
    RFC 8252 section 7.3, and SPEC.md, "Login".
"""

from __future__ import annotations

import asyncio
import errno
import logging
from html import escape
from typing import TYPE_CHECKING, Self
from urllib.parse import urlsplit

from aiohttp import web

from ..errors import LoginError
from ..oauth.login import read_callback
from .http_log import http_log

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..oauth.login import Callback, LoginRequest

log = logging.getLogger(__name__)

HEADERS = {
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'",
    "Referrer-Policy": "no-referrer",
}
PAGE = (
    '<!doctype html><html lang="en"><meta charset="utf-8"><title>antigravity-proxy</title>'
    "<style>body{{font:16px/1.5 system-ui;max-width:34rem;margin:3rem auto;padding:0 1rem}}</style>"
    "<h1>{title}</h1><p>{text}</p></html>"
)
ABSENT = frozenset({errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT})
"""What an address says that this machine does not have; any other failure means that somebody else has the port."""

LOOPBACK = ("127.0.0.1", "::1")
"""What a browser may take ``localhost`` for."""


class CallbackListener:
    """Listens for one login, as an async context manager; nothing it is sent ends the login but its own answer.

    Args:
        request: the login.
        take: is given the answer.

    Attributes:
        is_listening: whether the browser can come back; if not, the address must be pasted.
    """

    def __init__(self, request: LoginRequest, take: Callable[[Callback], None]) -> None:
        self._request = request
        self._take = take
        parts = urlsplit(request.redirect_uri)
        self._hosts = LOOPBACK if parts.hostname == "localhost" else (parts.hostname or LOOPBACK[0],)
        self._port = parts.port or 80
        self._path = parts.path or "/"
        self._runner: web.AppRunner | None = None
        self.is_listening = False

    async def __aenter__(self) -> Self:
        app = web.Application()
        app.router.add_route("*", "/{path:.*}", self._answer)
        self._runner = web.AppRunner(app, access_log=None, logger=http_log, shutdown_timeout=1.0)
        opening = asyncio.create_task(self._listen(self._runner))
        try:
            await asyncio.shield(opening)
        except asyncio.CancelledError:
            await asyncio.wait((opening,))  # half open, nobody would know its socket
            await self._runner.cleanup()
            raise
        return self

    async def _listen(self, runner: web.AppRunner) -> None:
        await runner.setup()
        failures: list[int | None] = []
        for host in self._hosts:
            try:
                await web.TCPSite(runner, host, self._port).start()
            except OSError as exc:
                log.info("no listening on %s:%s: %s", host, self._port, exc)
                failures.append(exc.errno)
        # A browser may try either address first, so somebody else's hold on one of them is enough to lose it.
        self.is_listening = len(failures) < len(self._hosts) and ABSENT.issuperset(failures)

    async def __aexit__(self, *_: object) -> None:
        if self._runner is not None:
            await self._runner.cleanup()
        self.is_listening = False

    async def _answer(self, visit: web.Request) -> web.Response:
        if visit.path != self._path:
            return _page(404, "Not found", "There is nothing here.")
        if visit.method == "HEAD":
            return _page(200, "Login", "")  # a look ahead, such as a link checker's, which brings nothing
        if visit.method != "GET":
            return web.Response(status=405, text="GET only\n", headers={**HEADERS, "Allow": "GET, HEAD"})
        try:
            callback = read_callback(visit.query, self._request.state)
        except LoginError as error:
            return _page(400, "This is not the login that is waited for", str(error))
        self._take(callback)
        if callback.error:
            return _page(400, "No login", f"Google says: {callback.error}")
        return _page(200, "Thank you", "You can close this window and go back to antigravity-proxy.")


def _page(status: int, title: str, text: str) -> web.Response:
    body = PAGE.format(title=escape(title), text=escape(text))
    return web.Response(status=status, text=body, content_type="text/html", headers=HEADERS)
