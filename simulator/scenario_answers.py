"""The scenarios that change what is answered, or how the events of an answer are written."""

from __future__ import annotations

import base64
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import orjson

from .answer import Answer, Part, is_thought
from .brain import ONE_PIXEL_PNG, THOUGHTS, Brain, count_usage
from .conversation import Tool
from .emit import EventStyle, UsagePattern
from .refusals import VERSION_TEXT
from .scenarios import Scenario, ScenarioError

if TYPE_CHECKING:
    from collections.abc import Callable

MALFORMED_CALL_TEXT = "Malformed function call: print(default_api.simulated(text='hello'"
MAX_EVENTS = 1_000_000
MAX_CALLS = 100

Params = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Draft:
    """An answer in the making.

    Args:
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
    change = CHANGES.get(scenario.name)
    return draft if change is None else change(draft, scenario.params)


def _only_thoughts(draft: Draft, _: Params) -> Draft:
    thoughts = [part for part in draft.answer.parts if is_thought(part)]
    return draft.with_parts(thoughts or [{"text": THOUGHTS[0], "thought": True}])


def _call(draft: Draft, params: Params) -> Draft:
    try:
        args = orjson.loads(params["args"])
    except orjson.JSONDecodeError as error:
        raise ScenarioError(f"args must be JSON: {error}") from error
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


CHANGES: dict[str, Callable[[Draft, Params], Draft]] = {
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
    "unwrapped": lambda draft, _: replace(draft, style=replace(draft.style, is_wrapped=False)),
}
"""Scenario name to what it does to a draft."""
