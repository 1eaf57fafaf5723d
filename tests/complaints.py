"""What the simulator has against the requests it was sent.

A client may not notice it, as wrong headers are served and refused requests can be repeated.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable

    import pytest


def check_complaints(requests: Iterable[dict[str, Any]], expected: Iterable[str] = ()) -> None:
    """Fail when the simulator has complained of something that is not expected, or not of something that is.

    Args:
        requests: what the simulator was sent, as it logged it.
        expected: words of each complaint there must be.
    """
    complaints = [complaint for entry in requests for complaint in _complaints_of(entry)]
    unexpected = [complaint for complaint in complaints if not any(words in complaint for words in expected)]
    missing = [words for words in expected if not any(words in complaint for complaint in complaints)]
    assert (unexpected, missing) == ([], []), f"unexpected: {unexpected}, missing: {missing}"


def expected_complaints(test: pytest.Item) -> list[str]:
    """What a test marked with ``refused`` expects."""
    return [words for mark in test.iter_markers("refused") for words in mark.args]


def _complaints_of(entry: dict[str, Any]) -> list[str]:
    refusal = [entry["refusal"]] if entry["refusal"] is not None else []
    return [f"{entry['path']}: {complaint}" for complaint in (*entry["violations"], *refusal)]
