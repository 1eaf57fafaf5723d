"""Server-sent events: bytes to JSON events, and JSON to frames.

Source:
    https://html.spec.whatwg.org/multipage/server-sent-events.html, and SPEC.md, "Answers", for what Google sends.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

import orjson

from ..errors import UpstreamGarbledError
from .json_text import is_list, mend, parse_json, to_json
from .upstream_problem import quote_body

if TYPE_CHECKING:
    from collections.abc import Callable

MAX_EVENT_BYTES = 64 * 1024 * 1024
"""Largest event that is put together; a generated image is a few megabytes."""

MAX_STRAY_BYTES = 64 * 1024
"""How much of an answer that is no event stream is kept, to say what it was."""

BOM = b"\xef\xbb\xbf"
FIELDS = (b":", b"event", b"id", b"retry")
"""How lines begin that belong to an event stream and say nothing here."""

KEEPALIVE = b": keepalive\n\n"
DONE_MARK = b"[DONE]"
DONE = b"data: " + DONE_MARK + b"\n\n"


class SseDecoder:
    """Turns the bytes of an event stream into parsed events.

    Args:
        parse: parses the data of some events; ValueError when one is not JSON.

    Attributes:
        is_done: whether ``[DONE]`` has come, after which nothing counts.

    Invariants: ``_rest`` holds the pieces of the unfinished last line, ``_data`` the ``data:`` lines of the
    unfinished event, ``_rest_bytes`` and ``_data_bytes`` their sizes. Pieces are joined once, when their line ends,
    so a line of many reads is not copied at each. ``_stray`` is the beginning of what came and is no event,
    such as an error or a login page that came in place of a stream.
    """

    def __init__(self, parse: Callable[[list[bytes]], list[Any]]) -> None:
        self._parse = parse
        self._rest: list[bytes] = []
        self._rest_bytes = 0
        self._data: list[bytes] = []
        self._data_bytes = 0
        self._has_events = False
        self.is_done = False
        self._failure: UpstreamGarbledError | None = None
        self._stray = b""

    @property
    def unfinished_bytes(self) -> int:
        """How many bytes of an event have come whose end has not; 0 between events."""
        # No piece is empty, so five have the beginning of the line.
        is_inside_event = self._data or b"".join(self._rest[:5]).startswith(b"data:")
        return self._data_bytes + self._rest_bytes if is_inside_event else 0

    @property
    def is_between_events(self) -> bool:
        """Whether some events have come, and nothing that is still to be given out."""
        return self._has_events and not self._rest and not self._data and self._failure is None

    def feed(self, data: bytes) -> list[Any]:
        """Take some bytes, cut anywhere, and give out the events that are complete.

        Raises:
            UpstreamGarbledError: an event is not JSON, or one is unfinished after MAX_EVENT_BYTES. What came before
                it in the same bytes is given out first; the error comes with the next call.
        """
        if self._failure is not None:
            raise self._failure
        lines = data.split(b"\n")
        rest = lines.pop()
        if lines and self._rest:
            lines[0] = b"".join((*self._rest, lines[0]))
            self._rest.clear()
            self._rest_bytes = 0
        texts = self._take_lines(lines)
        if rest:
            self._rest.append(rest)
            self._rest_bytes += len(rest)
        if self._rest_bytes + self._data_bytes > MAX_EVENT_BYTES:
            raise UpstreamGarbledError("Google sent an event that does not end. Send the request again.")
        if self.is_done or not texts:
            return []
        self._has_events = True
        try:
            return self._parse(texts)
        except ValueError:
            return self._parse_singly(texts)

    def finish(self) -> list[Any]:
        """Give out the event that a stream without a last line end still holds, or the JSON that came instead of one.

        Raises:
            UpstreamGarbledError: the stream stopped inside an event, or was none.
        """
        events = self.feed(b"\n\n")
        return self._parse_stray() if self._stray and not self._has_events else events

    def _take_lines(self, lines: list[bytes]) -> list[bytes]:
        """The data of all events that these lines complete."""
        texts: list[bytes] = []
        data, size = self._data, self._data_bytes
        for line in lines:
            if line.startswith(b"data:"):
                data.append(line[5:])
                size += len(line)
            elif data:
                if not line or line.isspace():
                    texts.append(b"\n".join(data))
                    data.clear()
                    size = 0
            elif not texts and not self._has_events:
                self._take_stray(line)
        self._data_bytes = size
        return texts

    def _take_stray(self, line: bytes) -> None:
        if line.startswith(BOM + b"data:"):
            self._data.append(line[len(BOM) + 5 :])
        elif line.strip() and not line.startswith(FIELDS):
            self._stray += line.removeprefix(BOM)[: max(0, MAX_STRAY_BYTES - len(self._stray))] + b"\n"

    def _parse_singly(self, texts: list[bytes]) -> list[Any]:
        """The events of some texts, one of which is not proper JSON."""
        events: list[Any] = []
        for text in texts:
            try:
                events += self._parse_one(text)
            except UpstreamGarbledError as error:
                if not events:
                    raise
                self._failure = error
                break
            if self.is_done:
                break
        return events

    def _parse_one(self, text: bytes) -> list[Any]:
        """The values of an event that may be no proper JSON: mended, or those of its lines, or none at all."""
        with suppress(ValueError):
            return self._parse([text])
        lines = text.split(b"\n")
        self.is_done = lines[-1].strip() == DONE_MARK
        with suppress(ValueError):
            return self._parse([mend(text)])
        try:
            return self._parse([mend(line) for line in lines if line.strip() not in (b"", DONE_MARK)])
        except ValueError as exc:
            raise UpstreamGarbledError("Google sent an event that is not JSON. Send the request again.") from exc

    def _parse_stray(self) -> list[Any]:
        """The values of a body that is plain JSON: an error, or a list of events."""
        try:
            value = parse_json(self._stray)
            return self._parse([to_json(item).encode() for item in (value if is_list(value) else [value])])
        except ValueError as exc:
            raise UpstreamGarbledError(
                "Google's answer is not a stream of events. Send the request again. It begins: "
                f"{quote_body(self._stray)}"
            ) from exc


def encode_frame(value: Any) -> bytes:
    """One ``data:`` frame with a JSON value."""
    return b"data: " + orjson.dumps(value) + b"\n\n"
