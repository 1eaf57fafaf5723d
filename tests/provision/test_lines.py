"""Tests of lines and indents."""

from __future__ import annotations

import pytest

from antigravity_proxy.provision.lines import (
    after_line,
    column,
    indent_before,
    indent_of_line,
    line_end,
    line_start,
    newline_of,
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [("a\r\nb\n", "\r\n"), ("a\nb\r\n", "\n"), ("a", "\n"), ("", "\n"), ("\n", "\n")],
)
def test_new_lines_end_as_the_first_does(text: str, expected: str) -> None:
    """The first line end decides."""
    assert newline_of(text) == expected


def test_lines_begin_and_end() -> None:
    """Offsets are found in lines of both kinds, behind a byte order mark, and at the end."""
    text = "\ufeffab\r\n  cd\nx"
    assert [line_start(text, offset) for offset in (1, 2, 5, 8, 11)] == [1, 1, 5, 5, 10]
    assert [line_end(text, offset) for offset in (1, 5, 10)] == [3, 9, 11]
    assert [after_line(text, offset) for offset in (1, 5, 10)] == [5, 10, 11]
    assert column(text, 2) == 1


def test_indents_are_blanks_alone() -> None:
    """Blanks before something are its indent when nothing else is there."""
    text = "  - a: 1\n\tb\n"
    assert indent_before(text, 2) == "  "
    assert indent_before(text, 4) is None
    assert indent_of_line(text, 4) == "  "
    assert indent_of_line(text, 10) == "\t"
