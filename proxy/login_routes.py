"""The login over HTTP, for the dashboard.

Source:
    SPEC.md, "Dashboard" and "Login".
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..errors import RequestError
from ..translate.json_text import as_object
from .body import read_json
from .responses import to_json_response
from .services import SERVICES

if TYPE_CHECKING:
    from aiohttp import web


def add_login(app: web.Application) -> None:
    """Add the routes."""
    app.router.add_post("/api/login", post_login)
    app.router.add_get("/api/login/{id}", get_login)
    app.router.add_post("/api/login/{id}/paste", post_paste)
    app.router.add_post("/api/login/{id}/cancel", post_cancel)


async def post_login(request: web.Request) -> web.Response:
    """``POST /api/login``: begin one."""
    await read_json(request)
    return to_json_response(await request.app[SERVICES].desk.begin())


async def get_login(request: web.Request) -> web.Response:
    """``GET /api/login/{id}``: how it stands."""
    return to_json_response(request.app[SERVICES].desk.look_at(request.match_info["id"]))


async def post_paste(request: web.Request) -> web.Response:
    """``POST /api/login/{id}/paste``: take ``{"url": ...}``, the address that the browser ended on."""
    url = as_object(await read_json(request)).get("url")
    if not isinstance(url, str):
        raise RequestError("url must be the address that the browser ended on.", param="url")
    return to_json_response(request.app[SERVICES].desk.paste(request.match_info["id"], url))


async def post_cancel(request: web.Request) -> web.Response:
    """``POST /api/login/{id}/cancel``: end one that is under way."""
    await read_json(request)
    return to_json_response(await request.app[SERVICES].desk.cancel(request.match_info["id"]))
