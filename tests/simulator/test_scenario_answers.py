"""Tests of the scenarios that change the answer."""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from antigravity_proxy.simulator.answer import Answer, Usage
from antigravity_proxy.simulator.brain import Brain
from antigravity_proxy.simulator.emit import EventStyle, UsagePattern
from antigravity_proxy.simulator.memory import SignatureLedger
from antigravity_proxy.simulator.models import Family
from antigravity_proxy.simulator.question import Tool
from antigravity_proxy.simulator.scenario_answers import Draft, changed_draft
from antigravity_proxy.simulator.scenarios import ScenarioError, make_scenario
from antigravity_proxy.simulator.signature_rules import decode_signature

from .wire import EMAIL

if TYPE_CHECKING:
    from collections.abc import Callable

TOOL = Tool("f", {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]})
THOUGHT = {"text": "hm ", "thought": True}


@pytest.fixture
def draft(random_bytes: Callable[[int], bytes]) -> Draft:
    """Give a draft with a thought and a text by a Claude model that may call one tool."""
    brain = Brain(Family.CLAUDE, EMAIL, SignatureLedger(random_bytes, 10), lambda: "toolu_1")
    return Draft(Answer((THOUGHT, {"text": "Hello"}), Usage(5, 0, 1, 1), "MAX_TOKENS"), EventStyle(), brain, (TOOL,))


@pytest.fixture
def gemini_draft(draft: Draft) -> Draft:
    """Give the same draft by a Gemini model whose ids count up."""
    numbers = itertools.count(1)
    return replace(draft, brain=replace(draft.brain, family=Family.GEMINI, new_id=lambda: f"id_{next(numbers)}"))


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


def shaped(draft: Draft, kind: str) -> tuple[dict[str, Any], ...]:
    """Give the parts of a draft in an odd form."""
    return changed(draft, "shape", kind=kind).answer.parts


def is_signed(draft: Draft, part: dict[str, Any]) -> bool:
    """Say whether a part has a signature that was issued for it."""
    raw = decode_signature(part["thoughtSignature"])
    call = part.get("functionCall")
    return raw is not None and draft.brain.signatures.is_genuine(EMAIL, raw, draft.brain.family, call)


def test_several_parts_share_an_event(gemini_draft: Draft) -> None:
    """A signed thought, a text and a signed call come in one event; what the answer lacks is made up."""
    together = changed(gemini_draft, "shape", kind="several-parts")
    thought, text, called = together.answer.parts
    assert (thought["thought"], text, called["functionCall"]["name"]) == (True, {"text": "Hello"}, "f")
    assert is_signed(gemini_draft, thought)
    assert is_signed(gemini_draft, called)
    assert together.style.is_one_event
    calling = changed(gemini_draft, "call", function="g")
    assert [set(part) - {"thoughtSignature"} for part in shaped(calling, "several-parts")] == [
        {"text", "thought"},
        {"text"},
        {"functionCall"},
    ]
    assert shaped(calling, "several-parts")[2] == calling.answer.parts[0]


def test_text_says_it_is_no_thought(draft: Draft) -> None:
    """Ordinary text says so, at no cost; thoughts and calls are as they were."""
    false = changed(draft, "shape", kind="thought-false").answer
    assert false.parts == (THOUGHT, {"text": "Hello", "thought": False})
    assert false.usage == Usage(5, 0, 1, 1)
    assert shaped(changed(draft, "call"), "thought-false") == (call("f"),)


def test_gemini_calls_have_ids(gemini_draft: Draft) -> None:
    """Gemini's calls get ids; one is made if there is none."""
    assert shaped(gemini_draft, "gemini-ids")[0]["functionCall"] == {"name": "f", "args": {"n": 1}, "id": "id_1"}
    two = shaped(changed(gemini_draft, "parallel"), "gemini-ids")
    assert [part["functionCall"]["id"] for part in two] == ["id_2", "id_3"]
    assert is_signed(gemini_draft, two[0])


def test_answer_ends_with_empty_text(draft: Draft) -> None:
    """The parts stay; the end is a matter of style."""
    ended = changed(draft, "shape", kind="empty-stop")
    assert (ended.answer, ended.style.has_empty_end) == (draft.answer, True)


def test_claude_calls_are_signed(draft: Draft) -> None:
    """Claude's calls get a signature that is Claude's, for just that call."""
    (part,) = shaped(draft, "claude-signatures")
    assert part["functionCall"] == call("f", n=1)["functionCall"]
    assert is_signed(draft, part)


@pytest.mark.parametrize("family", [Family.GEMINI, Family.CLAUDE])
def test_parallel_calls_share_an_id(gemini_draft: Draft, family: Family) -> None:
    """Two calls have one id between them, also where an answer had a single call."""
    own = replace(gemini_draft, brain=replace(gemini_draft.brain, family=family))
    for before in (own, changed(own, "call")):
        first, second = shaped(before, "same-ids")
        assert first["functionCall"] == second["functionCall"]
        assert first["functionCall"]["id"].startswith("id_")


def test_calls_may_lack_arguments(draft: Draft, gemini_draft: Draft) -> None:
    """A call can have no arguments at all; a signature is good for that call."""
    assert shaped(draft, "no-args") == ({"functionCall": {"name": "f", "id": "toolu_1"}},)
    first, second = shaped(changed(gemini_draft, "parallel"), "no-args")
    assert first["functionCall"] == second["functionCall"] == {"name": "f"}
    assert is_signed(gemini_draft, first)
    assert "thoughtSignature" not in second


def test_shape_keeps_thoughts_before_calls(draft: Draft) -> None:
    """A form of the calls leaves the other parts of an answer that has calls as they are."""
    thoughtful = draft.with_parts([THOUGHT, call("f")])
    assert shaped(thoughtful, "no-args") == (THOUGHT, {"functionCall": {"name": "f", "id": "toolu_1"}})


@pytest.mark.parametrize(
    ("name", "params"), [("usage", {"pattern": "x"}), ("call", {"args": "{"}), ("shape", {"kind": "x"})]
)
def test_meaningless_params_are_refused(draft: Draft, name: str, params: dict[str, str]) -> None:
    """A pattern or arguments that mean nothing are an error."""
    with pytest.raises(ScenarioError):
        changed(draft, name, **params)
