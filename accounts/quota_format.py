"""Reads what Google says about quota; whatever has another shape counts as absent.

Source:
    SPEC.md, "Quota".
"""

from __future__ import annotations

from datetime import UTC, datetime
from math import isnan
from typing import TYPE_CHECKING, Any, TypeGuard, TypeVar, cast

from .quota import QuotaPool, Reading, Window

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

K = TypeVar("K")

FRACTION_KEYS = ("remainingFraction", "remaining", "quotaRemaining")
"""Where a row may say what share is left, 0 to 1; the first that is a number counts."""

RESET_KEYS = ("resetTime", "resetsAt", "quotaResetTime")
"""Where a row may say when it is whole again, as RFC 3339; the first that is a time counts."""

MAX_ROWS = 500
MAX_ID_CHARACTERS = 200
"""More rows and longer ids than any catalogue has are not kept."""

PLACEHOLDER_RESET_S = 5 * 3600.0
PLACEHOLDER_TOLERANCE_S = 120.0
"""A full row that resets so long after the question, give or take so much, is shown of accounts not looked at."""

POOL_WORDS: Mapping[QuotaPool, tuple[str, ...]] = {
    QuotaPool.GEMINI: ("gemini",),
    QuotaPool.OTHERS: ("3p", "claude", "gpt"),
}
"""Quota pool → what its names contain."""

WINDOW_WORDS: Mapping[Window, tuple[str, ...]] = {
    Window.FIVE_HOURS: ("5h", "five hour", "5 hour", "5-hour"),
    Window.WEEKLY: ("week",),
}
"""Window → what its names contain."""


def read_summary(document: Any) -> dict[tuple[QuotaPool, Window], Reading]:
    """Read the answer of ``retrieveUserQuotaSummary``: the limits of the quota pools, sorted.

    A limit with a name and without a fraction is used up, as Google's encoding leaves out what is 0.
    """
    found: dict[tuple[QuotaPool, Window], Reading] = {}
    for group in map(_object, _list(_object(document).get("groups"))):
        for bucket in map(_object, _list(group.get("buckets"))):
            name, title = _text(bucket.get("bucketId")), _text(group.get("displayName"))
            quota_pool = _match(POOL_WORDS, name) or _match(POOL_WORDS, title)
            window = _match(
                WINDOW_WORDS, " ".join((_text(bucket.get("window")), name, _text(bucket.get("displayName"))))
            )
            reading = _limit(bucket, has_name=bool(name))
            if quota_pool is None or window is None or reading is None:
                continue
            known = found.get((quota_pool, window), reading)
            found[quota_pool, window] = min(known, reading, key=lambda entry: entry.remaining or 0.0)
    return {key: found[key] for key in sorted(found)}


def read_rows(
    document: Any, read_at_s: float, is_visible: Callable[[str, Mapping[str, Any]], bool]
) -> dict[str, Reading]:
    """Read the quota in the answer of ``fetchAvailableModels``: runtime id → its reading, sorted.

    Args:
        document: the parsed answer.
        read_at_s: Unix time just before Google was asked.
        is_visible: whether a row of the catalogue is a model to be shown.
    """
    rows = {name: _object(row) for name, row in _object(_object(document).get("models")).items()}
    names = sorted(name for name, row in rows.items() if len(name) <= MAX_ID_CHARACTERS and is_visible(name, row))
    return {name: _row(rows[name], read_at_s) for name in names[:MAX_ROWS]}


def filled(readings: Mapping[K, Reading], others: Mapping[K, Reading]) -> dict[K, Reading]:
    """Readings with what they leave out taken from others, field by field."""
    return {key: _filled(readings.get(key, Reading()), others.get(key, Reading())) for key in {**readings, **others}}


def _filled(reading: Reading, other: Reading) -> Reading:
    return Reading(
        other.remaining if reading.remaining is None else reading.remaining,
        other.resets_at_s if reading.resets_at_s is None else reading.resets_at_s,
    )


def _limit(bucket: Mapping[str, Any], *, has_name: bool) -> Reading | None:
    value = bucket.get("remainingFraction")
    fraction = 0.0 if value is None and has_name else _fraction(value)
    return None if fraction is None else Reading(fraction, _time(bucket.get("resetTime")))


def _row(row: Mapping[str, Any], read_at_s: float) -> Reading:
    info = row["quotaInfo"] if isinstance(row.get("quotaInfo"), dict) else row
    reading = Reading(
        next((value for key in FRACTION_KEYS if (value := _fraction(info.get(key))) is not None), None),
        next((value for key in RESET_KEYS if (value := _time(info.get(key))) is not None), None),
    )
    return Reading() if _is_placeholder(reading, read_at_s) else reading


def to_timestamp(unix_s: float) -> str:
    """A Unix time as people and programs read it, such as ``2026-09-08T00:00:00Z``."""
    return datetime.fromtimestamp(int(unix_s), UTC).isoformat().replace("+00:00", "Z")


def _is_placeholder(reading: Reading, read_at_s: float) -> bool:
    """Whether Google says what it says of every account that it has not looked at."""
    if reading.remaining != 1 or reading.resets_at_s is None:
        return False
    return abs(reading.resets_at_s - read_at_s - PLACEHOLDER_RESET_S) <= PLACEHOLDER_TOLERANCE_S


def _fraction(value: Any) -> float | None:
    if not isinstance(value, (int, float)) or isinstance(value, bool):
        return None
    fraction = float(min(max(value, 0), 1))
    return None if isnan(fraction) else fraction


def _time(value: Any) -> float | None:
    try:
        time = datetime.fromisoformat(_text(value))
        # Rounded up, the last second of the calendar would be one of the next year.
        return None if time.tzinfo is None else time.astimezone(UTC).replace(microsecond=0).timestamp()
    except (ValueError, OverflowError):  # no time, or one that no calendar shows in another zone
        return None


def _match(table: Mapping[K, tuple[str, ...]], text: str) -> K | None:
    lowered = text.lower()
    return next((key for key, words in table.items() if any(word in lowered for word in words)), None)


def _object(value: Any) -> dict[str, Any]:
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def _list(value: Any) -> list[Any]:
    return value if _is_list(value) else []


def _is_list(value: Any) -> TypeGuard[list[Any]]:
    return isinstance(value, list)


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""
