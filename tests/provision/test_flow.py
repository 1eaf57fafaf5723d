"""Tests of changes to what stands in brackets."""

from __future__ import annotations

import pytest

from antigravity_proxy.provision.flow import cut_flow, insert_flow, unit_of_flow
from antigravity_proxy.provision.syntax import JSONC, YAML, Syntax


def put_x(text: str, syntax: Syntax) -> str:
    """The text with a new entry in its root."""
    root = syntax.parse(text)
    assert root is not None
    return insert_flow(text, root, lambda _indent, _unit: ['"x": 9'], unit_of_flow(root, text), syntax)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{}", '{\n  "x": 9\n}'),
        ("{ }", '{\n  "x": 9\n}'),
        ("{\n}", '{\n  "x": 9\n}'),
        ("{ /* c */ }", '{ /* c */ "x": 9}'),
        ("{\n  // c\n}", '{\n  // c\n  "x": 9\n}'),
        ('{"a": 1}', '{"a": 1, "x": 9}'),
        ('{"a": 1, }', '{"a": 1, "x": 9, }'),
        ('{"a": 1 /* , */}', '{"a": 1, "x": 9 /* , */}'),
        ('{\n\t"a": 1 // c, d\n}', '{\n\t"a": 1, // c, d\n\t"x": 9\n}'),
        ('{\r\n "a": 1,\r\n}', '{\r\n "a": 1,\r\n "x": 9,\r\n}'),
        ('{"a": 1\n}', '{"a": 1,\n  "x": 9\n}'),
        ('{\n  "a": 1\n  /* c */}', '{\n  "a": 1, "x": 9\n  /* c */}'),
    ],
)
def test_entry_comes_last(text: str, expected: str) -> None:
    """A new entry stands behind the last one, on a line of its own where the bracket has one."""
    assert put_x(text, JSONC) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{a: 1}", '{a: 1, "x": 9}'),
        ("{ }", '{ "x": 9}'),
        ("!t {a: b#c, # d\n  }", '!t {a: b#c, # d\n    "x": 9,\n  }'),
    ],
)
def test_brackets_of_yaml_are_taken_too(text: str, expected: str) -> None:
    """YAML has other comments, and tags before its brackets."""
    assert put_x(text, YAML) == expected


@pytest.mark.parametrize(
    ("text", "number", "expected"),
    [
        ('{"a": 1}', 0, "{}"),
        ('{"a": 1, "b": 2}', 0, '{"b": 2}'),
        ('{"a": 1, "b": 2}', 1, '{"a": 1}'),
        ('{"a": 1, "b": 2,}', 1, '{"a": 1,}'),
        ('{\n  "a": 1,\n  "b": 2\n}', 1, '{\n  "a": 1\n}'),
        ('{\n  "a": 1, // c\n  "b": 2\n}', 1, '{\n  "a": 1 // c\n}'),
        ('{\n  "a": 1,\n  "b": 2,\n}', 0, '{\n  "b": 2,\n}'),
        ('{\n  "a": 1, // c\n  "b": 2\n}', 0, '{\n  // c\n  "b": 2\n}'),
        ('{"a": 1, /* c */ "b": 2}', 1, '{"a": 1 /* c */}'),
    ],
)
def test_entry_goes_with_its_comma(text: str, number: int, expected: str) -> None:
    """An entry goes with its comma and its lines; comments stay."""
    root = JSONC.parse(text)
    assert root is not None
    assert cut_flow(text, root, number, JSONC) == expected
