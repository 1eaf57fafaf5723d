"""Changes to what stands in brackets: JSON, and the brackets of YAML."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .lines import after_line, indent_before, indent_of_line, line_end, line_start, newline_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from .syntax import Syntax
    from .tree import Node

UNIT = "  "
"""One level in a file that shows none."""


def unit_of_flow(root: Node | None, text: str) -> str:
    """One level of a document, as its first entry shows it."""
    if root is None or not root.entries:
        return UNIT
    return indent_before(text, root.entries[0].start) or UNIT


def insert_flow(
    text: str, parent: Node, render: Callable[[str, str | None], list[str]], unit: str, syntax: Syntax
) -> str:
    """The text with more entries at the end of brackets.

    Args:
        text: the document.
        parent: the mapping or list.
        render: the entries for an indent and a unit; without a unit each on one line.
        unit: one level of the document.
        syntax: how the document is written.
    """
    closing = parent.end - 1
    inner = parent.entries[-1].value.end if parent.entries else _opening(text, parent) + 1
    between = _without_comments(text[inner:closing], syntax)
    comma = between.find(",")
    last_line = line_start(text, closing)
    if last_line >= inner and not text[last_line:closing].strip(" \t"):
        return _insert_line(text, parent, render, unit, syntax)
    one_line = ", ".join(render("", None))
    if comma >= 0:
        at = inner + comma + 1
        return f"{text[:at]} {one_line},{text[at:]}"
    if parent.entries:
        return f"{text[:inner]}, {one_line}{text[inner:]}"
    if not syntax.has_blocks and not text[inner:closing].strip():
        newline, outer = newline_of(text), indent_of_line(text, parent.start)
        indent = outer + unit
        lines = f",{newline}{indent}".join(render(indent, unit))
        return f"{text[:inner]}{newline}{indent}{lines}{newline}{outer}{text[closing:]}"
    return text[:closing] + one_line + text[closing:]


def _insert_line(
    text: str, parent: Node, render: Callable[[str, str | None], list[str]], unit: str, syntax: Syntax
) -> str:
    """The entries on lines of their own, before that of the closing bracket."""
    closing = parent.end - 1
    last_line = line_start(text, closing)
    indent, inner, has_comma = None, last_line, True
    if parent.entries:
        indent = indent_before(text, parent.entries[0].start)
        inner = parent.entries[-1].value.end
        has_comma = "," in _without_comments(text[inner:last_line], syntax)
    if indent is None:
        indent = text[last_line:closing] + unit
    lines = f",{newline_of(text)}{indent}".join(render(indent, None if syntax.has_blocks else unit))
    comma_before = "" if has_comma else ","
    comma_behind = "," if parent.entries and has_comma else ""
    return (
        f"{text[:inner]}{comma_before}{text[inner:last_line]}{indent}{lines}{comma_behind}{newline_of(text)}"
        f"{text[last_line:]}"
    )


def cut_flow(text: str, parent: Node, number: int, syntax: Syntax) -> str:
    """The text without an entry in brackets, its comma, and the lines it had for itself.

    Args:
        text: the document.
        parent: the mapping or list.
        number: which entry.
        syntax: how the document is written.
    """
    entry = parent.entries[number]
    following = parent.entries[number + 1] if number + 1 < len(parent.entries) else None
    start, end = entry.start, entry.value.end
    behind = _without_comments(text[end : following.start if following else parent.end - 1], syntax)
    if "," in behind:
        end += behind.index(",") + 1
    elif number:
        before = parent.entries[number - 1].value.end
        comma = before + _without_comments(text[before:start], syntax).index(",")
        if text[comma + 1 : start].strip(" ") or text[comma + 1 : start].count("\n"):
            text = text[:comma] + text[comma + 1 :]
            start, end = start - 1, end - 1
        else:
            return text[:comma] + text[end:]
    is_alone = indent_before(text, start) is not None and not text[end : line_end(text, end)].strip(" \t")
    if is_alone and line_start(text, start) > 0 and after_line(text, end) > line_end(text, end):
        return text[: line_start(text, start)] + text[after_line(text, end) :]
    if following is not None:
        return text[:start] + text[end:].lstrip(" ")
    return text[:start].rstrip(" ") + text[end:]


def _opening(text: str, node: Node) -> int:
    # A tag or an anchor may stand before the bracket.
    return min(at for at in (text.find("{", node.start), text.find("[", node.start)) if at >= 0)


def _without_comments(text: str, syntax: Syntax) -> str:
    return syntax.comment.sub(lambda match: " " * len(match.group()), text)
