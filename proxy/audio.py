"""``POST /v1/audio/transcriptions``: voice notes to text.

Source:
    SPEC.md, "Transcription".
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from aiohttp import web

from ..catalog.routing import route_model
from ..errors import EmptyAnswerError, RequestError, UnknownModelError, UpstreamRefusedError
from ..translate.candidates import CandidateReader
from ..translate.events import Finish, FinishReason, Text
from ..translate.transcription import Transcription, to_transcript
from .body import FormFile, read_form
from .responses import NO_STORE, to_json_response
from .services import SERVICES

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from ..catalog.catalog import Catalog
    from ..catalog.model import Model, Route
    from ..translate.cloud_wire import Request
    from ..translate.events import Event

DEFAULT_MODEL = "gemini-3.8-flash"
"""Listens where a client names one of OpenAI's models, as most do without asking."""


class Recording:
    """One recording as something to generate from."""

    def __init__(self, transcription: Transcription, now_s: float) -> None:
        self._transcription = transcription
        self._now_s = now_s

    async def to_request(self, route: Route) -> Request:
        """The inner request for a route."""
        return self._transcription.to_request(route)

    async def refuse_signatures(self, route: Route) -> None:
        """Nothing is to be left out: there is no history."""

    def new_reader(self, route: Route) -> CandidateReader:
        """A reader for one answer to it."""
        del route
        return CandidateReader(str, now_s=self._now_s, keeps_signatures=False)


async def post_transcription(request: web.Request) -> web.Response:
    """Write down one recording; answers ``{"text": ...}`` or plain text."""
    services = request.app[SERVICES]
    fields = await read_form(request)
    transcription = read_transcription(fields)
    route = route_model(_model_of(fields, services.live_models.current()), None)
    recording = Recording(transcription, services.clock())
    try:
        async with (
            services.generator.new_budget() as budget,
            services.generator.open(recording, route, budget, whole=True) as answer,
        ):
            events = [event async for batch in answer for event in batch]
    except EmptyAnswerError:
        events = []  # silence: the model had nothing to write down
    services.metrics.count_usage(route.model_id, events)
    transcript = transcript_of(events)
    if transcription.response_format == "text":
        return web.Response(text=transcript, headers=NO_STORE)
    return to_json_response({"text": transcript})


def read_transcription(fields: Mapping[str, Any]) -> Transcription:
    """The fields of a transcription form.

    Raises:
        RequestError: the file is missing, or a field is unusable.
    """
    file = fields.get("file")
    if not isinstance(file, FormFile):
        raise RequestError("The part file is missing or is not a file.", param="file")
    if _text_of(fields, "stream").lower() == "true":
        raise RequestError("Transcripts are not streamed. Leave stream out.", param="stream")
    return Transcription(
        audio=file.data,
        filename=file.filename,
        content_type=file.content_type,
        language=_text_of(fields, "language") or None,
        hint=_text_of(fields, "prompt") or None,
        response_format=_text_of(fields, "response_format") or "json",
        temperature=_temperature_of(fields),
    )


def transcript_of(events: Iterable[Event]) -> str:
    """The transcript in an answer; empty when nobody spoke.

    Raises:
        RequestError: the answer was cut off at its greatest length.
        UpstreamRefusedError: Google held the answer back.
    """
    texts: list[str] = []
    for event in events:
        if isinstance(event, Text):
            texts.append(event.text)
        elif isinstance(event, Finish) and event.reason is FinishReason.LENGTH:
            raise RequestError(
                "The transcript is longer than one answer. Send the recording in pieces.", param="file"
            )
        elif isinstance(event, Finish) and event.reason is FinishReason.CONTENT_FILTER:
            raise UpstreamRefusedError(f"Google does not write this recording down ({event.upstream_reason}).")
    return to_transcript("".join(texts))


def _temperature_of(fields: Mapping[str, Any]) -> float | None:
    text = _text_of(fields, "temperature")
    if not text:
        return None
    try:
        degrees = float(text)
    except ValueError:
        degrees = math.nan
    if not math.isfinite(degrees):
        raise RequestError("temperature is not a number.", param="temperature")
    return degrees


def _text_of(fields: Mapping[str, Any], name: str) -> str:
    value = fields.get(name, "")
    if not isinstance(value, str):
        raise RequestError(f"The part {name} is not plain text.", param=name)
    return value.strip()


def _model_of(fields: Mapping[str, Any], catalog: Catalog) -> Model:
    try:
        return catalog.find(_text_of(fields, "model"))
    except UnknownModelError:
        return catalog.find(DEFAULT_MODEL)
