"""Tests of what one server holds against accounts."""

from __future__ import annotations

import pytest

from antigravity_proxy.accounts.exclusion import PROBE_INTERVAL_S, Exclusion, Reason, Standing
from antigravity_proxy.accounts.quota import QuotaPool
from antigravity_proxy.proxy.standings import Standings

NOW_S = 1_790_000_000.0
GEMINI, OTHERS = QuotaPool.GEMINI, QuotaPool.OTHERS
OUT = Exclusion("a", GEMINI, Reason.QUOTA, "", NOW_S, NOW_S + 9_000, NOW_S + 100)


class Kept:
    """Standings whose time and writing the test sees."""

    def __init__(self, standing: Standing = Standing(), chosen_ms: int | None = None) -> None:  # noqa: B008 -- constant
        self.now_s = NOW_S
        self.written: list[Standing] = []
        self.standings = Standings(standing, self.written.append, clock=lambda: self.now_s, chosen_ms=chosen_ms)


def test_change_is_written_down_once() -> None:
    """What is held against an account is kept, and nothing is when nothing has changed."""
    kept = Kept()
    kept.standings.readmit("a")
    kept.standings.exclude(OUT)
    kept.standings.exclude(OUT)
    kept.standings.readmit("a", OTHERS)
    kept.standings.readmit("a", GEMINI)
    assert kept.written == [Standing((OUT,)), Standing()]


def test_what_is_known_from_before_holds() -> None:
    """A server that starts again still knows who is out."""
    kept = Kept(Standing((OUT,)))
    assert kept.standings.exclusion_of("a", GEMINI) == OUT
    assert kept.standings.current == Standing((OUT,))
    kept.now_s = NOW_S + 9_000
    assert kept.standings.exclusion_of("a", GEMINI) is None
    assert kept.standings.current == Standing()


def test_nothing_is_held_when_nothing_is_known() -> None:
    """Without exclusions every account may serve and nobody is asked."""
    kept = Kept()
    assert kept.standings.exclusion_of("a", GEMINI) is None
    assert kept.standings.claim_probes(GEMINI) == ()


def test_probe_is_claimed_once_an_hour() -> None:
    """Of many requests one gets to ask an account that is out, and the next one an hour later."""
    kept = Kept(Standing((OUT,)))
    assert kept.standings.claim_probes(GEMINI) == ()
    kept.now_s += 100
    assert [entry.account_id for entry in kept.standings.claim_probes(GEMINI)] == ["a"]
    assert kept.standings.claim_probes(GEMINI) == ()
    kept.now_s += PROBE_INTERVAL_S
    assert [entry.account_id for entry in kept.standings.claim_probes(GEMINI)] == ["a"]


@pytest.mark.parametrize(
    ("account_id", "chosen_ms", "is_out"),
    [("a", None, True), ("a", 7, True), ("a", 8, False), ("b", 8, True), (None, 8, True)],
    ids=["never", "as-before", "since", "another", "removed"],
)
def test_account_that_the_user_chooses_is_readmitted(
    account_id: str | None, chosen_ms: int | None, *, is_out: bool
) -> None:
    """Only an account that somebody has just chosen is asked whatever is held against it."""
    kept = Kept(Standing((OUT,)), chosen_ms=None if chosen_ms is None else 7)
    kept.standings.note_choice(account_id, chosen_ms)
    assert (kept.standings.exclusion_of("a", GEMINI) is not None) == is_out
    kept.standings.exclude(OUT)
    kept.standings.note_choice(account_id, chosen_ms)
    assert kept.standings.exclusion_of("a", GEMINI) is not None
