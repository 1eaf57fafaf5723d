"""Speech to text: an OpenAI transcription request as a Cloud Code request.

Source:
    https://platform.openai.com/docs/api-reference/audio/createTranscription and SPEC.md, "Transcription".
"""

from __future__ import annotations

import base64
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING

from ..errors import RequestError
from .contents import to_contents
from .events import Text, Turn
from .media import from_base64, type_of_file
from .options import Options, to_generation_config
from .tools import ToolNames

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .cloud_wire import Request
    from .target import Target

TASK = (
    "Transcribe the speech in this recording word for word, in the language it is spoken in. Answer with the "
    "transcript alone: no heading, no comment, no time stamps. If nobody speaks, answer with exactly [no speech]."
)
NO_SPEECH = "[no speech]"
FORMATS = ("json", "text")
SOUND_OF: Mapping[str, str] = MappingProxyType(
    {"video/mp4": "audio/mp4", "video/webm": "audio/webm", "video/mpeg": "audio/mpeg"}
)
"""Containers that also hold sound alone → what they are called then."""


@dataclass(frozen=True, slots=True)
class Transcription:
    """One recording to be written down.

    Attributes:
        audio: the file's bytes.
        filename: its name; the end tells the type.
        content_type: what the client says the type is; empty when it does not.
        language: ISO-639-1 code of what is spoken; None when unknown.
        hint: words that occur, or the text before.
        response_format: one of FORMATS.
        temperature: 0 to 1.
    """

    audio: bytes
    filename: str
    content_type: str = ""
    language: str | None = None
    hint: str | None = None
    response_format: str = "json"
    temperature: float | None = None

    def __post_init__(self) -> None:
        if self.response_format not in FORMATS:
            raise RequestError(
                f"response_format is {self.response_format[:40]!r}; upstream gives no times, so only json and text "
                "can be had.",
                param="response_format",
            )

    def to_request(self, target: Target) -> Request:
        """The inner request for one model.

        Raises:
            RequestError: the file is empty, of an unknown type or without sound, or the model takes no sound.
        """
        if not self.audio:
            raise RequestError("file is empty. Send a recording with something in it.", param="file")
        content_type = self.content_type if self.content_type.startswith("audio/") else ""
        mime_type = content_type or type_of_file(self.filename, "file")
        mime_type = SOUND_OF.get(mime_type, mime_type)
        if not mime_type.startswith(("audio/", "video/")):
            raise RequestError(f"file is {mime_type}, which holds no sound. Send a recording.", param="file")
        media = from_base64(base64.b64encode(self.audio).decode(), mime_type, target, "file")
        turn = Turn("user", (Text(self._task()), media))
        return {
            "contents": to_contents((turn,), target, ToolNames(())),
            "generationConfig": to_generation_config(Options(temperature=self.temperature), target),
        }

    def _task(self) -> str:
        task = TASK
        if self.language:
            task += f" The language is {self.language[:20]}."
        if self.hint:
            task += f" These words may help, but are not part of it: {self.hint}"
        return task


def to_transcript(text: str) -> str:
    """The transcript in a model's answer; empty when nobody spoke."""
    transcript = text.strip()
    return "" if transcript == NO_SPEECH else transcript
