"""Tests of quota values."""

from __future__ import annotations

import pytest

from antigravity_proxy.accounts.quota import (
    AccountQuota,
    QuotaPool,
    Reading,
    Window,
    quota_pool_of,
    quota_pool_of_id,
    scarcest,
)

NOW_S = 1_000.0
GEMINI = QuotaPool.GEMINI


@pytest.mark.parametrize(
    ("family", "quota_pool"),
    [("gemini", QuotaPool.GEMINI), ("claude", QuotaPool.OTHERS), ("gpt-oss", QuotaPool.OTHERS)],
)
def test_families_share_two_quota_pools(family: str, quota_pool: QuotaPool) -> None:
    """Gemini's models have a quota of their own; Claude's and GPT-OSS's use up one together."""
    assert quota_pool_of(family) is quota_pool
    assert quota_pool_of_id(f"{family}-1-some") is quota_pool


@pytest.mark.parametrize(
    ("five_hours", "weekly", "left", "back"),
    [
        (Reading(0.4, 2_000), Reading(0.8, 9_000), 0.4, 2_000),
        (Reading(0.4, 2_000), Reading(0.0, 9_000), 0.0, 9_000),
        (Reading(0.0, 2_000), Reading(0.0, 9_000), 0.0, 9_000),
        (Reading(0.0, 1_000), Reading(0.8, 9_000), 0.8, 9_000),
        (Reading(0.0, 900), Reading(0.0, 900), None, None),
        (Reading(None, 2_000), Reading(0.5, None), 0.5, None),
        (Reading(), Reading(), None, None),
    ],
    ids=["five hours", "week", "both", "reset passed", "both passed", "no fraction", "nothing"],
)
def test_scarcest_limit_counts(five_hours: Reading, weekly: Reading, left: float | None, back: float | None) -> None:
    """The emptiest limit says how much is left and until when; one whose reset has passed says nothing any more."""
    pools = {(GEMINI, Window.FIVE_HOURS): five_hours, (GEMINI, Window.WEEKLY): weekly}
    quota = AccountQuota(NOW_S, pools)
    assert scarcest(quota, GEMINI, NOW_S) == Reading(left, back)
    assert scarcest(quota, QuotaPool.OTHERS, NOW_S) == Reading()


def test_rows_stand_in_for_limits() -> None:
    """Where there is no summary the fullest row of the quota pool counts, so that an odd one keeps nobody out."""
    rows = {
        "claude-a": Reading(0.1, 2_000),
        "gemini-a": Reading(0.0, 2_000),
        "gemini-b": Reading(0.7, 3_000),
        "gemini-c": Reading(None, 4_000),
        "gemini-d": Reading(0.9, 500),
    }
    quota = AccountQuota(NOW_S, models=rows, summary_unavailable="No subscription.")
    assert scarcest(quota, GEMINI, NOW_S) == Reading(0.7, 3_000)
    assert scarcest(quota, QuotaPool.OTHERS, NOW_S) == Reading(0.1, 2_000)


@pytest.mark.parametrize(
    ("reading", "is_complete"),
    [(Reading(0.0, 1.0), True), (Reading(0.0), False), (Reading(None, 1.0), False), (Reading(), False)],
)
def test_reading_is_complete_with_both_figures(reading: Reading, *, is_complete: bool) -> None:
    """A reading that lacks a figure can be filled from another host's."""
    assert reading.is_complete is is_complete
