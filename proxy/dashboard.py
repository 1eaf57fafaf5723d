"""The page at ``/`` and what it shows.

Source:
    SPEC.md, "Dashboard".
"""

from __future__ import annotations

from importlib.resources import files
from typing import TYPE_CHECKING

from aiohttp import web

from .. import __version__
from .login_routes import add_login
from .model_list import list_models
from .quota_document import to_quota_document
from .responses import NO_STORE, to_json_response
from .services import SERVICES

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

PACKAGE = __name__.rsplit(".", 2)[0]
SECURITY = {
    **NO_STORE,
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
}
FILES = {
    "/": ("index.html", "text/html"),
    "/dashboard.css": ("dashboard.css", "text/css"),
    "/dashboard.js": ("dashboard.js", "text/javascript"),
}
"""Path → file of the folder ``dashboard`` and its type."""


def add_dashboard(app: web.Application) -> None:
    """Add the page, its files and its data."""
    for path, (name, content_type) in FILES.items():
        app.router.add_get(path, _file_handler(name, content_type))
    app.router.add_get("/api/status", get_status)
    add_login(app)
    app.router.add_get("/api/quota", get_quota)
    app.router.add_post("/api/quota/refresh", post_quota_refresh)


def _file_handler(name: str, content_type: str) -> Callable[[web.Request], Awaitable[web.Response]]:
    body = (files(PACKAGE) / "dashboard" / name).read_bytes()

    async def get_file(_request: web.Request) -> web.Response:
        return web.Response(body=body, content_type=content_type, charset="utf-8", headers=SECURITY)

    return get_file


async def get_status(request: web.Request) -> web.Response:
    """``GET /api/status``: who answers, the accounts, masked, what is held against them, and the models."""
    services = request.app[SERVICES]
    pool = services.store.read()
    standing = services.rotations.standings.current
    accounts = [
        {
            "account": account.label,
            "active": account.id == pool.chosen_id,
            "project": account.project_id,
            "out": [exclusion.document() for exclusion in standing.of_account(account.id)],
        }
        for account in pool.accounts
    ]
    return to_json_response(
        {
            "version": __version__,
            "upstream": services.upstream.generation_host,
            "accounts": accounts,
            "warning": services.store.warning,
            "models": list_models(services)["data"],
        }
    )


async def get_quota(request: web.Request) -> web.Response:
    """``GET /api/quota``: how much of their quota the accounts have left; asked of Google once, then from memory."""
    return await _quota(request, refresh=False)


async def post_quota_refresh(request: web.Request) -> web.Response:
    """``POST /api/quota/refresh``: the same, asked anew."""
    return await _quota(request, refresh=True)


async def _quota(request: web.Request, *, refresh: bool) -> web.Response:
    services = request.app[SERVICES]
    accounts = services.store.read().accounts
    entries = await services.quota.look(accounts, refresh=refresh)
    return to_json_response(to_quota_document(zip(accounts, entries, strict=True), services.clock()))
