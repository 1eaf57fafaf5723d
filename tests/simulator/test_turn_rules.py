"""Tests of the rules for the order of turns."""

from __future__ import annotations

from typing import Any

import pytest

from antigravity_proxy.simulator.models import Family
from antigravity_proxy.simulator.turn_rules import check_tool_results, check_turns

from .wire import call, model, refusal, response, user

GEMINI, CLAUDE, GPT_OSS = Family.GEMINI, Family.CLAUDE, Family.GPT_OSS


def test_alternating_turns_pass() -> None:
    """User and model take turns, the user first and last."""
    check_turns([user("a")], GEMINI)
    check_turns([user("a"), model("b"), user("c")], CLAUDE)


@pytest.mark.parametrize(
    ("contents", "family", "key_phrase"),
    [
        ([], GEMINI, "at least one contents field"),
        ([{"parts": [{"text": "a"}]}], GEMINI, "valid role"),
        ([{**user("a"), "role": "assistant"}], GEMINI, "valid role"),
        ([{"role": "user"}], GEMINI, "parts field"),
        ([user()], GEMINI, "parts field"),
        ([model("a"), user("b")], GEMINI, "alternate"),
        ([user("a"), user("b")], GEMINI, "alternate"),
        ([user("a"), model("b"), model("c"), user("d")], GEMINI, "alternate"),
        ([model(call("f")), user(response("f"))], GEMINI, "function call turn comes immediately after a user turn"),
        (
            [user("a"), model("b"), model(call("f")), user(response("f"))],
            GEMINI,
            "function call turn comes immediately after a user turn or after a function response turn",
        ),
        ([user("a"), model("b")], GEMINI, "Requests ending with a model turn are not supported"),
        ([user("a"), model("b")], CLAUDE, "conversation must end with a user message"),
        ([user("a"), model("b")], GPT_OSS, "must end with a user message"),
    ],
    ids=lambda value: str(value)[:50],
)
def test_wrong_turns_are_refused(contents: list[dict[str, Any]], family: Family, key_phrase: str) -> None:
    """A turn that may not stand where it does is a 400 in the words of the service."""
    assert key_phrase in refusal(lambda: check_turns(contents, family)).message


@pytest.mark.parametrize(
    ("contents", "family"),
    [
        ([user("a"), model(call("f")), user(response("f"))], GEMINI),
        ([user("a"), model("t", call("f"), call("g")), user(response("f"), response("g"), "more")], GEMINI),
        ([user("a"), model(call("f", "1"), call("f", "2")), user(response("f", "1"), response("f", "2"))], CLAUDE),
        ([user("a"), model("b"), user("c")], CLAUDE),
    ],
    ids=["one", "parallel and text", "ids", "no calls"],
)
def test_answered_calls_pass(contents: list[dict[str, Any]], family: Family) -> None:
    """Calls that are answered in the next turn, in order, pass."""
    check_tool_results(contents, family)


@pytest.mark.parametrize(
    ("contents", "family", "key_phrase"),
    [
        ([user("a"), model(call("f")), user("b")], GEMINI, "number of function response parts is equal"),
        ([user("a"), model(call("f"), call("g")), user(response("f"))], GEMINI, "number of function response parts"),
        ([user("a"), model(call("f")), user(response("f"), response("g"))], GEMINI, "number of function response"),
        ([user(response("f"))], GEMINI, "function response turn comes immediately after a function call turn"),
        ([user("a"), model("b"), user(response("f"))], GEMINI, "immediately after a function call turn"),
        (
            [user("a"), model(call("f", "1"), call("g", "2")), user(response("f", "1"))],
            CLAUDE,
            "without `tool_result` blocks immediately after: 2.",
        ),
        ([user("a"), model(call("f", "1")), user("b")], GPT_OSS, "number of function response parts"),
        (
            [
                user("a"),
                model(call("f", "1")),
                user(response("f", "1")),
                model(call("f", "1")),
                user(response("f", "1")),
            ],
            CLAUDE,
            "ids must be unique",
        ),
        (
            [user("a"), model(call("f", "1"), call("f", "1")), user(response("f", "1"), response("f", "1"))],
            CLAUDE,
            "ids must be unique",
        ),
    ],
    ids=lambda value: str(value)[:50],
)
def test_unanswered_calls_are_refused(contents: list[dict[str, Any]], family: Family, key_phrase: str) -> None:
    """Too few or too many answers are a 400 in the words of the service."""
    assert key_phrase in refusal(lambda: check_tool_results(contents, family)).message


@pytest.mark.parametrize(
    "answers",
    [
        user("text first", response("f", "1"), response("g", "2")),
        user(response("f", "1"), "text between", response("g", "2")),
        user(response("g", "2"), response("f", "1")),
        user(response("f", "2"), response("g", "1")),
        user(response("x", "1"), response("g", "2")),
        user(response("f"), response("g", "2")),
    ],
    ids=["text first", "text between", "other order", "ids swapped", "other name", "no id"],
)
def test_mismatched_answers_are_refused(answers: dict[str, Any]) -> None:
    """Answers come first, one after the other, in the order of the calls, with their names and ids."""
    contents = [user("a"), model(call("f", "1"), call("g", "2")), answers]
    assert refusal(lambda: check_tool_results(contents, CLAUDE)).http_status == 400
