"""Tests of media: data URLs and base64 to parts."""

from __future__ import annotations

import base64
import tracemalloc
from contextlib import suppress
from urllib.parse import unquote_to_bytes

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from antigravity_proxy.errors import RequestError
from antigravity_proxy.translate import media
from antigravity_proxy.translate.events import Media
from antigravity_proxy.translate.media import (
    audio_type,
    checked_base64,
    from_base64,
    from_data_url,
    split_data_url,
    type_of_file,
)

from .samples import CLAUDE, GEMINI, GPT_OSS, PNG, SampleTarget

PART = "messages[0].content[1]"


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        pytest.param(
            "data:image/jpeg;base64,/9j/4AAQSkZJRg==", Media("image/jpeg", "/9j/4AAQSkZJRg=="), id="bare base64"
        ),
        pytest.param(f"data:;base64,{PNG}", Media("image/png", PNG), id="no type"),
        pytest.param(f"data: ;base64,{PNG}", Media("image/png", PNG), id="blank type"),
        pytest.param(f"data:Application/Octet-Stream;base64,{PNG}", Media("image/png", PNG), id="bytes"),
        pytest.param("data:application/octet-stream,ab", Media("image/png", "YWI="), id="bytes not in base64"),
        pytest.param("data:image/png;base64,QUI%3D", Media("image/png", "QUI="), id="escaped padding"),
        pytest.param("data:image/png;base64,%2b%2F+/", Media("image/png", "+/+/"), id="escaped digits"),
        pytest.param(f" DATA:IMAGE/PNG;BASE64,{PNG}\n", Media("image/png", PNG), id="capitals and blanks"),
        pytest.param(f"data:image/png;name=a.png;base64,{PNG}", Media("image/png", PNG), id="parameters"),
        pytest.param("data:image/jpg;base64,AAAA", Media("image/jpeg", "AAAA"), id="other name of the type"),
        pytest.param("data:image/png;base64,AA\nA=", Media("image/png", "AAA="), id="line end in the data"),
        pytest.param("data:image/png;base64,-_-_", Media("image/png", "+/+/"), id="URL-safe alphabet"),
        pytest.param("data:text/plain,a%20b", Media("text/plain", "YSBi"), id="not base64"),
        pytest.param("data:,ab", Media("text/plain", "YWI="), id="neither type nor base64"),
        pytest.param("data:text/x-log;charset=utf-8;base64,YWI=", Media("text/plain", "YWI="), id="unknown text"),
        pytest.param("data:video/mp4;base64,AAAA", Media("video/mp4", "AAAA"), id="film"),
        pytest.param("data:application/pdf;base64,AAAA", Media("application/pdf", "AAAA"), id="document"),
    ],
)
def test_data_url_becomes_media(url: str, expected: Media) -> None:
    """A data URL is a part with its type and its data as they came."""
    assert from_data_url(url, GEMINI, PART, default_type="image/png") == expected


@pytest.mark.parametrize(
    ("url", "words"),
    [
        pytest.param("https://example.com/a.png", "web address", id="remote"),
        pytest.param("file:///etc/passwd", "is no data URL", id="file"),
        pytest.param("", "is no data URL", id="empty"),
        pytest.param("data:image/png", "no comma", id="no data"),
        pytest.param("data:image/png;base64,", "is empty", id="empty data"),
        pytest.param("data:image/png;base64,AAAAA", "not valid base64", id="broken data"),
        pytest.param("data:image/png;base64,A%3D%3D", "not valid base64", id="escaped broken data"),
        pytest.param("data:image/png;base64,QUI%3", "not valid base64", id="broken escape"),
        pytest.param("data:image/png;base64,QU%C3%A9", "not valid base64", id="escaped letter"),
        pytest.param("data:image/gif;base64,AAAA", "is image/gif, which gemini-3.8-flash does not take", id="type"),
    ],
)
def test_data_url_is_refused_by_name(url: str, words: str) -> None:
    """What cannot be sent is a 400 that names the part, and never dropped."""
    with pytest.raises(RequestError, match=words) as caught:
        from_data_url(url, GEMINI, PART, default_type="image/png")
    assert (caught.value.status, caught.value.param) == (400, PART)
    assert PART in caught.value.message


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        pytest.param("data:Text/CSV;charset=utf-8;base64,QUJD", ("text/csv", "QUJD"), id="type"),
        pytest.param("data:;base64,QUJD", ("", "QUJD"), id="no type"),
        pytest.param("data:application/octet-stream;base64,!", ("", "!"), id="bytes that are not checked"),
        pytest.param("data:,a", ("text/plain", "YQ=="), id="neither"),
    ],
)
def test_data_url_tells_type_or_none(url: str, expected: tuple[str, str]) -> None:
    """The type of a data URL is what it tells; that it is bytes tells nothing."""
    assert split_data_url(url, PART) == expected


@pytest.mark.parametrize(
    ("target", "mime_type", "words"),
    [
        pytest.param(CLAUDE, "application/pdf", "it takes image/heic, image/heif", id="document for Claude"),
        pytest.param(CLAUDE, "text/plain", "does not take", id="text for Claude"),
        pytest.param(GPT_OSS, "image/png", "it takes text only", id="image for GPT-OSS"),
        pytest.param(GEMINI, "application/zip", "does not take", id="archive"),
        pytest.param(GEMINI, " ; x=y", "is of no type", id="no type"),
    ],
)
def test_type_is_refused_when_model_does_not_take_it(target: SampleTarget, mime_type: str, words: str) -> None:
    """Each family has its types; the message names them."""
    with pytest.raises(RequestError, match=words):
        from_base64("AAAA", mime_type, target, PART)


def test_image_is_taken_by_claude() -> None:
    """Claude sees images."""
    assert from_base64(PNG, "image/PNG; x=y", CLAUDE, PART) == Media("image/png", PNG)


@pytest.mark.parametrize("parameters", [";", ";a=b", "; "])
def test_many_parameters_are_not_taken_apart(parameters: str) -> None:
    """However many parameters a type has, the first and the last are found without a list of them all."""
    url = f"data:Image/PNG{parameters * 300_000}; BASE64 ,{PNG}"
    tracemalloc.start()
    try:
        assert split_data_url(url, PART) == ("image/png", PNG)
        assert tracemalloc.get_traced_memory()[1] < 4 * len(url)
    finally:
        tracemalloc.stop()


def test_base64_is_handed_on_as_it_came() -> None:
    """Good data is the very same string, so a large image is not copied."""
    data = "QUJD" * 10
    assert checked_base64(data, PART) is data


@settings(deadline=None)
@given(st.text(st.sampled_from("%=4aF2g_é \r\n."), max_size=12) | st.text(max_size=12))
@example("%")
@example("%%41")
@example("%2541=0A=\n")
@example("=%\n%\r\n%4")
def test_percent_signs_are_read_as_everybody_reads_them(text: str) -> None:
    """Bytes behind percent signs are decoded, and one without any stands for itself, wherever pieces of it end."""
    for size in (3, 4, 5, media.LOOK_CHARS):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(media, "LOOK_CHARS", size)
            _, data = split_data_url(f"data:,{text}.", PART)
        assert base64.b64decode(data) == unquote_to_bytes(f"{text}.")


ALPHABET = st.text(st.sampled_from("AZaz09+/=-_ \n!"), max_size=12)


@settings(deadline=None)
@given(ALPHABET | st.text(st.characters(codec="ascii"), max_size=12))
@example("====")
@example("AB=C")
@example("A=B=")
@example("ABC=ABC=")
@example("0000=")
def test_base64_check_agrees_with_the_decoder(data: str) -> None:
    """Exactly what the strict decoder takes is taken unchanged; the rest is mended into it or refused."""
    try:
        # The decoder passes over padding after whole groups, which other ones refuse.
        is_standard = bool(base64.b64decode(data, validate=True)) and len(data) % 4 == 0
    except ValueError:
        is_standard = False
    try:
        checked = checked_base64(data, PART)
    except RequestError:
        assert not is_standard
        return
    assert base64.b64decode(checked, validate=True)
    assert (checked == data) is is_standard


@settings(deadline=None)
@given(st.binary(min_size=1, max_size=40), st.sampled_from(["", "\n", " "]))
def test_base64_of_any_writing_has_the_same_bytes(raw: bytes, gap: str) -> None:
    """Both alphabets, without padding and with gaps, decode to what was encoded."""
    for text in (base64.b64encode(raw).decode(), base64.urlsafe_b64encode(raw).decode().rstrip("=")):
        assert base64.b64decode(checked_base64(text + gap, PART), validate=True) == raw


@settings(deadline=None)
@given(st.text(max_size=20))
def test_base64_check_raises_only_errors_of_ours(data: str) -> None:
    """Any text is base64 or a 400."""
    with suppress(RequestError):
        assert checked_base64(data, PART).isascii()


@pytest.mark.parametrize(
    ("audio_format", "expected"),
    [
        pytest.param("mp3", "audio/mpeg", id="mp3"),
        pytest.param("wav", "audio/wav", id="wav"),
        pytest.param("", "audio/wav", id="none"),
        pytest.param(" FLAC ", "audio/flac", id="capitals"),
        pytest.param("ogg", "audio/ogg", id="ogg"),
        pytest.param("aac", "audio/aac", id="aac"),
        pytest.param("webm", "audio/webm", id="webm"),
        pytest.param("pcm16", "audio/pcm", id="samples"),
        pytest.param("g711_ulaw", "audio/basic", id="telephone"),
    ],
)
def test_audio_type_is_looked_up(audio_format: str, expected: str) -> None:
    """A format of OpenAI's has a mime type."""
    assert audio_type(audio_format, PART) == expected


@pytest.mark.parametrize("audio_format", ["midi", "g711_alaw"])
def test_audio_type_is_refused_when_unknown(audio_format: str) -> None:
    """An unknown format is a 400 that lists the known ones, and so is one that would be read as another."""
    with pytest.raises(RequestError, match=r"known formats are wav, mp3.* Convert it") as caught:
        audio_type(audio_format, PART)
    assert caught.value.param == PART


@pytest.mark.parametrize(
    ("filename", "expected"),
    [
        pytest.param("a.pdf", "application/pdf", id="document"),
        pytest.param("/tmp/a.b/c.PNG ", "image/png", id="path and capitals"),  # noqa: S108
        pytest.param(".md", "text/markdown", id="nothing before the dot"),
        pytest.param("main.go", "text/plain", id="source code"),
        pytest.param("App.TSX", "text/plain", id="source code in capitals"),
    ],
)
def test_type_of_file_is_that_of_its_end(filename: str, expected: str) -> None:
    """The end of a file name tells its type."""
    assert type_of_file(filename, PART) == expected


@pytest.mark.parametrize("filename", ["", "pdf", "a.exe", "a."], ids=["empty", "no dot", "unknown", "no end"])
def test_type_of_file_is_refused_when_unknown(filename: str) -> None:
    """A name that does not tell a type is a 400 that says how to tell it."""
    with pytest.raises(RequestError, match="does not tell its type") as caught:
        type_of_file(filename, PART)
    assert caught.value.param == PART
