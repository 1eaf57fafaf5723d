"""Repair of a conversation, so that upstream accepts it and the model reads what happened.

Rules, each with a test:

1. A turn's results follow the turn that called, one for each call, in the order of the calls, under the call's name.
2. A result belongs to the nearest turn before it that has an open call with its id, there to the first such call;
   one that stands before its call belongs to the next. Without an id on either side the name decides. So a client
   that uses an id again never files a result under an older call.
3. A call that never got a result gets an error result that says so.
4. A result nobody called for becomes text of the user; an exact copy of a result that was used is dropped.
5. Media of results come after all results of the turn.
6. Blank texts and empty turns vanish; neighbours of the same role become one turn.
7. A conversation that opens with the model gets a user turn in front.
8. A conversation that ends with the model gets a user turn behind, as upstream answers only users.

Source:
    SPEC.md, "History".
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from .events import Media, Part, Text, ToolCall, ToolResult, Turn

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

OPENING = Text("Hello")
CONTINUATION = Text("Continue.")
NO_RESULT = "no result was returned by the client"


def repair(turns: Sequence[Turn]) -> tuple[Turn, ...]:
    """The same conversation in the form upstream demands; empty when there is nothing to say."""
    merged = _merge(turns)
    calls = _pair(merged)
    answers, used = calls.answers(), calls.used()
    paired = [
        piece for index, turn in enumerate(merged) for piece in _with_results(turn, answers.get(index, ()), used)
    ]
    return tuple(_with_ends(_merge(paired)))


def _merge(turns: Iterable[Turn]) -> list[Turn]:
    merged: list[Turn] = []
    for turn in turns:
        parts = tuple(part for part in turn.parts if not _is_blank(part))
        if merged and merged[-1].role == turn.role:
            merged[-1] = Turn(turn.role, merged[-1].parts + parts)
        elif parts:
            merged.append(Turn(turn.role, parts))
    return merged


def _is_blank(part: Part) -> bool:
    return isinstance(part, Text) and part.signature is None and not part.text.strip()


@dataclass(slots=True, eq=False)
class _Open:
    """A call, the turn it stands in, and its result once that is found."""

    turn: int
    call: ToolCall
    result: ToolResult | None = None

    def takes(self, result: ToolResult) -> bool:
        if self.result is not None:
            return False
        if self.call.id is not None and result.call_id is not None:
            return self.call.id == result.call_id
        return result.name in (None, self.call.name)

    def has_id_of(self, result: ToolResult) -> bool:
        return self.call.id is not None and self.call.id == result.call_id

    def answer(self) -> ToolResult:
        if self.result is None:
            return ToolResult(self.call.id, self.call.name, NO_RESULT, is_error=True)
        return replace(self.result, call_id=self.call.id, name=self.call.name)


class _Calls:
    """All calls of a conversation, found by the id a result names."""

    def __init__(self, turns: Sequence[Turn]) -> None:
        self._all = [
            _Open(index, part)
            for index, turn in enumerate(turns)
            for part in turn.parts
            if isinstance(part, ToolCall)
        ]
        self._by_id: defaultdict[str | None, list[_Open]] = defaultdict(list)
        for entry in self._all:
            self._by_id[entry.call.id].append(entry)

    def bind_backwards(self, turn: int, result: ToolResult) -> bool:
        """Give a result to the nearest turn before it; False when no call there is open for it."""
        open_calls = [entry for entry in self._for(result) if entry.turn < turn and entry.takes(result)]
        if not open_calls:
            return False
        # Of equal ones max takes the first. A call of the very id beats a nearer one that only has the name.
        max(open_calls, key=lambda entry: (entry.has_id_of(result), entry.turn)).result = result
        return True

    def bind_forwards(self, turn: int, result: ToolResult) -> bool:
        """Give a result to the next call after it; False when there is none."""
        for entry in self._for(result):
            if entry.turn > turn and entry.takes(result):
                entry.result = result
                return True
        return False

    def answers(self) -> dict[int, list[ToolResult]]:
        """For each turn that calls, one result per call, in their order."""
        answers: defaultdict[int, list[ToolResult]] = defaultdict(list)
        for entry in self._all:
            answers[entry.turn].append(entry.answer())
        return answers

    def used(self) -> set[ToolResult]:
        """The results that found a call, as they came."""
        return {entry.result for entry in self._all if entry.result is not None}

    def _for(self, result: ToolResult) -> list[_Open]:
        if result.call_id is None:
            return self._all
        return [*self._by_id.get(result.call_id, ()), *self._by_id.get(None, ())]


def _pair(turns: Sequence[Turn]) -> _Calls:
    calls = _Calls(turns)
    results = [
        (index, part) for index, turn in enumerate(turns) for part in turn.parts if isinstance(part, ToolResult)
    ]
    early = [(index, result) for index, result in results if not calls.bind_backwards(index, result)]
    used = calls.used()
    for index, result in early:
        if result not in used and calls.bind_forwards(index, result):
            used.add(result)
    return calls


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
        pieces.append(Turn("user", (*(replace(result, media=()) for result in results), *media)))
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
