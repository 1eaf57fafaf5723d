"""Counts of what the server did, in Prometheus' text form."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, Counter, Gauge, Histogram, generate_latest

from ..translate.events import Usage

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ..translate.events import Event

CONTENT_TYPE = CONTENT_TYPE_LATEST
"""What the counts are declared as, with the version of their form."""

SECONDS = (0.1, 0.25, 0.5, 1, 2, 5, 10, 30, 60, 120, 300)


class Metrics:
    """One server's counts; nothing in them names an account, a prompt or a key."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        self._requests = Counter(
            "antigravity_proxy_requests",
            "Requests answered, by route and status.",
            ("route", "status"),
            registry=self._registry,
        )
        self._tokens = Counter(
            "antigravity_proxy_tokens",
            "Tokens counted by Google, by public model and kind.",
            ("model", "kind"),
            registry=self._registry,
        )
        self._seconds = Histogram(
            "antigravity_proxy_request_seconds",
            "Time from a request's head to the end of its answer, by route.",
            ("route",),
            buckets=SECONDS,
            registry=self._registry,
        )
        self._running = Gauge(
            "antigravity_proxy_requests_running", "Requests being answered now.", registry=self._registry
        )
        # To find a counter by its labels takes longer than to count.
        self._requests_of = cache(self._requests.labels)
        self._tokens_of = cache(self._tokens.labels)
        self._seconds_of = cache(self._seconds.labels)

    def begin(self) -> None:
        """A request has come."""
        self._running.inc()

    def end(self, route: str, status: int, seconds: float) -> None:
        """A request was answered.

        Args:
            route: its pattern, never its path.
            status: HTTP status.
            seconds: how long it took.
        """
        self._running.dec()
        self._requests_of(route, status).inc()
        self._seconds_of(route).observe(seconds)

    def count_usage(self, model: str, events: Iterable[Event]) -> None:
        """The token counts among some events of an answer.

        Args:
            model: its public id.
            events: any of them.
        """
        for usage in events:
            if isinstance(usage, Usage):
                for kind in ("prompt", "cached", "answer", "thoughts"):
                    self._tokens_of(model, kind).inc(getattr(usage, kind))

    def render(self) -> bytes:
        """All counts as text."""
        return generate_latest(self._registry)
