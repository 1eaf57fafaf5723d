"""YAML as a tree of positions.

The parser's events say where everything begins and ends, and they keep what a loaded value would lose: unknown tags,
aliases, the style of each scalar.
"""

from __future__ import annotations

import re
from dataclasses import replace
from enum import Enum
from typing import TYPE_CHECKING, Any

from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError
from ruamel.yaml.events import (
    AliasEvent,
    DocumentStartEvent,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
)

from .tree import Entry, Kind, Node, broken, shape

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from ..errors import ProvisionError

MAX_DEPTH = 100
MAX_DIGITS = 100
CONSTANTS: Mapping[str, bool | None] = {
    "": None, "~": None, "null": None, "Null": None, "NULL": None,
    "true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False,
}  # fmt: skip
"""Plain scalars that are no text. Source: https://yaml.org/spec/1.2.2/#1032-tag-resolution."""


MERGE = "<<"
"""The key of what is merged, where it is not in quotes. Source: https://yaml.org/type/merge.html."""

_GAP = re.compile(r"(?:\s|#[^\n]*|[&!]\S*)*")
"""What may stand before the dash of an item: blanks, comments, and before the first one a tag and an anchor."""


class _Sort(Enum):
    ALIAS = "alias"
    SCALAR = "scalar"
    MAPPING = "mapping"
    LIST = "list"
    END = "end"
    DOCUMENT = "document"


_SORTS: Mapping[Any, _Sort] = {
    AliasEvent: _Sort.ALIAS,
    ScalarEvent: _Sort.SCALAR,
    MappingStartEvent: _Sort.MAPPING,
    SequenceStartEvent: _Sort.LIST,
    MappingEndEvent: _Sort.END,
    SequenceEndEvent: _Sort.END,
    DocumentStartEvent: _Sort.DOCUMENT,
}
"""The events that count; the parser's own types are not typed further."""


def parse_yaml(text: str) -> Node | None:
    """The tree of a document; None when the text has none.

    Raises:
        ProvisionError: it is not one YAML document; says where.
    """
    try:
        events = [event for event in _yaml().parse(text) if type(event) in _SORTS]
    except YAMLError as exc:
        raise _not_yaml(text, exc) from exc
    documents = [event for event in events if _sort(event) is _Sort.DOCUMENT]
    if len(documents) > 1:
        raise broken(text, documents[1].start_mark.index, "a second document begins here")
    nodes = iter([event for event in events if _sort(event) is not _Sort.DOCUMENT])
    return _Reader(text, nodes).root()


def _yaml() -> Any:
    return YAML(typ="safe", pure=True)


def _sort(event: Any) -> _Sort:
    return _SORTS[type(event)]


def _not_yaml(text: str, error: Any) -> ProvisionError:
    # Characters that YAML forbids are reported in another way than mistakes.
    if hasattr(error, "position"):
        return broken(text, error.position, f"this is not YAML: {error.reason}")
    mark = error.problem_mark or error.context_mark
    return broken(text, mark.index, f"this is not YAML: {error.problem or error.context}")


class _Reader:
    """Builds nodes of the events; belongs to one text."""

    def __init__(self, text: str, events: Iterator[Any]) -> None:
        self._text = text
        self._events = events
        self._anchors: dict[str, Node | None] = {}
        self._depth = 0

    def root(self) -> Node | None:
        event = next(self._events, None)
        return None if event is None else self._node(event)

    def _node(self, event: Any) -> Node:
        start = event.start_mark.index
        if _sort(event) is _Sort.ALIAS:
            if event.anchor not in self._anchors:
                raise broken(self._text, start, f"nothing is named &{event.anchor}")
            target = self._anchors[event.anchor]
            return Node(Kind.ALIAS, start, event.end_mark.index, anchor=event.anchor, target=target)
        if event.anchor is None:
            return self._content(event, start)
        self._anchors[event.anchor] = None
        node = self._content(event, start)
        self._anchors[event.anchor] = node
        return node

    def _content(self, event: Any, start: int) -> Node:
        sort, end = _sort(event), event.end_mark.index
        if sort is _Sort.SCALAR:
            return _scalar(event, start, end)
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise broken(self._text, start, "this is nested too deeply")
        is_flow = bool(event.flow_style)
        entries, closing = self._entries(start, is_mapping=sort is _Sort.MAPPING, is_flow=is_flow)
        self._depth -= 1
        # The parser ends a block where the next thing begins, behind comments that are not part of it.
        if not is_flow:
            closing = entries[-1].value.end if entries else end
        kind = Kind.MAPPING if sort is _Sort.MAPPING else Kind.LIST
        return Node(kind, start, closing, entries=entries, is_flow=is_flow, tag=_tag(event), anchor=event.anchor)

    def _entries(self, start: int, *, is_mapping: bool, is_flow: bool) -> tuple[tuple[Entry, ...], int]:
        entries: list[Entry] = []
        while _sort(event := next(self._events)) is not _Sort.END:
            if is_mapping:
                key = self._node(event)
                name = key.value if isinstance(key.value, str) else None
                value = self._settled(self._node(next(self._events)), self._behind_colon(key))
                entries.append(Entry(key.start, name, shape(key), value, is_merge=_is_merge(key)))
            elif is_flow:
                node = self._node(event)
                entries.append(Entry(node.start, None, None, node))
            else:
                dash = self._dash_behind(entries[-1].value.end if entries else start)
                entries.append(Entry(dash, None, None, self._settled(self._node(event), dash + 1)))
        return tuple(entries), event.end_mark.index

    def _settled(self, node: Node, offset: int) -> Node:
        # The parser puts a value of which nothing is written where the next thing begins.
        return replace(node, start=offset, end=offset) if node.start == node.end else node

    def _behind_colon(self, key: Node) -> int:
        colon = self._text.find(":", key.end)
        return colon + 1 if colon >= 0 and not self._text[key.end : colon].strip() else key.end

    def _dash_behind(self, offset: int) -> int:
        gap = _GAP.match(self._text, offset)
        return offset if gap is None else gap.end()


def _scalar(event: Any, start: int, end: int) -> Node:
    is_plain = not event.style and event.implicit[0]
    value: Any = event.value
    if is_plain:
        value = CONSTANTS[value] if value in CONSTANTS else _number_or_text(value)
    detail = (event.value, is_plain)
    return Node(Kind.SCALAR, start, end, value, tag=_tag(event), anchor=event.anchor, detail=detail)


def _number_or_text(value: str) -> int | str:
    # A number of more digits than Python reads stays a text: nothing of ours is one.
    is_number = value.isascii() and value.removeprefix("-").isdigit() and len(value) <= MAX_DIGITS
    return int(value) if is_number else value


def _is_merge(key: Node) -> bool:
    return key.detail == (MERGE, True)


def _tag(event: Any) -> str | None:
    return None if event.tag is None else str(event.tag)
