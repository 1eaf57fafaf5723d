"""Ways to answer that several routes share."""

from __future__ import annotations

from typing import Any

import orjson
from aiohttp import web

NO_STORE = {"Cache-Control": "no-store"}


def to_json_response(value: Any, headers: dict[str, str] | None = None) -> web.Response:
    """A value as a JSON answer that is not cached."""
    return web.Response(
        body=orjson.dumps(value), content_type="application/json", headers={**NO_STORE, **(headers or {})}
    )
