"""Server-sent events: bytes to JSON events, and JSON to frames.

Source:
    https://html.spec.whatwg.org/multipage/server-sent-events.html, and SPEC.md, "Answers", for what Google sends.
"""

from __future__ import annotations

from typing import Any

import orjson

from ..errors import UpstreamGarbledError
from .json_text import parse_json

MAX_EVENT_BYTES = 64 * 1024 * 1024
"""Largest event that is put together; a generated image is a few megabytes."""

KEEPALIVE = b": keepalive\n\n"
DONE = b"data: [DONE]\n\n"


class SseDecoder:
    """Turns the bytes of an event stream into parsed events.

    Invariants: ``_rest`` holds the pieces of the unfinished last line, ``_data`` the ``data:`` lines of the
    unfinished event, ``_rest_bytes`` and ``_data_bytes`` their sizes. Pieces are joined once, when their line ends,
    so a line of many reads is not copied at each.
    """

    def __init__(self) -> None:
        self._rest: list[bytes] = []
        self._rest_bytes = 0
        self._data: list[bytes] = []
        self._data_bytes = 0

    def feed(self, data: bytes) -> list[Any]:
        """Take some bytes, cut anywhere, and give out the events that are complete.

        Raises:
            UpstreamGarbledError: an event is not JSON, or one is unfinished after MAX_EVENT_BYTES.
        """
        lines = data.split(b"\n")
        rest = lines.pop()
        events: list[Any] = []
        if lines and self._rest:
            lines[0] = b"".join((*self._rest, lines[0]))
            self._rest.clear()
            self._rest_bytes = 0
        for line in lines:
            self._take_line(line, events)
        if rest:
            self._rest.append(rest)
            self._rest_bytes += len(rest)
        if self._rest_bytes + self._data_bytes > MAX_EVENT_BYTES:
            raise UpstreamGarbledError("Google sent an event that does not end. Send the request again.")
        return events

    def finish(self) -> list[Any]:
        """Give out the event that a stream without a last line end still holds.

        Raises:
            UpstreamGarbledError: the stream stopped inside an event.
        """
        return self.feed(b"\n\n")

    def _take_line(self, line: bytes, events: list[Any]) -> None:
        if line.startswith(b"data:"):
            self._data.append(line[5:].strip())
            self._data_bytes += len(line)
        elif self._data and not line.strip():
            data = b"\n".join(self._data)
            self._data.clear()
            self._data_bytes = 0
            if data and data != b"[DONE]":
                events.append(_parse(data))


def _parse(data: bytes) -> Any:
    try:
        return parse_json(data)
    except ValueError as exc:
        raise UpstreamGarbledError("Google sent an event that is not JSON. Send the request again.") from exc


def encode_frame(value: Any) -> bytes:
    """One ``data:`` frame with a JSON value."""
    return b"data: " + orjson.dumps(value) + b"\n\n"
