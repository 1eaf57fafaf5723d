"""The scenarios that change what is answered, or how the events of an answer are written."""

from __future__ import annotations

import base64
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import orjson

from .answer import Answer, Part, is_thought
from .brain import ONE_PIXEL_PNG, SIGN_OFF, THOUGHTS, Brain, count_usage
from .emit import EventStyle, UsagePattern
from .question import Tool
from .refusals import VERSION_TEXT
from .scenarios import Params, Scenario, ScenarioError

if TYPE_CHECKING:
    from collections.abc import Callable

MALFORMED_CALL_TEXT = "Malformed function call: print(default_api.simulated(text='hello'"
MAX_EVENTS = 1_000_000
MAX_CALLS = 100


@dataclass(frozen=True, slots=True)
class Draft:
    """An answer in the making.

    Attributes:
        answer: what would be answered without scenarios.
        style: how its events would be written.
        brain: makes calls.
        tools: the declared functions.
    """

    answer: Answer
    style: EventStyle
    brain: Brain
    tools: tuple[Tool, ...]

    def with_parts(self, parts: list[Part]) -> Draft:
        """Give the draft with other parts, and token counts to match; the answer then counts as finished."""
        usage = count_usage(parts, self.answer.usage.prompt, self.answer.usage.cached)
        return replace(self, answer=replace(self.answer, parts=tuple(parts), usage=usage, finish_reason="STOP"))


def changed_draft(draft: Draft, scenario: Scenario) -> Draft:
    """Give the draft as a scenario wants it; scenarios of other kinds leave it as it is.

    Raises:
        ScenarioError: when a parameter has no meaning.
    """
    change = ANSWER_CHANGES.get(scenario.name)
    return draft if change is None else change(draft, scenario.params)


def _only_thoughts(draft: Draft, _: Params) -> Draft:
    thoughts = [part for part in draft.answer.parts if is_thought(part)]
    return draft.with_parts(thoughts or [{"text": THOUGHTS[0], "thought": True}])


def _call(draft: Draft, params: Params) -> Draft:
    try:
        args = orjson.loads(params["args"])
    except orjson.JSONDecodeError as error:
        raise ScenarioError(f"args must be JSON, and in a marker stand in single quotes: {error}") from error
    name = params["function"] or (draft.tools[0].name if draft.tools else "simulated_tool")
    return draft.with_parts(draft.brain.calls([Tool(name, {"const": args})]))


def _parallel(draft: Draft, params: Params) -> Draft:
    tools = draft.tools or (Tool("simulated_tool", {"type": "object"}),)
    count = min(params["n"], MAX_CALLS)
    return draft.with_parts(draft.brain.calls([tools[index % len(tools)] for index in range(count)]))


def _image(draft: Draft, _: Params) -> Draft:
    blob = {"mimeType": "image/png", "data": base64.b64encode(ONE_PIXEL_PNG).decode()}
    return draft.with_parts([*draft.answer.parts, {"inlineData": blob}])


def _big(draft: Draft, params: Params) -> Draft:
    count = min(params["n"], MAX_EVENTS)
    word = "x" * max(1, params["size"] - 1) + " "
    usage = replace(draft.answer.usage, answer=count)
    return replace(draft, answer=replace(draft.answer, parts=({"text": word},) * count, usage=usage))


def _finish(draft: Draft, params: Params) -> Draft:
    reason = None if params["reason"] == "absent" else params["reason"]
    style = replace(draft.style, has_separate_finish=params["separate"])
    return replace(draft, answer=replace(draft.answer, finish_reason=reason), style=style)


def _blocked(draft: Draft, params: Params) -> Draft:
    blocked = draft.with_parts([])
    return replace(blocked, answer=replace(blocked.answer, block_reason=params["reason"]))


def _malformed_call(draft: Draft, _: Params) -> Draft:
    empty = draft.with_parts([])
    answer = replace(empty.answer, finish_reason="MALFORMED_FUNCTION_CALL", finish_message=MALFORMED_CALL_TEXT)
    return replace(empty, answer=answer)


def _old_version(draft: Draft, params: Params) -> Draft:
    return draft.with_parts([{"text": VERSION_TEXT}]) if params["as"] == "answer" else draft


def _usage(draft: Draft, params: Params) -> Draft:
    try:
        pattern = UsagePattern(params["pattern"])
    except ValueError as error:
        raise ScenarioError(f"{error}; there are {', '.join(UsagePattern)}") from error
    return replace(draft, style=replace(draft.style, usage=pattern))


def _shape(draft: Draft, params: Params) -> Draft:
    change = SHAPES.get(params["kind"])
    if change is None:
        raise ScenarioError(f"unknown kind {params['kind']!r}; there are {', '.join(SHAPES)}")
    return change(draft)


def _several_parts(draft: Draft) -> Draft:
    *thoughts, last = _only_thoughts(draft, {}).answer.parts
    signed = {**last, "thoughtSignature": draft.brain.sign()}
    texts = [part for part in draft.answer.parts if _is_text(part)] or [{"text": SIGN_OFF}]
    calls = [part for part in _with_calls(draft, 1).answer.parts if "functionCall" in part]
    together = draft.with_parts([*thoughts, signed, *texts, *calls])
    return replace(together, style=replace(draft.style, is_one_event=True))


def _thought_false(draft: Draft) -> Draft:
    return draft.with_parts([{**part, "thought": False} if _is_text(part) else part for part in draft.answer.parts])


def _same_ids(draft: Draft) -> Draft:
    call_id = draft.brain.new_id()
    return _each_call(draft, lambda part: _with_id(part, call_id), count=2)


def _each_call(draft: Draft, change: Callable[[Part], Part], count: int = 1) -> Draft:
    parts = _with_calls(draft, count).answer.parts
    return draft.with_parts([change(part) if "functionCall" in part else part for part in parts])


def _with_calls(draft: Draft, count: int) -> Draft:
    """Give the draft if it has so many calls already, else one that consists of them."""
    found = sum("functionCall" in part for part in draft.answer.parts)
    return draft if found >= count else _parallel(draft, {"n": count})


def _with_id(part: Part, call_id: str) -> Part:
    return {**part, "functionCall": {**part["functionCall"], "id": call_id}}


def _signed(part: Part, brain: Brain) -> Part:
    return {**part, "thoughtSignature": brain.sign(part["functionCall"])}


def _without_args(part: Part, brain: Brain) -> Part:
    call = {name: value for name, value in part["functionCall"].items() if name != "args"}
    bare = {**part, "functionCall": call}
    return _signed(bare, brain) if "thoughtSignature" in part else bare


def _is_text(part: Part) -> bool:
    return "text" in part and not is_thought(part)


SHAPES: dict[str, Callable[[Draft], Draft]] = {
    "several-parts": _several_parts,
    "thought-false": _thought_false,
    "gemini-ids": lambda draft: _each_call(draft, lambda part: _with_id(part, draft.brain.new_id())),
    "empty-stop": lambda draft: replace(draft, style=replace(draft.style, has_empty_end=True)),
    "claude-signatures": lambda draft: _each_call(draft, lambda part: _signed(part, draft.brain)),
    "same-ids": _same_ids,
    "no-args": lambda draft: _each_call(draft, lambda part: _without_args(part, draft.brain)),
}
"""Kind of ``shape`` to what it does to a draft; the ones about calls make some if there are none."""

ANSWER_CHANGES: dict[str, Callable[[Draft, Params], Draft]] = {
    "empty": lambda draft, _: draft.with_parts([]),
    "only-thoughts": _only_thoughts,
    "text": lambda draft, params: draft.with_parts([{"text": params["text"]}]),
    "call": _call,
    "parallel": _parallel,
    "image": _image,
    "big": _big,
    "finish": _finish,
    "blocked": _blocked,
    "malformed-call": _malformed_call,
    "old-version": _old_version,
    "usage": _usage,
    "shape": _shape,
    "unwrapped": lambda draft, _: replace(draft, style=replace(draft.style, is_wrapped=False)),
}
"""Scenario name to what it does to a draft."""
