"""Counts of what the server did, in Prometheus' text form."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter, defaultdict
from itertools import accumulate
from typing import TYPE_CHECKING

from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily
from prometheus_client.registry import Collector

from ..translate.events import Usage

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from prometheus_client import Metric

    from ..translate.events import Event

CONTENT_TYPE = CONTENT_TYPE_LATEST
"""What the counts are declared as, with the version of their form."""

SECONDS = (0.1, 0.25, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0, 60.0, 120.0, 300.0)
BOUNDS = (*map(str, SECONDS), "+Inf")


class Metrics(Collector):
    """One server's counts; nothing in them names an account, a prompt or a key.

    They are plain numbers until somebody asks for them, as every request is counted. One event loop counts.
    """

    def __init__(self) -> None:
        self._running = 0
        self._requests = Counter[tuple[str, int]]()
        self._tokens = Counter[tuple[str, str]]()
        self._buckets = defaultdict[str, Counter[int]](Counter)
        self._seconds = defaultdict[str, float](float)
        self._registry = CollectorRegistry()
        self._registry.register(self)

    def begin(self) -> None:
        """A request has come."""
        self._running += 1

    def end(self, route: str, status: int, seconds: float) -> None:
        """A request was answered.

        Args:
            route: its pattern, never its path.
            status: HTTP status.
            seconds: how long it took.
        """
        self._running -= 1
        self._requests[route, status] += 1
        self._buckets[route][bisect_left(SECONDS, seconds)] += 1
        self._seconds[route] += seconds

    def count_usage(self, model: str, ending: Iterable[Event]) -> None:
        """The token counts at the end of an answer.

        Args:
            model: its public id.
            ending: its last events, or all of them; there may be no counts among them.
        """
        for usage in ending:
            if isinstance(usage, Usage):
                self._tokens[model, "prompt"] += usage.prompt
                self._tokens[model, "cached"] += usage.cached
                self._tokens[model, "answer"] += usage.answer
                self._tokens[model, "thoughts"] += usage.thoughts

    def render(self) -> bytes:
        """All counts as text."""
        return generate_latest(self._registry)

    def collect(self) -> Iterator[Metric]:
        """All counts as Prometheus' library takes them."""
        requests = CounterMetricFamily(
            "antigravity_proxy_requests", "Requests answered, by route and status.", labels=("route", "status")
        )
        for (route, status), count in self._requests.items():
            requests.add_metric((route, str(status)), count)
        yield requests
        tokens = CounterMetricFamily(
            "antigravity_proxy_tokens",
            "Tokens counted by Google, by public model and kind.",
            labels=("model", "kind"),
        )
        for labels, count in self._tokens.items():
            tokens.add_metric(labels, count)
        yield tokens
        seconds = HistogramMetricFamily(
            "antigravity_proxy_request_seconds",
            "Time from a request's head to the end of its answer, by route.",
            labels=("route",),
        )
        for route, counts in self._buckets.items():
            sums = accumulate(counts[index] for index in range(len(BOUNDS)))
            seconds.add_metric((route,), list(zip(BOUNDS, sums, strict=True)), self._seconds[route])
        yield seconds
        yield GaugeMetricFamily(
            "antigravity_proxy_requests_running", "Requests being answered now.", value=self._running
        )
