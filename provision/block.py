"""Changes to YAML blocks, whose structure is in their indents."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .lines import after_line, column, indent_before, line_end, line_start, newline_of
from .tree import Kind

if TYPE_CHECKING:
    from .tree import Node

UNIT = "  "
"""One level in a file that shows none."""


def unit_of_block(root: Node | None, text: str) -> str:
    """One level of a document, as its first nested mapping shows it."""
    pending = [root] if root is not None else []
    for node in pending:
        if node.is_flow:
            continue
        for entry in node.entries:
            inner = entry.value
            is_nested = node.kind is inner.kind is Kind.MAPPING and not inner.is_flow
            # A tag or an anchor stands before the first entry, on another line.
            if is_nested and (width := column(text, inner.entries[0].start) - column(text, entry.start)) > 0:
                return " " * width
            pending.append(inner)
    return UNIT


def insert_block(text: str, parent: Node, lines: list[str]) -> str:
    """The text with one more entry at the end of a block that has some.

    Args:
        text: the document.
        parent: the mapping or list.
        lines: the entry, without the indent of the block.
    """
    indent = " " * column(text, parent.entries[0].start)
    return _insert_lines(text, _behind(text, parent.end), [indent + line for line in lines])


def append_block(text: str, lines: list[str]) -> str:
    """The text with a first entry behind all of its comments."""
    return _insert_lines(text, len(text), lines)


def fill_block(text: str, node: Node, lines: list[str], indent: str) -> str:
    """The text with a block in the place of a value that holds nothing, on the lines after it.

    Args:
        text: the document.
        node: what holds nothing: null, or empty brackets.
        lines: the block, without its indent.
        indent: of the block.
    """
    end = line_end(text, node.end)
    rest = text[node.end : end]
    before = text[: node.start] if rest.strip() else text[: node.start].rstrip(" ")
    head = before + rest
    return _insert_lines(head + text[end:], len(head), [indent + line for line in lines], is_mid_line=True)


def cut_block(text: str, parent: Node, number: int) -> str:
    """The text without an entry of a block, and without the lines it had for itself.

    Args:
        text: the document.
        parent: the mapping or list.
        number: which entry.
    """
    entry = parent.entries[number]
    if indent_before(text, entry.start) is None:
        # It shares its line with the dash of an item: what follows moves up.
        following = parent.entries[number + 1].start if number + 1 < len(parent.entries) else entry.value.end
        return text[: entry.start] + text[following:]
    start, stop = line_start(text, entry.start), _behind(text, entry.value.end)
    if stop == len(text) and not text.endswith("\n") and start > 0:
        start -= len(newline_of(text))
    return text[:start] + text[stop:]


def _behind(text: str, end: int) -> int:
    # A block scalar ends with its last line, everything else inside a line.
    return end if text[end - 1 : end] == "\n" else after_line(text, end)


def _insert_lines(text: str, offset: int, lines: list[str], *, is_mid_line: bool = False) -> str:
    newline = newline_of(text)
    is_mid_line = is_mid_line or (offset > 0 and text[offset - 1] != "\n")
    body = newline.join(lines)
    new = newline + body if is_mid_line else body + newline
    return text[:offset] + new + text[offset:]
