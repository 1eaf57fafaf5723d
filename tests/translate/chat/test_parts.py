"""Tests of content parts."""

from __future__ import annotations

from typing import Any

import pytest

from antigravity_proxy.errors import RequestError
from antigravity_proxy.translate.chat.parts import PAYLOADS, THOUGHT_TYPES, read_answer, read_content, read_result
from antigravity_proxy.translate.events import Media, Text
from antigravity_proxy.translate.json_text import to_json

from ..samples import CLAUDE, GEMINI, GPT_OSS, PNG, SampleTarget

PARAM = "messages[2].content"
URL = f"data:image/png;base64,{PNG}"
IMAGE = Media("image/png", PNG)


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        pytest.param(None, [], id="none"),
        pytest.param("", [Text("")], id="empty text"),
        pytest.param("Hi", [Text("Hi")], id="text"),
        pytest.param([], [], id="no parts"),
        pytest.param([{"type": "text", "text": "a"}, "b"], [Text("a"), Text("b")], id="texts"),
    ],
)
def test_content_is_text_or_parts(content: Any, expected: list[Any]) -> None:
    """Content is text, a list of parts, or nothing."""
    assert read_content(content, GEMINI, PARAM) == expected


@pytest.mark.parametrize(
    ("part", "expected"),
    [
        pytest.param({"type": "input_text", "text": "a"}, Text("a"), id="text of the other API"),
        pytest.param({"type": "output_text", "text": "a"}, Text("a"), id="answer of the other API"),
        pytest.param({"type": "refusal", "refusal": "No."}, Text("No."), id="refusal"),
        pytest.param({"type": "image_url", "image_url": {"url": URL, "detail": "low"}}, IMAGE, id="image"),
        pytest.param({"type": "image_url", "image_url": URL}, IMAGE, id="image as text"),
        pytest.param({"type": "input_image", "image_url": URL}, IMAGE, id="image of the other API"),
        pytest.param(
            {"type": "input_audio", "input_audio": {"data": "AAAA", "format": "mp3"}},
            Media("audio/mpeg", "AAAA"),
            id="sound",
        ),
        pytest.param(
            {"type": "input_audio", "input_audio": {"data": "AAAA"}},
            Media("audio/wav", "AAAA"),
            id="sound of no format",
        ),
        pytest.param(
            {"type": "input_audio", "input_audio": {"data": "data:;base64,AAAA", "format": "flac"}},
            Media("audio/flac", "AAAA"),
            id="sound as a URL",
        ),
        pytest.param(
            {"type": "video_url", "video_url": {"url": "data:video/mp4;base64,AAAA"}},
            Media("video/mp4", "AAAA"),
            id="film",
        ),
        pytest.param(
            {"type": "file", "file": {"filename": "a.pdf", "file_data": "data:application/pdf;base64,AAAA"}},
            Media("application/pdf", "AAAA"),
            id="document as a URL",
        ),
        pytest.param(
            {"type": "file", "file": {"filename": "a.pdf", "file_data": "AAAA"}},
            Media("application/pdf", "AAAA"),
            id="document",
        ),
        pytest.param(
            {"type": "file", "file": {"filename": "a.md", "file_data": "data:application/octet-stream;base64,AAAA"}},
            Media("text/markdown", "AAAA"),
            id="document of no told type",
        ),
        pytest.param(
            {"type": "file", "file": {"filename": "a.pdf", "file_data": "data:;base64,AAAA"}},
            Media("application/pdf", "AAAA"),
            id="document of an empty type",
        ),
        pytest.param(
            {"type": "file", "file": {"filename": "a.pdf", "file_data": "DATA:text/csv;base64,QUI%3D"}},
            Media("text/csv", "QUI="),
            id="type beats name",
        ),
        pytest.param(
            {"type": "file", "file": {"filename": "main.go", "file_data": "AAAA"}},
            Media("text/plain", "AAAA"),
            id="source code",
        ),
        pytest.param(
            {"type": "file", "filename": "a.pdf", "file_data": "AAAA"},
            Media("application/pdf", "AAAA"),
            id="document without its object",
        ),
        pytest.param(
            {"type": "image_url", "image_url": f"data:application/octet-stream;base64,{PNG}"},
            IMAGE,
            id="image of no told type",
        ),
        pytest.param(
            {"type": "input_file", "filename": "a.md", "file_data": "AAAA", "file_id": "f"},
            Media("text/markdown", "AAAA"),
            id="document of the other API",
        ),
    ],
)
def test_part_is_read(part: dict[str, Any], expected: Any) -> None:
    """Every kind of part that clients send is text or media."""
    assert read_content([part], GEMINI, PARAM) == [expected]


@pytest.mark.parametrize(
    ("part", "param", "words"),
    [
        pytest.param(
            {"type": "image_url", "image_url": {"url": "https://example.com/a.png"}},
            "messages[2].content[1]",
            "web address",
            id="remote image",
        ),
        pytest.param(
            {"type": "image_url", "image_url": {}}, "messages[2].content[1].image_url.url", "missing", id="no URL"
        ),
        pytest.param(
            {"type": "input_image", "image_url": 5}, "messages[2].content[1].image_url", "not text", id="no image"
        ),
        pytest.param({"type": "text"}, "messages[2].content[1].text", "missing or not text", id="no text"),
        pytest.param({"type": "refusal", "refusal": 5}, "messages[2].content[1].refusal", "not text", id="number"),
        pytest.param(
            {"type": "input_audio", "input_audio": {"data": "AAAA", "format": "midi"}},
            "messages[2].content[1].input_audio.format",
            "known formats",
            id="unknown format",
        ),
        pytest.param(
            {"type": "input_audio"}, "messages[2].content[1].input_audio.data", "missing", id="sound without data"
        ),
        pytest.param(
            {"type": "file", "file": {"file_id": "f"}}, "messages[2].content[1]", "stores none", id="uploaded"
        ),
        pytest.param({"type": "file", "file": {}}, "messages[2].content[1].file.file_data", "missing", id="no data"),
        pytest.param(
            {"type": "file", "file": {"file_data": "AAAA"}}, "messages[2].content[1]", "tell its type", id="no name"
        ),
        pytest.param(
            {"type": "file", "file": {"filename": "a.bin", "file_data": "data:application/octet-stream;base64,AAAA"}},
            "messages[2].content[1]",
            "'a.bin', which does not tell its type",
            id="neither type nor name tells",
        ),
        pytest.param(
            {"type": "file", "file": {"file_data": "data:;base64,AAAA"}},
            "messages[2].content[1]",
            "tell its type",
            id="neither type nor name",
        ),
        pytest.param(
            {"type": "file", "file": 5}, "messages[2].content[1].file.file_data", "missing", id="file that is none"
        ),
        pytest.param(
            {"type": "input_file", "filename": "a.pdf"},
            "messages[2].content[1].file_data",
            "missing",
            id="no data of the other API",
        ),
        pytest.param(
            {"type": "input_file", "file_id": "f"}, "messages[2].content[1]", "stores none", id="stored elsewhere"
        ),
        pytest.param({"type": "hologram"}, "messages[2].content[1]", "'hologram', which is not known", id="unknown"),
        pytest.param({"type": ["text"]}, "messages[2].content[1]", "not known here", id="type that is no text"),
        pytest.param({}, "messages[2].content[1]", "'None'", id="no type"),
        pytest.param(5, "messages[2].content[1]", "not known here", id="number instead of a part"),
    ],
)
def test_part_is_refused_by_name(part: Any, param: str, words: str) -> None:
    """What cannot be sent is a 400 that names the part, and never dropped."""
    with pytest.raises(RequestError, match=words) as caught:
        read_content(["a", part], GEMINI, PARAM)
    assert (caught.value.status, caught.value.param) == (400, param)
    assert "messages[2].content[1]" in caught.value.message


@pytest.mark.parametrize("content", [5, {"type": "text", "text": "a"}, True], ids=["number", "object", "boolean"])
def test_content_of_another_shape_is_refused(content: Any) -> None:
    """Content that is neither text nor a list is a 400."""
    with pytest.raises(RequestError, match="neither text nor a list") as caught:
        read_content(content, GEMINI, PARAM)
    assert caught.value.param == PARAM


@pytest.mark.parametrize(
    ("target", "part"),
    [
        pytest.param(GPT_OSS, {"type": "image_url", "image_url": {"url": URL}}, id="image for GPT-OSS"),
        pytest.param(CLAUDE, {"type": "input_audio", "input_audio": {"data": "AAAA"}}, id="sound for Claude"),
    ],
)
def test_part_is_refused_when_model_does_not_take_it(target: SampleTarget, part: dict[str, Any]) -> None:
    """Media that the model does not take are a 400 that names model and part."""
    with pytest.raises(RequestError, match=f"{target.model_id} does not take") as caught:
        read_content([part], target, PARAM)
    assert caught.value.param == "messages[2].content[0]"


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        pytest.param(None, [], id="none"),
        pytest.param("Hi", [Text("Hi")], id="text"),
        pytest.param(["a", {"type": "text", "text": "b"}], [Text("a"), Text("b")], id="parts"),
        pytest.param([{"type": kind} for kind in THOUGHT_TYPES], [], id="thoughts"),
        pytest.param([{"type": "thinking"}, {"type": "image_url", "image_url": URL}], [IMAGE], id="image"),
    ],
)
def test_answer_is_read_without_thoughts(content: Any, expected: list[Any]) -> None:
    """What the model said is its texts and media."""
    assert read_answer(content, GEMINI, PARAM) == expected


@pytest.mark.parametrize(
    ("content", "param", "words"),
    [
        pytest.param(5, PARAM, "neither text nor a list", id="number"),
        pytest.param([{"type": "thinking"}, {"type": "x"}], f"{PARAM}[1]", "not known here", id="unknown part"),
        pytest.param(
            [{"type": "thinking"}, {"type": "image_url", "image_url": URL}],
            f"{PARAM}[1]",
            "media in an assistant message, which claude-sonnet-4-6 does not take",
            id="image",
        ),
    ],
)
def test_answer_is_refused_by_name(content: Any, param: str, words: str) -> None:
    """What cannot be sent is refused by its place among all parts, also those that are left out."""
    with pytest.raises(RequestError, match=words) as caught:
        read_answer(content, CLAUDE, PARAM)
    assert (caught.value.status, caught.value.param) == (400, param)


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        pytest.param(None, [], id="none"),
        pytest.param("done", [Text("done")], id="text"),
        pytest.param({"a": 1}, [Text('{"a":1}')], id="object"),
        pytest.param(5, [Text("5")], id="number"),
        pytest.param([1, None, {"a": 1}, ["b"]], [Text(t) for t in ("1", "null", '{"a":1}', '["b"]')], id="data"),
        pytest.param([{"type": "file", "name": "a"}], [Text('{"type":"file","name":"a"}')], id="data with a type"),
        pytest.param([{"type": ["x"]}], [Text('{"type":["x"]}')], id="data with a strange type"),
        pytest.param(["a", {"type": "text", "text": "b"}], [Text("a"), Text("b")], id="texts"),
        pytest.param([{"type": "image_url", "image_url": {"url": URL}}], [IMAGE], id="image"),
    ],
)
def test_result_is_parts_or_json(content: Any, expected: list[Any]) -> None:
    """What a tool gave back is its texts and media, and everything else as JSON text."""
    assert read_result(content, GEMINI, PARAM) == expected


def test_result_refuses_a_broken_image() -> None:
    """An image in a result that cannot be sent is refused by its place."""
    with pytest.raises(RequestError) as caught:
        read_result(["a", {"type": "image_url", "image_url": "https://a/b.png"}], GEMINI, PARAM)
    assert str(caught.value.param).startswith(f"{PARAM}[1]")


def test_payloads_cover_every_known_part() -> None:
    """Every type of part that can be read is known with its payload."""
    for kind in PAYLOADS:
        with pytest.raises(RequestError, match="missing or not text"):
            read_content([{"type": kind}], GEMINI, PARAM)


@pytest.mark.parametrize("kind", ["image", "audio"])
def test_media_of_the_model_context_protocol_are_read(kind: str) -> None:
    """What tools give back as media is media, and not text with all its base64; their own data stay text."""
    mime_type = {"image": "image/png", "audio": "audio/wav"}[kind]
    part = {"type": kind, "data": "QUJD", "mimeType": mime_type}
    assert read_result([part], GEMINI, "p") == [Media(mime_type, "QUJD")]
    assert read_content([part], GEMINI, "p") == [Media(mime_type, "QUJD")]
    own = {"type": kind, "data": "a cat"}
    assert read_result([own], GEMINI, "p") == [Text(to_json(own))]
