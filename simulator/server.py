"""The simulator as a server: one port that plays all of Google's hosts.

Source: SPEC.md, "Simulator".
"""

from __future__ import annotations

import asyncio
import os
import time
from typing import TYPE_CHECKING, Any, Self
from urllib.parse import urlsplit

from aiohttp import web

from .accounts import account_id
from .cloud_code import cloud_code_handler
from .config import LOOPBACK_HOSTS, SimulatorConfig
from .control import control_routes, queue_scenarios
from .documents import account_record, accounts_document, client_document
from .exchange import STATE
from .oauth_routes import oauth_routes
from .state import SimulatorState

if TYPE_CHECKING:
    from collections.abc import Callable

    from .exchange import Handler

BACKLOG = 2_048
SHUTDOWN_S = 2.0


class Simulator:
    """Pretend Google, as an async context manager.

    Args:
        config: the settings.
        clock: gives seconds since 1970.
        random_bytes: gives as many random bytes as asked for.

    Attributes:
        base_url: ``http://127.0.0.1:PORT``, known once it is started.
        state: everything it knows.
    """

    def __init__(
        self,
        config: SimulatorConfig | None = None,
        *,
        clock: Callable[[], float] = time.time,
        random_bytes: Callable[[int], bytes] = os.urandom,
    ) -> None:
        self.config = config or SimulatorConfig()
        self.state = SimulatorState(self.config, clock, random_bytes)
        self.base_url = ""
        self._runner: web.AppRunner | None = None

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.stop()

    async def start(self) -> None:
        """Listen.

        Raises:
            ValueError: when the configured host is not a loopback one.
            OSError: when the port is taken.
        """
        if self.config.host not in LOOPBACK_HOSTS:
            raise ValueError(f"the simulator listens on loopback only, not on {self.config.host!r}")
        runner = web.AppRunner(
            make_app(self.state), handler_cancellation=True, access_log=None, shutdown_timeout=SHUTDOWN_S
        )
        await runner.setup()
        try:
            await web.TCPSite(runner, self.config.host, self.config.port, backlog=BACKLOG).start()
        except OSError:
            await runner.cleanup()
            raise
        self._runner = runner
        port: int = runner.addresses[0][1]
        host = f"[{self.config.host}]" if ":" in self.config.host else self.config.host
        self.base_url = f"http://{host}:{port}"

    async def stop(self) -> None:
        """Stop listening and end what is still being served; stopping twice is fine."""
        if self._runner is not None:
            runner, self._runner = self._runner, None
            await runner.cleanup()

    def add_account(self, email: str, **options: Any) -> dict[str, Any]:
        """Make or change an account and give what a client stores about it.

        Args:
            email: its address.
            options: as for the control API, see ``SimulatorState.change_account``.

        Returns:
            ``{"id": "google:…", "record": {"type", "access", "refresh", "expires", "email", "projectId"?, …}}``

        Raises:
            ValueError: when an option does not exist or its value is no such thing.
        """
        account = self.state.change_account(email, options)
        return {"id": account_id(account.email), "record": account_record(self.state, account)}

    def schedule(self, name: str, **fields: Any) -> None:
        """Queue one scenario.

        Args:
            name: which one, see ``scenarios.KINDS``.
            fields: its parameters, and ``method``, ``account``, ``model``, ``times``, ``also`` as on the control API.

        Raises:
            ValueError: when there is no such scenario or parameter.
        """
        queue_scenarios(self.state, [{"name": name, **fields}])

    async def idle(self, timeout_s: float = 5.0) -> None:
        """Wait until no request is being served, for example until a client's leaving has been noticed.

        Raises:
            TimeoutError: when that takes longer than ``timeout_s`` seconds.
        """
        async with asyncio.timeout(timeout_s):
            await self.state.running.wait_until_idle()

    def requests(self) -> list[dict[str, Any]]:
        """Give the log of requests, oldest first, as the control API shows it."""
        return [entry.document() for entry in self.state.requests]

    def violations(self) -> list[str]:
        """Give every header violation in the log."""
        return [violation for entry in self.state.requests for violation in entry.violations]

    def client_document(self) -> dict[str, Any]:
        """Give the OAuth client document whose addresses are this simulator's."""
        return client_document(self.config, self.base_url)

    def accounts_document(self, email: str | None = None) -> dict[str, Any]:
        """Give a version 2 account document with valid tokens, of one account or of all there are.

        Raises:
            ValueError: when the text is no e-mail address.
        """
        accounts = list(self.state.accounts.values()) if email is None else [self.state.find_or_make_account(email)]
        return accounts_document(self.state, accounts)


def make_app(state: SimulatorState) -> web.Application:
    """Give the application around a state."""
    app = web.Application(middlewares=[_refuse_foreign], client_max_size=state.config.max_body_bytes)
    app[STATE] = state
    app.add_routes([*control_routes(), *oauth_routes()])
    app.router.add_post(r"/v1internal:{method:\w+}", cloud_code_handler())
    return app


@web.middleware
async def _refuse_foreign(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Refuse requests that name a host of somebody else, and pages of other sites.

    A page on the internet can point a name of its own at 127.0.0.1; the Host header then still has that name.
    """
    if not _is_loopback(f"//{request.host}") or not _is_loopback(request.headers.get("Origin", "//localhost")):
        return web.Response(status=403, text="The simulator answers requests from this machine only.\n")
    return await handler(request)


def _is_loopback(url: str) -> bool:
    try:
        return urlsplit(url).hostname in LOOPBACK_HOSTS
    except ValueError:
        return False
