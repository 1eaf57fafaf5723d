"""Tests of speech to text."""

from __future__ import annotations

from typing import Any

import pytest

from antigravity_proxy.errors import RequestError
from antigravity_proxy.translate.transcription import NO_SPEECH, TASK, Transcription, to_transcript

from .samples import CLAUDE, SampleTarget

LISTENER = SampleTarget("gemini-3.8-flash", "gemini", 65_536, None)


def test_recording_is_one_turn_with_the_task() -> None:
    """The model is asked to write down the sound that stands beside the task."""
    assert Transcription(b"abc", "note.mp3").to_request(LISTENER) == {
        "contents": [
            {"role": "user", "parts": [{"text": TASK}, {"inlineData": {"mimeType": "audio/mpeg", "data": "YWJj"}}]}
        ],
        "generationConfig": {"maxOutputTokens": 65_536},
    }


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        pytest.param({"filename": "note.wav"}, "audio/wav", id="name"),
        pytest.param({"filename": "note.mp4"}, "audio/mp4", id="container"),
        pytest.param(
            {"filename": "note.webm", "content_type": "video/webm"}, "audio/webm", id="type of the container"
        ),
        pytest.param({"filename": "note.mov"}, "video/quicktime", id="film"),
        pytest.param({"filename": "note", "content_type": "audio/x-m4a"}, "audio/mp4", id="type"),
        pytest.param({"filename": "note.mp3", "content_type": "audio/flac"}, "audio/flac", id="type beats name"),
        pytest.param(
            {"filename": "note.ogg", "content_type": "application/octet-stream"},
            "audio/ogg",
            id="type that says nothing",
        ),
    ],
)
def test_type_is_that_of_the_sound(fields: dict[str, Any], expected: str) -> None:
    """A type of sound that the client names counts, else the end of the name, and containers hold sound."""
    [content] = Transcription(b"abc", **fields).to_request(LISTENER)["contents"]
    assert content["parts"][1]["inlineData"]["mimeType"] == expected


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        pytest.param({"language": "de"}, f"{TASK} The language is de.", id="language"),
        pytest.param({"language": "x" * 50}, f"{TASK} The language is {'x' * 20}.", id="endless language"),
        pytest.param(
            {"hint": "Zwölf"}, f"{TASK} These words may help, but are not part of it: Zwölf", id="words that occur"
        ),
    ],
)
def test_task_says_what_client_knows(fields: dict[str, Any], expected: str) -> None:
    """Language and hints are part of the task."""
    [content] = Transcription(b"abc", "a.wav", **fields).to_request(LISTENER)["contents"]
    assert content["parts"][0] == {"text": expected}


def test_temperature_is_handed_on() -> None:
    """The temperature is that of the answer."""
    request = Transcription(b"abc", "a.wav", temperature=0.2).to_request(LISTENER)
    assert request["generationConfig"]["temperature"] == 0.2


@pytest.mark.parametrize(
    ("fields", "target", "words"),
    [
        pytest.param({"filename": "note"}, LISTENER, "does not tell its type", id="no type"),
        pytest.param({"audio": b""}, LISTENER, r"file is empty\. Send a recording", id="empty file"),
        pytest.param({"audio": b"", "filename": "note"}, LISTENER, "is empty", id="empty file of no type"),
        pytest.param({"filename": "note"}, LISTENER, "usual end, such as .pdf or .mp3", id="advice for an upload"),
        pytest.param({"filename": "note.pdf"}, LISTENER, "is application/pdf, which holds no sound", id="document"),
        pytest.param({"content_type": "audio/midi"}, LISTENER, "does not take", id="unknown sound"),
        pytest.param({}, CLAUDE, "claude-sonnet-4-6 does not take", id="model that does not hear"),
    ],
)
def test_recording_is_refused_when_it_cannot_be_heard(
    fields: dict[str, Any], target: SampleTarget, words: str
) -> None:
    """A file that is no sound the model takes is a 400 that names the file."""
    with pytest.raises(RequestError, match=words) as caught:
        Transcription(**{"audio": b"abc", "filename": "a.wav", **fields}).to_request(target)
    assert caught.value.param == "file"


@pytest.mark.parametrize("response_format", ["srt", "verbose_json", ""])
def test_format_with_times_is_refused(response_format: str) -> None:
    """Formats that need times cannot be had."""
    with pytest.raises(RequestError, match="only json and text") as caught:
        Transcription(b"abc", "a.wav", response_format=response_format)
    assert caught.value.param == "response_format"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(" Hello.\n", "Hello.", id="words"),
        pytest.param(f"{NO_SPEECH}\n", "", id="nobody spoke"),
        pytest.param(f"He said {NO_SPEECH}", f"He said {NO_SPEECH}", id="among words"),
        pytest.param("", "", id="nothing"),
    ],
)
def test_transcript_is_what_was_said(text: str, expected: str) -> None:
    """The transcript is the answer without blanks around it, and empty when nobody spoke."""
    assert to_transcript(text) == expected
