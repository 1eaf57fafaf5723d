"""The web application, and the running server."""

from __future__ import annotations

import errno
from typing import TYPE_CHECKING, Self

from aiohttp import web

from ..errors import ServeError
from .middleware import MAX_BODY_BYTES, answer_errors, guard
from .routes import add_routes
from .services import SERVICES, open_services

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from types import TracebackType

    from .settings import Settings

SHUTDOWN_S = 2.0
"""How long running answers may go on after the server was told to stop."""


def build_app(settings: Settings) -> web.Application:
    """The application for some settings; its parts live as long as it runs."""

    async def services(app: web.Application) -> AsyncIterator[None]:
        async with open_services(settings) as parts:
            app[SERVICES] = parts
            yield

    app = web.Application(middlewares=[answer_errors, guard], client_max_size=MAX_BODY_BYTES)
    app.cleanup_ctx.append(services)
    add_routes(app)
    return app


class Server:
    """A listening server, as an async context manager.

    Args:
        settings: where to listen and everything else.

    Raises:
        ServeError: on entering, when it cannot listen.
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._runner = web.AppRunner(
            build_app(settings), handler_cancellation=True, access_log=None, shutdown_timeout=SHUTDOWN_S
        )
        self._port = 0

    @property
    def url(self) -> str:
        """What clients use as base URL, with ``/v1``."""
        host = self._settings.host
        return f"http://{f'[{host}]' if ':' in host else host}:{self._port}/v1"

    async def __aenter__(self) -> Self:
        await self._runner.setup()
        try:
            await web.TCPSite(self._runner, self._settings.host, self._settings.port).start()
        except OSError as exc:
            await self._runner.cleanup()
            raise ServeError(_explain(exc, self._settings)) from exc
        self._port = self._runner.addresses[0][1]
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._runner.cleanup()


def _explain(exc: OSError, settings: Settings) -> str:
    where = f"{settings.host}:{settings.port}"
    if exc.errno == errno.EADDRINUSE:
        return f"{where} is in use, maybe by another antigravity-proxy. Stop it, or choose another with --port."
    return f"The server cannot listen on {where}: {exc.strerror or exc}."
