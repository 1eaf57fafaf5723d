"""HTTP in, HTTP out: the handlers of all routes.

Source:
    SPEC.md, "HTTP".
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from aiohttp import web

from .. import __version__
from ..translate.chat.request import ChatCall
from ..translate.chat.wire import to_chat_request
from ..translate.target import media_types_of
from .audio import post_transcription
from .body import JsonBody, read_json_text, to_value
from .chat import Chat
from .dashboard import add_dashboard
from .event_stream import EventStream
from .large_work import Rank, size_of
from .metrics import CONTENT_TYPE
from .model_list import find_model, list_models
from .responses import NO_STORE, to_json_response
from .services import SERVICES

if TYPE_CHECKING:
    from .answer import Answer
    from .budget import Budget
    from .services import Services

RUNTIME_ID_HEADER = "X-Antigravity-Runtime-Id"
PREFIXES = ("/v1", "", "/v1beta/openai/v1", "/v1beta/openai")
"""Where the OpenAI routes are found; the later ones help clients that add a prefix of their own."""


def add_routes(app: web.Application) -> None:
    """Add every route of the server."""
    for prefix in PREFIXES:
        app.router.add_post(f"{prefix}/chat/completions", post_chat)
        app.router.add_get(f"{prefix}/models", get_models)
        app.router.add_get(f"{prefix}/models/{{id}}", get_model)
        app.router.add_post(f"{prefix}/audio/transcriptions", post_transcription)
    app.router.add_get("/health", get_health)
    app.router.add_get("/metrics", get_metrics)
    add_dashboard(app)


async def post_chat(request: web.Request) -> web.StreamResponse:
    """``POST /v1/chat/completions``."""
    services = request.app[SERVICES]
    text = await read_json_text(request)
    budget = services.generator.new_budget()
    async with budget:
        # Whether there is such a model decides on the status, so not even a stream begins before it is known.
        body = await _parsed(services, text)
        chat = await _read_chat(services, body)
        if not chat.wants_stream:
            return await _send_whole(services, chat, body, budget)
    return await _stream(request, services, chat, body, budget)


async def _parsed(services: Services, text: bytes) -> JsonBody:
    size = size_of(text)
    return JsonBody(await services.large_work.run(lambda: to_value(text), size, Rank.NEW), size)


async def _read_chat(services: Services, body: JsonBody) -> Chat:
    call = await services.large_work.run(lambda: ChatCall(to_chat_request(body.value)), body.size)
    return await services.live_models.resolve(
        lambda catalog: Chat(
            call,
            catalog,
            services.signatures,
            services.large_work,
            size=body.size,
            new_id=services.new_id,
            now_s=services.clock(),
        )
    )


async def _completed(services: Services, chat: Chat, body: JsonBody) -> Chat:
    """A chat with all that its body only refers to: media at web addresses, and signatures."""
    if services.remote_media is not None:
        # Not before it is known who would take them.
        filled = await services.remote_media.fetched(body.value, media_types_of(chat.route))
        if filled is not body.value:
            chat = await _read_chat(services, JsonBody(filled, body.size))
    await chat.recall_signatures()
    return chat


async def _send_whole(services: Services, chat: Chat, body: JsonBody, budget: Budget) -> web.Response:
    chat = await _completed(services, chat, body)
    async with services.generator.open(chat, chat.route, budget, whole=True) as answer:
        events = [event async for batch in answer for event in batch]
    services.metrics.count_usage(chat.route.model_id, answer.ending)
    return to_json_response(chat.to_completion(events), _headers(answer))


async def _stream(
    request: web.Request, services: Services, chat: Chat, body: JsonBody, budget: Budget
) -> web.StreamResponse:
    async with (
        EventStream(
            request,
            keepalive_s=services.settings.keepalive,
            write_timeout_s=services.settings.idle_timeout,
        ) as stream,
        budget,  # the stream tells of its end
    ):
        chat = await _completed(services, chat, body)
        writer = chat.new_stream()
        async with services.generator.open(chat, chat.route, budget, whole=False) as answer:
            headers = _headers(answer)
            async for events in answer:
                if answer.is_complete:  # counts come with the end
                    services.metrics.count_usage(chat.route.model_id, answer.ending)
                await stream.write(writer.feed(events), headers, is_last=answer.is_complete)
    return stream.response


def _headers(answer: Answer) -> dict[str, str]:
    return {RUNTIME_ID_HEADER: answer.source.runtime_id}


async def get_models(request: web.Request) -> web.Response:
    """``GET /v1/models``."""
    return to_json_response(list_models(request.app[SERVICES]))


async def get_model(request: web.Request) -> web.Response:
    """``GET /v1/models/{id}``."""
    services = request.app[SERVICES]
    async with services.generator.new_budget():
        return to_json_response(await find_model(services, request.match_info["id"]))


async def get_health(request: web.Request) -> web.Response:
    """``GET /health``: that the server runs, as which process, with how many accounts, and who answers in the end."""
    services = request.app[SERVICES]
    accounts = len(services.store.read().accounts)
    upstream = services.upstream.generation_host
    return to_json_response(
        {"ok": True, "version": __version__, "process": os.getpid(), "accounts": accounts, "upstream": upstream}
    )


async def get_metrics(request: web.Request) -> web.Response:
    """``GET /metrics``, for Prometheus."""
    counts = request.app[SERVICES].metrics.render()
    return web.Response(body=counts, headers={**NO_STORE, "Content-Type": CONTENT_TYPE})
