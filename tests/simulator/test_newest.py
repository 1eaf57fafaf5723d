"""Tests of the bounded dictionary."""

from __future__ import annotations

from antigravity_proxy.simulator.newest import Newest


def test_oldest_entry_is_forgotten() -> None:
    """One entry too many pushes the oldest out, and setting one again makes it new."""
    newest: Newest[str, int] = Newest(2)
    newest["a"], newest["b"], newest["a"], newest["c"] = 1, 2, 3, 4
    assert dict(newest) == {"a": 3, "c": 4}
