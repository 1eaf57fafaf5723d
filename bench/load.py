"""The load generator: clients that each send a request, wait for its end, and send the next.

While the clock runs a client keeps the bytes it is handed, notes when the first content came, and looks for the end.
Every answer is taken apart afterwards, so that checking costs nothing while measuring.
"""

from __future__ import annotations

import asyncio
import base64
import gc
import random
import re
import time
import zlib
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, cast

from . import procstat
from .check import WrongAnswerError, check_answer
from .scenario import BLOB_MARK, FIRST_MARK, STAMPS, VARIANTS, Scenario
from .upstream import CHUNKED, HEAD_END, LAST_CHUNK, LENGTH

if TYPE_CHECKING:
    from .cells import Cell
    from .target import Target

CLOSE = re.compile(rb"\r\nconnection:[ \t]*close", re.IGNORECASE)
UNTIL_CLOSED = 1 << 62
MAX_KEPT_BYTES = 300 << 20
TIMEOUT_S = 90.0


@dataclass(slots=True)
class Received:
    """One answer, as it came.

    Attributes:
        scenario: what was asked for.
        sent_ns: when.
        pieces: what came.
        times_ns: when each piece came; only where events are timed.
        first_ns: when the first content came.
        end_ns: when the last byte came.
    """

    scenario: Scenario
    sent_ns: int
    pieces: list[bytes] = field(default_factory=list[bytes])
    times_ns: list[int] = field(default_factory=list[int])
    first_ns: int = 0
    end_ns: int = 0


@dataclass(frozen=True, slots=True)
class Measured:
    """One round of one cell.

    Attributes:
        figures: by name; times in milliseconds, CPU in microseconds, memory in kilobytes.
        is_harness_bound: whether the harness was busier than what is measured, which could do more.
    """

    figures: dict[str, float]
    is_harness_bound: bool


class Client(asyncio.Protocol):
    """One connection."""

    def __init__(self, load: Load) -> None:
        self._load = load
        self._transport: asyncio.Transport | None = None
        self._answer: Received | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Send the first request."""
        self._transport = cast("asyncio.Transport", transport)
        self._transport.set_write_buffer_limits(high=1 << 26)
        self._next()

    def _next(self) -> None:
        request = self._load.next_request()
        if self._transport is None:
            return
        if request is None:
            self._transport.close()
            self._load.leave()
            return
        scenario, data = request
        self._head_seen, self._needed, self._received, self._closes = False, -1, 0, False
        self._answer = Received(scenario, time.monotonic_ns())
        self._transport.write(data)

    def data_received(self, data: bytes) -> None:
        """Keep what came, and look for the first content and the end."""
        answer = self._answer
        if answer is None:
            self._load.fail("bytes came outside of an answer")
            return
        answer.pieces.append(data)
        self._received += len(data)
        if self._load.is_timed:
            answer.times_ns.append(time.monotonic_ns())
        if not answer.first_ns and FIRST_MARK in b"".join(answer.pieces[-2:]):
            answer.first_ns = time.monotonic_ns()
        if not self._head_seen:
            self._look_for_head(b"".join(answer.pieces))
        is_end = self._received >= self._needed if self._needed >= 0 else self._ends_chunked(answer)
        if self._head_seen and is_end:
            self._finish(answer)

    def _look_for_head(self, received: bytes) -> None:
        head, found, _ = received.partition(HEAD_END)
        if not found:
            return
        self._head_seen = True
        head += b"\r\n"
        length = LENGTH.search(head)
        if length is not None:
            self._needed = len(head) + 2 + int(length[1])
        elif not CHUNKED.search(head):
            self._needed = UNTIL_CLOSED
        self._closes = CLOSE.search(head) is not None

    @staticmethod
    def _ends_chunked(answer: Received) -> bool:
        last = answer.pieces[-1]
        return (last if len(last) >= len(LAST_CHUNK) else b"".join(answer.pieces[-5:])).endswith(LAST_CHUNK)

    def _finish(self, answer: Received) -> None:
        answer.end_ns = time.monotonic_ns()
        self._answer = None
        self._load.take(answer, self._received)
        if self._closes and self._transport is not None:
            self._transport.close()
            self._load.connect()
        else:
            self._next()

    def connection_lost(self, exc: Exception | None) -> None:
        """Take the end of the connection for that of the answer, if it says so."""
        self._transport = None
        if self._answer is None:
            return
        if self._needed == UNTIL_CLOSED:
            self._closes = True
            self._finish(self._answer)
            self._load.connect()
        else:
            start = b"".join(self._answer.pieces)[:200]
            self._load.fail(f"the connection broke after {self._received} bytes: {exc!r} {start!r}")


class Load:
    """One round of a cell on one target.

    Args:
        cell: what is asked, by how many, how long.
        target: who is asked.
    """

    def __init__(self, cell: Cell, target: Target) -> None:
        self._cell = cell
        self._target = target
        self._requests = _requests_of(cell, target)
        self._tasks: set[asyncio.Task[None]] = set()
        self.is_timed = bool(cell.scenario.gap_ms)

    async def run(self, pid: int | None, upstream_pid: int) -> Measured:
        """Measure.

        Args:
            pid: the target's process; None when it has none of its own.
            upstream_pid: that of the fake upstream.

        Raises:
            WrongAnswerError: an answer was wrong, or none came.
        """
        for _ in range(self._cell.warm_up):
            await self._go(1, 1)
        pids = procstat.with_children(pid) if pid is not None else []
        procstat.reset_peak(pids)
        memory_kb = procstat.memory_kb(pids)
        gc.collect()
        gc.disable()
        try:
            used_s, harness_s = procstat.cpu_s(pids), procstat.cpu_s([upstream_pid]) + time.process_time()
            started_ns = time.monotonic_ns()
            idle = asyncio.create_task(_idle_share(pids, *self._cell.window_s)) if self._cell.window_s else None
            await self._go(self._cell.clients, self._cell.max_requests)
            used_s = procstat.cpu_s(pids) - used_s
            harness_s = procstat.cpu_s([upstream_pid]) + time.process_time() - harness_s
            wall_s = (max(answer.end_ns for answer in self._answers) - started_ns) / 1e9
        finally:
            gc.enable()
        grown_kb = procstat.memory_kb(pids, is_peak=True) - memory_kb
        figures = self._figures(wall_s, used_s, grown_kb)
        if idle is not None:
            figures["idle_share"] = await idle
        return Measured(figures, is_harness_bound=self._cell.clients > 1 and harness_s > used_s)

    async def _go(self, clients: int, max_requests: int) -> None:
        self._answers: list[Received] = []
        self._asked, self._kept, self._alive, self._max_requests = 0, 0, clients, max_requests
        self._over: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._until_s = time.monotonic() + self._cell.ramp_s + self._cell.max_s
        self._least = clients
        for _ in range(clients):
            self.connect()
            if self._cell.ramp_s:
                await asyncio.sleep(self._cell.ramp_s / clients)
        try:
            await asyncio.wait_for(asyncio.shield(self._over), TIMEOUT_S)
        except TimeoutError as exc:
            raise WrongAnswerError(f"{self._alive} clients still wait after {TIMEOUT_S:g} s") from exc

    def connect(self) -> None:
        """Open a connection."""
        task = asyncio.create_task(self._connect())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _connect(self) -> None:
        try:
            await asyncio.get_running_loop().create_connection(lambda: Client(self), "127.0.0.1", self._target.port)
        except OSError as exc:
            self.fail(f"no connection: {exc}")

    def next_request(self) -> tuple[Scenario, bytes] | None:
        """What the next client sends; None when it is over."""
        is_over = time.monotonic() > self._until_s or self._kept > MAX_KEPT_BYTES
        if self._over.done() or self._asked >= self._max_requests or (is_over and self._asked >= self._least):
            return None
        self._asked += 1
        return self._requests[self._asked % len(self._requests)]

    def take(self, answer: Received, size: int) -> None:
        """Keep an answer."""
        self._answers.append(answer)
        self._kept += size

    def leave(self) -> None:
        """A client has no more to do."""
        self._alive -= 1
        if not self._alive and not self._over.done():
            self._over.set_result(None)

    def fail(self, why: str) -> None:
        """End the round."""
        if not self._over.done():
            self._over.set_exception(WrongAnswerError(why))

    def _figures(self, wall_s: float, used_s: float, grown_kb: int) -> dict[str, float]:
        deltas = 0
        firsts: list[float] = []
        totals: list[float] = []
        delays: list[float] = []
        for answer in self._answers:
            received = b"".join(answer.pieces)
            deltas += check_answer(self._target.shape, received, answer.scenario, is_stream=self._cell.is_stream)
            firsts.append((answer.first_ns - answer.sent_ns) / 1e6)
            totals.append((answer.end_ns - answer.sent_ns) / 1e6)
            for piece, time_ns in zip(answer.pieces, answer.times_ns, strict=False):
                stamps = STAMPS.findall(piece.decode(errors="replace"))
                delays.extend((time_ns - int(stamp)) / 1e6 for stamp in stamps)
        count = len(self._answers)
        figures = {
            "first_p50": _quantile(firsts, 0.5),
            "first_p99": _quantile(firsts, 0.99),
            "total_p50": _quantile(totals, 0.5),
            "events_per_s": deltas / wall_s,
            "requests_per_s": count / wall_s,
            "cpu_per_response": used_s * 1e6 / count,
            "cpu_per_event": used_s * 1e6 / deltas,
            "kb_per_client": grown_kb / self._cell.clients,
        }
        return {**figures, "event_p50": _quantile(delays, 0.5)} if delays else figures


async def _idle_share(pids: list[int], begin_s: float, end_s: float) -> float:
    """The share of a core that processes take while all streams are open and none begins or ends."""
    await asyncio.sleep(begin_s)
    used_s, started_s = procstat.cpu_s(pids), time.monotonic()
    await asyncio.sleep(end_s - begin_s)
    return (procstat.cpu_s(pids) - used_s) / (time.monotonic() - started_s)


def _requests_of(cell: Cell, target: Target) -> list[tuple[Scenario, bytes]]:
    """The requests of a cell, half of them with lines that end with LF; a large one is made once only."""
    media = None if cell.media_type is None else (cell.media_type, _base64(cell.media_bytes))
    requests: list[tuple[Scenario, bytes]] = []
    for variant in range(1 if media else VARIANTS):
        line_end = "lf" if variant % 2 and "lf" not in target.shape.excused else "crlf"
        checksum = f"{zlib.crc32(media[1].encode()):08x}" if media else None
        scenario = replace(cell.scenario, variant=variant, line_end=line_end, checksum=checksum)
        requests.append((scenario, target.to_request(scenario, is_stream=cell.is_stream, media=media)))
    return requests


def _base64(size: int) -> str:
    encoded = base64.b64encode(random.Random(size).randbytes(size * 3 // 4)).decode()  # noqa: S311 -- no secret
    start = BLOB_MARK.decode() + "A"
    return start + encoded[len(start) :]


def _quantile(values: list[float], share: float) -> float:
    return sorted(values)[min(len(values) - 1, int(share * len(values)))]
