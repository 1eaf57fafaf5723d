"""What was written taken away again; every other byte stays as it is."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from .block import cut_block
from .flow import cut_flow
from .lines import after_line, line_end
from .meaning import checked, refuse_shared
from .tree import Row, child, find

if TYPE_CHECKING:
    from collections.abc import Collection

    from .syntax import Syntax
    from .tree import Entry, Node, Path, Step


def cut(text: str, path: Path, syntax: Syntax) -> str:
    """The text without the entry at a path; the same text when there is none.

    Raises:
        ProvisionError: the text cannot be parsed, or the entry cannot be taken away safely.
    """
    return cut_all(text, path[:-1], path[-1:], syntax)


def cut_all(text: str, parent: Path, steps: Collection[Step], syntax: Syntax) -> str:
    """The text without some entries of a mapping or a list.

    Args:
        text: the file.
        parent: where the mapping or the list is.
        steps: the entries.
        syntax: how the file is written.

    Raises:
        ProvisionError: as ``cut``.
    """
    root = syntax.parse(text)
    node = find(root, parent)
    entries = [] if node is None else [entry for step in steps if (entry := child(node, step)) is not None]
    if node is None or not entries:
        return text
    for step in steps:
        refuse_shared(text, root, (*parent, step), is_replaced=True)
    is_emptied = len(entries) == len(node.entries)
    changed = text
    # From the last one to the first: what stands before an entry is where it was.
    for number in sorted(map(node.entries.index, entries), reverse=True):
        shorter = cut_flow(changed, node, number, syntax) if node.is_flow else cut_block(changed, node, number)
        node = _without(node, number, len(changed) - len(shorter))
        changed = shorter
    if is_emptied:
        return checked(text, changed, [parent], [], syntax)
    return checked(text, changed, [], [(*parent, step) for step in steps], syntax)


def _without(node: Node, number: int, length: int) -> Node:
    """A mapping or a list from which an entry and some characters were taken."""
    behind = tuple(_moved(entry, length) for entry in node.entries[number + 1 :])
    return replace(node, entries=node.entries[:number] + behind, end=node.end - length)


def _moved(entry: Entry, length: int) -> Entry:
    value = replace(entry.value, start=entry.value.start - length, end=entry.value.end - length)
    return replace(entry, start=entry.start - length, value=value)


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
    return withdraw_all(text, path[:-1], path[-1:], syntax, before)


def withdraw_all(text: str, path: Path, steps: Collection[Step], syntax: Syntax, before: str | None) -> str:
    """The text without some entries of a mapping or a list, and without what was created on the way to them.

    Raises:
        ProvisionError: as ``cut``.
    """
    without = cut_all(text, path, steps, syntax)
    if without == text:
        return text
    text = without
    root_before = syntax.parse(before or "")
    for length in range(len(path), 0, -1):
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
    if root_before is not None:
        return _restored(text, root, before, root_before)
    rest = text[: root.start] + text[root.end :]
    return before if rest.strip() == before.strip() else rest


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
