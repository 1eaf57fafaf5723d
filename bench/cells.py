"""What is measured: the cells, and the figures of the table with their targets."""

from __future__ import annotations

from dataclasses import dataclass

from .scenario import Scenario


@dataclass(frozen=True, slots=True)
class Cell:
    """One kind of load.

    Attributes:
        scenario: what each request asks for.
        clients: how many ask at once.
        rounds: how often it is measured; rough targets are measured ``rough_rounds`` times.
        rough_rounds: 0 leaves them out.
        max_s: after this no client asks again.
        max_requests: so many in all.
        is_stream: whether streams are asked for.
        warm_up: requests before the clock runs.
        ramp_s: time over which the clients come.
        media_type: of the base64 in the request; None sends none.
        media_bytes: its length.
        window_s: the seconds between which the share of a core is measured.
        is_awake: whether both cores are kept from sleeping: a virtual one takes milliseconds to wake.
    """

    scenario: Scenario
    clients: int = 1
    rounds: int = 5
    rough_rounds: int = 1
    max_s: float = 0
    max_requests: int = 100_000
    is_stream: bool = True
    warm_up: int = 0
    ramp_s: float = 0
    media_type: str | None = None
    media_bytes: int = 0
    window_s: tuple[float, float] | None = None
    is_awake: bool = False


def _burst(clients: int, rounds: int, rough_rounds: int) -> Cell:
    """All events of an answer at once: they arrive together, so that batching pays."""
    limit = 500 + clients
    return Cell(Scenario(200), clients, rounds, rough_rounds, max_s=0.4, max_requests=limit, warm_up=1)


def _large(media_type: str, megabytes: int, rounds: int) -> Cell:
    size, requests = megabytes << 20, max(32 // megabytes, 8)
    return Cell(
        Scenario(5), 1, rounds, max_s=0.6, max_requests=requests, warm_up=2, media_type=media_type, media_bytes=size
    )


CELLS: dict[str, Cell] = {
    # First, as memory per stream is only right in a process that has done little yet.
    "idle": Cell(Scenario(5, gap_ms=1000), 1000, 1, max_requests=1000, ramp_s=2, window_s=(2, 4)),
    "first": Cell(Scenario(20), rounds=7, rough_rounds=3, max_s=0.5, max_requests=200, warm_up=5, is_awake=True),
    "single": Cell(Scenario(100, gap_ms=5), rounds=3, max_requests=1, is_awake=True),
    "burst1": _burst(1, 5, 2),
    "burst16": _burst(16, 5, 2),
    "burst64": _burst(64, 7, 1),
    "burst256": _burst(256, 3, 0),
    "paced": Cell(Scenario(200, gap_ms=5), 32, 5, max_requests=32, ramp_s=0.1),
    "json": Cell(Scenario(20), 16, 5, 2, max_s=0.4, max_requests=4000, is_stream=False, warm_up=1),
    "image1": _large("image/png", 1, 5),
    "image8": _large("image/png", 8, 5),
    "audio1": _large("audio/wav", 1, 1),
}
"""By name. ``first``: time to the first content. ``single``: delay of single events. ``burst``: throughput.
``paced``: 32 streams whose events come alone, as from the real service. ``json``: answers that are not streamed.
``image`` and ``audio``: large requests. ``idle``: 1,000 streams of one event a second."""


@dataclass(frozen=True, slots=True)
class Figure:
    """One row of the table, as a ratio to the passthrough relay.

    Attributes:
        title: in the table.
        cell: where it is measured.
        name: of the figure.
        floor: what must be reached; None where only right answers count.
        goal: what is wished for.
        is_rate: whether more is better.
        is_added: whether the figure of the direct way is taken off first.
    """

    title: str
    cell: str
    name: str
    floor: float | None = None
    goal: float | None = None
    is_rate: bool = False
    is_added: bool = False


FIGURES: tuple[Figure, ...] = (
    Figure("time to first content, added, p50", "first", "first_p50", 1.15, 0.85, is_added=True),
    Figure("time to first content, added, p99", "first", "first_p99", 1.4, 1.0, is_added=True),
    Figure("delay of an event, added, p50", "single", "event_p50", is_added=True),
    Figure("CPU per answer, 1 client, burst", "burst1", "cpu_per_response", 2.0, 1.4),
    Figure("CPU per answer, 64 clients, burst", "burst64", "cpu_per_response", 2.0, 1.4),
    Figure("CPU per event, 32 paced streams", "paced", "cpu_per_event", 1.15, 0.85),
    Figure("events/s, 1 client", "burst1", "events_per_s", 0.5, 0.7, is_rate=True),
    Figure("events/s, 16 clients", "burst16", "events_per_s", 0.5, 0.7, is_rate=True),
    Figure("events/s, 64 clients", "burst64", "events_per_s", 0.5, 0.7, is_rate=True),
    Figure("events/s, 256 clients", "burst256", "events_per_s", 0.5, 0.7, is_rate=True),
    Figure("CPU per answer, not streamed", "json", "cpu_per_response", 1.2, 0.7),
    Figure("answers/s, not streamed", "json", "requests_per_s", 0.85, 1.4, is_rate=True),
    Figure("CPU, 1 MB image", "image1", "cpu_per_response", 1.8, 1.5),
    Figure("CPU, 8 MB image", "image8", "cpu_per_response", 3.6, 2.2),
    Figure("time, 8 MB image", "image8", "total_p50", 1.7, 1.25),
    Figure("CPU, 1 MB recording", "audio1", "cpu_per_response"),
    Figure("memory per stream, 1,000 streams", "idle", "kb_per_client", 1.4, 1.0),
    Figure("CPU, 1,000 slow streams", "idle", "idle_share", 1.2, 0.8),
)
