"""Changes to places of a configuration file; every other byte stays as it is.

Each change is a splice at a position of the parse tree. The result of all is parsed again and must mean what the text
meant before, except at the places themselves; where that fails the change is refused.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ..translate.json_text import is_list, is_object
from .block import append_block, fill_block, insert_block, unit_of_block
from .flow import insert_flow, unit_of_flow
from .lines import BYTE_ORDER_MARK, column, indent_of_line, newline_of
from .meaning import checked, in_the_way, is_there, nested_in, refuse, refuse_shared
from .syntax import entry_to_json, is_plain, to_json, to_yaml_lines, yaml_entry_lines, yaml_item_lines
from .tree import Kind, Row, child, data_of, find

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .syntax import Syntax
    from .tree import Node, Path, Step

_ANCHOR = re.compile(r"&\S+(?:\s|#[^\n]*)*")


def put(text: str, path: Path, value: Any, syntax: Syntax) -> str:
    """The text with a value at a path; what is missing on the way is created.

    Args:
        text: the file.
        path: where the value goes.
        value: plain data.
        syntax: how the file is written.

    Raises:
        ProvisionError: the text cannot be parsed, something else stands in the way, or the place is written in a
            way that cannot be changed safely.
    """
    return put_all(text, [(path, value)], syntax)


def merge(text: str, path: Path, wanted: dict[str, Any], syntax: Syntax) -> str:
    """The text with these keys in the mapping at a path; its other keys stay.

    Raises:
        ProvisionError: as ``put``.
    """
    return put_all(text, leaves(path, wanted), syntax)


def leaves(path: Path, wanted: dict[str, Any]) -> list[tuple[Path, Any]]:
    """The places and values of keys in the mapping at a path, and in the mappings that are their values."""
    found: list[tuple[Path, Any]] = []
    for key, value in wanted.items():
        found += leaves((*path, key), value) if is_object(value) and value else [((*path, key), value)]
    return found


def put_all(text: str, wanted: Iterable[tuple[Path, Any]], syntax: Syntax) -> str:
    """The text with a value at each of several paths, which are in different places.

    Raises:
        ProvisionError: as ``put``.
    """
    root = syntax.parse(text)
    changes = _Changes()
    for path, value in wanted:
        _sort_out(changes, text, root, path, value, syntax)
    if not changes.fills and not changes.additions:
        return text
    for path in changes.fills:
        refuse_shared(text, root, path, is_replaced=True)
    for path in changes.additions:
        refuse_shared(text, root, path, is_replaced=False)
    pen = _Pen(root, syntax, unit_of_block(root, text), unit_of_flow(root, text), newline_of(text))
    places = [*changes.fills, *((*path, step) for path, items in changes.additions.items() for step in items)]
    return checked(text, _written(text, changes, pen), places, [], syntax)


@dataclass(frozen=True, slots=True)
class _Changes:
    """What is to be written: whole values, and more entries for mappings and lists."""

    fills: dict[Path, Any] = field(default_factory=dict["Path", Any])
    additions: dict[Path, dict[Step, Any]] = field(default_factory=dict["Path", dict["Step", Any]])


@dataclass(frozen=True, slots=True)
class _Pen:
    """How a document is written, and where everything stood in it before the first change."""

    root: Node | None
    syntax: Syntax
    block_unit: str
    flow_unit: str
    newline: str


def _sort_out(changes: _Changes, text: str, root: Node | None, path: Path, value: Any, syntax: Syntax) -> None:
    depth = _known_depth(root, path)
    place, rest = path[:depth], path[depth:]
    node = find(root, place)
    if node is not None and is_there(text, node, rest, value):
        return
    if node is None or not rest or node.is_null or _becomes_block(text, root, place, node, syntax):
        changes.fills[place] = _joined(changes.fills.get(place), nested_in(rest, value))
        return
    if node.kind is Kind.ALIAS:
        refuse(text, root, place, f"is an alias, and what *{node.anchor} stands for is not changed")
    if node.kind is not (Kind.LIST if isinstance(rest[0], Row) else Kind.MAPPING):
        raise in_the_way(place)
    items = changes.additions.setdefault(place, {})
    items[rest[0]] = _joined(items.get(rest[0]), nested_in(rest[1:], value))


def _known_depth(root: Node | None, path: Path) -> int:
    """How many steps of a path exist."""
    depth = 0
    node = root
    while node is not None and depth < len(path) and (entry := child(node, path[depth])) is not None:
        node = entry.value
        depth += 1
    return depth


def _joined(known: Any, value: Any) -> Any:
    """Two values for one place, which has room for both."""
    if is_object(known) and is_object(value):
        return known | {key: _joined(known.get(key), inner) for key, inner in value.items()}
    return [*known, *value] if is_list(known) and is_list(value) else value


def _becomes_block(text: str, root: Node | None, path: Path, node: Node, syntax: Syntax) -> bool:
    """Whether these are empty brackets of YAML that lines can take the place of."""
    parent = find(root, path[:-1]) if path else None
    is_empty = node.is_flow and not text[node.start + 1 : node.end - 1].strip()
    return syntax.has_blocks and is_empty and (parent is None or not parent.is_flow)


def _written(text: str, changes: _Changes, pen: _Pen) -> str:
    """All changes, from the end to the beginning: what stands before a place is where it was.

    Entries that begin where others end are written after those, so that they stand before them.
    """
    places = [(path, find(pen.root, path)) for path in changes.additions]
    order = [(-node.end, 0, len(path), path) for path, node in places if node is not None]
    for path in changes.fills:
        node = find(pen.root, path)
        order.append((0 if node is None else -node.start, 1, 0, path))
    for _, is_fill, _, path in sorted(order, key=lambda change: change[:3]):
        if is_fill:
            text = _fill(text, path, changes.fills[path], pen)
        else:
            text = _insert(text, path, changes.additions[path], pen)
    return text


def _fill(text: str, path: Path, value: Any, pen: _Pen) -> str:
    """Another value in the place of one that stands alone."""
    node = find(pen.root, path)
    if node is None or (node.is_null and not path):
        return _begin(text, node, value, pen)
    parent = find(pen.root, path[:-1])
    if not path and node.is_empty:
        lines = to_yaml_lines(value, pen.block_unit)
        return text[: node.start] + pen.newline.join(lines) + text[node.end :]
    if parent is None or not (node.kind in {Kind.SCALAR, Kind.ALIAS} or node.is_empty):
        raise in_the_way(path)
    if node.kind is Kind.ALIAS and is_object(data_of(node)):
        refuse(text, pen.root, path, f"is an alias, and what *{node.anchor} stands for is not changed")
    start = _behind_anchor(text, node)
    if node.tag is not None or (start > node.start and not is_plain(value)):
        refuse(text, pen.root, path, "has a tag or an anchor, and cannot be changed safely")
    if not pen.syntax.has_blocks or parent.is_flow:
        has_lines = not pen.syntax.has_blocks and "\n" in text[parent.start : parent.end]
        new = to_json(value, indent_of_line(text, node.start), pen.flow_unit if has_lines else None, pen.newline)
    elif is_plain(value):
        new = _in_quotes(value, text[start : start + 1]) or to_yaml_lines(value, "")[0]
    else:
        entry = child(parent, path[-1])
        indent = " " * column(text, entry.start if entry is not None else node.start) + pen.block_unit
        return fill_block(text, node, to_yaml_lines(value, pen.block_unit), indent)
    gap = "" if node.end > start or text[start - 1 : start].isspace() else " "
    return text[:start] + gap + new + text[node.end :]


def _behind_anchor(text: str, node: Node) -> int:
    """Where a value begins, behind the anchor that it may have; that of an alias is the alias itself."""
    found = None if node.kind is Kind.ALIAS or node.anchor is None else _ANCHOR.match(text, node.start, node.end)
    return node.start if found is None else found.end()


def _begin(text: str, null: Node | None, value: Any, pen: _Pen) -> str:
    """The first content of a document that has none."""
    if pen.syntax.has_blocks:
        lines = to_yaml_lines(value, pen.block_unit)
        return (
            fill_block(text, null, lines, "")
            if null is not None and null.end > null.start
            else append_block(text, lines)
        )
    head, behind = (text, "") if null is None else (text[: null.start], text[null.end :])
    if null is None and head.removeprefix(BYTE_ORDER_MARK).strip() and not head.endswith("\n"):
        head += pen.newline
    return head + to_json(value, "", pen.flow_unit, pen.newline) + (behind or pen.newline)


def _in_quotes(value: Any, quote: str) -> str | None:
    """A text in the quotes that its place has had; None where it had none."""
    if not isinstance(value, str) or quote not in {'"', "'"}:
        return None
    return to_json(value, "", None, "") if quote == '"' else "'" + value.replace("'", "''") + "'"


def _insert(text: str, path: Path, items: dict[Step, Any], pen: _Pen) -> str:
    """More entries at the end of a mapping or a list."""
    node = find(pen.root, path)
    assert node is not None
    rows = [_entry_of(step, value) for step, value in items.items()]
    if node.is_flow:

        def render(indent: str, unit: str | None) -> list[str]:
            return [entry_to_json(key, value, indent, unit, pen.newline) for key, value in rows]

        return insert_flow(text, node, render, pen.flow_unit, pen.syntax)
    lines: list[str] = []
    for key, value in rows:
        unit = pen.block_unit
        lines += yaml_item_lines(value, unit) if key is None else yaml_entry_lines(key, value, unit)
    return insert_block(text, node, lines)


def _entry_of(step: Step, value: Any) -> tuple[str | None, Any]:
    """The key of an entry, which an item of a list has not, and what it holds."""
    return (None, {step.key: step.value, **value}) if isinstance(step, Row) else (str(step), value)
