"""In which bytes, with which pauses and with which accidents a list of frames reaches the client.

Everything here is pure: it gives the steps, ``exchange`` takes them.

Source: SPEC.md, "Simulator".
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

GARBAGE = b'data: {"response": {"candidates": [{"content": {"role": "mod\n\n'
COMMENT = b": keep-alive\n\n"
EMPTY_EVENT = b'data: {"response": {}}\n\n'
BEGUN_EVENT = b'data: {"response": {"candidates": [{"content": {"role": "model", "parts": [{"text": "'
DONE = b"data: [DONE]\n\n"
GZIP_WINDOW = 31
"""zlib's window size plus 16, which means a gzip header.

Source: the manual of zlib, ``deflateInit2``.
"""


@dataclass(frozen=True, slots=True)
class Begin:
    """Send the response headers, if that has not happened."""


@dataclass(frozen=True, slots=True)
class Send:
    """Send bytes of the body, after the headers."""

    data: bytes


@dataclass(frozen=True, slots=True)
class Wait:
    """Do nothing for a while."""

    seconds: float


@dataclass(frozen=True, slots=True)
class Abort:
    """Break the TCP connection."""


Step = Begin | Send | Wait | Abort


@dataclass(frozen=True, slots=True)
class Delivery:
    """How an answer is delivered. ``*_after`` count events; when there are fewer, it happens at the end.

    Attributes:
        pace_s: pause between events.
        begins_early: whether the headers are sent before anything is waited for.
        silence_s: say nothing for so long, then break the connection; None for an answer.
        stall_after: pause once after so many events.
        stall_s: for so long.
        chatter_after: after so many events say nothing any more, but go on sending, then break the connection.
        chatter_s: for so long.
        chatter_pace_s: seconds between two sendings.
        chatter_start: what is sent once before.
        chatter: what is sent again and again.
        cut_after: break the connection after so many events.
        is_clean_cut: end the response properly instead of breaking the connection.
        error_after: after so many events send ``error_frame`` and end.
        error_frame: the frame of an error.
        garbage_after: after so many events send a frame that is no JSON.
        has_comments: whether a comment precedes each event.
        sends_done: whether the frame ``[DONE]`` ends the stream.
        has_crlf: whether lines end with CR LF.
        has_final_newline: whether the last line has an end.
        split_bytes: the size of the writes; 0 for whole frames.
        is_gzipped: whether the body is compressed.
    """

    pace_s: float = 0.0
    begins_early: bool = False
    silence_s: float | None = None
    stall_after: int | None = None
    stall_s: float = 0.0
    chatter_after: int | None = None
    chatter_s: float = 0.0
    chatter_pace_s: float = 1.0
    chatter_start: bytes = b""
    chatter: bytes = COMMENT
    cut_after: int | None = None
    is_clean_cut: bool = False
    error_after: int | None = None
    error_frame: bytes = b""
    garbage_after: int | None = None
    has_comments: bool = False
    sends_done: bool = False
    has_crlf: bool = False
    has_final_newline: bool = True
    split_bytes: int = 0
    is_gzipped: bool = False


def to_steps(frames: Iterable[bytes], delivery: Delivery) -> Iterator[Step]:
    """Give the steps that deliver the frames."""
    if delivery.begins_early:
        yield Begin()
    if delivery.silence_s is not None:
        yield Wait(delivery.silence_s)
        yield Abort()
        return
    steps = _with_accidents(frames, delivery)
    if not delivery.has_final_newline:
        steps = _without_final_newline(steps)
    if delivery.has_crlf:
        steps = _with_crlf(steps)
    if delivery.is_gzipped:
        steps = _gzipped(steps)
    if delivery.split_bytes:
        steps = _split(steps, delivery.split_bytes)
    yield from steps


def _with_accidents(frames: Iterable[bytes], delivery: Delivery) -> Iterator[Step]:
    for count, frame in enumerate(chain(frames, (None,))):
        is_end = frame is None
        if _is_due(delivery.stall_after, count, is_end=is_end):
            yield Wait(delivery.stall_s)
        if _is_due(delivery.garbage_after, count, is_end=is_end):
            yield Send(GARBAGE)
        if _is_due(delivery.chatter_after, count, is_end=is_end):
            yield Send(delivery.chatter_start)
            again = (Send(delivery.chatter), Wait(delivery.chatter_pace_s))
            yield from again * int(delivery.chatter_s / delivery.chatter_pace_s)
            yield Abort()
            return
        if _is_due(delivery.cut_after, count, is_end=is_end):
            yield from () if delivery.is_clean_cut else (Abort(),)
            return
        if _is_due(delivery.error_after, count, is_end=is_end):
            yield Send(delivery.error_frame)
            return
        if frame is not None:
            yield from _event(frame, count, delivery)
    if delivery.sends_done:
        yield Send(DONE)


def _is_due(after: int | None, count: int, *, is_end: bool) -> bool:
    return after is not None and (after == count or (is_end and after > count))


def _event(frame: bytes, count: int, delivery: Delivery) -> Iterator[Step]:
    if count and delivery.pace_s:
        yield Wait(delivery.pace_s)
    if delivery.has_comments:
        yield Send(COMMENT)
    yield Send(frame)


def _without_final_newline(steps: Iterable[Step]) -> Iterator[Step]:
    held: Step | None = None
    for step in steps:
        if held is not None:
            yield held
        held = step
    if held is not None:
        yield Send(held.data.rstrip(b"\n")) if isinstance(held, Send) else held


def _with_crlf(steps: Iterable[Step]) -> Iterator[Step]:
    for step in steps:
        yield Send(step.data.replace(b"\n", b"\r\n")) if isinstance(step, Send) else step


def _gzipped(steps: Iterable[Step]) -> Iterator[Step]:
    compressor = zlib.compressobj(wbits=GZIP_WINDOW)
    for step in steps:
        if isinstance(step, Send):
            yield Send(compressor.compress(step.data) + compressor.flush(zlib.Z_SYNC_FLUSH))
        else:
            yield step
    yield Send(compressor.flush())


def _split(steps: Iterable[Step], size: int) -> Iterator[Step]:
    for step in steps:
        if isinstance(step, Send):
            for start in range(0, len(step.data), size):
                yield Send(step.data[start : start + size])
        else:
            yield step
