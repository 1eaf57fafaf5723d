"""What every request passes: who may call, and errors in one shape.

Source:
    SPEC.md, "A hostile loopback" and "Errors".
"""

from __future__ import annotations

import base64
import hmac
import logging
import re
import time
from functools import lru_cache
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
from ..oauth.trust import is_loopback
from .responses import BROKEN_STATUS, own_failure, to_error_response
from .services import SERVICES
from .slow_clients import send_whole

if TYPE_CHECKING:
    from collections.abc import Callable

    from aiohttp.typedefs import Handler

    from .settings import Settings

OTHER_APIS = {
    "/messages": "The Anthropic Messages API",
    "/responses": "The OpenAI Responses API",
    "/completions": "The old OpenAI Completions API",
    "/embeddings": "The OpenAI Embeddings API",
    "/images/generations": "The OpenAI Images API",
    ":generateContent": "The Gemini API",
    ":streamGenerateContent": "The Gemini API",
}
"""Ends of paths → what a client that calls them speaks."""

MAX_BODY_BYTES = 64 * 1024 * 1024
KEPT_HEADERS = ("Allow",)
"""Of aiohttp's own errors, as their status asks for them."""

OPEN_PATHS = frozenset({"/", "/dashboard.css", "/dashboard.js", "/health"})
"""What is answered without the API key: an empty page and a sign of life."""

OWN_SITES = frozenset({"same-origin", "none"})
"""What a browser says of requests by our own page, and of those by its user. Source: https://www.w3.org/TR/fetch-metadata/."""

UNSHARED = {"X-Content-Type-Options": "nosniff", "Cross-Origin-Resource-Policy": "same-origin"}
"""Headers of every answer, for browsers that do not say which site a request comes from: no other site's page is to
have it, not even as a picture or a script."""

CLIENT_LEFT = 499
"""Status in logs and counts of a request whose client did not wait for the answer."""

HOST = re.compile(r"(?P<name>\[[^\[\]/?#@\\\s]*\]|[^\[\]:/?#@\\\s]+)(?::[0-9]*)?")
"""A Host header: a name, an address, or an IPv6 address in brackets; and a port.

Source: RFC 9110, section 7.2.
"""

KEPT_HOSTS = 64
"""Of so many Host headers it is kept whether they are ours, as every request has one."""

log = logging.getLogger(__name__)


@web.middleware
async def answer_errors(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Turn every error into an OpenAI error body, and write one log line per request."""
    services = request.app[SERVICES]
    started = time.monotonic()
    services.metrics.begin()
    status = CLIENT_LEFT
    try:
        response = await _answer(request, handler)
        if not isinstance(response, web.Response) or await send_whole(
            request, response, services.settings.idle_timeout
        ):
            status = request.get(BROKEN_STATUS, response.status)
    finally:
        seconds = time.monotonic() - started
        route = request.match_info.route.resource
        services.metrics.end(route.canonical if route is not None else "unknown", status, seconds)
        # The raw path has no line ends in it, and no query, which may hold a key.
        log.info("%s %s %d %.3fs", request.method, request.rel_url.raw_path[:200], status, seconds)
    return response


async def _answer(request: web.Request, handler: Handler) -> web.StreamResponse:
    try:
        return await handler(request)
    except ProxyError as error:
        return to_error_response(error)
    except web.HTTPException as exc:
        response = to_error_response(to_own_error(exc, request.path))
        response.headers.update({name: exc.headers[name] for name in KEPT_HEADERS if name in exc.headers})
        return response
    except ConnectionError:
        return web.Response(status=CLIENT_LEFT)  # for the log: there is nobody to read it
    except Exception:
        log.exception("a request failed in a way nobody thought of")
        return to_error_response(own_failure())


def to_own_error(exc: web.HTTPException, path: str) -> ProxyError:
    """What aiohttp refuses by itself, as an error of ours."""
    if isinstance(exc, web.HTTPRequestEntityTooLarge):
        return BodyTooLargeError(
            f"The body is larger than {MAX_BODY_BYTES // 2**20} MiB or has too many fields. Send less at once."
        )
    if isinstance(exc, web.HTTPMethodNotAllowed):
        return MethodNotAllowedError(f"{path[:200]} takes {', '.join(sorted(exc.allowed_methods))}.")
    if exc.status == HTTPStatus.NOT_FOUND:
        return UnknownRouteError(_explain_path(path))
    if isinstance(exc, web.HTTPExpectationFailed):
        return RequestError("The header Expect is only known with 100-continue. Leave it out.")
    return RequestError(f"The request is not proper HTTP: {exc.reason}.")


def _explain_path(path: str) -> str:
    if path.count("/chat/completions") > 1:
        return "The base URL must end in /v1; /chat/completions is added by the client."
    for end, api in OTHER_APIS.items():
        if path.endswith(end):
            return f"{api} is not served here. Chat Completions is, at /v1/chat/completions."
    return f"There is nothing at {path[:200]}. Chat is at /v1/chat/completions, models at /v1/models."


@web.middleware
async def guard(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Refuse what another site's page, or somebody without the key, could send."""
    settings = request.app[SERVICES].settings
    host = request.headers.get("Host", "")
    for name in (host, *_named_in(request.raw_path)):
        check_host(name, settings)
    for origin in request.headers.getall("Origin", (None,)):
        check_origin(origin, host, settings)
    if "Origin" not in request.headers:
        check_site(request)
    if settings.api_key is not None and request.path not in OPEN_PATHS:
        check_key(request, settings.api_key.get_secret_value())
    return await handler(request)


async def forbid_sharing(_request: web.Request, response: web.StreamResponse) -> None:
    """Say of an answer that is about to begin whose it is."""
    response.headers.update(UNSHARED)


def _named_in(target: str) -> tuple[str, ...]:
    """The host in a request's target, which counts before the Host header where it is there.

    Source:
        RFC 9112, section 3.2.2.
    """
    return () if target.startswith("/") else (urlsplit(target).netloc,)


def check_host(host: str, settings: Settings) -> None:
    """Refuse a Host that is not this server: a foreign name pointing here is how pages rebind DNS.

    Raises:
        ForeignRequestError: the name is not known.
    """
    if is_own_host(host, settings.host, settings.allowed_hosts):
        return
    raise ForeignRequestError(
        f"This server does not answer to the host name {host[:100]!r}. Use 127.0.0.1, or allow the name with "
        "ANTIGRAVITY_PROXY_ALLOWED_HOSTS."
    )


@lru_cache(maxsize=KEPT_HOSTS)
def is_own_host(host: str, own: str, allowed: tuple[str, ...]) -> bool:
    """Whether a Host is this server, or is allowed."""
    found = HOST.fullmatch(host)
    name = found["name"].strip("[]").lower() if found is not None else ""
    # Browsers take every name below localhost for this machine.
    is_ours = is_loopback(name) or name.endswith(".localhost")
    is_known = name in {known.lower() for known in (own, *allowed)}
    return is_ours or is_known or (not is_loopback(own) and _is_address(name))


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
        f"A page of {origin[:100]!r} may not call this server. Allow it with ANTIGRAVITY_PROXY_ALLOWED_ORIGINS."
    )


def check_site(request: web.Request) -> None:
    """Refuse what a page of another site has its browser fetch without an Origin: pictures, scripts, frames.

    Following a link to our own page is no such thing.

    Raises:
        ForeignRequestError: the browser says that it is one.
    """
    headers = request.headers
    if headers.get("Sec-Fetch-Site", "none") in OWN_SITES:
        return
    if headers.get("Sec-Fetch-Dest") == "document" and request.method == "GET" and request.path in OPEN_PATHS:
        return
    raise ForeignRequestError(
        "A page of another site may not call this server. Type the address into the browser, or allow the page with "
        "ANTIGRAVITY_PROXY_ALLOWED_ORIGINS."
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
        if candidate is not None and hmac.compare_digest(_to_bytes(candidate), _to_bytes(key)):
            return
    raise ApiKeyError("The proxy's API key is missing or wrong. Send it as a Bearer token.")


def _basic_password(credentials: str) -> str | None:
    try:
        decoded = base64.b64decode(credentials, validate=True)
    except ValueError:
        return None
    return decoded.partition(b":")[2].decode("utf-8", "surrogateescape")


def _to_bytes(text: str) -> bytes:
    """The bytes of a header or variable; those that are not UTF-8 are in the text as half characters."""
    return text.encode("utf-8", "surrogateescape")


_CREDENTIALS: dict[str, Callable[[str], str | None]] = {"bearer": str, "basic": _basic_password}
