"""The web application, and the running server."""

from __future__ import annotations

import asyncio
import errno
import time
from typing import TYPE_CHECKING, Self

from aiohttp import web

from ..errors import ServeError
from .connection import Runner
from .http_log import http_log
from .middleware import MAX_BODY_BYTES, answer_errors, forbid_sharing, guard
from .neighbour import find_neighbour, reachable
from .routes import add_routes
from .services import SERVICES, open_services

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable
    from types import TracebackType

    from ..accounts.pool import Pool
    from .neighbour import Neighbour
    from .settings import Settings

GRACE_S = 1.5
"""How long running answers may go on after the server was told to stop."""

TELL_S = 0.5
"""How long it may take then to tell clients that theirs are not ended."""

HEAD_TIMEOUT_S = 120.0
"""How long a connection may be without the whole head of a request, from its start or from the last answer.

Longer than clients keep idle connections (Go's 90 s are the most), so that none is closed while it is taken again.
"""


def build_app(
    settings: Settings,
    *,
    pause: Callable[[float], Awaitable[None]] = asyncio.sleep,
    clock: Callable[[], float] = time.time,
) -> web.Application:
    """The application for some settings; its parts live as long as it runs.

    Args:
        settings: everything that was set.
        pause: sleeps some seconds between attempts and polls.
        clock: Unix time in seconds.
    """

    async def services(app: web.Application) -> AsyncIterator[None]:
        async with open_services(settings, pause=pause, clock=clock) as parts:
            app[SERVICES] = parts
            yield

    app = web.Application(middlewares=[answer_errors, guard], client_max_size=MAX_BODY_BYTES)
    app.cleanup_ctx.append(services)
    app.on_shutdown.append(_end_answers)
    app.on_response_prepare.append(forbid_sharing)
    add_routes(app)
    return app


async def _end_answers(app: web.Application) -> None:
    await app[SERVICES].generator.stopping.drain(GRACE_S)


class Server:
    """A listening server, as an async context manager.

    Args:
        settings: where to listen and everything else.
        app: what to serve; by default the application for the settings.
        head_timeout_s: how long a connection may be without the whole head of a request.

    Raises:
        ServeError: on entering, when it cannot listen.
    """

    def __init__(
        self, settings: Settings, app: web.Application | None = None, *, head_timeout_s: float = HEAD_TIMEOUT_S
    ) -> None:
        self._settings = settings
        self._runner = Runner(
            app or build_app(settings),
            handler_cancellation=True,
            access_log=None,
            logger=http_log,
            keepalive_timeout=head_timeout_s,
            # aiohttp waits this long for handlers to end, and then as long again before it breaks them off.
            shutdown_timeout=TELL_S / 2,
        )
        self._port = 0

    @property
    def url(self) -> str:
        """What clients on this machine use as base URL, with ``/v1``."""
        return f"http://{reachable(self._settings.host)}:{self._port}/v1"

    def read_ahead(self) -> None:
        """Begin to read what Google serves to the active account, so that the first client finds it listed."""
        self._runner.app[SERVICES].live_models.current()

    def watch_accounts(self, watcher: Callable[[Pool, Pool], None]) -> None:
        """Let somebody know of each change that this server makes to the accounts, as ``AccountStore.watch`` does."""
        self._runner.app[SERVICES].store.watch(watcher)

    def hurry(self) -> None:
        """Give running answers no time to end by themselves when the server ends, or no more of it."""
        self._runner.app[SERVICES].generator.stopping.hurry()

    async def __aenter__(self) -> Self:
        await self._runner.setup()
        try:
            await web.TCPSite(self._runner, self._settings.host, self._settings.port).start()
        except (OSError, UnicodeError) as exc:
            await self._runner.cleanup()
            host, port = self._settings.host, self._settings.port
            neighbour = await find_neighbour(host, port) if _is_taken(exc) else None
            raise cannot_listen(exc, host, port, neighbour) from exc
        self._port = self._runner.addresses[0][1]
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._runner.cleanup()


def cannot_listen(
    exc: OSError | UnicodeError, host: str, port: int, neighbour: Neighbour | None = None
) -> ServeError:
    """Why a server cannot listen, and what helps.

    Args:
        exc: what the system says.
        host: where it should have listened.
        port: where it should have listened.
        neighbour: the server of this program that has the port.
    """
    if neighbour is not None:
        return ServeError(
            f"{host}:{port} is in use: antigravity-proxy {neighbour.version} runs there already, as process "
            f"{neighbour.process}. Use that one, stop it, or choose another port with --port."
        )
    if _is_taken(exc):
        return ServeError(
            f"{host}:{port} is in use by another program. Stop that one, or choose another port with --port."
        )
    reason = exc.strerror if isinstance(exc, OSError) and exc.strerror else exc
    return ServeError(f"The server cannot listen on {host}:{port}: {reason}. Choose another --host or --port.")


def _is_taken(exc: OSError | UnicodeError) -> bool:
    return isinstance(exc, OSError) and exc.errno == errno.EADDRINUSE
