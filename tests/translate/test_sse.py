"""Tests of server-sent events: bytes to JSON events and back."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from antigravity_proxy.errors import UpstreamGarbledError
from antigravity_proxy.translate import sse
from antigravity_proxy.translate.json_text import mend, parse_json
from antigravity_proxy.translate.sse import DONE, KEEPALIVE, MAX_EVENT_BYTES, encode_frame

from .samples import json_values, new_decoder

BODY = b'data: {"n": 1}\n\ndata: {"text": "a\xc3\xa9"}\n\n: comment\nevent: x\ndata: [2]\n\ndata: [DONE]\n\n'
EVENTS: list[Any] = [{"n": 1}, {"text": "aé"}, [2]]
SIZES = (1, 2, 3, 5, 7, 13, 64, 257)


def decode(*pieces: bytes) -> list[Any]:
    """All events of a stream that comes in these pieces."""
    decoder = new_decoder()
    events = [event for piece in pieces for event in decoder.feed(piece)]
    return events + decoder.finish()


def cut(body: bytes, size: int) -> list[bytes]:
    """The body in pieces of a size."""
    return [body[start : start + size] for start in range(0, len(body), size)]


@pytest.mark.parametrize("size", [*SIZES, len(BODY)])
def test_decoder_gives_same_events_however_stream_is_cut(size: int) -> None:
    """Where reads end does not matter, even inside a character."""
    assert decode(*cut(BODY, size)) == EVENTS


@pytest.mark.parametrize("size", SIZES)
def test_decoder_takes_both_line_ends(size: int) -> None:
    """CRLF is as good as LF, also when a read ends between the two."""
    assert decode(*cut(BODY.replace(b"\n", b"\r\n"), size)) == EVENTS


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        pytest.param(b"", [], id="nothing"),
        pytest.param(b"\n\n\n", [], id="blank lines"),
        pytest.param(b"data:\n\ndata: \n\n", [], id="blank data"),
        pytest.param(b"data: [DONE]\n\n", [], id="done"),
        pytest.param(KEEPALIVE, [], id="keepalive"),
        pytest.param(b"event: x\nid: 5\nretry: 1\n\n", [], id="other fields"),
        pytest.param(b'data:{"n":1}\n\n', [{"n": 1}], id="no blank after the colon"),
        pytest.param(b'data: {"n":\ndata: 1}\n\n', [{"n": 1}], id="two lines"),
        pytest.param(b'\xef\xbb\xbfdata: {"n":1}\n\n', [{"n": 1}], id="byte order mark"),
        pytest.param(b'data: {"n":1}', [{"n": 1}], id="no line end"),
        pytest.param(b'data: {"n":1}\n', [{"n": 1}], id="no blank line"),
        pytest.param(b'data: {"n":1}\r\n \r\ndata: 2\n\n', [{"n": 1}, 2], id="blank line of blanks"),
        pytest.param(b'data: "\\ud83d"\n\n', ["\ufffd"], id="half an emoji"),
        pytest.param(b"data: 1\n\ndata: [DONE]\n\ndata: 2\n\ndata: {\n\n", [1], id="anything after done"),
        pytest.param(b'data: {"n":1}\ndata: {"n":2}\n\n', [{"n": 1}, {"n": 2}], id="no blank line between"),
        pytest.param(b"data: 1\ndata: [DONE]\n\n", [1], id="no blank line before done"),
        pytest.param(b'{"error":\n {"code": 429}}', [{"error": {"code": 429}}], id="plain JSON"),
        pytest.param(b'[{"n": 1}\n,\r\n{"n": 2}]\n', [{"n": 1}, {"n": 2}], id="list of events"),
        pytest.param(b"oops\n\ndata: 1\n\noops\n", [1], id="other words around an event"),
    ],
)
def test_decoder_reads_event(body: bytes, expected: list[Any]) -> None:
    """Only data counts, an event ends at a blank line, and the last one at the end."""
    assert decode(body) == decode(*cut(body, 1)) == expected


def test_decoder_gives_event_at_once() -> None:
    """An event is given out with its last byte, not with the next event."""
    decoder = new_decoder()
    assert decoder.feed(b"data: 1\n") == []
    assert decoder.feed(b"\ndata: 2") == [1]
    assert decoder.feed(b"\n\n") == [2]
    assert decoder.finish() == []


@pytest.mark.parametrize(
    ("body", "words"),
    [
        pytest.param(b"<html><body>Sign in</body></html>", "Sign in", id="page"),
        pytest.param(b"no json\n" * 100_000, "no json", id="long"),
        pytest.param(b"Bearer abcdefghijkl", r"Bearer \*\*\*", id="token"),
        pytest.param(b'{"error":' + b"[" * 300 + b"]" * 300 + b"}", r'{"error":\[', id="deep JSON"),
    ],
)
def test_decoder_quotes_what_is_no_stream(body: bytes, words: str) -> None:
    """What came in place of a stream is said, without markup and tokens, and cut."""
    with pytest.raises(UpstreamGarbledError, match=rf"not a stream of events\..* It begins: {words}") as caught:
        decode(*cut(body, 4096))
    assert len(str(caught.value)) < 1000


def test_proper_events_beside_others_are_left_as_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only what the parser does not take is mended, whatever comes in the same read."""
    mended: list[bytes] = []

    def note(text: bytes) -> bytes:
        mended.append(text)
        return mend(text)

    monkeypatch.setattr(sse, "mend", note)
    half = b'"\\ud83d"'
    assert new_decoder().feed(b"data:1\n\ndata:" + half + b"\n\ndata:2\n\ndata:[DONE]\n\n") == [1, "\ufffd", 2]
    assert mended == [half, b"[DONE]"]


def test_decoder_keeps_whole_events_of_cut_stream() -> None:
    """Of a body that stops before its end, the events that are complete are there."""
    whole = b'data: {"a":1}\n\ndata: {"b":2}\n\ndata: [DONE]\n\n'
    assert decode(whole[:32]) == [{"a": 1}, {"b": 2}]


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(b'data: {"a": 1\n\n', id="cut event"),
        pytest.param(b"data: nonsense\n\n", id="not JSON"),
        pytest.param(b"data: \xff\n\n", id="not UTF-8"),
        pytest.param(b'data: {"a": 1', id="cut stream"),
    ],
)
def test_decoder_raises_when_event_is_not_json(body: bytes) -> None:
    """Half an event is an error and not skipped, so half an answer is never taken for a whole one."""
    with pytest.raises(UpstreamGarbledError, match="not JSON"):
        decode(body)


@pytest.mark.parametrize("line_end", [b"", b"\n"], ids=["one line", "many lines"])
def test_decoder_raises_when_event_does_not_end(line_end: bytes) -> None:
    """An event that grows beyond all measure is given up, be it one line or many."""
    decoder = new_decoder()
    piece = b"data: " + b"x" * (MAX_EVENT_BYTES // 4) + line_end
    for _ in range(3):
        decoder.feed(piece)
    with pytest.raises(UpstreamGarbledError, match="does not end"):
        decoder.feed(piece)


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (b"", 0),
        (b": comment", 0),
        (b": comment\n\n", 0),
        (b'data: {"a"', 10),
        (b'data: {"a": 1}\n', 14),
        (b'data: {"a":\ndata: 1', 18),
        (b'data: {"a": 1}\n\n', 0),
    ],
)
def test_decoder_knows_how_much_of_an_event_is_there(body: bytes, expected: int) -> None:
    """Bytes of an event that has not ended are counted, and told from comments and from those that have."""
    whole, bit_by_bit = new_decoder(), new_decoder()
    whole.feed(body)
    for byte in body:
        bit_by_bit.feed(bytes([byte]))
    assert whole.unfinished_bytes == bit_by_bit.unfinished_bytes == expected


def test_decoder_counts_each_event_alone() -> None:
    """Many events together may be larger than one may be."""
    decoder = new_decoder()
    event = b'data: "' + b"x" * (MAX_EVENT_BYTES // 3) + b'"\n\n'
    assert sum(len(decoder.feed(event)) for _ in range(4)) == 4


@settings(deadline=None)
@given(
    st.lists(json_values(), max_size=4), st.lists(st.integers(0, 200), max_size=6), st.sampled_from([b"\n", b"\r\n"])
)
def test_decoder_reads_what_was_encoded(values: list[Any], cuts: list[int], line_end: bytes) -> None:
    """Frames that are cut anywhere give the values back, with either line end and without the last ones."""
    body = b"".join(map(encode_frame, values)).replace(b"\n", line_end)
    edges = [0, *sorted(cuts), len(body)]
    pieces = [body[start:end] for start, end in pairwise(edges)]
    assert decode(*pieces) == decode(*cut(body.rstrip(), 1)) == values


@settings(deadline=None)
@given(st.binary(max_size=60), st.integers(1, 20))
def test_decoder_raises_only_errors_of_ours(body: bytes, size: int) -> None:
    """Any bytes are events, nothing, or a garbled answer; and always the same, however they are cut."""
    outcomes: list[Any] = []
    for pieces in ([body], cut(body, size)):
        try:
            outcomes.append(decode(*pieces))
        except UpstreamGarbledError as exc:
            outcomes.append(str(exc))
    assert outcomes[0] == outcomes[1]


def test_frame_is_one_line_of_data() -> None:
    """A frame is compact JSON behind ``data:`` and ends with a blank line."""
    assert encode_frame({"a": "b\nc"}) == b'data: {"a":"b\\nc"}\n\n'
    assert parse_json(encode_frame({"a": "b\nc"})[6:]) == {"a": "b\nc"}
    assert (DONE, KEEPALIVE) == (b"data: [DONE]\n\n", b": keepalive\n\n")


def test_decoder_passes_over_other_lines_of_an_event() -> None:
    """A name, an id or a comment between the data of an event and its end says nothing."""
    assert decode(b'data: {"a": 1}\nevent: x\nid: 7\n: hello\n\n') == [{"a": 1}]
