"""Tests of reading quota."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from antigravity_proxy.accounts.quota import QuotaPool, Reading, Window
from antigravity_proxy.accounts.quota_format import MAX_ROWS, filled, read_rows, read_summary, to_timestamp

NOON = "2026-09-05T12:00:00Z"
NOON_S = 1_788_609_600.0
GEMINI_5H, GEMINI_WEEKLY = (QuotaPool.GEMINI, Window.FIVE_HOURS), (QuotaPool.GEMINI, Window.WEEKLY)
OTHERS_5H, OTHERS_WEEKLY = (QuotaPool.OTHERS, Window.FIVE_HOURS), (QuotaPool.OTHERS, Window.WEEKLY)

SUMMARY = {
    "description": "Quota.",
    "groups": [
        {
            "displayName": "Gemini Models",
            "buckets": [
                {"bucketId": "gemini-weekly", "window": "weekly", "resetTime": NOON, "remainingFraction": 0.8},
                {"bucketId": "gemini-5h", "window": "5h", "resetTime": NOON, "remainingFraction": 0.4},
            ],
        },
        {
            "displayName": "Claude and GPT models",
            "buckets": [
                {"bucketId": "3p-weekly", "window": "weekly", "remainingFraction": 1},
                {"bucketId": "3p-5h", "window": "5h"},
            ],
        },
    ],
}

json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=8)
    | st.sampled_from([NOON, "gemini-5h"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["groups", "buckets", "bucketId", "window", "resetTime", "remainingFraction", "models", "quotaInfo"]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


def group(*buckets: Any, name: str = "") -> dict[str, Any]:
    """A summary with one group."""
    return {"groups": [{"displayName": name, "buckets": list(buckets)}]}


def show_all(_runtime_id: str, _row: Any) -> bool:
    """Hide no row."""
    return True


def row(**info: Any) -> Reading:
    """What is read from one row's quota."""
    return read_rows({"models": {"gemini-a": {"quotaInfo": info}}}, NOON_S, show_all)["gemini-a"]


def moment(seconds: float) -> str:
    """A time some seconds after noon."""
    return datetime.fromtimestamp(NOON_S + seconds, UTC).isoformat()


def test_summary_has_two_pools_and_two_windows() -> None:
    """Each quota pool has a limit for five hours and one for a week; a fraction that is left out is 0."""
    found = read_summary(SUMMARY)
    assert found == {
        OTHERS_5H: Reading(0.0),
        OTHERS_WEEKLY: Reading(1.0),
        GEMINI_5H: Reading(0.4, NOON_S),
        GEMINI_WEEKLY: Reading(0.8, NOON_S),
    }
    assert list(found) == sorted(found)


@pytest.mark.parametrize(
    ("bucket", "name", "found"),
    [
        ({"bucketId": "x", "window": "5h", "remainingFraction": 0.5}, "All GEMINI", {GEMINI_5H: Reading(0.5)}),
        ({"displayName": "Weekly Limit", "remainingFraction": 0.5}, "Claude", {OTHERS_WEEKLY: Reading(0.5)}),
        ({"displayName": "Five Hour Limit", "remainingFraction": 0.5}, "GPT", {OTHERS_5H: Reading(0.5)}),
        ({"bucketId": "gemini-5h", "remainingFraction": 7}, "Claude", {GEMINI_5H: Reading(1.0)}),
        ({"bucketId": "gemini-5h", "remainingFraction": -1}, "", {GEMINI_5H: Reading(0.0)}),
        ({"bucketId": "gemini-5h", "remainingFraction": None}, "", {GEMINI_5H: Reading(0.0)}),
        ({"window": "5h"}, "Gemini", {}),
        ({"bucketId": "gemini-5h", "remainingFraction": "half"}, "", {}),
        ({"bucketId": "gemini-5h", "remainingFraction": True}, "", {}),
        ({"bucketId": "gemini-5h", "remainingFraction": float("nan")}, "", {}),
        ({"bucketId": "gemini-daily", "remainingFraction": 1}, "", {}),
        ({"bucketId": "other-5h", "remainingFraction": 1}, "Images", {}),
        ({"bucketId": "gemini-5h", "remainingFraction": 1, "resetTime": "soon"}, "", {GEMINI_5H: Reading(1.0)}),
        ({"bucketId": "gemini-5h", "remainingFraction": 1, "resetTime": "2026-09-05"}, "", {GEMINI_5H: Reading(1.0)}),
    ],
)
def test_summary_of_other_shapes(bucket: dict[str, Any], name: str, found: dict[Any, Reading]) -> None:
    """Names are found by what they contain, fractions are cut to 0 to 1, and what cannot be understood is dropped."""
    assert read_summary(group(bucket, name=name)) == found


def test_emptier_of_two_limits_counts() -> None:
    """Of two limits for the same quota pool and window the emptier one is kept, whatever their order."""
    full, empty = ({"bucketId": "gemini-5h", "remainingFraction": fraction} for fraction in (0.9, 0.2))
    assert read_summary(group(full, empty)) == read_summary(group(empty, full)) == {GEMINI_5H: Reading(0.2)}


@pytest.mark.parametrize(
    ("info", "reading"),
    [
        ({"remainingFraction": 0.62, "resetTime": NOON}, Reading(0.62, NOON_S)),
        ({"remaining": 0.5}, Reading(0.5)),
        ({"quotaRemaining": 0.25, "remaining": None}, Reading(0.25)),
        ({"remainingFraction": 0.1, "remaining": 0.9}, Reading(0.1)),
        ({"resetTime": NOON}, Reading(None, NOON_S)),
        ({"remainingFraction": 0.5, "resetTime": "9999-12-31T23:59:59-14:00"}, Reading(0.5)),
        ({"remainingFraction": 0.5, "resetTime": "0001-01-01T00:00:00+14:00"}, Reading(0.5)),
        ({"remainingFraction": 0.5, "resetTime": "9999-12-31T23:59:59.999999999Z"}, Reading(0.5, 253_402_300_799.0)),
        ({}, Reading()),
    ],
)
def test_row_has_its_own_figures(info: dict[str, Any], reading: Reading) -> None:
    """The share of a row goes by three names; what is absent is left out."""
    assert row(**info) == reading


def test_row_without_quota_part_is_read_itself() -> None:
    """Where a row has no part about quota the figures stand on the row."""
    document = {"models": {"gemini-a": {"remaining": 0.5}, "gemini-b": "?", "gemini-c": {"quotaInfo": 3}}}
    assert read_rows(document, NOON_S, show_all) == {
        "gemini-a": Reading(0.5),
        "gemini-b": Reading(),
        "gemini-c": Reading(),
    }


@pytest.mark.parametrize(
    ("fraction", "offset_s", "is_kept"),
    [
        (1, 5 * 3600, False),
        (1.0, 5 * 3600 + 120, False),
        (1, 5 * 3600 - 120, False),
        (1, 5 * 3600 + 121, True),
        (1, 5 * 3600 - 121, True),
        (0.999, 5 * 3600, True),
    ],
)
def test_placeholder_is_left_out(fraction: float, offset_s: float, *, is_kept: bool) -> None:
    """A full quota whose reset is five hours after the question, give or take two minutes, is no reading."""
    reading = row(remainingFraction=fraction, resetTime=moment(offset_s))
    assert reading == (Reading(fraction, NOON_S + offset_s) if is_kept else Reading())


def test_rows_are_those_to_be_shown_sorted_and_bounded() -> None:
    """Hidden rows and ids of absurd length are left out, the others sorted, and there is an end to them."""
    names = ("gpt-oss-b", "tab_x", "claude-a", "gemini-" + "x" * 200)
    rows = read_rows({"models": {name: {} for name in names}}, NOON_S, lambda name, _: not name.startswith("tab"))
    assert list(rows) == ["claude-a", "gpt-oss-b"]
    many: Any = {"models": {f"gemini-{number}": {} for number in range(MAX_ROWS + 1)}}
    assert len(read_rows(many, NOON_S, show_all)) == MAX_ROWS


def test_gaps_are_filled_field_by_field() -> None:
    """What one host leaves out comes from the other; what it says stays."""
    daily = {"a": Reading(0.5), "b": Reading(None, 5), "c": Reading(0.1, 1)}
    prod = {"a": Reading(1, 9), "b": Reading(0.7, 9), "c": Reading(1, 9), "d": Reading(0.2)}
    assert filled(daily, prod) == {
        "a": Reading(0.5, 9),
        "b": Reading(0.7, 5),
        "c": Reading(0.1, 1),
        "d": Reading(0.2),
    }


@given(json_values)
def test_hostile_answers_never_fail(document: Any) -> None:
    """Whatever Google sends, the shares are 0 to 1."""
    found = [*read_summary(document).values(), *read_rows(document, NOON_S, show_all).values()]
    assert all(entry.remaining is None or 0 <= entry.remaining <= 1 for entry in found)


def test_very_large_summary_keeps_only_the_four_limits() -> None:
    """However many buckets there are, one limit is kept for each quota pool and window, the scarcest."""
    buckets = [
        {"bucketId": f"{name}-{window}-{number}", "window": window, "remainingFraction": 1 - number / 10_000}
        for number in range(5_000)
        for name in ("gemini", "3p", "video")
        for window in ("5h", "weekly", "monthly")
    ]
    groups = [
        {"displayName": "x" * 1_000, "buckets": buckets[start : start + 100]} for start in range(0, 45_000, 100)
    ]
    assert read_summary({"groups": groups}) == dict.fromkeys(
        (OTHERS_5H, OTHERS_WEEKLY, GEMINI_5H, GEMINI_WEEKLY), Reading(0.5001)
    )


@pytest.mark.parametrize(
    ("unix_s", "shown"),
    [
        (1_788_825_600.9, "2026-09-08T00:00:00Z"),
        (253_402_300_799.0, "9999-12-31T23:59:59Z"),
        (-62_135_596_800.0, "0001-01-01T00:00:00Z"),
    ],
)
def test_times_are_shown_to_the_ends_of_the_calendar(unix_s: float, shown: str) -> None:
    """Every time that is read can be shown, in one form."""
    assert to_timestamp(unix_s) == shown
