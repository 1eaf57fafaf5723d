"""One request being served: what came in, what is known, and the log entry that is filled in on the way."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from aiohttp import web

from .google_error import ApiError, unauthenticated
from .reply import JSON_CONTENT, Reply, error_reply
from .state import SimulatorState

if TYPE_CHECKING:
    from .request_log import LoggedRequest

STATE = web.AppKey("STATE", SimulatorState)

MAX_LOGGED_PATH = 2_000


@dataclass(frozen=True, slots=True)
class Exchange:
    """A request, the simulator's state and the request's log entry."""

    request: web.Request
    state: SimulatorState
    entry: LoggedRequest

    def token_owner(self) -> str:
        """Give the e-mail of the account whose access token the request carries.

        Raises:
            ApiError: 401 when it carries none that is valid now.
        """
        scheme, _, token = self.request.headers.get("Authorization", "").partition(" ")
        email = self.state.tokens.access_owner(token) if scheme == "Bearer" else None
        if email is None or email not in self.state.accounts:
            raise unauthenticated()
        self.entry.account = email
        return email


Endpoint = Callable[[Exchange], Awaitable[web.StreamResponse]]
Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


def recorded(endpoint: Endpoint, error_type: Callable[[web.Request], str] = lambda _: JSON_CONTENT) -> Handler:
    """Give a handler that logs each request and answers an ``ApiError`` in Google's form.

    Args:
        endpoint: serves one request.
        error_type: gives the content type of error bodies.
    """

    async def serve(request: web.Request) -> web.StreamResponse:
        state = request.app[STATE]
        entry = state.requests.add(state.clock(), request.method, request.path_qs[:MAX_LOGGED_PATH], request.headers)
        with state.running.one():
            return await _serve(endpoint, Exchange(request, state, entry), error_type(request))

    return serve


async def _serve(endpoint: Endpoint, exchange: Exchange, error_type: str) -> web.StreamResponse:
    entry = exchange.entry
    started_s = asyncio.get_running_loop().time()
    try:
        response = await endpoint(exchange)
    except ApiError as error:
        entry.refusal = error.message
        response = to_response(error_reply(error, error_type))
    except (asyncio.CancelledError, ConnectionResetError):
        entry.is_aborted = True
        entry.aborted_after_s = asyncio.get_running_loop().time() - started_s
        raise
    except web.HTTPException as error:
        entry.status = error.status
        raise
    # A connection that was broken on purpose before the headers has no status.
    has_answer = response.prepared or isinstance(response, web.Response)
    entry.status = response.status if has_answer else None
    return response


def to_response(reply: Reply) -> web.Response:
    """Give a reply as aiohttp sends it, marked as coming from Google's front end."""
    headers = {"Content-Type": reply.content_type, "Server": "ESF", **reply.headers}
    return web.Response(status=reply.status, body=reply.body, headers=headers)
