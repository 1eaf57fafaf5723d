"""Tests of streamed HTTP answers, over real sockets."""

from __future__ import annotations

import asyncio
import json
import socket
import struct
from typing import TYPE_CHECKING, Any

import pytest

from antigravity_proxy.errors import CapacityError, RequestError, UpstreamError
from antigravity_proxy.proxy.event_stream import EventStream

from .conftest import CUT, chat_body, chat_request, eventually, settle

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from aiohttp import web

    from .conftest import Lab, Leap, OpenLab

SLOWLY = {"name": "slow", "pace": 0.01}
"""Words come one by one, so that the first are sent on before a failure is seen."""

KEEPALIVE = b": keepalive\n\n"
DONE = b"data: [DONE]\n\n"
LAST_CHUNK = b"0\r\n\r\n"


def frames_of(body: bytes) -> list[Any]:
    """The JSON of all frames of an event stream, in order."""
    data = [frame.removeprefix(b"data: ") for frame in body.split(b"\n\n") if frame.startswith(b"data: ")]
    return [json.loads(frame) for frame in data if frame != b"[DONE]"]


def text_of(body: bytes) -> str:
    """The text of a streamed chat completion."""
    chunks = [frame for frame in frames_of(body) if "choices" in frame]
    return "".join(choice["delta"].get("content", "") for chunk in chunks for choice in chunk["choices"])


def split_chunks(received: bytes) -> tuple[bytes, bytes, bytes]:
    """The head, the body without its chunk sizes, and what is left after the last whole chunk."""
    head, _, rest = received.partition(b"\r\n\r\n")
    body = b""
    while (end := rest.find(b"\r\n")) > 0 and (size := int(rest[:end], 16)):
        assert rest[end + 2 + size :].startswith(b"\r\n"), "a chunk is cut"
        body += rest[end + 2 : end + 2 + size]
        rest = rest[end + 4 + size :]
    return head, body, rest


def add_route(
    write: Callable[[EventStream], Awaitable[None]], keepalive_s: float = 5, write_timeout_s: float = 5
) -> Callable[..., None]:
    """Adds a route that streams what a function writes."""

    async def handle(request: web.Request) -> web.StreamResponse:
        async with EventStream(request, keepalive_s=keepalive_s, write_timeout_s=write_timeout_s) as stream:
            await write(stream)
        return stream.response

    def extend(app: web.Application) -> None:
        app.router.add_get("/stream", handle)

    return extend


async def test_stream_has_frames_and_an_end(lab: Lab) -> None:
    """Every frame is one data line with JSON and a blank line, and the last one is [DONE]."""
    received = await lab.stream()
    frames = received.split(b"\n\n")
    assert frames[-2:] == [b"data: [DONE]", b""]
    assert all(
        json.loads(frame.removeprefix(b"data: "))["object"] == "chat.completion.chunk" for frame in frames[:-2]
    )


async def test_stream_has_its_headers(lab: Lab) -> None:
    """A stream is declared as one, is neither cached nor buffered, and says which runtime id answers."""
    async with lab.http.post(f"{lab.url}/v1/chat/completions", json=chat_body(stream=True)) as response:
        assert response.status == 200
        assert response.headers["Content-Type"] == "text/event-stream; charset=utf-8"
        assert response.headers["Cache-Control"] == "no-store"
        assert response.headers["X-Accel-Buffering"] == "no"
        assert response.headers["X-Antigravity-Runtime-Id"] == "gemini-3.8-flash-low"
        await response.read()


@pytest.mark.parametrize(
    ("scenario", "status"),
    [
        ({"name": "quota"}, 429),
        ({"name": "capacity", "times": 3}, 503),
        ({"name": "in-stream-error", "after": 0, "code": 429, "times": 3}, 429),
        ({"name": "cut", "after": 0, "headers": True, "times": 3}, 502),
    ],
    ids=["quota", "capacity", "first-event", "cut-before-events"],
)
async def test_early_failure_keeps_its_status(lab: Lab, scenario: dict[str, Any], status: int) -> None:
    """What fails before the first word is an HTTP error, also for a client that wants a stream."""
    lab.plan(**scenario)
    async with lab.http.post(f"{lab.url}/v1/chat/completions", json=chat_body(stream=True)) as response:
        assert response.status == status
        assert response.headers["Content-Type"] == "application/json"
        assert "error" in await response.json()


async def streamed_through_silence(lab: Lab, leap: Leap, **stall: Any) -> bytes:
    """A stream in whose middle Google is silent for two and a half times the silence that is filled."""
    lab.plan("stall", seconds=25, **stall)
    streaming = asyncio.create_task(lab.stream())
    await eventually(lambda: bool(lab.requests()))
    for _ in range(3):
        await settle()
        leap(10)
    return await streaming


async def test_silence_is_filled_with_comments(open_lab: OpenLab, leap: Leap) -> None:
    """While upstream is silent before its first word, comments flow and the status is 200."""
    async with open_lab(keepalive=10) as lab:
        received = await streamed_through_silence(lab, leap, after=0)
        assert received.startswith(KEEPALIVE + KEEPALIVE)
        assert received.endswith(DONE)


async def test_silence_in_the_middle_is_filled_too(open_lab: OpenLab, leap: Leap) -> None:
    """While upstream is silent between two words, comments flow, and not while it talks."""
    async with open_lab(keepalive=10) as lab:
        received = await streamed_through_silence(lab, leap, after=2)
        assert b"\n\n" + KEEPALIVE + KEEPALIVE in received
        assert not received.startswith(KEEPALIVE)
        assert received.endswith(DONE)
        assert KEEPALIVE not in await lab.stream()


async def test_failure_after_a_comment_is_a_frame_and_a_broken_connection(open_lab: OpenLab, leap: Leap) -> None:
    """Once a comment has committed the 200, a failure before the first word is told in a frame."""
    async with open_lab(keepalive=1, first_byte_timeout=2) as lab:
        lab.plan("silence")
        asking = asyncio.create_task(lab.send(chat_request(lab.port, stream=True)))
        await eventually(lambda: bool(lab.requests()))
        for _ in range(2):
            await settle()
            leap(1)
        head, body, rest = split_chunks(await asking)
        assert head.startswith(b"HTTP/1.1 200 OK\r\n")
        assert body.startswith(KEEPALIVE)
        assert [frame["error"]["code"] for frame in frames_of(body)] == ["upstream_timeout"]
        assert rest == b""


@pytest.mark.parametrize("name", ["cut", "garbage", "in-stream-error"])
async def test_failure_in_the_middle_is_a_frame_and_a_broken_connection(lab: Lab, name: str) -> None:
    """A failure after the first words is told in a frame; then the connection breaks without the chunk that ends."""
    lab.plan(name, after=4, also=[SLOWLY])
    received = await lab.send(chat_request(lab.port, "one two three four five six", stream=True))
    head, body, rest = split_chunks(received)
    assert head.startswith(b"HTTP/1.1 200 OK\r\n")
    assert b"Transfer-Encoding: chunked" in head
    *chunks, last = frames_of(body)
    assert set(last["error"]) >= {"message", "type", "param", "code"}
    assert chunks
    assert all(chunk["choices"][0]["finish_reason"] is None for chunk in chunks)
    assert b"[DONE]" not in body
    assert rest == b""
    assert len(lab.requests()) == 1


async def test_client_sees_a_broken_stream(lab: Lab) -> None:
    """A client that reads to the end gets an error from its own HTTP library."""
    lab.plan("garbage", after=4, also=[SLOWLY])
    assert (await lab.stream("one two three four five six")).endswith(b"}}\n\n" + CUT)


async def test_whole_stream_ends_with_the_last_chunk(lab: Lab) -> None:
    """A stream that succeeds has [DONE] and the chunk that ends the body, and the connection stays usable."""
    received = await lab.send(chat_request(lab.port, stream=True) * 2, until=LAST_CHUNK)
    _, body, rest = split_chunks(received)
    assert (body.endswith(DONE), rest) == (True, LAST_CHUNK)


async def test_old_client_gets_its_stream(lab: Lab) -> None:
    """A client of HTTP/1.0 knows no chunks: its stream ends with the connection."""
    received = await lab.send(chat_request(lab.port, version="1.0", stream=True))
    head, _, body = received.partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.0 200 OK\r\n")
    assert b"chunked" not in head
    assert text_of(body).startswith("You said: Hi")
    assert body.endswith(DONE)


async def test_old_client_is_told_of_a_failure(lab: Lab) -> None:
    """To a client of HTTP/1.0 the error frame and the missing [DONE] say that the answer is no whole one."""
    lab.plan("garbage", after=4, also=[SLOWLY])
    received = await lab.send(chat_request(lab.port, "one two three four", version="1.0", stream=True))
    _, _, body = received.partition(b"\r\n\r\n")
    assert frames_of(body)[-1]["error"]["code"] == "upstream_garbled"
    assert b"[DONE]" not in body


@pytest.mark.parametrize("scenario", ["crlf", "no-final-newline", "comments", "gzip", "unwrapped", "done", "split"])
async def test_text_is_the_same_however_it_is_cut(lab: Lab, scenario: str) -> None:
    """Whatever way upstream writes and cuts its bytes, the text is the same."""
    plain = text_of(await lab.stream("grüße 🎉 all"))
    assert "grüße 🎉 all" in plain
    lab.plan(scenario)
    assert text_of(await lab.stream("grüße 🎉 all")) == plain


async def test_error_of_ours_in_the_middle_breaks_the_stream(
    open_lab: OpenLab, caplog: pytest.LogCaptureFixture
) -> None:
    """A fault nobody thought of breaks the stream off too, and only the log says what it was."""

    async def write(stream: EventStream) -> None:
        await stream.write(b'data: {"choices":[]}\n\n')
        raise KeyError("detail-canary")

    async with open_lab(extend=add_route(write)) as lab:
        head, body, rest = split_chunks(await lab.send(b"GET /stream HTTP/1.1\r\nHost: localhost\r\n\r\n"))
        assert head.startswith(b"HTTP/1.1 200 OK\r\n")
        assert frames_of(body)[-1]["error"]["type"] == "server_error"
        assert (rest, b"detail-canary" in body) == (b"", False)
    assert "KeyError: 'detail-canary'" in caplog.text


async def test_lost_connection_is_no_failure(open_lab: OpenLab, caplog: pytest.LogCaptureFixture) -> None:
    """A client that is gone when the next frame is written is no error in the log, and gets no second answer."""
    ended: list[bool] = []

    async def handle(request: web.Request) -> web.StreamResponse:
        async with EventStream(request, keepalive_s=5, write_timeout_s=5) as stream:
            await stream.write(b"data: 1\n\n")
            assert request.transport is not None
            request.transport.close()
            await stream.write(b"data: 2\n\n")
        ended.append(True)
        return stream.response

    async with open_lab(extend=lambda app: app.router.add_get("/stream", handle)) as lab:
        received = await lab.send(b"GET /stream HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert split_chunks(received)[1:] == (b"data: 1\n\n", b"")
        assert received.count(b"HTTP/1.1") == 1
    assert ended == []
    assert caplog.records == []


@pytest.mark.parametrize(
    ("error", "status"), [(RequestError("No."), 400), (CapacityError("Full."), 503), (KeyError("x"), 500)]
)
async def test_error_before_the_commit_passes(open_lab: OpenLab, error: Exception, status: int) -> None:
    """Before anything was sent, an error becomes an HTTP error, whatever kind it is of."""

    async def write(_stream: EventStream) -> None:
        raise error

    async with open_lab(extend=add_route(write)) as lab:
        assert (await lab.get("/stream"))[0] == status


async def test_headers_come_with_the_first_write(open_lab: OpenLab, leap: Leap) -> None:
    """Headers of the first write are sent; those of later ones come too late, also after a comment."""

    async def write(stream: EventStream) -> None:
        assert not stream.is_committed
        await stream.write(b"data: 1\n\n", {"X-First": "1"})
        assert stream.is_committed
        await stream.write(b"data: 2\n\n", {"X-Second": "2"})

    async def write_late(stream: EventStream) -> None:
        leap(5)
        await eventually(lambda: stream.is_committed)
        await stream.write(b"data: 1\n\n", {"X-First": "1"})

    async with open_lab(extend=add_route(write)) as lab, lab.http.get(f"{lab.url}/stream") as response:
        assert (response.headers.get("X-First"), response.headers.get("X-Second")) == ("1", None)
        assert await response.read() == b"data: 1\n\ndata: 2\n\n"
    async with (
        open_lab(extend=add_route(write_late)) as lab,
        lab.http.get(f"{lab.url}/stream") as response,
    ):
        assert response.headers.get("X-First") is None
        assert await response.read() == KEEPALIVE + b"data: 1\n\n"


async def test_simultaneous_writes_commit_once(open_lab: OpenLab) -> None:
    """Writers that come at the same time send one head and whole frames."""

    async def write(stream: EventStream) -> None:
        await asyncio.gather(*(stream.write(b"data: %d\n\n" % number) for number in range(20)))

    async with open_lab(extend=add_route(write)) as lab:
        received = await lab.send(b"GET /stream HTTP/1.1\r\nHost: localhost\r\n\r\n", until=LAST_CHUNK)
        assert received.count(b"HTTP/1.1") == 1
        assert sorted(frames_of(split_chunks(received)[1])) == list(range(20))


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])
@pytest.mark.parametrize("is_reset", [False, True], ids=["closed", "reset"])
@pytest.mark.parametrize(
    "place",
    [
        {"after": 0},
        {"after": 0, "headers": True},
        {"after": 3},
    ],
    ids=["before-headers", "after-headers", "in-the-middle"],
)
async def test_leaving_ends_the_call_to_google(
    lab: Lab, caplog: pytest.LogCaptureFixture, place: dict[str, Any], *, is_reset: bool, stream: bool
) -> None:
    """A client that leaves ends the call to Google, at any moment, and nothing is left over."""
    await lab.chat()
    tasks = len(asyncio.all_tasks())
    lab.plan("stall", seconds=30, **place)
    _, writer = await asyncio.open_connection("127.0.0.1", lab.port)
    writer.write(chat_request(lab.port, "one two three", stream=stream))
    await eventually(lambda: len(lab.requests()) == 2)
    await settle()  # until the events before the stall have arrived
    assert not lab.requests()[1]["aborted"]
    if is_reset:
        writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    writer.close()
    await eventually(lambda: bool(lab.requests()[1]["aborted"]))
    await eventually(lambda: len(asyncio.all_tasks()) <= tasks)
    await eventually(lambda: lab.open_calls() == 0)
    assert (await lab.chat())[0] == 200
    assert caplog.records == []


async def test_leaving_a_stream_of_comments_ends_the_call(lab: Lab, leap: Leap) -> None:
    """A client that leaves while only comments have come ends the call to Google too."""
    lab.plan("silence")
    reader, writer = await asyncio.open_connection("127.0.0.1", lab.port)
    writer.write(chat_request(lab.port, stream=True))
    await eventually(lambda: bool(lab.requests()))
    leap(20)
    await reader.readuntil(KEEPALIVE)
    writer.close()
    await eventually(lambda: bool(lab.requests()[0]["aborted"]))
    await eventually(lambda: lab.open_calls() == 0)


async def test_slow_client_holds_its_stream_back(open_lab: OpenLab) -> None:
    """A client that does not read stops the writing, so that an answer is not piled up here."""
    written: list[bytes] = []

    async def write(stream: EventStream) -> None:
        frame = b"data: " + b"1" * 65_536 + b"\n\n"
        while True:
            await stream.write(frame)
            written.append(frame)

    async with open_lab(extend=add_route(write)) as lab:
        _, writer = await asyncio.open_connection("127.0.0.1", lab.port, limit=1024)
        writer.write(b"GET /stream HTTP/1.1\r\nHost: localhost\r\n\r\n")
        await eventually(lambda: bool(written))
        await settle()
        before = len(written)
        await settle()
        assert len(written) == before
        writer.close()


async def leap_until(ended: asyncio.Event, leap: Leap) -> None:
    """Let the time pass until something has ended; it fails only when that never comes."""
    for _ in range(1_000):
        if ended.is_set():
            return
        leap(1)
        await settle()
    raise TimeoutError


@pytest.mark.parametrize("keepalive_s", [2, 1_000], ids=["with-comments", "without-comments"])
async def test_client_that_reads_nothing_is_cut_off(open_lab: OpenLab, leap: Leap, keepalive_s: float) -> None:
    """A client that does not read loses its connection after a while, and the handler ends."""
    ended = asyncio.Event()

    async def write(stream: EventStream) -> None:
        try:
            while True:
                await stream.write(b"data: " + b"1" * 65_536 + b"\n\n")
        finally:
            ended.set()

    async with open_lab(extend=add_route(write, keepalive_s)) as lab:
        _, writer = await asyncio.open_connection("127.0.0.1", lab.port, limit=1024)
        writer.write(b"GET /stream HTTP/1.1\r\nHost: localhost\r\n\r\n")
        await leap_until(ended, leap)
        writer.close()


async def test_slow_client_gets_a_large_frame_whole(open_lab: OpenLab, leap: Leap) -> None:
    """A client that takes something now and then is not cut off, however long one frame takes it."""
    size, limit_s = 24 * 2**20, 20

    async def write(stream: EventStream) -> None:
        await stream.write(b"1" * size)

    async with open_lab(extend=add_route(write, keepalive_s=1_000, write_timeout_s=limit_s)) as lab:
        reader, writer = await asyncio.open_connection("127.0.0.1", lab.port, limit=2**16)
        writer.write(b"GET /stream HTTP/1.0\r\nHost: localhost\r\n\r\n")
        await reader.readuntil(b"\r\n\r\n")
        received, waits = 0, 0
        while data := await reader.read(2**19):
            received += len(data)
            waits += 1
            leap(0.25)
            await asyncio.sleep(0)
        assert received == size
        assert waits * 0.25 > limit_s
        writer.close()


async def test_client_that_does_not_take_a_comment_is_cut_off(open_lab: OpenLab, leap: Leap) -> None:
    """Also a comment that waits for the client does not wait for ever."""
    is_written, ended = asyncio.Event(), asyncio.Event()

    async def write(stream: EventStream) -> None:
        transport = stream._request.transport
        assert isinstance(transport, asyncio.Transport)
        await stream.write(b"data: 1\n\n")
        while not transport.get_write_buffer_size():
            transport.write(b"1" * 65_536)
        transport.write(b"1" * 2**20)
        # The library waits for the client only when it has written this much since it last did.
        try:
            await stream.write(b"1" * 65_000)
            is_written.set()
            await asyncio.Event().wait()
        finally:
            ended.set()

    async with open_lab(extend=add_route(write, keepalive_s=2)) as lab:
        _, writer = await asyncio.open_connection("127.0.0.1", lab.port, limit=1024)
        writer.write(b"GET /stream HTTP/1.1\r\nHost: localhost\r\n\r\n")
        await leap_until(ended, leap)
        assert is_written.is_set(), "it was not the comment that had to wait"
        writer.close()


async def test_client_that_does_not_read_the_failure_is_cut_off(open_lab: OpenLab, leap: Leap) -> None:
    """The frame that tells of a failure is not offered for ever to a client that does not read."""
    transports: list[asyncio.Transport] = []

    async def write(stream: EventStream) -> None:
        transport = stream._request.transport
        assert isinstance(transport, asyncio.Transport)
        transports.append(transport)
        await stream.write(b"data: 1\n\n")
        transport.write(b"1" * 2**26)  # more than an operating system takes
        raise UpstreamError("Google failed.")

    async with open_lab(extend=add_route(write)) as lab:
        _, writer = await asyncio.open_connection("127.0.0.1", lab.port, limit=1024)
        writer.write(b"GET /stream HTTP/1.1\r\nHost: localhost\r\n\r\n")
        await eventually(lambda: bool(transports) and transports[0].is_closing())
        assert transports[0].get_write_buffer_size()
        leap(5)
        await eventually(lambda: not transports[0].get_write_buffer_size())
        writer.close()


async def test_no_comment_follows_the_end_of_the_body(open_lab: OpenLab, leap: Leap) -> None:
    """While a client takes its time for the last frame no comment is sent: it would stand before the next answer."""
    has_begun = asyncio.Event()

    async def write(stream: EventStream) -> None:
        await stream.write(b"data: 1\n\n")
        has_begun.set()
        await stream.write(b"data: " + b"x" * 8_000_000 + b"\n\n", is_last=True)

    async with open_lab(extend=add_route(write, keepalive_s=20, write_timeout_s=500)) as lab:
        reader, writer = await asyncio.open_connection("127.0.0.1", lab.port, limit=2**16)
        writer.write(f"GET /stream HTTP/1.1\r\nHost: 127.0.0.1:{lab.port}\r\n\r\n".encode())
        await has_begun.wait()
        await settle()
        for _ in range(3):
            leap(30)
            await settle()
        received = b""
        while not received.endswith(LAST_CHUNK) and (data := await reader.read(2**20)):
            received += data
        writer.close()
    _, body, rest = split_chunks(received)
    assert (len(body), rest) == (8_000_017, LAST_CHUNK)
