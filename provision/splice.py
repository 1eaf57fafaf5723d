"""Changes to one place of a configuration file; every other byte stays as it is.

Each change is a splice at positions of the parse tree. Its result is parsed again and must mean what the text meant
before, except at the place itself; where that fails the change is refused.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..errors import ProvisionError
from ..translate.json_text import is_object
from .block import append_block, cut_block, fill_block, insert_block, unit_of_block
from .flow import cut_flow, insert_flow, unit_of_flow
from .lines import after_line, column, indent_of_line, line_end, newline_of
from .syntax import JSONC, entry_to_json, is_plain, to_json, to_yaml_lines, yaml_entry_lines, yaml_item_lines
from .tree import Kind, Row, child, data_of, find, shape

if TYPE_CHECKING:
    from .syntax import Syntax
    from .tree import Node, Path, Step


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
    root = syntax.parse(text)
    depth = _known_depth(root, path)
    node = find(root, path[:depth])
    if depth == len(path) and node is not None and data_of(node) == value and node.kind is not Kind.ALIAS:
        return text
    if node is None or (node.is_null and not depth):
        changed = _begin(text, node, _nested(path, value), syntax)
    elif depth == len(path) or node.is_null:
        changed = _fill(text, root, path[:depth], _nested(path[depth:], value), syntax)
    else:
        changed = _insert(text, root, path[:depth], path[depth], _nested(path[depth + 1 :], value), syntax)
    is_filled = depth == len(path) or node is None or node.is_null
    return _checked(text, changed, path[: depth if is_filled else depth + 1], syntax)


def merge(text: str, path: Path, wanted: dict[str, Any], syntax: Syntax) -> str:
    """The text with these keys in the mapping at a path; its other keys stay.

    Raises:
        ProvisionError: as ``put``.
    """
    node = find(syntax.parse(text), path)
    if node is None or node.kind is not Kind.MAPPING:
        return put(text, path, wanted, syntax)
    for key, value in wanted.items():
        if is_object(value) and value:
            text = merge(text, (*path, key), value, syntax)
        else:
            text = put(text, (*path, key), value, syntax)
    return text


def cut(text: str, path: Path, syntax: Syntax) -> str:
    """The text without the entry at a path; the same text when there is none.

    Raises:
        ProvisionError: the text cannot be parsed, or the entry cannot be taken away safely.
    """
    root = syntax.parse(text)
    parent = find(root, path[:-1])
    entry = child(parent, path[-1]) if parent is not None else None
    if parent is None or entry is None:
        return text
    number = parent.entries.index(entry)
    changed = cut_flow(text, parent, number, syntax) if parent.is_flow else cut_block(text, parent, number)
    if len(parent.entries) == 1:
        return _checked(text, changed, path[:-1], syntax)
    return _checked(text, changed, path, syntax, is_gone=True)


def withdraw(text: str, path: Path, syntax: Syntax, before: str | None) -> str:
    """The text without the entry at a path, and without what was created on the way to it.

    Args:
        text: the file.
        path: the entry.
        syntax: how the file is written.
        before: the file as it was before the entry was written; None when there was none.

    Raises:
        ProvisionError: as ``cut``.
    """
    without = cut(text, path, syntax)
    if without == text:
        return text
    text = without
    root_before = syntax.parse(before or "")
    for length in range(len(path) - 1, 0, -1):
        parent = path[:length]
        node = find(syntax.parse(text), parent)
        assert node is not None
        if not _is_bare(node, parent):
            return text
        if (former := find(root_before, parent)) is not None:
            return _restored(text, node, before or "", former) if former.is_empty else text
        text = cut(text, parent, syntax)
    return _emptied(text, before or "", root_before, syntax)


def _emptied(text: str, before: str, root_before: Node | None, syntax: Syntax) -> str:
    """A document, as it was once if nothing is in it."""
    root = syntax.parse(text)
    if root is None:
        return text if root_before is None else _refilled(text, before, root_before)
    if not root.is_empty or (root_before is not None and not root_before.is_empty):
        return text
    return before if root_before is None else _restored(text, root, before, root_before)


def _known_depth(root: Node | None, path: Path) -> int:
    """How many steps of a path exist."""
    depth = 0
    node = root
    while node is not None and depth < len(path) and (entry := child(node, path[depth])) is not None:
        node = entry.value
        depth += 1
    return depth


def _nested(path: Path, value: Any) -> Any:
    """The value inside of all that a path names."""
    for step in reversed(path):
        value = [{step.key: step.value, **value}] if isinstance(step, Row) else {step: value}
    return value


def _begin(text: str, null: Node | None, value: Any, syntax: Syntax) -> str:
    """The first content of a document that has none."""
    if syntax is JSONC:
        start, end = (null.start, null.end) if null is not None else (len(text), len(text))
        newline = newline_of(text)
        return text[:start] + to_json(value, "", unit_of_flow(None, text), newline) + (text[end:] or newline)
    lines = to_yaml_lines(value, unit_of_block(None, text))
    if null is not None and null.end > null.start:
        return fill_block(text, null, lines, "")
    return append_block(text, lines)


def _fill(text: str, root: Node | None, path: Path, value: Any, syntax: Syntax) -> str:
    """Another value in the place of one that stands alone."""
    node, parent = find(root, path), find(root, path[:-1])
    if not path and node is not None and node.is_empty:
        lines = to_yaml_lines(value, unit_of_block(None, text))
        return text[: node.start] + newline_of(text).join(lines) + text[node.end :]
    if node is None or parent is None or not (node.kind in {Kind.SCALAR, Kind.ALIAS} or node.is_empty):
        raise ProvisionError(f"{words(path)} holds something else.")
    if node.tag is not None or (node.anchor is not None and node.kind is not Kind.ALIAS):
        raise ProvisionError(f"{words(path)} has a tag or a name, and cannot be changed safely.")
    if syntax is JSONC or parent.is_flow:
        unit = unit_of_flow(root, text) if syntax is JSONC and "\n" in text[parent.start : parent.end] else None
        new = to_json(value, indent_of_line(text, node.start), unit, newline_of(text))
    elif is_plain(value):
        new = _in_quotes(value, text[node.start : node.start + 1]) or to_yaml_lines(value, "")[0]
    else:
        entry = child(parent, path[-1])
        unit = unit_of_block(root, text)
        indent = " " * column(text, entry.start if entry is not None else node.start) + unit
        return fill_block(text, node, to_yaml_lines(value, unit), indent)
    gap = "" if node.end > node.start or text[node.start - 1 : node.start].isspace() else " "
    return text[: node.start] + gap + new + text[node.end :]


def _in_quotes(value: Any, quote: str) -> str | None:
    """A text in the quotes that its place has had; None where it had none."""
    if not isinstance(value, str) or quote not in {'"', "'"}:
        return None
    return to_json(value, "", None, "") if quote == '"' else "'" + value.replace("'", "''") + "'"


def _insert(text: str, root: Node | None, path: Path, step: Step, value: Any, syntax: Syntax) -> str:
    """One more entry at the end of a mapping or a list."""
    node = find(root, path)
    wanted = Kind.LIST if isinstance(step, Row) else Kind.MAPPING
    if node is None or node.kind is not wanted:
        raise ProvisionError(f"{words(path)} holds something else.")
    key = step if isinstance(step, str) else None
    item = {step.key: step.value, **value} if isinstance(step, Row) else value
    if _becomes_block(text, root, path, node, syntax):
        return _fill(text, root, path, [item] if key is None else {key: item}, syntax)
    if node.is_flow:
        newline = newline_of(text)

        def render(indent: str, unit: str | None) -> str:
            return entry_to_json(key, item, indent, unit, newline)

        return insert_flow(text, node, render, unit_of_flow(root, text), syntax)
    unit = unit_of_block(root, text)
    lines = yaml_item_lines(item, unit) if key is None else yaml_entry_lines(key, item, unit)
    return insert_block(text, node, lines)


def _becomes_block(text: str, root: Node | None, path: Path, node: Node, syntax: Syntax) -> bool:
    """Whether these are empty brackets of YAML that lines can take the place of."""
    parent = find(root, path[:-1]) if path else None
    is_empty = node.is_flow and not text[node.start + 1 : node.end - 1].strip()
    return syntax is not JSONC and is_empty and (parent is None or not parent.is_flow)


def _checked(before: str, after: str, path: Path, syntax: Syntax, *, is_gone: bool = False) -> str:
    """The changed text, when it means the same but for a path, which may be gone."""
    try:
        is_same = shape(syntax.parse(after), None if is_gone else path) == shape(syntax.parse(before), path)
    except ProvisionError:
        is_same = False
    if not is_same:
        raise ProvisionError(f"{words(path)} is written in a way that cannot be changed safely. Change it by hand.")
    return after


def _is_bare(node: Node, path: Path) -> bool:
    """Whether a node holds nothing, or is a named item that holds its name alone."""
    return node.is_empty or (bool(path) and isinstance(path[-1], Row) and len(node.entries) == 1)


def _restored(text: str, node: Node, before: str, former: Node) -> str:
    """The text with an empty value written as it was once."""
    if node.is_flow:
        return text[: node.start] + before[former.start : former.end] + text[node.end :]
    end, former_end = line_end(text, node.end), line_end(before, former.end)
    colon = former.start if former.start == former.end else before.rfind(":", 0, former.start) + 1
    rest = before[colon : former.start] + before[former.end : former_end]
    if text[node.end : end].strip() == rest.strip():
        return text[: node.end] + before[colon:former_end] + text[end:]
    return text[: node.end] + f" {before[former.start : former.end]}".rstrip() + text[node.end :]


def _refilled(text: str, before: str, root: Node) -> str:
    """A document without content, with the empty brackets that were all of it once."""
    head, behind = before[: root.start], before[after_line(before, root.end) :]
    if not root.is_flow or root.entries or not text.startswith(head.rstrip("\r\n")):
        return text
    if text in {head + behind, head.rstrip("\r\n")}:
        return before
    return head + before[root.start : len(before) - len(behind)] + text[len(head) :]


def words(path: Path) -> str:
    """A path for people: ``providers.antigravity``."""
    names = (step.value if isinstance(step, Row) else str(step) for step in path)
    return ".".join(names) or "the file"
