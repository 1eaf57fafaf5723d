"""Tests of one HTTP exchange, fed byte by byte as well as whole."""

from __future__ import annotations

import asyncio
import gzip
import zlib
from typing import TYPE_CHECKING

import pytest

from antigravity_proxy.errors import UpstreamGarbledError, UpstreamUnreachableError
from antigravity_proxy.proxy.exchange import MAX_HEAD_BYTES, MAX_WAITING_BYTES, Exchange

from .conftest import settle

if TYPE_CHECKING:
    from collections.abc import Callable

    from .conftest import Leap

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
CHUNKED = HEAD + b"Transfer-Encoding: chunked\r\n\r\n"
WHOLE = CHUNKED + b"6\r\ndata: \r\n3\r\n1\n\n\r\n0\r\n\r\n"


class Line:
    """A connection that notes what is asked of it."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def pause_reading(self) -> None:
        """Note it."""
        self.asked.append("pause")

    def resume_reading(self) -> None:
        """Note it."""
        self.asked.append("resume")

    def end(self, exchange: Exchange) -> None:  # noqa: ARG002 -- the protocol names it so
        """Note it."""
        self.asked.append("end")


def exchange_on(line: Line | None = None, *, has_body: bool = True) -> Exchange:
    """An exchange that waits for its answer."""
    return Exchange(line or Line(), has_body=has_body)


async def body_of(exchange: Exchange) -> bytes:
    """The whole body."""
    body = b""
    while data := await exchange.read():
        body += data
    return body


@pytest.mark.parametrize("size", [1, 2, 7, len(WHOLE)])
async def test_answer_is_the_same_however_it_is_cut(size: int) -> None:
    """Status, headers and body do not depend on where the connection cuts the bytes."""
    exchange = exchange_on()
    for start in range(0, len(WHOLE), size):
        assert not exchange.is_complete
        exchange.feed(WHOLE[start : start + size])
    await exchange.wait_for_head()
    assert (exchange.status, exchange.headers[b"content-type"]) == (200, b"text/event-stream")
    assert await body_of(exchange) == b"data: 1\n\n"
    assert (exchange.is_read, exchange.keeps_connection) == (True, True)


async def test_chunks_that_came_together_are_one_piece() -> None:
    """What has come is handed out at once, however many chunks it was sent in."""
    exchange = exchange_on()
    exchange.feed(WHOLE)
    assert await exchange.read() == b"data: 1\n\n"
    assert exchange.is_read
    assert await exchange.read() == b""


async def test_reader_waits_for_head_and_body() -> None:
    """Whoever comes first waits, and gets what arrives then."""
    exchange = exchange_on()
    head = asyncio.create_task(exchange.wait_for_head())
    await settle()
    exchange.feed(CHUNKED)
    await head
    reading = asyncio.create_task(exchange.read())
    await settle()
    exchange.feed(b"1\r\na\r\n")
    assert await reading == b"a"


@pytest.mark.parametrize(
    ("answer", "is_kept"),
    [
        (HEAD + b"Content-Length: 1\r\n\r\na", True),
        (HEAD + b"Content-Length: 1\r\nConnection: close\r\n\r\na", False),
        (b"HTTP/1.0 200 OK\r\nContent-Length: 1\r\n\r\na", False),
        (HEAD + b"Content-Length: 2\r\n\r\na", False),
        (b"HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n" + HEAD + b"Content-Length: 1\r\n\r\na", True),
    ],
    ids=["whole", "close", "old", "unfinished", "hints"],
)
async def test_connection_is_kept_after_a_whole_answer(answer: bytes, *, is_kept: bool) -> None:
    """A connection goes on when the answer is whole and the other end does not say otherwise."""
    exchange = exchange_on()
    exchange.feed(answer)
    assert await exchange.read() == b"a"
    assert exchange.keeps_connection is is_kept
    assert b"link" not in exchange.headers


async def test_second_answer_ends_the_connection() -> None:
    """An answer that follows without a request changes nothing, but the connection is not used again."""
    exchange = exchange_on()
    exchange.feed(HEAD + b"Content-Length: 1\r\n\r\na" + b"HTTP/1.1 500 No\r\nContent-Length: 1\r\n\r\nb")
    assert await body_of(exchange) == b"a"
    assert (exchange.status, exchange.keeps_connection) == (200, False)


@pytest.mark.parametrize("rest", [b"H", b"HTTP/1.1 200 OK\r\nContent-Le", b"zzz", b"HTTP/1.1 100 C\r\n\r\n"])
@pytest.mark.parametrize("is_apart", [False, True], ids=["together", "apart"])
async def test_bytes_after_an_answer_end_the_connection(rest: bytes, *, is_apart: bool) -> None:
    """Whatever follows an answer would be taken for the next one, so that the connection is not used again."""
    exchange = exchange_on()
    answer = HEAD + b"Content-Length: 1\r\n\r\na"
    for data in [answer, rest] if is_apart else [answer + rest]:
        exchange.feed(data)
    assert await body_of(exchange) == b"a"
    assert not exchange.keeps_connection


async def test_connection_is_not_kept_before_all_was_read() -> None:
    """A connection that may have stopped reading carries nothing else."""
    exchange = exchange_on()
    exchange.feed(WHOLE)
    assert exchange.is_complete
    assert not exchange.keeps_connection
    await exchange.read()
    assert exchange.keeps_connection


async def test_answer_to_head_has_no_body() -> None:
    """What its headers say of a length is not waited for."""
    exchange = exchange_on(has_body=False)
    exchange.feed(HEAD + b"Content-Length: 500\r\n\r\n")
    assert await exchange.read() == b""
    assert not exchange.keeps_connection


@pytest.mark.parametrize(
    ("encoding", "encode"), [(b"gzip", gzip.compress), (b"deflate", zlib.compress), (b"identity", bytes)]
)
async def test_encoded_answer_is_decoded(encoding: bytes, encode: Callable[[bytes], bytes]) -> None:
    """An answer that was compressed unasked is read, also when a piece of it gives nothing yet."""
    exchange = exchange_on()
    exchange.feed(CHUNKED[:-2] + b"Content-Encoding: " + encoding + b"\r\n\r\n")
    for byte in encode(b"data: 1\n\n"):
        exchange.feed(b"1\r\n%c\r\n" % byte)
    exchange.feed(b"0\r\n\r\n")
    assert await body_of(exchange) == b"data: 1\n\n"


@pytest.mark.parametrize(
    "answer",
    [
        b"SSH-2.0-x\r\n",
        HEAD + b"Content-Encoding: br\r\n\r\n",
        HEAD + b"A: " + b"a" * MAX_HEAD_BYTES,
        HEAD + b"A: " + b"a" * MAX_HEAD_BYTES + b"\r\n\r\n",
        CHUNKED[:-2] + b"Content-Encoding: gzip\r\n\r\n4\r\nnone\r\n",
        HEAD + b"Content-Encoding: gzip\r\nContent-Length: 20\r\n\r\n" + gzip.compress(bytes(range(99)))[:20],
        CHUNKED + b"zz\r\n",
        b"HTTP/1.1 101 Switching\r\nUpgrade: h2c\r\nConnection: upgrade\r\n\r\nx",
    ],
    ids=["no-http", "encoding", "endless-head", "huge-header", "no-gzip", "half-gzip", "chunk", "upgrade"],
)
async def test_answer_that_is_no_http_is_garbled(answer: bytes) -> None:
    """Bytes that make no sense end the exchange with an error of ours."""
    exchange = exchange_on()
    exchange.feed(answer)
    with pytest.raises(UpstreamGarbledError):  # noqa: PT012 -- some fail before, some after their head
        await exchange.wait_for_head()
        await body_of(exchange)
    assert not exchange.keeps_connection


async def test_trailers_have_a_limit() -> None:
    """What follows the body does not fill memory either."""
    exchange = exchange_on()
    exchange.feed(CHUNKED + b"1\r\na\r\n0\r\nA: ")
    for _ in range(2):
        assert not exchange.is_complete
        exchange.feed(b"a" * MAX_HEAD_BYTES)
    assert await exchange.read() == b"a"
    with pytest.raises(UpstreamGarbledError, match="headers without end"):
        await exchange.read()


async def test_what_came_before_a_break_is_handed_out() -> None:
    """The error of a broken answer follows its last good bytes."""
    exchange = exchange_on()
    exchange.feed(CHUNKED + b"1\r\na\r\n")
    exchange.lose()
    assert await exchange.read() == b"a"
    with pytest.raises(UpstreamGarbledError, match="broke in the middle"):
        await exchange.read()


async def test_lost_connection_ends_what_has_no_length() -> None:
    """An answer that says nothing of its length ends with the connection; one that never began is an error."""
    exchange = exchange_on()
    exchange.feed(HEAD + b"\r\na")
    exchange.lose()
    assert await body_of(exchange) == b"a"
    broken = exchange_on()
    broken.feed(HEAD + b"\r\na")
    broken.lose(ConnectionResetError())
    with pytest.raises(UpstreamGarbledError, match="broke in the middle"):
        await body_of(broken)
    silent = exchange_on()
    waiting = asyncio.create_task(silent.wait_for_head())
    await settle()
    silent.lose()
    with pytest.raises(UpstreamUnreachableError, match="closed the connection without an answer"):
        await waiting


async def test_loss_does_not_hide_what_was_wrong_before() -> None:
    """An answer without a length that could not be decoded stays an error when the connection ends."""
    exchange = exchange_on()
    exchange.feed(HEAD + b"Content-Encoding: gzip\r\n\r\nnone")
    exchange.lose()
    with pytest.raises(UpstreamGarbledError, match="cannot be decompressed"):
        await body_of(exchange)


async def test_compressed_answer_fills_no_memory() -> None:
    """A small answer that decodes to a huge one waits compressed until what was decoded has been taken."""
    line = Line()
    exchange = exchange_on(line)
    packed = gzip.compress(bytes(10 * MAX_WAITING_BYTES)) + gzip.compress(b"end")
    exchange.feed(HEAD + b"Content-Encoding: gzip\r\nContent-Length: %d\r\n\r\n" % len(packed) + packed)
    pieces = list[bytes]()
    while data := await exchange.read():
        pieces.append(data)
    assert max(map(len, pieces)) == MAX_WAITING_BYTES + 1
    assert b"".join(pieces) == bytes(10 * MAX_WAITING_BYTES) + b"end"
    assert (line.asked, exchange.keeps_connection) == (["pause", "resume"], True)


async def test_reading_stops_while_nobody_takes_anything() -> None:
    """With too much that waits the connection is not read from until somebody has taken it."""
    line = Line()
    exchange = exchange_on(line)
    exchange.feed(HEAD + b"Content-Length: 10000000\r\n\r\n" + b"a" * MAX_WAITING_BYTES)
    assert line.asked == []
    exchange.feed(b"a")
    assert line.asked == ["pause"]
    assert len(await exchange.read()) == MAX_WAITING_BYTES + 1
    assert line.asked == ["pause", "resume"]
    exchange.close()
    assert line.asked[-1] == "end"


async def test_silence_ends_after_its_limit(leap: Leap) -> None:
    """One timer watches all reads, and ends only the one that waits too long."""
    exchange, loop = exchange_on(), asyncio.get_running_loop()
    exchange.feed(CHUNKED)
    for _ in range(3):
        reading = asyncio.create_task(exchange.read(loop.time() + 50))
        await settle()
        leap(40)
        await settle()
        exchange.feed(b"1\r\na\r\n")
        assert await reading == b"a"
    late = asyncio.create_task(exchange.read(loop.time() + 10))
    await settle()
    leap(10)
    with pytest.raises(TimeoutError):
        await late
    endless = asyncio.create_task(exchange.read())
    await settle()
    leap(100)
    await settle()
    assert not endless.done()
    exchange.feed(b"1\r\nb\r\n")
    assert await endless == b"b"
    exchange.close()


async def test_earlier_limit_holds_after_a_later_one(leap: Leap) -> None:
    """A read may wait less than the one before it was allowed to."""
    exchange, now = exchange_on(), asyncio.get_running_loop().time()
    patient = asyncio.create_task(exchange.read(now + 100))
    await settle()
    exchange.feed(CHUNKED + b"1\r\na\r\n")
    assert await patient == b"a"
    hasty = asyncio.create_task(exchange.read(now + 20))
    await settle()
    leap(30)
    await settle()
    assert hasty.done()
    with pytest.raises(TimeoutError):
        await hasty
    exchange.close()
