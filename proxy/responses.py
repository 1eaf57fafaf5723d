"""Ways to answer that several routes share."""

from __future__ import annotations

from typing import Any

import orjson
from aiohttp import web

from ..errors import ProxyError
from ..translate.problems import is_worth_repeating, retry_after, to_error_body

BROKEN_STATUS = web.RequestKey("broken_status", int)
"""The status of the error that broke its stream after a 200, for logs and metrics."""

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
    """An error as an HTTP answer.

    Source:
        ``x-should-retry`` is what the openai packages obey, https://github.com/openai/openai-python#retries; without
        it they repeat every 429 twice.
    """
    headers: dict[str, str] = {}
    if (seconds := retry_after(error)) is not None:
        headers["Retry-After"] = str(seconds)
    if not is_worth_repeating(error):
        headers["x-should-retry"] = "false"
    return to_json_response(to_error_body(error), headers, status=error.status)


def own_failure() -> ProxyError:
    """What is said when the fault is ours and nobody thought of it."""
    return ProxyError(
        "The proxy itself failed, and its log says more. Send the request again; if this stays, choose another model "
        "or start the proxy again.",
        code="proxy_failed",
    )
