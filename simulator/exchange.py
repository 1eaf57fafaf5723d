"""One request being served: what came in, what is known, the log entry that is filled in on the way, and the answer.

An answer is sent whole or played step by step: written, held back, or broken off.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from aiohttp import web

from .delivery import Begin, Send, Step, Wait
from .google_reply import JSON_CONTENT, ApiError, Reply, error_reply, unauthenticated
from .state import SimulatorState

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from .request_log import LoggedRequest

STATE = web.AppKey("STATE", SimulatorState)

MAX_LOGGED_PATH = 2_000
WRITES_PER_TURN = 16
"""After so many writes the other streams get their turn, even when nothing has to be waited for."""


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


async def play(
    request: web.Request, steps: Iterable[Step], headers: Mapping[str, str], status: int = 200
) -> web.StreamResponse:
    """Answer a request step by step.

    Args:
        request: what is answered.
        steps: what to do in which order.
        headers: of the response.
        status: of the response.

    Returns:
        The response, finished or broken off.
    """
    response = web.StreamResponse(status=status, headers=headers)
    writes = 0
    for step in steps:
        match step:
            case Wait(seconds):
                await asyncio.sleep(seconds)
            case Begin():
                await _begin(response, request)
            case Send(data):
                await _begin(response, request)
                await response.write(data)
                writes += 1
                if writes % WRITES_PER_TURN == 0:
                    await asyncio.sleep(0)
            case _:
                # Only breaking the connection is left; a client that has gone has done so itself.
                if request.transport is not None:
                    request.transport.abort()
                return response
    await _begin(response, request)
    await response.write_eof()
    return response


async def _begin(response: web.StreamResponse, request: web.Request) -> None:
    if not response.prepared:
        await response.prepare(request)
