"""Tests of what is remembered: the bounded dictionary, signatures, prompts."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Any

import pytest

from antigravity_proxy.simulator.memory import Newest, PromptMemory, SignatureLedger
from antigravity_proxy.simulator.models import Family

from .wire import gemini_tool, model, tools, user

if TYPE_CHECKING:
    from collections.abc import Callable


def test_oldest_entry_is_forgotten() -> None:
    """One entry too many pushes the oldest out, and setting one again makes it new."""
    newest: Newest[str, int] = Newest(2)
    newest["a"], newest["b"], newest["a"], newest["c"] = 1, 2, 3, 4
    assert dict(newest) == {"a": 3, "c": 4}


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


def test_first_prompt_has_nothing_cached() -> None:
    """The tokens of all turns, the system text and the tools are counted."""
    memory = PromptMemory(10)
    plain = memory.count_tokens({"contents": [user("two words")], "sessionId": "1"})
    assert plain == (3, 0)
    rich = {"contents": [user("two words")], "systemInstruction": user("be brief"), "tools": tools(gemini_tool("f"))}
    total, cached = memory.count_tokens(rich)
    assert total > 6
    assert cached == 0


def test_longer_prompt_of_a_session_is_cached() -> None:
    """What the session's last prompt began with is cached, up to the first difference."""
    memory = PromptMemory(10)
    memory.count_tokens({"contents": [user("one")], "sessionId": "1"})
    longer = {"contents": [user("one"), model("two"), user("three")], "sessionId": "1"}
    assert memory.count_tokens(longer) == (6, 2)
    other = {"contents": [user("one"), model("no"), user("three")], "sessionId": "1"}
    assert memory.count_tokens(other) == (6, 2)


def test_sessions_are_separate() -> None:
    """Another session, or none, has nothing cached."""
    memory = PromptMemory(1)
    contents = [user("one")]
    memory.count_tokens({"contents": contents, "sessionId": "1"})
    assert memory.count_tokens({"contents": contents})[1] == 0
    assert memory.count_tokens({"contents": contents, "sessionId": "2"})[1] == 0
    assert memory.count_tokens({"contents": contents, "sessionId": "1"})[1] == 0
