"""Repair of a conversation, so that upstream accepts it and the model reads what happened.

Rules, each with a test:

1. A turn's results follow the turn that called, one for each call, in the order of the calls, under the call's name.
2. A result belongs to the nearest turn before it that has an open call with its id, there to the first such call;
   one that stands before its call belongs to the next. Without an id on either side the name decides. So a client
   that uses an id again never files a result under an older call.
3. A call that never got a result gets an error result that says so.
4. A result nobody called for becomes text of the user; an exact copy of a result that was used is dropped.
5. Media of results come after all results of the turn.
6. Blank texts, turns of nothing but thoughts, and empty turns vanish; neighbours of the same role become one turn.
7. A conversation that opens with the model gets a user turn in front.
8. A conversation that ends with the model gets a user turn behind, as upstream answers only users.

Source:
    SPEC.md, "History".
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from dataclasses import dataclass, replace
from operator import attrgetter
from typing import TYPE_CHECKING

from .events import WORDS, Media, Part, Text, Thought, ToolCall, ToolResult, Turn

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import TypeAlias

    from .events import Role

    _Key: TypeAlias = tuple[str, str | None]
    """What a result may know of a call: ``id`` and its id; ``idless`` or ``any`` and its name, or None for any."""

OPENING = Text("Hello")
CONTINUATION = Text("Continue.")
NO_RESULT = "no result was returned by the client"

TOOL_PARTS = (ToolCall, ToolResult)
"""For ``isinstance`` where each part of a long conversation passes; a union would be made anew each time."""


def repair(turns: Sequence[Turn]) -> tuple[Turn, ...]:
    """The same conversation in the form upstream demands; empty when there is nothing to say."""
    merged = _merge(turns)
    if not any(isinstance(part, TOOL_PARTS) for turn in merged for part in turn.parts):
        return tuple(_with_ends(merged))
    answers, used = _pair(merged)
    paired = [
        piece for index, turn in enumerate(merged) for piece in _with_results(turn, answers.get(index, ()), used)
    ]
    return tuple(_with_ends(_merge(paired)))


def _merge(turns: Iterable[Turn]) -> list[Turn]:
    merged: list[tuple[Role, list[Part]]] = []
    for turn in turns:
        parts = [part for part in turn.parts if not _is_blank(part)]
        if all(isinstance(part, Thought) for part in parts):
            continue
        if merged and merged[-1][0] == turn.role:
            merged[-1][1].extend(parts)
        else:
            merged.append((turn.role, parts))
    return [Turn(role, tuple(parts)) for role, parts in merged]


def _is_blank(part: Part) -> bool:
    return isinstance(part, WORDS) and part.signature is None and not part.text.strip()


@dataclass(slots=True, eq=False)
class _Open:
    """A call, the turn it stands in, and its result once that is found."""

    turn: int
    call: ToolCall
    result: ToolResult | None = None

    def answer(self) -> ToolResult:
        call, result = self.call, self.result
        if result is None:
            return ToolResult(call.id, call.name, NO_RESULT, is_error=True)
        return ToolResult(call.id, call.name, result.output, result.is_error, result.media)


class _Calls:
    """All calls of a conversation, and those that are open by what a result may know of them.

    Invariant: the open calls of a key stand in the order of the conversation; those that got their result meanwhile
    are taken out when they are come across. So a long conversation is paired in one go, whatever its ids are.
    """

    def __init__(self, turns: Sequence[Turn]) -> None:
        self._all = [
            _Open(index, part)
            for index, turn in enumerate(turns)
            for part in turn.parts
            if isinstance(part, ToolCall)
        ]
        self._open: defaultdict[_Key, list[_Open]] = defaultdict(list)
        for entry in self._all:
            for key in _keys_of_call(entry.call):
                self._open[key].append(entry)

    def bind_backwards(self, turn: int, result: ToolResult) -> bool:
        """Give a result to the nearest turn before it; False when no call there is open for it."""
        found = (_nearest_before(self._open.get(key, []), turn) for key in _keys_of_result(result))
        return _give(result, next(filter(None, found), None))

    def bind_forwards(self, turn: int, result: ToolResult) -> bool:
        """Give a result to the next call after it; False when there is none."""
        found = (_next_after(self._open.get(key, []), turn) for key in _keys_of_result(result))
        return _give(result, next(filter(None, found), None))

    def answers(self) -> dict[int, list[ToolResult]]:
        """For each turn that calls, one result per call, in their order."""
        answers: defaultdict[int, list[ToolResult]] = defaultdict(list)
        for entry in self._all:
            answers[entry.turn].append(entry.answer())
        return answers

    def used(self) -> set[ToolResult]:
        """The results that found a call, as they came."""
        return {entry.result for entry in self._all if entry.result is not None}


def _keys_of_call(call: ToolCall) -> tuple[_Key, ...]:
    own = (("idless", None), ("idless", call.name)) if call.id is None else (("id", call.id),)
    return (("any", None), ("any", call.name), *own)


def _keys_of_result(result: ToolResult) -> tuple[_Key, ...]:
    """Where calls for a result are found, the better ones first; without a name any name will do."""
    if result.call_id is None:
        return (("any", result.name),)
    return ("id", result.call_id), ("idless", result.name)


def _nearest_before(entries: list[_Open], turn: int) -> _Open | None:
    """The first open call of the last turn before this one that has an open call."""
    last = bisect_left(entries, turn, key=_turn_of) - 1
    while last >= 0 and entries[last].result is not None:
        del entries[last]
        last -= 1
    return None if last < 0 else _first_open(entries, bisect_left(entries, entries[last].turn, key=_turn_of))


def _next_after(entries: list[_Open], turn: int) -> _Open | None:
    return _first_open(entries, bisect_right(entries, turn, key=_turn_of))


def _first_open(entries: list[_Open], start: int) -> _Open | None:
    while start < len(entries) and entries[start].result is not None:
        del entries[start]
    return entries[start] if start < len(entries) else None


def _give(result: ToolResult, call: _Open | None) -> bool:
    if call is None:
        return False
    call.result = result
    return True


_turn_of: Callable[[_Open], int] = attrgetter("turn")


def _pair(turns: Sequence[Turn]) -> tuple[dict[int, list[ToolResult]], set[ToolResult]]:
    """For each turn that calls its results, and the results that found a call, as they came."""
    calls = _Calls(turns)
    results = [
        (index, part) for index, turn in enumerate(turns) for part in turn.parts if isinstance(part, ToolResult)
    ]
    early = [(index, result) for index, result in results if not calls.bind_backwards(index, result)]
    used = calls.used()
    for index, result in early:
        if result not in used and calls.bind_forwards(index, result):
            used.add(result)
    return calls.answers(), used


def _with_results(turn: Turn, results: Sequence[ToolResult], used: set[ToolResult]) -> list[Turn]:
    parts: list[Part] = []
    for part in turn.parts:
        if not isinstance(part, ToolResult):
            parts.append(part)
        elif part not in used:
            parts.extend(_as_words(part))
    pieces = [Turn(turn.role, tuple(parts))] if parts else []
    if results:
        media: tuple[Media, ...] = tuple(item for result in results for item in result.media)
        words = (replace(result, media=()) if result.media else result for result in results)
        pieces.append(Turn("user", (*words, *media)))
    return pieces


def _as_words(result: ToolResult) -> list[Part]:
    name = f" of {result.name}" if result.name else ""
    return [Text(f"Tool result{name}: {result.output}"), *result.media]


def _with_ends(turns: list[Turn]) -> list[Turn]:
    if turns and turns[0].role == "model":
        turns = [Turn("user", (OPENING,)), *turns]
    if turns and turns[-1].role == "model":
        turns = [*turns, Turn("user", (CONTINUATION,))]
    return turns
