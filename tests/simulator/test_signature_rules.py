"""Tests of the signature rules."""

from __future__ import annotations

from typing import Any

import pytest

from antigravity_proxy.simulator.models import Family
from antigravity_proxy.simulator.signature_rules import SENTINEL, check_signatures, decode_signature

from .wire import call, model, refusal, response, user

FOR_CALL, FOR_TEXT, UNKNOWN = "Zm9yLWNhbGw=", "Zm9yLXRleHQ=", "QUJD"
PURPOSES: dict[bytes, dict[str, Any] | None] = {b"for-call": {"name": "f", "args": {"a": 1}}, b"for-text": None}


def is_genuine(raw: bytes, family: Family, signed: dict[str, Any] | None) -> bool:
    """Know two signatures of Gemini: one for a call, one for a text."""
    return family is Family.GEMINI and raw in PURPOSES and PURPOSES[raw] == signed


def conversation(*parts: dict[str, Any]) -> list[dict[str, Any]]:
    """Give a conversation with one model turn."""
    return [user("a"), model(*parts), user(response("f"))]


@pytest.mark.parametrize(
    "parts",
    [
        [call("f", signature=SENTINEL)],
        [call("f", signature=FOR_CALL, a=1)],
        [call("f", signature=SENTINEL), call("g")],
        [call("f", signature=FOR_CALL, a=1), call("g", signature=SENTINEL)],
        [{"text": "x"}],
        [{"text": "", "thoughtSignature": FOR_TEXT}],
        [{"text": "hm", "thought": True, "thoughtSignature": SENTINEL}, call("f", signature=SENTINEL)],
    ],
    ids=["sentinel", "genuine", "first of two", "both", "text", "signed text", "signed thought"],
)
def test_signed_calls_pass(parts: list[dict[str, Any]]) -> None:
    """The first call of a turn is signed; whatever else is signed is genuine."""
    check_signatures(conversation(*parts), Family.GEMINI, is_genuine)


@pytest.mark.parametrize(
    ("parts", "key_phrase"),
    [
        ([call("f")], "missing a thought_signature"),
        ([call("f"), call("g", signature=SENTINEL)], "missing a thought_signature"),
        ([call("f", signature=UNKNOWN)], "Corrupted thought signature"),
        ([call("f", signature=FOR_CALL, a=2)], "Corrupted thought signature"),
        ([call("f", signature=FOR_TEXT)], "Corrupted thought signature"),
        ([call("f", signature=FOR_CALL, a=1), call("g", signature=FOR_CALL)], "Corrupted thought signature"),
        ([{"text": "x", "thoughtSignature": FOR_CALL}], "Corrupted thought signature"),
        ([call("f", signature="not base64!")], "Corrupted thought signature"),
        ([call("f", signature="")], "Corrupted thought signature"),
        ([call("f", signature=SENTINEL), call("g", signature=UNKNOWN)], "Corrupted thought signature"),
        ([{"text": "x", "thoughtSignature": UNKNOWN}], "Corrupted thought signature"),
    ],
    ids=[
        "unsigned",
        "second only",
        "unknown",
        "other call",
        "text's on call",
        "copied to second",
        "call's on text",
        "garbled",
        "empty",
        "second unknown",
        "text unknown",
    ],
)
def test_bad_signatures_are_refused(parts: list[dict[str, Any]], key_phrase: str) -> None:
    """A missing or foreign signature is a 400 in the words of the service."""
    assert key_phrase in refusal(lambda: check_signatures(conversation(*parts), Family.GEMINI, is_genuine)).message


def test_every_turn_needs_its_signature() -> None:
    """A signed turn does not speak for a later one."""
    contents = [*conversation(call("f", signature=SENTINEL)), model(call("g")), user(response("g"))]
    assert "`g`, position 4" in refusal(lambda: check_signatures(contents, Family.GEMINI, is_genuine)).message


def test_other_families_have_no_signatures() -> None:
    """Claude's calls need no signature."""
    check_signatures(conversation(call("f", "1")), Family.CLAUDE, is_genuine)


@pytest.mark.parametrize(
    ("text", "raw"),
    [("+/8=", b"\xfb\xff"), ("-_8", b"\xfb\xff"), ("+/8", b"\xfb\xff"), ("x", None), ("é", None), ("a b", None)],
)
def test_decode_signature(text: str, raw: bytes | None) -> None:
    """Both alphabets, padded or not, give the same bytes."""
    assert decode_signature(text) == raw
