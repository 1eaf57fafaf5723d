"""One answer while it arrives: bytes to neutral events, and the check that there is something in it.

Source:
    SPEC.md, "Answers" and "Time limits".
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, Self

from ..errors import EmptyAnswerError, MalformedCallError, UpstreamError, UpstreamGarbledError, UpstreamTimeoutError
from ..translate.answer_wire import parse_events
from ..translate.events import Finish, FinishReason, Text, Thought, has_substance
from ..translate.problems import MAX_NOTICE_CHARACTERS, may_be_notice, notice_error
from ..translate.sse import SseDecoder

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..translate.events import Event
    from .exchange import Exchange

MAX_WHOLE_BYTES = 128 * 1024 * 1024
"""Longest answer that is put together for a client that wants no stream."""

REST_TIMEOUT_S = 5.0
"""How long an answer that has its finish reason waits for counts that come after it."""

SLOWEST_BYTES_PER_S = 4096
"""An event that comes at this rate may take longer than an answer may be silent."""

LONGEST_EVENT = 10
"""How many times longer it may take at most."""


class Reader(Protocol):
    """Turns the events of upstream into neutral ones."""

    @property
    def is_finished(self) -> bool:
        """Whether upstream has said why the answer ends."""
        ...

    @property
    def has_gone_on(self) -> bool:
        """Whether content came after it had said so once."""
        ...

    def feed(self, event: Any) -> list[Event]:
        """Take one parsed event."""
        ...

    def finish(self) -> list[Event]:
        """What is left to say when the stream has ended."""
        ...


@dataclass(frozen=True, slots=True)
class Source:
    """Where an answer comes from, for logs and headers.

    Attributes:
        runtime_id: who answers.
        account: whose subscription, as shown to the user.
    """

    runtime_id: str
    account: str


class Answer:
    """Reads one upstream answer in batches, one per read of the connection.

    Attributes:
        ending: what the answer ends with, once it is complete: token counts and why it ends.

    Args:
        upstream: the open answer.
        reader: knows its shape.
        source: where it comes from.
        idle_timeout_s: how long it may be silent.
        rest_timeout_s: how long it may go on after it has said why it ends.
    """

    def __init__(
        self,
        upstream: Exchange,
        reader: Reader,
        source: Source,
        *,
        idle_timeout_s: float,
        rest_timeout_s: float = REST_TIMEOUT_S,
    ) -> None:
        self.source = source
        self.ending: list[Event] = []
        self._upstream = upstream
        self._reader = reader
        self._decoder = SseDecoder(parse_events)
        self._idle_timeout_s = idle_timeout_s
        self._rest_timeout_s = rest_timeout_s
        self._rest_until: float | None = None
        self._silent_since: float | None = None
        self._first: list[Event] = []
        self._has_content = False
        self._bytes_read = 0
        self._is_complete = False

    @property
    def is_complete(self) -> bool:
        """Whether all of it has been read."""
        return self._is_complete

    async def prime(self) -> None:
        """Wait for the first events; thoughts count, as they can be shown at once.

        Raises:
            ProxyError: the answer is empty, broken, or an error after all.
        """
        while not self._is_complete and not self._has_begun():
            # Until something has come, the caller's limit for the first content holds, and no other.
            self._first += await self._next_batch(None)
        if (text := self._only_text()) and (error := notice_error(text)) is not None:
            raise error

    def _has_begun(self) -> bool:
        """Whether something has come, and cannot be Google's notice in place of an answer any more."""
        text = self._only_text()
        return any(map(has_substance, self._first)) if text is None else bool(text) and not may_be_notice(text)

    def _only_text(self) -> str | None:
        """What has come first, if it is nothing but text, as far as it may be a notice."""
        text = ""
        for event in self._first:
            if isinstance(event, Text):
                text += event.text
                if len(text.lstrip()) > MAX_NOTICE_CHARACTERS:
                    break
            elif has_substance(event):
                return None
        return text

    async def collect(self, on_first: Callable[[], None]) -> None:
        """Read the whole answer.

        Args:
            on_first: called once, when something has come.

        Raises:
            ProxyError: the answer is empty, broken, or an error after all.
        """
        await self.prime()
        on_first()
        while not self._is_complete:
            self._first += await self._next_batch(self._idle_timeout_s)
            if self._bytes_read > MAX_WHOLE_BYTES:
                raise UpstreamError(
                    f"Google's answer goes on after {MAX_WHOLE_BYTES // 2**20} MiB. Ask for less, or for a stream."
                )

    def close(self) -> None:
        """End the call to Google, if it still goes on."""
        self._upstream.close()

    def __aiter__(self) -> Self:
        """All events in order, in batches that are never empty; the first are those that ``prime`` waited for."""
        return self

    async def __anext__(self) -> list[Event]:
        """The next batch.

        Raises:
            ProxyError: the answer broke off, or went silent.
        """
        events, self._first = self._first, []
        while not events:
            if self._is_complete:
                raise StopAsyncIteration
            events = await self._next_batch(self._idle_timeout_s)
        return events

    async def _next_batch(self, limit_s: float | None) -> list[Event]:
        if self._reader.is_finished:
            data = await self._rest()
        else:
            try:
                data = await self._read(None if limit_s is None else self._end_of_silence(limit_s))
            except TimeoutError as exc:
                raise UpstreamTimeoutError(
                    f"Google was silent for {limit_s:g} s in the middle of an answer, or too slow with a part of it, "
                    "which is the limit (ANTIGRAVITY_PROXY_IDLE_TIMEOUT). Send the request again."
                ) from exc
        events, is_broken = self._events_in(data)
        if any(map(has_substance, events)):
            self._rest_until = self._silent_since = None
        # What ends the answer goes to the client together with the last events.
        is_over = self._upstream.is_read and self._decoder.is_between_events
        self._is_complete = not data or is_broken or is_over or self._decoder.is_done
        if self._is_complete:
            self.ending = self._reader.finish()
            events += self.ending
        if not self._has_content:
            self._has_content = any(has_substance(event) and not isinstance(event, Thought) for event in events)
        if self._is_complete:
            self._check_content()
        return events

    def _events_in(self, data: bytes | None) -> tuple[list[Event], bool]:
        """The events in some bytes, and whether something broken followed them after the end was told."""
        events: list[Event] = []
        if data is None:
            return events, False
        try:
            for value in self._decoder.feed(data) if data else self._decoder.finish():
                events += self._reader.feed(value)
        except UpstreamGarbledError as error:
            if not self._reader.is_finished or isinstance(error, MalformedCallError):
                raise
            return events, True
        return events, False

    async def _rest(self) -> bytes | None:
        """The bytes of the next read after the end was told; None when nothing more is waited for."""
        # Only counts may come now: the answer is whole, however the connection ends.
        with suppress(TimeoutError, UpstreamError):
            return await self._read(self._end_of_rest())
        return None

    async def _read(self, until_s: float | None) -> bytes:
        """The bytes of the next read, unless the time for it is over: some may be there at any time."""
        if until_s is not None and asyncio.get_running_loop().time() >= until_s:
            raise TimeoutError
        data = await self._upstream.read(until_s)
        self._bytes_read += len(data)
        return data

    def _end_of_rest(self) -> float:
        if self._rest_until is None:
            limit_s = self._idle_timeout_s if self._reader.has_gone_on else self._rest_timeout_s
            self._rest_until = asyncio.get_running_loop().time() + limit_s
        return self._rest_until

    def _end_of_silence(self, limit_s: float) -> float:
        now_s = asyncio.get_running_loop().time()
        if self._silent_since is None:
            self._silent_since = now_s
        # Silence goes on over comments and events with nothing in them. An event that is coming may be a long one, so
        # its bytes put the end off, each by its share of a second.
        earned_s = min(self._decoder.unfinished_bytes / SLOWEST_BYTES_PER_S, LONGEST_EVENT * limit_s)
        return min(self._silent_since + earned_s, now_s) + limit_s

    def _check_content(self) -> None:
        for event in self.ending:
            if isinstance(event, Finish) and event.reason is FinishReason.STOP and not self._has_content:
                raise EmptyAnswerError(
                    f"Google answered without text or tool call ({event.upstream_reason}). Send the request again."
                )
