"""Tests of the scenarios that change the answer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from antigravity_proxy.simulator.answer import Answer, Usage
from antigravity_proxy.simulator.brain import Brain
from antigravity_proxy.simulator.conversation import Tool
from antigravity_proxy.simulator.emit import EventStyle, UsagePattern
from antigravity_proxy.simulator.models import Family
from antigravity_proxy.simulator.scenario_answers import Draft, changed_draft
from antigravity_proxy.simulator.scenarios import ScenarioError, make_scenario
from antigravity_proxy.simulator.signatures import SignatureLedger

if TYPE_CHECKING:
    from collections.abc import Callable

TOOL = Tool("f", {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]})
THOUGHT = {"text": "hm ", "thought": True}


@pytest.fixture
def draft(random_bytes: Callable[[int], bytes]) -> Draft:
    """Give a draft with a thought and a text by a Claude model that may call one tool."""
    brain = Brain(Family.CLAUDE, SignatureLedger(random_bytes, 10), lambda: "toolu_1")
    return Draft(Answer((THOUGHT, {"text": "Hello"}), Usage(5, 0, 1, 1), "MAX_TOKENS"), EventStyle(), brain, (TOOL,))


def changed(draft: Draft, name: str, **params: Any) -> Draft:
    """Give the draft as a scenario wants it."""
    return changed_draft(draft, make_scenario(name, params))


def call(name: str, **args: Any) -> dict[str, Any]:
    """Give the part of a Claude call."""
    return {"functionCall": {"name": name, "args": args, "id": "toolu_1"}}


@pytest.mark.parametrize(
    ("name", "params", "parts"),
    [
        ("empty", {}, []),
        ("only-thoughts", {}, [THOUGHT]),
        ("text", {"text": "Bye"}, [{"text": "Bye"}]),
        ("call", {"function": "g", "args": '{"a":[1]}'}, [call("g", a=[1])]),
        ("call", {}, [call("f")]),
        ("parallel", {"n": 3}, [call("f", n=1)] * 3),
        ("parallel", {"n": 10**9}, [call("f", n=1)] * 100),
        ("malformed-call", {}, []),
        ("blocked", {}, []),
        ("big", {"n": 2, "size": 3}, [{"text": "xx "}] * 2),
        ("old-version", {"as": "error"}, [THOUGHT, {"text": "Hello"}]),
        ("crlf", {}, [THOUGHT, {"text": "Hello"}]),
    ],
    ids=lambda value: str(value)[:30],
)
def test_parts_are_replaced(draft: Draft, name: str, params: dict[str, Any], parts: list[dict[str, Any]]) -> None:
    """Each scenario gives its parts; scenarios of other stages change nothing."""
    assert list(changed(draft, name, **params).answer.parts) == parts


def test_calls_need_no_declared_tool(draft: Draft) -> None:
    """Without declared tools an invented one is called."""
    bare = Draft(draft.answer, draft.style, draft.brain, ())
    assert changed(bare, "call").answer.parts == (call("simulated_tool"),)
    assert changed(bare, "parallel", n=1).answer.parts == (call("simulated_tool"),)


def test_thoughts_are_made_up_if_there_are_none(draft: Draft) -> None:
    """An answer of thoughts alone has a thought."""
    (part,) = changed(changed(draft, "empty"), "only-thoughts").answer.parts
    assert part["thought"] is True


def test_replaced_answers_are_counted_and_finished(draft: Draft) -> None:
    """A replaced answer has token counts of its own and an ordinary end."""
    answer = changed(draft, "text", text="one two").answer
    assert (answer.usage, answer.finish_reason) == (Usage(5, 0, 2, 0), "STOP")
    assert changed(draft, "big", n=7).answer.usage.answer == 7


def test_picture_follows_the_text(draft: Draft) -> None:
    """A picture is added to what is said."""
    parts = changed(draft, "image").answer.parts
    assert len(parts) == 3
    assert parts[2]["inlineData"]["mimeType"] == "image/png"


def test_version_notice_as_answer(draft: Draft) -> None:
    """The version notice can be an ordinary answer."""
    (part,) = changed(draft, "old-version", **{"as": "answer"}).answer.parts
    assert "no longer supported" in part["text"]


def test_finish_reason_is_set(draft: Draft) -> None:
    """The reason is any text, or absent, and may be apart."""
    safe = changed(draft, "finish", separate=True)
    assert (safe.answer.finish_reason, safe.style.has_separate_finish) == ("SAFETY", True)
    assert changed(draft, "finish", reason="absent").answer.finish_reason is None


def test_blocked_and_malformed_have_reasons(draft: Draft) -> None:
    """A blocked prompt has its reason, a malformed call its finish reason and message."""
    assert changed(draft, "blocked").answer.block_reason == "PROHIBITED_CONTENT"
    malformed = changed(draft, "malformed-call").answer
    assert malformed.finish_reason == "MALFORMED_FUNCTION_CALL"
    assert malformed.finish_message is not None


def test_style_is_changed(draft: Draft) -> None:
    """Usage patterns and the missing envelope are a matter of style."""
    assert changed(draft, "usage", pattern="every").style.usage is UsagePattern.EVERY
    assert changed(draft, "unwrapped").style.is_wrapped is False


@pytest.mark.parametrize(("name", "params"), [("usage", {"pattern": "x"}), ("call", {"args": "{"})])
def test_meaningless_params_are_refused(draft: Draft, name: str, params: dict[str, str]) -> None:
    """A pattern or arguments that mean nothing are an error."""
    with pytest.raises(ScenarioError):
        changed(draft, name, **params)
