"""The strict check of every answer: HTTP framing, event stream, JSON, number and text of deltas, and the end."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import orjson

from .scenario import STAMPS
from .upstream import CHUNKED, HEAD_END, LENGTH, stream_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .scenario import Scenario


class WrongAnswerError(Exception):
    """A gateway's answer is not what upstream said."""


@dataclass(frozen=True, slots=True)
class Shape:
    """How answers look.

    Attributes:
        is_translated: whether they are OpenAI's; else they are upstream's own bytes.
        excused: what is not held against another gateway. ``done``: it sends no ``[DONE]``. ``lf``: it does not
            understand an upstream that ends lines with LF alone, and is not asked for any.
    """

    is_translated: bool
    excused: frozenset[str] = field(default_factory=frozenset[str])


def check_answer(shape: Shape, received: bytes, scenario: Scenario, *, is_stream: bool) -> int:
    """How many deltas of text an answer has.

    Raises:
        WrongAnswerError: it is wrong in any way.
    """
    status, body = split_http(received)
    if status != 200:
        raise WrongAnswerError(f"HTTP {status}: {body[:300]!r}")
    try:
        if is_stream:
            texts = list(_read_chunks(body, shape) if shape.is_translated else _read_events(body, scenario))
        else:
            texts = [_read_whole(orjson.loads(body), shape)]
    except (ValueError, LookupError, TypeError) as exc:
        raise WrongAnswerError(f"the answer has another shape: {exc!r}") from exc
    told = STAMPS.sub("", "".join(texts))
    wanted = STAMPS.sub("", "".join(scenario.sent_texts))
    if told != wanted:
        raise WrongAnswerError(f"the text is another: {told[:100]!r} (of {len(told)}) for {wanted[:100]!r}")
    if is_stream and len(texts) != scenario.events:
        raise WrongAnswerError(f"{len(texts)} deltas for {scenario.events} events")
    return len(texts)


def split_http(received: bytes) -> tuple[int, bytes]:
    """The status and the body of a whole HTTP answer.

    Raises:
        WrongAnswerError: it is cut off, or goes on.
    """
    head, found, rest = received.partition(HEAD_END)
    if not found:
        raise WrongAnswerError("the head is cut off")
    head, status = head + b"\r\n", int(head[9:12])
    length = LENGTH.search(head)
    if length is not None:
        if len(rest) != int(length[1]):
            raise WrongAnswerError(f"{len(rest)} bytes for a Content-Length of {int(length[1])}")
        return status, rest
    return status, b"".join(_chunks(rest)) if CHUNKED.search(head) else rest


def _chunks(body: bytes) -> Iterator[bytes]:
    at = 0
    while True:
        line_end = body.find(b"\r\n", at)
        if line_end < 0:
            raise WrongAnswerError("the body is cut off")
        size = int(body[at:line_end], 16)
        at = line_end + 2 + size
        if body[at : at + 2] != b"\r\n":
            raise WrongAnswerError("a chunk is not as long as it says")
        if not size:
            if at + 2 != len(body):
                raise WrongAnswerError("bytes follow the last chunk")
            return
        yield body[line_end + 2 : at]
        at += 2


def _data_of(body: bytes) -> list[bytes]:
    lines = body.replace(b"\r\n", b"\n").split(b"\n")
    return [line[5:].strip() for line in lines if line.startswith(b"data:")]


def _read_events(body: bytes, scenario: Scenario) -> Iterator[str]:
    if not scenario.gap_ms and body != split_http(stream_of(scenario, is_wrapped=True))[1]:
        raise WrongAnswerError("the bytes are not those of upstream")
    for data in _data_of(body):
        yield _text_of_candidate(orjson.loads(data)["response"])


def _text_of_candidate(response: Any) -> str:
    return "".join(part["text"] for part in response["candidates"][0]["content"]["parts"])


def _read_chunks(body: bytes, shape: Shape) -> Iterator[str]:
    *frames, last = _data_of(body)
    if "done" in shape.excused:
        frames.append(last)
    elif last != b"[DONE]":
        raise WrongAnswerError("the stream does not end with [DONE]")
    reasons: list[str] = []
    for frame in frames:
        chunk = orjson.loads(frame)
        if "error" in chunk:
            raise WrongAnswerError(f"an error in the stream: {chunk['error']}")
        for choice in chunk["choices"]:
            if text := choice["delta"].get("content"):
                yield text
            if choice.get("finish_reason"):
                reasons.append(choice["finish_reason"])
    if reasons != ["stop"]:
        raise WrongAnswerError(f"finish reasons are {reasons}")


def _read_whole(answer: Any, shape: Shape) -> str:
    if not shape.is_translated:
        return _text_of_candidate(answer["response"])
    (choice,) = answer["choices"]
    if choice["finish_reason"] != "stop":
        raise WrongAnswerError(f"the finish reason is {choice['finish_reason']}")
    return str(choice["message"]["content"])
