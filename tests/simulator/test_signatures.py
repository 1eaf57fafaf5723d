"""Tests of the signature ledger."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Any

import pytest

from antigravity_proxy.simulator.models import Family
from antigravity_proxy.simulator.signatures import SignatureLedger

if TYPE_CHECKING:
    from collections.abc import Callable

ME = "me@example.com"
CALL = {"name": "f", "args": {"a": {"x": 1, "y": [2, "3"]}, "b": None}, "id": "toolu_1"}


@pytest.fixture
def ledger(random_bytes: Callable[[int], bytes]) -> SignatureLedger:
    """Give an empty ledger that remembers two signatures."""
    return SignatureLedger(random_bytes, 2)


def issue(ledger: SignatureLedger, family: Family, call: dict[str, Any] | None = None) -> bytes:
    """Give the bytes of a signature issued to one account."""
    return base64.b64decode(ledger.issue(ME, family, call), validate=True)


@pytest.mark.parametrize("call", [None, CALL], ids=["text", "call"])
def test_ledger_knows_what_it_issued(ledger: SignatureLedger, call: dict[str, Any] | None) -> None:
    """An issued signature is standard base64, and good for its account, its family and what it signs."""
    raw = issue(ledger, Family.GEMINI, call)
    assert ledger.is_genuine(ME, raw, Family.GEMINI, call)
    assert not ledger.is_genuine("you@example.com", raw, Family.GEMINI, call)
    assert not ledger.is_genuine(ME, raw, Family.CLAUDE, call)
    assert not ledger.is_genuine(ME, b"other", Family.GEMINI, call)
    assert not ledger.is_genuine(ME, raw, Family.GEMINI, {"name": "g"})


@pytest.mark.parametrize(
    "args",
    [
        {"b": None, "a": {"y": [2, "3"], "x": 1}},
        {"a": {"x": 1.0, "y": [2.0, "3"]}, "b": None},
    ],
    ids=["order of keys", "form of numbers"],
)
def test_same_call_may_be_written_otherwise(ledger: SignatureLedger, args: dict[str, Any]) -> None:
    """The order of keys, the id and whether 1 is written as 1.0 make no other call."""
    assert ledger.is_genuine(ME, issue(ledger, Family.GEMINI, CALL), Family.GEMINI, {"name": "f", "args": args})


@pytest.mark.parametrize(
    "changes",
    [
        {"name": "g"},
        {"args": {}},
        {"args": {"a": {"x": 1, "y": ["3", 2]}, "b": None}},
        {"args": {"a": {"x": True, "y": [2, "3"]}, "b": None}},
        {"args": {"a": {"x": 1, "y": [2, 3]}, "b": None}},
    ],
    ids=["name", "no args", "order of a list", "true", "number"],
)
def test_other_call_is_not_signed(ledger: SignatureLedger, changes: dict[str, Any]) -> None:
    """A signature is not good for a call with another name or other arguments."""
    assert not ledger.is_genuine(ME, issue(ledger, Family.GEMINI, CALL), Family.GEMINI, CALL | changes)


def test_absent_args_are_empty(ledger: SignatureLedger) -> None:
    """A call without arguments and one with none are the same."""
    assert ledger.is_genuine(
        ME, issue(ledger, Family.GEMINI, {"name": "f"}), Family.GEMINI, {"name": "f", "args": {}}
    )


def test_ledger_forgets_the_oldest(ledger: SignatureLedger) -> None:
    """A signature older than the capacity counts as never issued."""
    issued = [issue(ledger, Family.GEMINI) for _ in range(3)]
    assert [ledger.is_genuine(ME, raw, Family.GEMINI, None) for raw in issued] == [False, True, True]
