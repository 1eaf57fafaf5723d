"""Lines and indents of a text."""

from __future__ import annotations

BYTE_ORDER_MARK = "\ufeff"
"""Some editors begin files with it."""


def newline_of(text: str) -> str:
    """How the first line ends, which new lines do too."""
    end = text.find("\n")
    return "\r\n" if end > 0 and text[end - 1] == "\r" else "\n"


def line_start(text: str, offset: int) -> int:
    """Where the line of an offset begins, behind a byte order mark."""
    start = text.rfind("\n", 0, offset) + 1
    return start or len(BYTE_ORDER_MARK if text.startswith(BYTE_ORDER_MARK) else "")


def line_end(text: str, offset: int) -> int:
    """Where the line of an offset ends, before its line end."""
    end = text.find("\n", offset)
    if end < 0:
        return len(text)
    return end - 1 if end > offset and text[end - 1] == "\r" else end


def after_line(text: str, offset: int) -> int:
    """Where the line after the one of an offset begins; the end of the text when there is none."""
    end = text.find("\n", offset)
    return len(text) if end < 0 else end + 1


def column(text: str, offset: int) -> int:
    """How many characters stand before an offset in its line."""
    return offset - line_start(text, offset)


def indent_before(text: str, offset: int) -> str | None:
    """The blanks before an offset when nothing else stands before it in its line, else None."""
    before = text[line_start(text, offset) : offset]
    return before if not before.strip(" \t") else None


def indent_of_line(text: str, offset: int) -> str:
    """The blanks that the line of an offset begins with."""
    line = text[line_start(text, offset) : line_end(text, offset)]
    return line[: len(line) - len(line.lstrip(" \t"))]
