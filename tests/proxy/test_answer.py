"""Tests of one answer while it arrives."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any, cast

import pytest

from antigravity_proxy.errors import (
    EmptyAnswerError,
    RateLimitedError,
    UpstreamError,
    UpstreamGarbledError,
    UpstreamTimeoutError,
)
from antigravity_proxy.proxy import answer as answer_module
from antigravity_proxy.proxy.answer import LONGEST_EVENT, SLOWEST_BYTES_PER_S, Answer, Source
from antigravity_proxy.proxy.retry import is_passing
from antigravity_proxy.translate.candidates import CandidateReader
from antigravity_proxy.translate.events import Finish, FinishReason, Media, Text, Thought, ToolCall, Usage

if TYPE_CHECKING:
    from antigravity_proxy.proxy.exchange import Exchange
    from antigravity_proxy.translate.events import Event

    from .conftest import Leap

STOP = Finish(FinishReason.STOP, "STOP")
TEXT = {"text": "Hello"}
THOUGHT = {"text": "Hm", "thought": True}
SIGNATURE = {"text": "", "thoughtSignature": "QUJD"}
CALL = {"functionCall": {"name": "read", "args": {"path": "a"}, "id": "toolu_1"}}
IMAGE = {"inlineData": {"mimeType": "image/png", "data": "QUJD"}}


class Reads:
    """An upstream answer: each read gives bytes, waits some seconds, or raises an error; then comes its end."""

    def __init__(self, *steps: bytes | float | Exception) -> None:
        self._steps = list(steps)
        self.count = 0
        self.is_read = False

    async def read(self, until_s: float | None = None) -> bytes:
        """The next bytes, if they come in time."""
        async with asyncio.timeout_at(until_s):
            return await self._next()

    async def _next(self) -> bytes:
        self.count += 1
        step = self._steps.pop(0) if self._steps else b""
        if isinstance(step, bytes):
            return step
        if isinstance(step, Exception):
            raise step
        await asyncio.sleep(step)
        return await self._next()


def frame(*parts: dict[str, Any], reason: str | None = None, **response: Any) -> bytes:
    """One upstream event with some parts."""
    candidate: dict[str, Any] = {"content": {"role": "model", "parts": parts}}
    if reason is not None:
        candidate["finishReason"] = reason
    return b"data: " + json.dumps({"response": {"candidates": [candidate], **response}}).encode() + b"\n\n"


def answer_of(reads: Reads, *, idle_timeout_s: float = 5, rest_timeout_s: float = 5) -> Answer:
    """An answer that reads those bytes."""
    return Answer(
        cast("Exchange", reads),
        CandidateReader(str, now_s=0, keeps_signatures=True),
        Source("gemini-3.8-flash-low", "u***r@example.com"),
        idle_timeout_s=idle_timeout_s,
        rest_timeout_s=rest_timeout_s,
    )


async def batches_of(answer: Answer) -> list[list[Event]]:
    """All batches of an answer."""
    return [batch async for batch in answer]


@pytest.mark.parametrize(
    ("part", "event"),
    [
        (TEXT, Text("Hello")),
        (THOUGHT, Thought("Hm")),
        (CALL, ToolCall("toolu_1", "read", {"path": "a"})),
        (IMAGE, Media("image/png", "QUJD")),
    ],
    ids=["text", "thought", "call", "image"],
)
async def test_prime_stops_at_the_first_content(part: dict[str, Any], event: Event) -> None:
    """What a client can be shown ends the wait for the first events."""
    reads = Reads(b": comment\n\n", frame(SIGNATURE), frame(part), frame(TEXT, reason="STOP"))
    answer = answer_of(reads)
    await answer.prime()
    assert reads.count == 3
    assert await batches_of(answer) == [[Text("", "QUJD"), event], [Text("Hello")], [STOP]]


async def test_batches_are_one_per_read_and_never_empty() -> None:
    """Events that arrive together stay together, and reads without an event give no batch."""
    first, second, third = frame(TEXT), frame(THOUGHT, CALL), frame(TEXT, reason="STOP")
    reads = Reads(first + second[:20], second[20:], b"\n", b": comment\n\n", third)
    answer = answer_of(reads)
    await answer.prime()
    assert await batches_of(answer) == [
        [Text("Hello")],
        [Thought("Hm"), ToolCall("toolu_1", "read", {"path": "a"})],
        [Text("Hello")],
        [STOP],
    ]


async def test_last_event_counts_without_a_line_end() -> None:
    """An answer whose last line has no end is whole."""
    answer = answer_of(Reads(frame(TEXT, reason="STOP").rstrip()))
    await answer.prime()
    assert await batches_of(answer) == [[Text("Hello"), STOP]]


async def test_whole_answer_without_end_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """An answer that is put together takes no more memory than is set for it; one that is streamed may go on."""
    monkeypatch.setattr(answer_module, "MAX_WHOLE_BYTES", 2**20)
    endless = [frame({"text": "x" * 2**16})] * 20
    with pytest.raises(UpstreamError, match=r"goes on after 1 MiB\. Ask for less, or for a stream\.") as caught:
        await answer_of(Reads(*endless)).collect(lambda: None)
    assert not is_passing(caught.value)
    assert len(await batches_of(answer_of(Reads(*endless, frame(reason="STOP"))))) == 21


async def test_collect_reads_all_and_tells_of_the_first_once() -> None:
    """The whole answer is one batch; that something has come is said once, before the rest is read."""
    reads = Reads(frame(THOUGHT), frame(TEXT), frame(TEXT, reason="MAX_TOKENS"))
    answer = answer_of(reads)
    told: list[int] = []
    await answer.collect(lambda: told.append(reads.count))
    assert told == [1]
    assert await batches_of(answer) == [
        [Thought("Hm"), Text("Hello"), Text("Hello"), Finish(FinishReason.LENGTH, "MAX_TOKENS")]
    ]


@pytest.mark.parametrize(
    "reads",
    [
        Reads(),
        Reads(frame(reason="STOP")),
        Reads(frame(SIGNATURE, reason="STOP")),
        Reads(frame(reason="OTHER")),
    ],
    ids=["nothing", "no-parts", "only-a-signature", "other"],
)
async def test_prime_refuses_an_empty_answer(reads: Reads) -> None:
    """An answer without content is an error that names upstream's reason."""
    with pytest.raises(EmptyAnswerError, match=r"without text or tool call \((STOP|OTHER)\)"):
        await answer_of(reads).prime()


async def test_thoughts_alone_are_empty() -> None:
    """Thoughts can be shown at once, but an answer of nothing else is an error at its end."""
    answer = answer_of(Reads(frame(THOUGHT), frame(reason="STOP")))
    await answer.prime()
    with pytest.raises(EmptyAnswerError):
        await batches_of(answer)
    with pytest.raises(EmptyAnswerError):
        await answer_of(Reads(frame(THOUGHT), frame(reason="STOP"))).collect(lambda: None)


@pytest.mark.parametrize(
    ("last", "ending"),
    [
        (frame(reason="MAX_TOKENS"), [Finish(FinishReason.LENGTH, "MAX_TOKENS")]),
        (frame(reason="SAFETY"), [Finish(FinishReason.CONTENT_FILTER, "SAFETY")]),
        (
            frame(reason="MAX_TOKENS", usageMetadata={"promptTokenCount": 3, "thoughtsTokenCount": 9}),
            [Usage(prompt=3, cached=0, answer=0, thoughts=9), Finish(FinishReason.LENGTH, "MAX_TOKENS")],
        ),
    ],
    ids=["length", "filter", "usage"],
)
async def test_answer_without_content_may_end_for_a_reason(last: bytes, ending: list[Event]) -> None:
    """An answer that was cut or held back is no empty one: its reason is the answer."""
    answer = answer_of(Reads(last))
    await answer.prime()
    assert await batches_of(answer) == [ending]


async def test_error_event_before_content_is_raised_by_prime() -> None:
    """An error inside the stream that comes first is raised as if its status had been the answer's."""
    error = {"error": {"code": 429, "message": "Too many requests", "status": "RESOURCE_EXHAUSTED"}}
    with pytest.raises(RateLimitedError):
        await answer_of(Reads(b"data: " + json.dumps(error).encode() + b"\n\n")).prime()


async def test_garbage_after_content_is_raised_while_it_is_read() -> None:
    """What is no event breaks the answer where it stands."""
    answer = answer_of(Reads(frame(TEXT), b"data: {oops\n\n"))
    await answer.prime()
    assert await anext(answer) == [Text("Hello")]
    with pytest.raises(UpstreamGarbledError):
        await anext(answer)


async def test_silence_counts_only_after_the_first_content() -> None:
    """Before the first content the idle limit does not hold; after it, a longer silence is an error that names it."""
    answer = answer_of(Reads(0.08, frame(TEXT), 5.0), idle_timeout_s=0.04)
    await answer.prime()
    with pytest.raises(UpstreamTimeoutError, match=r"silent for 0\.04 s.*IDLE_TIMEOUT"):
        await batches_of(answer)
    with pytest.raises(UpstreamTimeoutError, match="IDLE_TIMEOUT"):
        await answer_of(Reads(0.08, frame(TEXT), 5.0), idle_timeout_s=0.04).collect(lambda: None)


EMPTY = b'data: {"response": {}}\n\n'
HALF = 10


@pytest.mark.parametrize(
    "reads",
    [
        [b": ping\n\n"],
        [b"data: {}\n\n"],
        [EMPTY],
        [frame()],
        [EMPTY[:HALF], EMPTY[HALF:]],
        [frame({"text": ""})],
        [frame(SIGNATURE)],
        [frame(usageMetadata={"promptTokenCount": 7})],
        [b'data: {"response": {"usageMetadata": {"promptTokenCount": 7}}}\n\n'],
    ],
    ids=[
        *("comments", "empty-objects", "empty-events", "no-parts", "empty-events-in-halves", "no-text"),
        *("only-signatures", "only-counts", "only-counts-without-candidates"),
    ],
)
@pytest.mark.parametrize("is_whole", [False, True], ids=["stream", "whole"])
async def test_nothing_said_is_silence(reads: list[bytes | float | Exception], *, is_whole: bool) -> None:
    """An upstream that sends nothing but comments, or events without anything in them, is silent."""
    chatter = [step for _ in range(500) for step in (*reads, 0.01)]
    answer = answer_of(Reads(frame(TEXT), *chatter, frame(TEXT, reason="STOP")), idle_timeout_s=0.05)
    with pytest.raises(UpstreamTimeoutError, match=r"silent for 0\.05 s"):
        await (answer.collect(lambda: None) if is_whole else batches_of(answer))


class Slow(Reads):
    """An upstream that takes some seconds for each read, while nobody waits for them."""

    def __init__(self, leap: Leap, seconds: float, *steps: bytes | float | Exception) -> None:
        super().__init__(*steps)
        self._leap, self._seconds = leap, seconds

    async def read(self, until_s: float | None = None) -> bytes:
        """The next bytes, if they come in time."""
        self._leap(self._seconds)
        if until_s is not None and asyncio.get_running_loop().time() >= until_s:
            raise TimeoutError
        return await self._next()


def in_pieces(event: bytes, size: int) -> list[bytes]:
    """An event in pieces of a size."""
    return [event[at : at + size] for at in range(0, len(event), size)]


LARGE = frame({"inlineData": {"mimeType": "image/png", "data": "QUJD" * 100_000}}, reason="STOP")


@pytest.mark.parametrize(
    ("event", "rate", "seconds", "is_whole"),
    [
        (LARGE, SLOWEST_BYTES_PER_S * 2, 1, True),
        (LARGE, SLOWEST_BYTES_PER_S * 2, 19, True),
        (LARGE, SLOWEST_BYTES_PER_S * 2, 20, False),
        (LARGE, SLOWEST_BYTES_PER_S // 2, 1, False),
        (frame({"text": "x" * 30}, reason="STOP"), 1, 1, False),
        (frame({"text": "x" * 30}, reason="STOP"), 10, 1, True),
    ],
    ids=["slow", "in-large-pieces", "silence-between", "too-slow", "trickle", "small"],
)
async def test_event_that_is_coming_must_come_at_some_rate(
    leap: Leap, event: bytes, rate: int, seconds: int, *, is_whole: bool
) -> None:
    """A large event may take longer than an answer may be silent if it comes at some rate; a trickle may not."""
    reads = Slow(leap, seconds, frame(TEXT), *in_pieces(event, rate * seconds))
    answer = answer_of(reads, idle_timeout_s=20)
    await answer.prime()
    if is_whole:
        assert [event for batch in await batches_of(answer) for event in batch][-1] == STOP
    else:
        with pytest.raises(UpstreamTimeoutError, match=r"silent for 20 s.*IDLE_TIMEOUT"):
            await batches_of(answer)


async def test_large_event_has_a_limit_of_its_own(leap: Leap) -> None:
    """Bytes that have come fast put the end off only so far: an event that is not whole then ends the answer."""
    reads = Slow(leap, 1, frame(TEXT), LARGE[:-100], *[b" "] * 1_000)
    answer = answer_of(reads, idle_timeout_s=5)
    await answer.prime()
    with pytest.raises(UpstreamTimeoutError, match="IDLE_TIMEOUT"):
        await batches_of(answer)
    assert reads.count == 5 * LONGEST_EVENT + 5


@pytest.mark.parametrize(
    "chatter", [EMPTY, frame(usageMetadata={"promptTokenCount": 7}), frame(SIGNATURE), b": x\n\n"], ids=repr
)
@pytest.mark.parametrize("reason", [None, "STOP"])
async def test_chatter_that_is_always_there_is_silence(leap: Leap, chatter: bytes, reason: str | None) -> None:
    """An upstream that says nothing faster than it can be read is silent, before the end was told and after it."""

    class Flood(Reads):
        async def read(self, until_s: float | None = None) -> bytes:
            """Some bytes, at any time."""
            del until_s
            leap(0.1)
            return await self._next()

    answer = answer_of(Flood(frame(TEXT, reason=reason), *[chatter] * 500), idle_timeout_s=20)
    await answer.prime()
    if reason is None:
        with pytest.raises(UpstreamTimeoutError, match="IDLE_TIMEOUT"):
            await batches_of(answer)
    else:
        assert (await batches_of(answer))[-1][-1] == STOP
        assert answer.is_complete


BREAK = UpstreamGarbledError("The connection broke.")


@pytest.mark.parametrize(
    ("steps", "text"),
    [
        pytest.param([frame(TEXT, reason="STOP"), 30], "Hello", id="silence"),
        pytest.param([frame(TEXT), frame(reason="STOP"), BREAK], "Hello", id="break"),
        pytest.param([frame(TEXT, reason="STOP") + b"data: {", BREAK], "Hello", id="break inside an event"),
        pytest.param([frame(TEXT, reason="STOP"), b"data: {\n\n"], "Hello", id="garbage"),
        pytest.param([frame(TEXT, reason="STOP") + b"data: {\n\n"], "Hello", id="garbage in the same read"),
        pytest.param([frame(TEXT, reason="STOP"), b"data: 5\n\n"], "Hello", id="an event of another shape"),
        pytest.param([frame(TEXT, reason="STOP") + b"data: 5\n\n"], "Hello", id="the same in the same read"),
        pytest.param(
            [*[frame(TEXT, reason="STOP")] * 2, *[0.03, b": comment\n\n"] * 60], "Hello" * 2, id="gone on for ever"
        ),
        pytest.param([frame(TEXT, reason="STOP"), *[0.03, b": comment\n\n"] * 30], "Hello", id="comments for ever"),
        pytest.param([frame(TEXT, reason="STOP"), b"data: [DONE]\n\n", 30], "Hello", id="done"),
        pytest.param([frame(TEXT), b"data: [DONE]\n\n", 30], "Hello", id="done without a reason"),
        pytest.param([frame(TEXT, reason="STOP"), 0.02, frame(TEXT), 0.02, frame(TEXT)], "Hello" * 3, id="goes on"),
        pytest.param([frame(TEXT, reason="STOP")] * 2 + [BREAK], "Hello" * 2, id="a reason on every event"),
        pytest.param(
            [frame(TEXT, reason="STOP"), frame(TEXT, reason="STOP"), 0.2, frame(TEXT, reason="STOP"), 30],
            "Hello" * 3,
            id="pauses between reasons",
        ),
        pytest.param([frame(TEXT, reason=""), 0.2, frame(TEXT, reason="STOP")], "Hello" * 2, id="empty reason"),
    ],
)
async def test_answer_with_its_end_is_whole(steps: list[bytes | float | Exception], text: str) -> None:
    """When upstream has said why the answer ends, silence and a broken connection take nothing from it."""
    answer = answer_of(Reads(*steps), rest_timeout_s=0.1, idle_timeout_s=0.5)
    async with asyncio.timeout(5):
        await answer.collect(lambda: None)
    events = [event async for batch in answer for event in batch]
    assert "".join(event.text for event in events if isinstance(event, Text)) == text
    assert events[-1] == STOP


async def test_counts_after_the_end_are_read() -> None:
    """Counts may come after the reason, in an event of their own."""
    answer = answer_of(
        Reads(frame(TEXT, reason="STOP"), 0.02, frame(usageMetadata={"promptTokenCount": 7}), 30), rest_timeout_s=0.1
    )
    await answer.collect(lambda: None)
    assert [event async for batch in answer for event in batch] == [
        Text("Hello"),
        Usage(prompt=7, cached=0, answer=0, thoughts=0),
        STOP,
    ]


async def test_error_after_the_end_is_an_error() -> None:
    """What Google calls an error is one, wherever it stands."""
    answer = answer_of(Reads(frame(TEXT, reason="STOP"), b'data: {"error": {"code": 429, "message": "No."}}\n\n'))
    with pytest.raises(RateLimitedError):
        await answer.collect(lambda: None)


async def test_answer_that_goes_on_after_its_end_must_come_whole() -> None:
    """Where text has come after a reason, a break is a break until there is another reason."""
    answer = answer_of(Reads(frame(TEXT, reason="STOP"), frame(TEXT), BREAK))
    with pytest.raises(UpstreamGarbledError, match="broke"):
        await answer.collect(lambda: None)
