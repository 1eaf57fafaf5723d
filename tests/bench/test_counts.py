"""What a request and an event cost, counted and not timed, so that the same code gives the same numbers anywhere."""

from __future__ import annotations

import base64
import json
import tracemalloc
from typing import TYPE_CHECKING, Any

import orjson
import pytest
from aiohttp import web

from antigravity_proxy.bench.scenario import Scenario
from antigravity_proxy.bench.upstream import chunks_of, stream_of
from antigravity_proxy.catalog.routing import route_to
from antigravity_proxy.proxy.connection import Connection
from antigravity_proxy.proxy.exchange import Exchange
from antigravity_proxy.translate import json_text, sse
from antigravity_proxy.translate.answer_wire import parse_events
from antigravity_proxy.translate.candidates import CandidateReader
from antigravity_proxy.translate.chat.request import ChatCall
from antigravity_proxy.translate.chat.stream import ChatStream
from antigravity_proxy.translate.chat.wire import to_chat_request
from antigravity_proxy.translate.sse import SseDecoder

from ..proxy.conftest import chat_body, open_lab
from ..proxy.raw_server import raw_server

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from ..proxy.conftest import OpenLab

__all__ = ["open_lab"]

EVENTS = 200
SCENARIO = Scenario(EVENTS)
MEGABYTE = 2**20


class Count:
    """Stands for a function and counts its calls, with the bytes of those that got or gave many."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function
        self.calls = self.large = 0

    def __call__(self, *arguments: Any) -> Any:
        """Call the function."""
        self.calls += 1
        result = self._function(*arguments)
        sizes = (len(value) for value in (*arguments, result) if isinstance(value, bytes | str))
        self.large += any(size > MEGABYTE // 2 for size in sizes)
        return result


class CountingJson:
    """Stands for orjson in a module."""

    JSONDecodeError = orjson.JSONDecodeError

    def __init__(self) -> None:
        self.loads = Count(orjson.loads)
        self.dumps = Count(orjson.dumps)


def payloads() -> list[bytes]:
    """The events of an answer, each as its read would give it."""
    return [chunk.partition(b"\r\n")[2][:-2] for chunk in chunks_of(SCENARIO, is_wrapped=True)]


def new_translation(parse: Callable[[list[bytes]], list[Any]] = parse_events) -> Callable[[bytes], bytes]:
    """What turns the bytes of a read into those of a write."""
    decoder = SseDecoder(parse)
    reader = CandidateReader(str, now_s=0, keeps_signatures=True)
    stream = ChatStream("chatcmpl-1", 1, "gemini-3.8-flash", str, with_usage=True)

    def translate(data: bytes) -> bytes:
        return stream.feed([event for value in decoder.feed(data) for event in reader.feed(value)])

    return translate


@pytest.mark.parametrize("reads", [1, EVENTS], ids=["together", "one by one"])
def test_event_is_parsed_once(monkeypatch: pytest.MonkeyPatch, reads: int) -> None:
    """Each event is parsed once, and nothing of it is parsed again."""
    counting = CountingJson()
    monkeypatch.setattr(sse, "orjson", counting)
    monkeypatch.setattr(json_text, "orjson", counting)
    parsed: list[bytes] = []

    def parse(texts: list[bytes]) -> list[Any]:
        parsed.extend(texts)
        return parse_events(texts)

    translate, pieces = new_translation(parse), payloads()
    size = len(pieces) // reads
    for start in range(0, len(pieces), size):
        assert translate(b"".join(pieces[start : start + size]))
    assert (len(parsed), counting.loads.calls, counting.dumps.calls) == (EVENTS, 0, 0)


def test_event_leaves_nothing_behind() -> None:
    """Memory does not grow with the events of an answer, and one event takes a few kilobytes while it passes."""
    translate, pieces = new_translation(), payloads()[:-1]
    for piece in pieces[:20]:
        translate(piece)
    tracemalloc.start()
    try:
        for piece in pieces[20:60]:
            translate(piece)
        before, _ = tracemalloc.get_traced_memory()
        tracemalloc.reset_peak()
        for piece in pieces[60:]:
            translate(piece)
        after, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert after - before < 1024
    assert peak - before < 16 * 1024


async def test_read_is_one_write(monkeypatch: pytest.MonkeyPatch, open_lab: OpenLab) -> None:
    """However many events a read of Google's answer holds, the client is written to once, its end included."""
    reads: list[int] = []
    read, write, write_eof = Exchange.read, web.StreamResponse.write, web.StreamResponse.write_eof
    writes: list[int] = []

    async def counting_read(exchange: Exchange, until_s: float | None = None) -> bytes:
        data = await read(exchange, until_s)
        reads.append(len(data))
        return data

    async def counting_write(response: web.StreamResponse, data: bytes) -> None:
        writes.append(len(data))
        await write(response, data)

    async def counting_write_eof(response: web.StreamResponse, data: bytes = b"") -> None:
        writes.append(len(data))
        await write_eof(response, data)

    monkeypatch.setattr(web.StreamResponse, "write", counting_write)
    monkeypatch.setattr(web.StreamResponse, "write_eof", counting_write_eof)
    answer = stream_of(SCENARIO, is_wrapped=True)
    async with raw_server([answer]) as server, open_lab(base_url=server.url) as lab:
        monkeypatch.setattr(Exchange, "read", counting_read)
        async with lab.http.post(f"{lab.url}/v1/chat/completions", json=chat_body(stream=True)) as response:
            body = await response.read()
    assert body.count(b"data: ") == EVENTS + 3  # the role, the finish reason and [DONE]
    # A read that ends inside the first event gives nothing to write, and aiohttp ends every answer once more.
    assert len([size for size in writes if size]) <= len([size for size in reads if size]) < EVENTS


class CountedTransport:
    """Stands for the transport of a connection, and keeps what is written to it."""

    def __init__(self, transport: Any, writes: list[bytes]) -> None:
        self._transport = transport
        self._writes = writes

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)

    def write(self, data: bytes) -> None:
        """Write, and keep it."""
        self._writes.append(bytes(data))
        self._transport.write(data)

    def writelines(self, pieces: Iterable[bytes]) -> None:
        """Write in one go, and keep it."""
        self.write(b"".join(pieces))


async def test_answer_of_one_read_is_one_write_of_its_socket(
    monkeypatch: pytest.MonkeyPatch, open_lab: OpenLab
) -> None:
    """A stream that Google sends in one piece goes out in one, from its head to the end of its body."""
    writes: list[bytes] = []
    begin = Connection.connection_made

    def begin_counted(connection: Connection, transport: Any) -> None:
        begin(connection, CountedTransport(transport, writes))  # type: ignore[arg-type]

    monkeypatch.setattr(Connection, "connection_made", begin_counted)
    answer = stream_of(Scenario(5), is_wrapped=True)
    async with raw_server([answer]) as server, open_lab(base_url=server.url) as lab:
        assert (await lab.stream()).count(b"data: ") == 5 + 3
    (written,) = writes
    assert written.startswith(b"HTTP/1.1 200 OK\r\n")
    assert written.endswith(b"data: [DONE]\n\n\r\n0\r\n\r\n")


@pytest.mark.parametrize(
    ("part", "copies"),
    [
        ({"type": "image_url", "image_url": {"url": "data:image/png;base64,{data}"}}, 1),
        ({"type": "input_audio", "input_audio": {"data": "{data}", "format": "wav"}}, 0),
    ],
    ids=["image", "audio"],
)
def test_large_media_are_neither_decoded_nor_copied(
    monkeypatch: pytest.MonkeyPatch, part: dict[str, Any], copies: int
) -> None:
    """Base64 goes on as the string that came, or is cut out of its URL once; no other copy of it is made."""
    data = base64.b64encode(bytes(6 * MEGABYTE)).decode()
    body = json.loads(json.dumps(chat_body()))
    body["messages"][0]["content"] = [json.loads(json.dumps(part).replace("{data}", data))]
    decode = Count(base64.b64decode)
    monkeypatch.setattr(base64, "b64decode", decode)
    tracemalloc.start()
    try:
        request = ChatCall(to_chat_request(body)).to_request(route_to("gemini-3.8-flash", None))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    sent = request["contents"][0]["parts"][0]["inlineData"]["data"]
    assert sent == data
    assert decode.large == 0
    assert peak < (copies + 0.1) * len(data)
    if part["type"] == "input_audio":
        assert sent is body["messages"][0]["content"][0]["input_audio"]["data"]


async def test_large_request_is_parsed_and_written_once(
    monkeypatch: pytest.MonkeyPatch, open_lab: OpenLab, tmp_path: Path
) -> None:
    """A body of megabytes is parsed once when it comes and written once when it goes."""
    counting = CountingJson()
    monkeypatch.setattr(json_text, "orjson", counting)
    monkeypatch.setattr("antigravity_proxy.proxy.upstream.orjson", counting)
    data = base64.b64encode(bytes(600_000)).decode()
    content = [{"type": "input_audio", "input_audio": {"data": data, "format": "wav"}}]
    async with raw_server([stream_of(SCENARIO, is_wrapped=True)]) as server, open_lab(base_url=server.url) as lab:
        body = {"model": "gemini-3.8-flash", "messages": [{"role": "user", "content": content}]}
        async with lab.http.post(f"{lab.url}/v1/chat/completions", json=body) as response:
            assert response.status == 200
        assert data.encode() in server.requests[-1]
    assert (counting.loads.large, counting.dumps.large) == (1, 1)
