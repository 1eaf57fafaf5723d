"""A fake upstream that costs next to no time: all that it says is rendered once.

It speaks Code Assist and the public Gemini API, streamed and whole, as far as the benchmark needs them. Each event is
one HTTP chunk, as Google's front end sends it. Answers of a scenario without gaps go out in one write, others event
by event, on time.
"""

from __future__ import annotations

import argparse
import asyncio
import re
import time
import zlib
from functools import lru_cache
from typing import cast

import uvloop

from .scenario import BLOB_MARK, STAMP, Scenario, find_scenario, to_event

LENGTH = re.compile(rb"\r\ncontent-length:[ \t]*(\d+)", re.IGNORECASE)
CHUNKED = re.compile(rb"\r\ntransfer-encoding:[^\r]*chunked", re.IGNORECASE)
HEAD_END = b"\r\n\r\n"
LAST_CHUNK = b"0\r\n\r\n"
STREAM_HEAD = (
    b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nVary: Origin\r\nServer: ESF\r\n"
    b"Cache-Control: no-cache\r\nTransfer-Encoding: chunked\r\n\r\n"
)
METHODS = ("streamGenerateContent", "generateContent")


def to_chunk(payload: bytes) -> bytes:
    """Bytes as one HTTP chunk."""
    return b"%x\r\n%b\r\n" % (len(payload), payload)


def to_answer(text: str, status: str = "200 OK") -> bytes:
    """JSON as a whole HTTP answer."""
    body = text.encode()
    head = (
        f"HTTP/1.1 {status}\r\nContent-Type: application/json; charset=UTF-8\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body


CONTROL_ANSWERS = {
    "loadCodeAssist": to_answer('{"currentTier":{"id":"standard-tier"},"cloudaicompanionProject":"bench-project"}'),
    "fetchAvailableModels": to_answer('{"models":{}}'),
}
NOT_FOUND = to_answer('{"error":{"code":404,"message":"bench: no such method"}}', "404 Not Found")
BAD_BLOB = to_answer('{"error":{"code":400,"message":"bench: the base64 is another"}}', "400 Bad Request")
NO_SCENARIO = to_answer('{"error":{"code":400,"message":"bench: no scenario in the prompt"}}', "400 Bad Request")


@lru_cache(maxsize=512)
def chunks_of(scenario: Scenario, *, is_wrapped: bool) -> tuple[bytes, ...]:
    """The events of a stream, each as an HTTP chunk."""
    end = "\r\n\r\n" if scenario.line_end == "crlf" else "\n\n"
    events = (to_event(scenario, *item, is_wrapped=is_wrapped) for item in enumerate(scenario.sent_texts))
    return tuple(to_chunk(f"data: {event}{end}".encode()) for event in events)


@lru_cache(maxsize=512)
def stream_of(scenario: Scenario, *, is_wrapped: bool) -> bytes:
    """A whole streamed answer, with its head."""
    return STREAM_HEAD + b"".join(chunks_of(scenario, is_wrapped=is_wrapped)) + LAST_CHUNK


@lru_cache(maxsize=512)
def paced_writes(scenario: Scenario, *, is_wrapped: bool) -> tuple[tuple[bytes, bytes], ...]:
    """The writes of a paced stream, each cut where the digits of its time go."""
    *others, last = chunks_of(scenario, is_wrapped=is_wrapped)
    first, *rest = (*others, last + LAST_CHUNK)
    digits = STAMP.strip("@").encode()
    cut = (write.partition(digits) for write in (STREAM_HEAD + first, *rest))
    return tuple((before, after) for before, _, after in cut)


@lru_cache(maxsize=512)
def whole_of(scenario: Scenario, *, is_wrapped: bool) -> bytes:
    """An answer that is not streamed."""
    text = "".join(scenario.sent_texts)
    return to_answer(to_event(Scenario(1, variant=scenario.variant), 0, text, is_wrapped=is_wrapped))


def without_chunks(body: bytes) -> bytes:
    """A chunked body without its chunks."""
    pieces: list[bytes] = []
    at = 0
    while size := int(body[at : (line_end := body.index(b"\r\n", at))], 16):
        pieces.append(body[line_end + 2 : line_end + 2 + size])
        at = line_end + 4 + size
    return b"".join(pieces)


class Connection(asyncio.Protocol):
    """One connection of a gateway; requests come one after the other."""

    def __init__(self) -> None:
        self._transport: asyncio.Transport
        self._loop = asyncio.get_running_loop()
        self._timer: asyncio.TimerHandle | None = None
        self._forget()

    def _forget(self) -> None:
        self._pieces: list[bytes] = []
        self._received = 0
        self._head: bytes | None = None
        self._length: int | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the transport."""
        self._transport = cast("asyncio.Transport", transport)
        self._transport.set_write_buffer_limits(high=1 << 24)

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002 -- asyncio names it so
        """Stop sending."""
        if self._timer is not None:
            self._timer.cancel()

    def data_received(self, data: bytes) -> None:
        """Gather a request; large bodies are joined once."""
        if self._head is None:
            head, found, data = (b"".join(self._pieces) + data).partition(HEAD_END)
            if not found:
                self._pieces = [head]
                return
            self._pieces, self._head = [], head + b"\r\n"
            length = LENGTH.search(self._head)
            if length is not None:
                self._length = int(length[1])
            elif CHUNKED.search(self._head) is None:
                self._length = 0
        self._pieces.append(data)
        self._received += len(data)
        if self._length is None:
            if b"".join(self._pieces[-6:]).endswith(LAST_CHUNK):
                self._take(self._head, without_chunks(b"".join(self._pieces)))
        elif self._received >= self._length:
            self._take(self._head, b"".join(self._pieces))

    def _take(self, head: bytes, body: bytes) -> None:
        self._forget()
        path = head.split(b" ", 2)[1].partition(b"?")[0].decode()
        method = path.rpartition(":")[2]
        if method not in METHODS:
            self._transport.write(CONTROL_ANSWERS.get(method, NOT_FOUND))
            return
        scenario = find_scenario(body)
        is_wrapped = path.startswith("/v1internal")
        if scenario is None:
            self._transport.write(NO_SCENARIO)
        elif scenario.checksum is not None and checksum_in(body) != scenario.checksum:
            self._transport.write(BAD_BLOB)
        elif method == "generateContent":
            self._transport.write(whole_of(scenario, is_wrapped=is_wrapped))
        elif scenario.gap_ms:
            self._pace(paced_writes(scenario, is_wrapped=is_wrapped), scenario.gap_ms / 1000, 0, self._loop.time())
        else:
            self._transport.write(stream_of(scenario, is_wrapped=is_wrapped))

    def _pace(self, writes: tuple[tuple[bytes, bytes], ...], gap_s: float, index: int, started_s: float) -> None:
        before, after = writes[index]
        self._transport.write(b"%b%019d%b" % (before, time.monotonic_ns(), after))
        index += 1
        if index < len(writes) and not self._transport.is_closing():
            due_s = started_s + index * gap_s
            self._timer = self._loop.call_at(due_s, self._pace, writes, gap_s, index, started_s)


def checksum_in(body: bytes) -> str:
    """CRC-32 of the base64 in a request, in hexadecimal."""
    start = body.find(BLOB_MARK)
    blob = body[start : body.find(b'"', start)] if start >= 0 else b""
    return f"{zlib.crc32(blob):08x}"


async def serve(port: int) -> None:
    """Serve until the process is stopped."""
    loop = asyncio.get_running_loop()
    server = await loop.create_server(Connection, "127.0.0.1", port, backlog=4096)
    await server.serve_forever()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="The fake upstream.")
    parser.add_argument("--port", type=int, required=True)
    uvloop.run(serve(parser.parse_args().port))
