"""Tests of transcriptions, over real sockets."""

from __future__ import annotations

from io import BytesIO
from typing import TYPE_CHECKING, Any

import aiohttp
import pytest

from antigravity_proxy.errors import RequestError, UpstreamRefusedError
from antigravity_proxy.proxy.audio import transcript_of
from antigravity_proxy.translate.events import Finish, FinishReason, Text, Thought, Usage

from .conftest import eventually

if TYPE_CHECKING:
    from antigravity_proxy.translate.events import Event

    from .conftest import Lab, OpenLab

SOUND = b"OggS sound"
NOTE = ("note.ogg", SOUND, "audio/ogg")
STOP = Finish(FinishReason.STOP, "STOP")


async def transcribe(
    lab: Lab, note: tuple[str, bytes, str] | None = NOTE, /, **fields: str | tuple[str, bytes, str]
) -> tuple[int, str, Any]:
    """One transcription: the status, the content type and the parsed or plain answer."""
    form = aiohttp.FormData(default_to_multipart=True)
    for name, value in {**({"file": note} if note else {}), **fields}.items():
        if isinstance(value, str):
            form.add_field(name, value)
        else:
            form.add_field(name, BytesIO(value[1]), filename=value[0], content_type=value[2])
    async with lab.http.post(f"{lab.url}/v1/audio/transcriptions", data=form) as response:
        kind = response.content_type
        return response.status, kind, await (response.json() if kind == "application/json" else response.text())


def sent_part(lab: Lab) -> Any:
    """The recording as it was sent to Google."""
    return lab.requests()[-1]["body"]["request"]["contents"][0]["parts"][1]["inlineData"]


def sent_text(lab: Lab) -> str:
    """The task as it was sent to Google."""
    return str(lab.requests()[-1]["body"]["request"]["contents"][0]["parts"][0]["text"])


@pytest.mark.parametrize(
    ("wanted", "content_type"), [(None, "application/json"), ("json", "application/json"), ("text", "text/plain")]
)
async def test_transcript_comes_in_two_forms(lab: Lab, wanted: str | None, content_type: str) -> None:
    """The transcript is JSON, or plain text if that is wanted."""
    lab.plan("text", text=" Hello from a note.\n")
    fields = {} if wanted is None else {"response_format": wanted}
    status, kind, answer = await transcribe(lab, model="whisper-1", **fields)
    assert (status, kind) == (200, content_type)
    assert answer == ("Hello from a note." if wanted == "text" else {"text": "Hello from a note."})


async def test_recording_is_sent_with_its_task(lab: Lab) -> None:
    """The recording goes to Google whole, with the language, the hint and the temperature."""
    status, _, _ = await transcribe(lab, language="de", prompt=" Grüße, Ada ", temperature="0.5")
    assert status == 200
    assert sent_part(lab) == {"mimeType": "audio/ogg", "data": "(16 base64 characters)"}
    assert "The language is de." in sent_text(lab)
    assert sent_text(lab).endswith("Grüße, Ada")
    assert lab.requests()[0]["body"]["request"]["generationConfig"]["temperature"] == 0.5


@pytest.mark.parametrize(
    ("model", "runtime_id"),
    [
        ("gemini-3.1-pro", "gemini-3.1-pro-low"),
        ("gemini-3.8-flash", "gemini-3.8-flash-low"),
        ("whisper-1", "gemini-3.8-flash-low"),
        ("gpt-4o-transcribe", "gemini-3.8-flash-low"),
        ("", "gemini-3.8-flash-low"),
        (None, "gemini-3.8-flash-low"),
    ],
)
async def test_unknown_model_listens_with_the_default(lab: Lab, model: str | None, runtime_id: str) -> None:
    """A model of ours listens itself; for any other name the default does."""
    status, _, _ = await transcribe(lab, **({} if model is None else {"model": model}))
    assert status == 200
    assert lab.runtime_ids() == [runtime_id]


@pytest.mark.parametrize(
    ("filename", "content_type", "mime_type"),
    [
        ("note.mp3", "application/octet-stream", "audio/mpeg"),
        ("note.m4a", "", "audio/mp4"),
        ("note.mp4", "video/mp4", "audio/mp4"),
        ("note.webm", "video/webm", "audio/webm"),
        ("note", "audio/x-wav", "audio/wav"),
        ("NOTE.WAV", "text/plain", "audio/wav"),
    ],
)
async def test_type_follows_the_name(lab: Lab, filename: str, content_type: str, mime_type: str) -> None:
    """The type is what the client says if it says sound, else what the file's name says."""
    status, _, _ = await transcribe(lab, (filename, SOUND, content_type or "application/octet-stream"))
    assert status == 200
    assert sent_part(lab)["mimeType"] == mime_type


@pytest.mark.parametrize(
    ("file", "fields", "param"),
    [
        (None, {}, "file"),
        (None, {"file": "no file at all"}, "file"),
        (("note.ogg", b"", "audio/ogg"), {}, "file"),
        (("note.xyz", SOUND, "application/octet-stream"), {}, "file"),
        (("note", SOUND, "application/octet-stream"), {}, "file"),
        (("note.png", SOUND, "application/octet-stream"), {"model": "gpt-oss-120b"}, "file"),
        (NOTE, {"model": "gpt-oss-120b"}, "file"),
        (NOTE, {"stream": "true"}, "stream"),
        (NOTE, {"stream": "True"}, "stream"),
        (NOTE, {"temperature": "warm"}, "temperature"),
        (NOTE, {"temperature": "nan"}, "temperature"),
        (NOTE, {"temperature": "inf"}, "temperature"),
        (NOTE, {"response_format": "srt"}, "response_format"),
        (NOTE, {"response_format": "vtt"}, "response_format"),
        (NOTE, {"response_format": "verbose_json"}, "response_format"),
        *((NOTE, {name: NOTE}, name) for name in ("language", "prompt", "temperature", "response_format", "model")),
        (NOTE, {"stream": ("a.json", b"{}", "application/json")}, "stream"),
    ],
)
async def test_unusable_field_is_a_400(
    lab: Lab, file: tuple[str, bytes, str] | None, fields: dict[str, Any], param: str
) -> None:
    """What cannot be served is refused with the field's name, and nothing is sent to Google."""
    status, _, answer = await transcribe(lab, file, **fields)
    assert (status, answer["error"]["param"]) == (400, param), answer
    assert answer["error"]["type"] == "invalid_request_error"
    assert lab.requests() == []


@pytest.mark.parametrize("fields", [{"stream": "false"}, {"stream": ""}, {"temperature": ""}, {"language": " "}])
async def test_empty_field_is_not_set(lab: Lab, fields: dict[str, str]) -> None:
    """Fields that clients send empty count as absent."""
    status, _, _ = await transcribe(lab, **fields)
    assert status == 200
    assert "The language is" not in sent_text(lab)


@pytest.mark.parametrize(
    "scenario",
    [
        {"name": "text", "text": "[no speech]"},
        {"name": "text", "text": " [no speech]\n"},
        {"name": "empty", "times": 3},
    ],
    ids=["no-speech", "blanks", "empty"],
)
async def test_silence_is_an_empty_transcript(lab: Lab, scenario: dict[str, Any]) -> None:
    """Where nobody speaks the transcript is empty, however the model says it."""
    lab.plan(**scenario)
    assert await transcribe(lab) == (200, "application/json", {"text": ""})
    lab.plan(**scenario)
    assert await transcribe(lab, response_format="text") == (200, "text/plain", "")


@pytest.mark.parametrize(
    ("reason", "status", "words"),
    [("MAX_TOKENS", 400, "in pieces"), ("SAFETY", 400, r"(SAFETY)"), ("PROHIBITED_CONTENT", 400, "PROHIBITED")],
)
async def test_part_of_a_transcript_is_an_error(lab: Lab, reason: str, status: int, words: str) -> None:
    """A transcript that was cut off or held back is not passed off as a whole one."""
    lab.plan("finish", reason=reason)
    answered, _, answer = await transcribe(lab)
    assert answered == status
    assert words in answer["error"]["message"]


async def test_blocked_recording_is_an_error(lab: Lab) -> None:
    """A recording Google does not listen to is no silence."""
    lab.plan("blocked")
    status, _, answer = await transcribe(lab)
    assert (status, "PROHIBITED_CONTENT" in answer["error"]["message"]) == (400, True)


@pytest.mark.parametrize(("scenario", "status"), [("quota", 429), ("verify", 403), ("bad-field", 400)])
async def test_upstream_failure_keeps_its_status(lab: Lab, scenario: str, status: int) -> None:
    """A failure of Google's is told as for a chat."""
    lab.plan(scenario)
    assert (await transcribe(lab))[0] == status


@pytest.mark.parametrize(
    ("content_type", "data", "status"),
    [
        ("application/json", b"{}", 415),
        ("application/x-www-form-urlencoded", b"file=x", 415),
        ("audio/ogg", SOUND, 415),
        ("multipart/form-data", SOUND, 400),
    ],
)
async def test_other_body_is_refused(lab: Lab, content_type: str, data: bytes, status: int) -> None:
    """A recording is sent as a form and in no other way."""
    headers = {"Content-Type": content_type}
    async with lab.http.post(f"{lab.url}/v1/audio/transcriptions", data=data, headers=headers) as response:
        assert response.status == status
        assert (await response.json())["error"]["type"] == "invalid_request_error"


async def test_large_recording_is_sent_whole(lab: Lab) -> None:
    """A recording of some megabytes, which the form keeps on disk, arrives whole."""
    sound = bytes(range(256)) * 20_000
    status, _, answer = await transcribe(lab, ("note.wav", sound, "audio/wav"))
    assert status == 200
    assert f"audio/wav of {len(sound):,} bytes" in answer["text"]


async def test_transcription_counts_its_tokens(lab: Lab) -> None:
    """The tokens of a transcript are counted under the model that listened."""
    await transcribe(lab, model="whisper-1")
    assert b'kind="prompt",model="gemini-3.8-flash"} ' in lab.services.metrics.render()


async def test_leaving_ends_the_transcription(lab: Lab) -> None:
    """A client that leaves ends the call to Google."""
    lab.plan("silence")
    form = aiohttp.FormData()
    form.add_field("file", SOUND, filename="note.ogg", content_type="audio/ogg")
    with pytest.raises(TimeoutError):
        await lab.http.post(f"{lab.url}/v1/audio/transcriptions", data=form, timeout=aiohttp.ClientTimeout(total=0.1))
    await eventually(lambda: bool(lab.requests()[0]["aborted"]))


async def test_recording_needs_the_key(open_lab: OpenLab) -> None:
    """With a key set, a recording without it is not read."""
    async with open_lab(api_key="key") as lab:
        assert (await transcribe(lab))[0] == 401


def test_transcript_is_the_text_alone() -> None:
    """Thoughts and counts are no part of a transcript."""
    usage = Usage(prompt=1, cached=0, answer=1, thoughts=0)
    events: list[Event] = [Thought("Hm"), Text(" Hello "), Text("there.\n"), usage, STOP]
    assert transcript_of(events) == "Hello there."
    assert transcript_of([]) == ""


@pytest.mark.parametrize(
    ("reason", "error"), [(FinishReason.LENGTH, RequestError), (FinishReason.CONTENT_FILTER, UpstreamRefusedError)]
)
def test_transcript_must_be_whole(reason: FinishReason, error: type[Exception]) -> None:
    """An end that is no proper one is an error, whatever text came before."""
    with pytest.raises(error):
        transcript_of([Text("Hello"), Finish(reason, "X")])
