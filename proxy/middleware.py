"""What every request passes: who may call, and errors in one shape.

Source:
    SPEC.md, "A hostile loopback" and "Errors".
"""

from __future__ import annotations

import base64
import binascii
import hmac
import logging
import time
from http import HTTPStatus
from ipaddress import ip_address
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from aiohttp import web

from ..errors import (
    ApiKeyError,
    BodyTooLargeError,
    ForeignRequestError,
    MethodNotAllowedError,
    ProxyError,
    RequestError,
    UnknownRouteError,
)
from ..translate.problems import retry_after, to_error_body
from .services import SERVICES
from .settings import is_loopback

if TYPE_CHECKING:
    from collections.abc import Callable

    from aiohttp.typedefs import Handler

    from .settings import Settings

MAX_BODY_BYTES = 64 * 1024 * 1024
OPEN_PATHS = frozenset({"/", "/dashboard.css", "/dashboard.js", "/health"})
"""What is answered without the API key: an empty page and a sign of life."""

log = logging.getLogger(__name__)


@web.middleware
async def answer_errors(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Turn every error into an OpenAI error body, and write one log line per request."""
    services = request.app[SERVICES]
    started = time.monotonic()
    services.metrics.begin()
    status = 499  # the client left
    try:
        response = await _answer(request, handler)
        status = response.status
    finally:
        seconds = time.monotonic() - started
        route = request.match_info.route.resource
        services.metrics.end(route.canonical if route is not None else "unknown", status, seconds)
        log.info("%s %s %d %.3fs", request.method, request.path[:200], status, seconds)
    return response


async def _answer(request: web.Request, handler: Handler) -> web.StreamResponse:
    try:
        return await handler(request)
    except ProxyError as error:
        return to_response(error)
    except web.HTTPException as exc:
        return to_response(_ours(exc, request))
    except ConnectionError:
        raise
    except Exception:
        log.exception("a request failed in a way nobody thought of")
        return to_response(ProxyError("The proxy itself failed. Its log says more; please report it."))


def _ours(exc: web.HTTPException, request: web.Request) -> ProxyError:
    if isinstance(exc, web.HTTPRequestEntityTooLarge):
        return BodyTooLargeError(f"The body is larger than {MAX_BODY_BYTES // 2**20} MiB. Send less in one request.")
    if isinstance(exc, web.HTTPMethodNotAllowed):
        return MethodNotAllowedError(f"{request.path[:200]} takes {', '.join(sorted(exc.allowed_methods))}.")
    if exc.status == HTTPStatus.NOT_FOUND:
        return UnknownRouteError(_explain_path(request.path))
    return RequestError(f"The request is not proper HTTP: {exc.reason}.")


def _explain_path(path: str) -> str:
    if path.count("/chat/completions") > 1:
        return "The base URL must end in /v1; /chat/completions is added by the client."
    return f"There is nothing at {path[:200]}. Chat is at /v1/chat/completions, models at /v1/models."


def to_response(error: ProxyError) -> web.Response:
    """An error as an HTTP answer."""
    response = web.json_response(to_error_body(error), status=error.status)
    response.headers["Cache-Control"] = "no-store"
    if (seconds := retry_after(error)) is not None:
        response.headers["Retry-After"] = str(seconds)
    return response


@web.middleware
async def guard(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Refuse what another site's page, or somebody without the key, could send."""
    settings = request.app[SERVICES].settings
    check_host(request.headers.get("Host", ""), settings)
    check_origin(request.headers.get("Origin"), request.headers.get("Host", ""), settings)
    if settings.api_key is not None and request.path not in OPEN_PATHS:
        check_key(request, settings.api_key.get_secret_value())
    return await handler(request)


def check_host(host: str, settings: Settings) -> None:
    """Refuse a Host that is not this server: a foreign name pointing here is how pages rebind DNS.

    Raises:
        ForeignRequestError: the name is not known.
    """
    name = (urlsplit(f"//{host}").hostname or "").lower()
    known = (settings.host, *settings.allowed_hosts)
    if is_loopback(name) or name in known or (not is_loopback(settings.host) and _is_address(name)):
        return
    raise ForeignRequestError(
        f"This server does not answer to the host name {name[:100]!r}. Use 127.0.0.1, or allow the name with "
        "ANTIGRAVITY_PROXY_ALLOWED_HOSTS."
    )


def _is_address(name: str) -> bool:
    try:
        ip_address(name)
    except ValueError:
        return False
    return True


def check_origin(origin: str | None, host: str, settings: Settings) -> None:
    """Refuse a request that a page of another origin sent.

    Raises:
        ForeignRequestError: the origin is neither ours nor allowed.
    """
    if origin is None or origin in settings.allowed_origins or origin in (f"http://{host}", f"https://{host}"):
        return
    raise ForeignRequestError(
        f"A page of {origin[:100]} may not call this server. Allow it with ANTIGRAVITY_PROXY_ALLOWED_ORIGINS."
    )


def check_key(request: web.Request, key: str) -> None:
    """Ask for the proxy's own key, in any of the ways clients send one.

    Raises:
        ApiKeyError: it is missing or wrong.
    """
    headers = request.headers
    scheme, _, credentials = headers.get("Authorization", "").partition(" ")
    read = _CREDENTIALS.get(scheme.lower())
    offered = read(credentials.strip()) if read is not None else None
    for candidate in (offered, headers.get("x-api-key"), headers.get("x-goog-api-key")):
        if candidate is not None and hmac.compare_digest(candidate.encode(), key.encode()):
            return
    raise ApiKeyError("The proxy's API key is missing or wrong. Send it as a Bearer token.")


def _basic_password(credentials: str) -> str | None:
    try:
        decoded = base64.b64decode(credentials, validate=True).decode("utf-8", "replace")
    except binascii.Error:
        return None
    return decoded.partition(":")[2]


_CREDENTIALS: dict[str, Callable[[str], str | None]] = {"bearer": str, "basic": _basic_password}
