"""``POST /v1/audio/transcriptions``: voice notes to text.

Source:
    SPEC.md, "Transcription".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aiohttp import web

from ..catalog.routing import route_to
from ..errors import EmptyAnswerError, MediaTypeError, RequestError, UnknownModelError
from ..translate.candidates import CandidateReader
from ..translate.events import Text
from ..translate.transcription import Transcription, to_transcript
from .responses import NO_STORE, to_json_response
from .services import SERVICES

if TYPE_CHECKING:
    from ..catalog.catalog import Catalog
    from ..catalog.model import Route

DEFAULT_MODEL = "gemini-3.8-flash"
"""Listens where a client names one of OpenAI's models, as most do without asking."""


class Recording:
    """One recording as something to generate from."""

    def __init__(self, transcription: Transcription, now_s: float) -> None:
        self._transcription = transcription
        self._now_s = now_s

    def to_request(self, route: Route, *, use_signatures: bool) -> dict[str, Any]:
        """The inner request for a route; it has no history, so no signatures either."""
        del use_signatures
        return self._transcription.to_request(route)

    def new_reader(self, route: Route) -> CandidateReader:
        """A reader for one answer to it."""
        del route
        return CandidateReader(str, now_s=self._now_s)


async def post_transcription(request: web.Request) -> web.Response:
    """Write down one recording; answers ``{"text": ...}`` or plain text."""
    services = request.app[SERVICES]
    if request.content_type != "multipart/form-data":
        raise MediaTypeError("A recording is sent as multipart/form-data with the parts file and model.")
    fields = await request.post()
    transcription = read_transcription(fields)
    route = route_to(_model_of(fields, services.catalog), None)
    recording = Recording(transcription, services.clock())
    try:
        async with services.generator.open(recording, route, whole=True) as answer:
            texts = [event.text async for batch in answer.batches() for event in batch if isinstance(event, Text)]
    except EmptyAnswerError:
        texts = []  # silence: the model had nothing to write down
    transcript = to_transcript("".join(texts))
    if transcription.response_format == "text":
        return web.Response(text=transcript, headers=NO_STORE)
    return to_json_response({"text": transcript})


def read_transcription(fields: Any) -> Transcription:
    """The fields of a transcription form.

    Raises:
        RequestError: the file is missing, or a field is unusable.
    """
    file = fields.get("file")
    if not isinstance(file, web.FileField):
        raise RequestError("The part file is missing or is not a file.", param="file")
    if str(fields.get("stream", "")).lower() == "true":
        raise RequestError("Transcripts are not streamed. Leave stream out.", param="stream")
    temperature = fields.get("temperature")
    try:
        degrees = None if temperature in (None, "") else float(temperature)
    except (TypeError, ValueError) as exc:
        raise RequestError("temperature is not a number.", param="temperature") from exc
    return Transcription(
        audio=file.file.read(),
        filename=file.filename,
        content_type=file.content_type,
        language=fields.get("language") or None,
        hint=fields.get("prompt") or None,
        response_format=fields.get("response_format") or "json",
        temperature=degrees,
    )


def _model_of(fields: Any, catalog: Catalog) -> str:
    try:
        return catalog.find(str(fields.get("model", ""))).id
    except UnknownModelError:
        return DEFAULT_MODEL
