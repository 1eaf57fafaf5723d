"""How much of its quota an account has left: two pools of models, two windows of time each."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from .models import Pool


class Window(StrEnum):
    """The period after which a quota is whole again."""

    FIVE_HOURS = "5h"
    WEEKLY = "weekly"


WINDOW_SECONDS: dict[Window, int] = {Window.WEEKLY: 7 * 24 * 3600, Window.FIVE_HOURS: 5 * 3600}
COST_SHARES: dict[Window, float] = {Window.WEEKLY: 0.1, Window.FIVE_HOURS: 1.0}
"""Which share of the cost of an answer each window pays."""

PLACES = 9
"""Decimal places of a fraction; what is beyond them is rounding, not quota."""


@dataclass(slots=True)
class Bucket:
    """One quota: the fraction that is left, and when it is whole again if any was used."""

    window: Window
    fraction: float = 1.0
    resets_at_s: float | None = None

    def refill(self, now_s: float) -> None:
        """Make the quota whole when its time has come."""
        if self.resets_at_s is not None and now_s >= self.resets_at_s:
            self.fraction, self.resets_at_s = 1.0, None

    def set_fraction(self, fraction: float, now_s: float) -> None:
        """Leave so much of the quota; a window that was not running starts now."""
        self.fraction = max(0.0, round(fraction, PLACES))
        if self.resets_at_s is None:
            self.resets_at_s = now_s + WINDOW_SECONDS[self.window]

    def reset_time(self, now_s: float) -> float:
        """Give when the quota is whole again; for an untouched one, when it would be if it were used now."""
        return now_s + WINDOW_SECONDS[self.window] if self.resets_at_s is None else self.resets_at_s


def _new_buckets() -> dict[str, Bucket]:
    return {bucket_id(pool, window): Bucket(window) for pool in Pool for window in WINDOW_SECONDS}


def bucket_id(pool: Pool, window: Window) -> str:
    """Give the name of a bucket as the quota summary prints it, such as ``gemini-5h``."""
    return f"{pool}-{window}"


@dataclass(slots=True)
class Quota:
    """All buckets of one account, by their printed names."""

    buckets: dict[str, Bucket] = field(default_factory=_new_buckets)

    def scarcest(self, pool: Pool, now_s: float) -> Bucket:
        """Give the bucket that limits a pool: the emptier one, and of equally full ones the one of five hours."""
        buckets = [self.buckets[bucket_id(pool, window)] for window in (Window.FIVE_HOURS, Window.WEEKLY)]
        for bucket in buckets:
            bucket.refill(now_s)
        return min(buckets, key=lambda bucket: bucket.fraction)

    def spend(self, pool: Pool, cost: float, now_s: float) -> None:
        """Pay for one answer out of both windows."""
        for window, share in COST_SHARES.items():
            bucket = self.buckets[bucket_id(pool, window)]
            bucket.refill(now_s)
            if cost > 0:
                bucket.set_fraction(bucket.fraction - cost * share, now_s)

    def refilled(self, now_s: float) -> dict[str, Bucket]:
        """Give the buckets as they are now."""
        for bucket in self.buckets.values():
            bucket.refill(now_s)
        return self.buckets
