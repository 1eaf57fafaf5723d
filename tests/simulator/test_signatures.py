"""Tests of the signature ledger."""

from __future__ import annotations

import base64

from antigravity_proxy.simulator.models import Family
from antigravity_proxy.simulator.signatures import SignatureLedger


def test_ledger_knows_what_it_issued() -> None:
    """An issued signature is standard base64 and belongs to its family."""
    ledger = SignatureLedger(lambda size: b"\xff" * size, 10)
    raw = base64.b64decode(ledger.issue(Family.CLAUDE), validate=True)
    assert ledger.family_of(raw) is Family.CLAUDE
    assert ledger.family_of(b"other") is None


def test_ledger_forgets_the_oldest() -> None:
    """A signature older than the capacity counts as never issued."""
    numbers = iter(range(3))
    ledger = SignatureLedger(lambda size: bytes([next(numbers)]) * size, 2)
    issued = [base64.b64decode(ledger.issue(Family.GEMINI)) for _ in range(3)]
    assert [ledger.family_of(raw) for raw in issued] == [None, Family.GEMINI, Family.GEMINI]
