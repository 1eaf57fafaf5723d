"""An upstream that costs next to nothing: what it says is written once, and what it is asked only tells it how to."""

from __future__ import annotations

import asyncio
import json
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Self

from aiohttp import web

if TYPE_CHECKING:
    from types import TracebackType

MAX_BODY_BYTES = 16 * 2**20
PAUSING = b"[pause]"
"""In a prompt: after the first words nothing comes for ever."""

SILENT = b"[silence]"
"""In a prompt: nothing comes at all."""

HELD = b"[hold]"
"""In a prompt: the first words come, and the rest when it is let go."""


def _event(text: str, **candidate: Any) -> bytes:
    content = {"role": "model", "parts": [{"text": text}]}
    usage = {"promptTokenCount": 10, "candidatesTokenCount": 5, "totalTokenCount": 15}
    response = {"candidates": [{"content": content, **candidate}], "usageMetadata": usage}
    return b"data: %s\n\n" % json.dumps({"response": response}).encode()


FIRST = _event("The first words ")
REST = b"".join(_event(f"word {number} ") for number in range(20)) + _event("end.", finishReason="STOP")


class LightUpstream:
    """An upstream on a port of its own, as an async context manager.

    Attributes:
        url: its base.
        held: how many answers wait to be let go.
        release: lets them go.
    """

    def __init__(self) -> None:
        app = web.Application(client_max_size=MAX_BODY_BYTES)
        app.router.add_post("/v1internal:streamGenerateContent", self._generate)
        app.router.add_post("/v1internal:{method}", self._control)
        self._runner = web.AppRunner(app, handler_cancellation=True, access_log=None, shutdown_timeout=0.1)
        self.url = ""
        self.held = 0
        self.release = asyncio.Event()

    async def __aenter__(self) -> Self:
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", 0, backlog=2_048).start()
        self.url = f"http://127.0.0.1:{self._runner.addresses[0][1]}"
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.stop()

    async def stop(self) -> None:
        """Close all connections, and take no new ones; stopping twice is fine."""
        await self._runner.cleanup()

    async def _control(self, _request: web.Request) -> web.Response:
        return web.json_response({"models": {"gemini-3.8-flash-low": {}}})

    async def _generate(self, request: web.Request) -> web.StreamResponse:
        body = await request.read()
        if SILENT in body:
            await asyncio.Event().wait()
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        with suppress(ConnectionError):  # a client may leave at any moment
            await self._answer(request, response, body)
        return response

    async def _answer(self, request: web.Request, response: web.StreamResponse, body: bytes) -> None:
        await response.prepare(request)
        if PAUSING in body:
            await response.write(FIRST)
            await asyncio.Event().wait()
        elif HELD in body:
            await response.write(FIRST)
            self.held += 1
            await self.release.wait()
            await response.write(REST)
        else:
            await response.write(FIRST + REST)
