"""Tests of quota buckets."""

from __future__ import annotations

from antigravity_proxy.simulator.models import Pool
from antigravity_proxy.simulator.quota import Bucket, Quota, Window

HOUR_S = 3600.0


def test_untouched_bucket_would_reset_after_its_window() -> None:
    """An untouched quota is whole and names the end of a window that would start now."""
    bucket = Bucket(Window.FIVE_HOURS)
    assert (bucket.fraction, bucket.reset_time(100.0)) == (1.0, 100.0 + 5 * HOUR_S)


def test_spending_starts_the_window() -> None:
    """The first use starts the window, later ones leave its end alone."""
    quota = Quota()
    quota.spend(Pool.GEMINI, 0.25, 0.0)
    quota.spend(Pool.GEMINI, 0.25, HOUR_S)
    bucket = quota.buckets["gemini-5h"]
    assert (bucket.fraction, bucket.resets_at_s) == (0.5, 5 * HOUR_S)
    assert quota.buckets["gemini-weekly"].fraction == 0.95
    assert quota.buckets["3p-5h"].fraction == 1.0


def test_spending_nothing_changes_nothing() -> None:
    """An answer that costs nothing does not start a window."""
    quota = Quota()
    quota.spend(Pool.GEMINI, 0.0, 0.0)
    assert quota.buckets["gemini-5h"].resets_at_s is None


def test_quota_ends_at_zero_and_refills() -> None:
    """A quota never goes below zero and is whole again when its window ends."""
    quota = Quota()
    quota.spend(Pool.THIRD_PARTY, 2.0, 0.0)
    assert quota.scarcest(Pool.THIRD_PARTY, 1.0).fraction == 0.0
    assert quota.refilled(5 * HOUR_S)["3p-5h"].fraction == 1.0
    assert quota.scarcest(Pool.THIRD_PARTY, 5 * HOUR_S).window is Window.WEEKLY


def test_fractions_have_no_rounding_errors() -> None:
    """Ten tenths are nothing left, not a rounding error."""
    quota = Quota()
    for _ in range(10):
        quota.spend(Pool.GEMINI, 0.1, 0.0)
    assert quota.buckets["gemini-5h"].fraction == 0.0
