"""Tests of what the simulated model answers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import orjson
import pytest

from antigravity_proxy.simulator.brain import (
    ONE_PIXEL_PNG,
    SIGN_OFF,
    Brain,
    answer_text,
    count_thoughts,
    describe_media,
    stopped,
)
from antigravity_proxy.simulator.memory import SignatureLedger
from antigravity_proxy.simulator.models import Family
from antigravity_proxy.simulator.question import Question, Tool
from antigravity_proxy.simulator.signature_rules import decode_signature

from .wire import EMAIL

if TYPE_CHECKING:
    from collections.abc import Callable

WEATHER = Tool("get_weather", {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]})
CLOCK = Tool("get_time", {"type": "object", "properties": {"zone": {"type": "string"}}})


@pytest.fixture
def ledger(random_bytes: Callable[[int], bytes]) -> SignatureLedger:
    """Give an empty ledger."""
    return SignatureLedger(random_bytes, 10)


def brain_of(family: Family, ledger: SignatureLedger) -> Brain:
    """Give a brain whose call ids are always the same."""
    return Brain(family, EMAIL, ledger, lambda: "toolu_1")


def thinking(**fields: Any) -> dict[str, Any]:
    """Give a generationConfig that thinks."""
    return {"thinkingConfig": {"includeThoughts": True, **fields}}


def test_answer_echoes(ledger: SignatureLedger) -> None:
    """A plain text is echoed, signed by the simulator, and counted."""
    answer = brain_of(Family.GEMINI, ledger).answer(Question("hello"), 5, 3)
    assert answer.parts == ({"text": f"You said: hello\n{SIGN_OFF}"},)
    assert answer.finish_reason == "STOP"
    assert answer.usage.metadata() == {
        "promptTokenCount": 5,
        "cachedContentTokenCount": 3,
        "candidatesTokenCount": 14,
        "totalTokenCount": 19,
    }


def test_answer_describes_media() -> None:
    """Media are counted by type with their sizes."""
    assert describe_media((("image/png", 68), ("audio/wav", 2044), ("image/png", 90))) == (
        "2 image/png of 68 and 90 bytes and 1 audio/wav of 2,044 bytes"
    )
    assert answer_text(Question("", media=(("image/png", 68),))) == f"I got 1 image/png of 68 bytes.\n{SIGN_OFF}"


def test_answer_quotes_results() -> None:
    """Tool results are quoted, long ones cut."""
    short = {"name": "f", "response": {"output": "42"}}
    assert answer_text(Question("", results=(short,))).startswith('The tool f answered: {"output":"42"}\n')
    long = {"name": "f", "response": {"output": "x" * 1000}}
    assert "more characters)" in answer_text(Question("", results=(long,)))


def test_long_question_is_cut() -> None:
    """A long question is echoed in part."""
    assert "… (500 more characters)" in answer_text(Question("x" * 1500))


def test_gemini_signs_first_call(ledger: SignatureLedger) -> None:
    """Of parallel Gemini calls the first carries an issued signature of at least 48 bytes, none an id."""
    answer = brain_of(Family.GEMINI, ledger).answer(
        Question("get_weather and get_time", tools=(WEATHER, CLOCK)), 1, 0
    )
    first, second = answer.parts
    assert first["functionCall"] == {"name": "get_weather", "args": {"city": "Zurich"}}
    assert second == {"functionCall": {"name": "get_time", "args": {}}}
    raw = decode_signature(first["thoughtSignature"])
    assert raw is not None
    assert len(raw) >= 48
    assert ledger.is_genuine(EMAIL, raw, Family.GEMINI, first["functionCall"])


def test_call_is_about_what_was_asked(ledger: SignatureLedger) -> None:
    """A question about a place gives a call for that place."""
    question = Question("what's the weather in Paris? use the tool", tools=(CLOCK, WEATHER))
    answer = brain_of(Family.CLAUDE, ledger).answer(question, 1, 0)
    assert [part["functionCall"] for part in answer.parts] == [
        {"name": "get_weather", "args": {"city": "Paris"}, "id": "toolu_1"}
    ]


@pytest.mark.parametrize("family", [Family.CLAUDE, Family.GPT_OSS])
def test_other_families_have_ids(family: Family, ledger: SignatureLedger) -> None:
    """Calls of other families carry an id and no signature."""
    answer = brain_of(family, ledger).answer(Question("get_time", tools=(CLOCK,)), 1, 0)
    assert answer.parts == ({"functionCall": {"name": "get_time", "args": {}, "id": "toolu_1"}},)


@pytest.mark.parametrize(
    ("config", "count"),
    [
        ({}, 0),
        ({"thinkingConfig": {"thinkingBudget": 1000}}, 0),
        (thinking(), 3),
        (thinking(thinkingBudget=1000), 1),
        (thinking(thinkingBudget=4000), 2),
        (thinking(thinkingBudget=10_000), 3),
        (thinking(thinkingBudget=-1), 3),
        (thinking(thinkingLevel="LOW"), 1),
        (thinking(thinkingLevel="MEDIUM"), 2),
        (thinking(thinkingLevel="HIGH"), 3),
    ],
    ids=str,
)
def test_thoughts_follow_the_options(config: dict[str, Any], count: int) -> None:
    """More effort gives more thoughts, and none are given unless asked for."""
    assert count_thoughts(Question("x", config=config)) == count


def test_gemini_signs_thoughtful_text(ledger: SignatureLedger) -> None:
    """A Gemini text after thoughts is signed, the thoughts are not."""
    parts = brain_of(Family.GEMINI, ledger).answer(Question("x", config=thinking(thinkingLevel="LOW")), 1, 0).parts
    assert [part.get("thought", False) for part in parts] == [True, False]
    assert ["thoughtSignature" in part for part in parts] == [False, True]


def test_claude_signs_last_thought(ledger: SignatureLedger) -> None:
    """Claude's last thought is signed, its text is not."""
    config = thinking(thinkingBudget=4000)
    answer = brain_of(Family.CLAUDE, ledger).answer(Question("x", config=config), 1, 0)
    assert ["thoughtSignature" in part for part in answer.parts] == [False, True, False]
    assert answer.usage.thoughts == 19


@pytest.mark.parametrize(
    ("limit", "parts", "reason"),
    [
        (2, ["The user "], "MAX_TOKENS"),
        (11, ["The user wants an answer, and I am a simulator. ", "You "], "MAX_TOKENS"),
        (10, ["The user wants an answer, and I am a simulator. "], "MAX_TOKENS"),
    ],
    ids=["in thought", "in text", "between"],
)
def test_length_is_limited(limit: int, parts: list[str], reason: str, ledger: SignatureLedger) -> None:
    """Thoughts and text together have the tokens that were asked for at most."""
    config = thinking(thinkingLevel="LOW") | {"maxOutputTokens": limit}
    answer = brain_of(Family.GEMINI, ledger).answer(Question("x", config=config), 1, 0)
    assert [part["text"] for part in answer.parts] == parts
    assert answer.finish_reason == reason


def test_calls_are_never_cut(ledger: SignatureLedger) -> None:
    """A call is whole even if it is longer than allowed."""
    question = Question("get_time", tools=(CLOCK,), config={"maxOutputTokens": 1})
    assert brain_of(Family.GEMINI, ledger).answer(question, 1, 0).finish_reason == "STOP"


@pytest.mark.parametrize(
    ("sequences", "text"),
    [([], "one two three"), (["two"], "one "), (["three", "two"], "one "), (["x"], "one two three")],
    ids=["none", "one", "earliest", "not there"],
)
def test_stop_sequences_end_the_text(sequences: list[str], text: str) -> None:
    """The text ends before the first stop sequence in it."""
    assert stopped("one two three", sequences) == text


def test_json_answer_satisfies_schema() -> None:
    """A demanded JSON answer follows the schema, or echoes without one."""
    config = {"responseMimeType": "application/json"}
    assert orjson.loads(answer_text(Question("hi", config=config))) == {"echo": "hi"}
    schema = {"type": "OBJECT", "properties": {"n": {"type": "INTEGER"}}, "required": ["n"]}
    assert orjson.loads(answer_text(Question("hi", config=config | {"responseSchema": schema}))) == {"n": 1}


def test_picture_is_a_png() -> None:
    """The picture the simulator answers with is a PNG file."""
    assert ONE_PIXEL_PNG.startswith(b"\x89PNG\r\n\x1a\n")
