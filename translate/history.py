"""Repair of a conversation, so that upstream accepts it and the model reads what happened.

Rules, each with a test:

1. A turn's results follow the turn that called, one for each call, in the order of the calls, under the call's name.
2. A result belongs to the first call with its id that has none yet; without an id, to the next open call of its name.
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

from collections import defaultdict, deque
from dataclasses import replace
from typing import TYPE_CHECKING

from .events import Media, Part, Text, Thought, ToolCall, ToolResult, Turn

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

OPENING = Text("Hello")
CONTINUATION = Text("Continue.")
NO_RESULT = "no result was returned by the client"


def repair(turns: Sequence[Turn]) -> tuple[Turn, ...]:
    """The same conversation in the form upstream demands; empty when there is nothing to say."""
    merged = _merge(turns)
    pairs, used = _pair(merged)
    paired = [piece for index, turn in enumerate(merged) for piece in _with_results(turn, pairs.get(index, ()), used)]
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
    return isinstance(part, Text | Thought) and part.signature is None and not part.text.strip()


class _OpenResults:
    """The results of a conversation that no call has taken yet, found by id or by name."""

    def __init__(self, turns: Sequence[Turn]) -> None:
        self._by_id: defaultdict[str, deque[ToolResult]] = defaultdict(deque)
        self._by_name: defaultdict[str | None, deque[ToolResult]] = defaultdict(deque)
        for turn in turns:
            for part in turn.parts:
                if isinstance(part, ToolResult):
                    shelf = self._by_name[part.name] if part.call_id is None else self._by_id[part.call_id]
                    shelf.append(part)

    def take_for(self, call: ToolCall) -> ToolResult | None:
        shelves = [self._by_name[call.name], self._by_name[None]]
        if call.id is not None:
            shelves.insert(0, self._by_id[call.id])
        return next((shelf.popleft() for shelf in shelves if shelf), None)


def _pair(turns: Sequence[Turn]) -> tuple[dict[int, tuple[ToolResult, ...]], set[ToolResult]]:
    """For each turn that calls the results of its calls; and the results, as they came, that were used for it."""
    open_results = _OpenResults(turns)
    pairs: dict[int, tuple[ToolResult, ...]] = {}
    used: set[ToolResult] = set()
    for index, turn in enumerate(turns):
        calls = [part for part in turn.parts if isinstance(part, ToolCall)]
        if not calls:
            continue
        results = [(call, open_results.take_for(call)) for call in calls]
        used.update(result for _, result in results if result is not None)
        pairs[index] = tuple(_answer(call, result) for call, result in results)
    return pairs, used


def _answer(call: ToolCall, result: ToolResult | None) -> ToolResult:
    if result is None:
        return ToolResult(call.id, call.name, NO_RESULT, is_error=True)
    return replace(result, call_id=call.id, name=call.name)


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
