"""JSON with comments and trailing commas as a tree of positions.

The parser takes JSON5, which is more than any harness does; what is already in a file stays as it is all the same.
"""

from __future__ import annotations

import re
from itertools import accumulate, islice
from typing import TYPE_CHECKING, Any

from json5.loader import ModelLoader, loads
from json5.model import (
    BooleanLiteral,
    Float,
    Identifier,
    Integer,
    JSONArray,
    JSONObject,
    NullLiteral,
    String,
    UnaryOp,
)

from .tree import Entry, Kind, Node, broken

if TYPE_CHECKING:
    from json5.model import Node as ParsedNode

MAX_DEPTH = 100
_NOTHING = re.compile(r"\ufeff?(?:\s|//[^\n]*|/\*.*?\*/)*", re.DOTALL)
"""A text with nothing but comments."""

_SEPARATORS = "\u2028\u2029"
_PRIVATE_USE = range(0xE000, 0xF900)
"""Characters that mean nothing of themselves."""


def parse_jsonc(text: str) -> Node | None:
    """The tree of a document; None for an empty text.

    Raises:
        ProvisionError: it is not JSON; says where.
    """
    if _NOTHING.fullmatch(text):
        return None
    # Two ends of lines of JSON5 are no such in JSON, and may stand in its texts as they are.
    unused = islice((chr(code) for code in _PRIVATE_USE if chr(code) not in text), len(_SEPARATORS))
    stand_ins = "".join(unused)
    try:
        parsed = loads(text.translate(str.maketrans(_SEPARATORS, stand_ins)), loader=ModelLoader())
    except ValueError as exc:
        token = getattr(exc, "token", None)
        offset = len(text) if token is None else token.index
        raise broken(text, offset, "this is not JSON") from exc
    starts = [0, *accumulate(len(line) + 1 for line in text.split("\n"))]
    return _Reader(text, starts, str.maketrans(stand_ins, _SEPARATORS)).node(parsed.value, 0)


class _Reader:
    """Turns the parser's model into nodes; belongs to one text."""

    def __init__(self, text: str, line_starts: list[int], separators: dict[int, int]) -> None:
        self._text = text
        self._line_starts = line_starts
        self._separators = separators

    def node(self, parsed: ParsedNode, depth: int) -> Node:
        start = self._start(parsed)
        if depth > MAX_DEPTH:
            raise broken(self._text, start, "this is nested too deeply")
        if isinstance(parsed, JSONObject):
            entries = tuple(
                self._entry(key, value, depth) for key, value in zip(parsed.keys, parsed.values, strict=True)
            )
            return Node(Kind.MAPPING, start, self._end(parsed), entries=entries, is_flow=True)
        if isinstance(parsed, JSONArray):
            items = tuple(self.node(value, depth + 1) for value in parsed.values)
            entries = tuple(Entry(item.start, None, None, item) for item in items)
            return Node(Kind.LIST, start, self._end(parsed), entries=entries, is_flow=True)
        if isinstance(parsed, UnaryOp) and isinstance(parsed.value, Integer | Float):
            number = self.node(parsed.value, depth)
            value = -number.value if parsed.op == "-" else number.value
            return Node(Kind.SCALAR, start, number.end, value, detail=type(value).__name__)
        found = _scalar(parsed)
        if found is None:
            raise broken(self._text, start, "this is not a JSON value")
        value, length = found
        if isinstance(value, str):
            value = value.translate(self._separators)
        return Node(Kind.SCALAR, start, start + length, value, detail=type(value).__name__)

    def _entry(self, key: ParsedNode, value: ParsedNode, depth: int) -> Entry:
        written = key.name if isinstance(key, Identifier) else _text_of(key)
        name = None if written is None else written.translate(self._separators)
        return Entry(self._start(key), name, name, self.node(value, depth + 1))

    def _start(self, parsed: ParsedNode) -> int:
        return self._line_starts[(parsed.lineno or 1) - 1] + (parsed.col_offset or 0)

    def _end(self, parsed: ParsedNode) -> int:
        return self._line_starts[(parsed.end_lineno or 1) - 1] + (parsed.end_col_offset or 0)


def _text_of(parsed: ParsedNode) -> str | None:
    return parsed.characters if isinstance(parsed, String) else None


def _scalar(parsed: ParsedNode) -> tuple[Any, int] | None:
    """What a scalar means, and how many characters it takes; None for what only JSON5 has."""
    match parsed:
        case String():
            return parsed.characters, len(parsed.raw_value)
        case Integer() | Float():
            return parsed.value, len(parsed.raw_value)
        case BooleanLiteral():
            return parsed.value, len("true" if parsed.value else "false")
        case NullLiteral():
            return None, len("null")
        case _:
            return None
