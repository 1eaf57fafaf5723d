"""Ways to answer that several routes share."""

from __future__ import annotations

from typing import Any

import orjson
from aiohttp import web

from ..errors import ProxyError
from ..translate.problems import retry_after, to_error_body

NO_STORE = {"Cache-Control": "no-store"}


def to_json_response(value: Any, headers: dict[str, str] | None = None, *, status: int = 200) -> web.Response:
    """A value as a JSON answer that is not cached."""
    return web.Response(
        body=orjson.dumps(value),
        status=status,
        content_type="application/json",
        headers={**NO_STORE, **(headers or {})},
    )


def to_error_response(error: ProxyError) -> web.Response:
    """An error as an HTTP answer."""
    seconds = retry_after(error)
    headers = {} if seconds is None else {"Retry-After": str(seconds)}
    return to_json_response(to_error_body(error), headers, status=error.status)


def own_failure() -> ProxyError:
    """What is said when the fault is ours and nobody thought of it."""
    return ProxyError("The proxy itself failed. Its log says more; please report it.")
