"""Connections of clients: aiohttp's own, but what it answers by itself has the shape of every other error here.

Source:
    SPEC.md, "Errors".
"""

from __future__ import annotations

import socket
from contextlib import suppress
from http import HTTPStatus
from typing import TYPE_CHECKING

from aiohttp import web
from aiohttp.http_exceptions import ContentEncodingError, InvalidURLError, LineTooLong
from aiohttp.web_protocol import RequestHandler

from ..errors import RequestError
from .middleware import to_own_error
from .responses import own_failure, to_error_response

if TYPE_CHECKING:
    import asyncio

    from aiohttp.web_request import BaseRequest

MAX_UNSENT_BYTES = 256 * 1024
"""What the operating system takes at most beyond what it has sent, where it can be told so (Linux, macOS)."""

FAULTS: tuple[tuple[type[Exception], str], ...] = (
    (ContentEncodingError, "its body is compressed in a way that is not read here. Send it as it is"),
    (InvalidURLError, "its address is none. Write other characters than letters as percent signs and digits"),
    (LineTooLong, "its address or one of its headers is too long. Send less there"),
)
"""What aiohttp raises about a request that it cannot read → what is wrong, and what helps."""

OTHER_FAULT = "its first line or its headers cannot be read. See what the client sends"


class Connection(RequestHandler):
    """One connection; an answer that no handler gave is an OpenAI error body, and quotes nothing it was sent."""

    __slots__ = ()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Have the operating system take little at once: a client would seem to have taken it, too."""
        super().connection_made(transport)
        option = getattr(socket, "TCP_NOTSENT_LOWAT", None)
        if option is None:
            return
        with suppress(OSError):  # the client may be gone already
            transport.get_extra_info("socket").setsockopt(socket.IPPROTO_TCP, option, MAX_UNSENT_BYTES)

    def handle_error(
        self,
        request: BaseRequest,
        status: int = HTTPStatus.INTERNAL_SERVER_ERROR,
        exc: BaseException | None = None,
        message: str | None = None,
    ) -> web.StreamResponse:
        """The answer to a request that could not be read, after aiohttp has logged it."""
        super().handle_error(request, status, exc, message)
        if status >= HTTPStatus.INTERNAL_SERVER_ERROR:
            response = to_error_response(own_failure())
        else:
            fault = next((words for kind, words in FAULTS if isinstance(exc, kind)), OTHER_FAULT)
            response = to_error_response(RequestError(f"The request is not proper HTTP: {fault}."))
        response.force_close()
        return response

    async def finish_response(
        self, request: BaseRequest, resp: web.StreamResponse, start_time: float | None
    ) -> tuple[web.StreamResponse, bool]:
        """Send an answer; a refusal of aiohttp's own, such as that of an unknown ``Expect``, in our words."""
        if isinstance(resp, web.HTTPException):
            resp = to_error_response(to_own_error(resp, request.path))
        return await super().finish_response(request, resp, start_time)


class _Server(web.Server):
    def __call__(self) -> RequestHandler:
        return Connection(self, loop=self._loop, **self._kwargs)


class Runner(web.AppRunner):
    """Runs an application on such connections; aiohttp has no setting for their class."""

    async def _make_server(self) -> web.Server:
        server = await super()._make_server()
        return _Server(server.request_handler, request_factory=server.request_factory, **self._kwargs)
