"""Tests of changes to YAML blocks."""

from __future__ import annotations

import pytest

from antigravity_proxy.provision.block import append_block, cut_block, fill_block, insert_block, unit_of_block
from antigravity_proxy.provision.tree import Node, find
from antigravity_proxy.provision.yaml_tree import parse_yaml


def node_at(text: str, *path: str | int) -> Node:
    """The node of a document."""
    node = find(parse_yaml(text), path)
    assert node is not None
    return node


@pytest.mark.parametrize(
    ("text", "unit"),
    [
        ("a:\n    b: 1\n", "    "),
        ("a: {b: 1}\nc:\n   d: 1\n", "   "),
        ("- a:\n   b: 1\n", " "),
        ("a:\n- b: 1\n", "  "),
        ("- x: {y: 1}\n- z:\n    w: 1\n", "  "),
    ],
)
def test_unit_is_that_of_the_document(text: str, unit: str) -> None:
    """The first nested mapping shows how deep a level is."""
    assert unit_of_block(parse_yaml(text), text) == unit


@pytest.mark.parametrize(
    ("text", "path", "expected"),
    [
        ("a: 1  # c\n\n# d\n", (), "a: 1  # c\nx: 9\n\n# d\n"),
        ("a: 1", (), "a: 1\nx: 9"),
        ("a:\r\n  b: 1\r\nc: 2\r\n", ("a",), "a:\r\n  b: 1\r\n  x: 9\r\nc: 2\r\n"),
        ("a:\n  b: |\n    t\n\nc: 2\n", ("a",), "a:\n  b: |\n    t\n\n  x: 9\nc: 2\n"),
        ("- a: 1\n- b: 2\n", (0,), "- a: 1\n  x: 9\n- b: 2\n"),
    ],
    ids=["comment", "no line end", "crlf", "block scalar", "item"],
)
def test_entry_comes_last(text: str, path: tuple[str | int, ...], expected: str) -> None:
    """A new entry stands behind the last one, with its indent and line end."""
    assert insert_block(text, node_at(text, *path), ["x: 9"]) == expected


def test_first_entry_comes_behind_comments() -> None:
    """A document without content gets its first entry at its end."""
    assert append_block("# mine", ["x: 9"]) == "# mine\nx: 9"
    assert append_block("# mine\n", ["x: 9"]) == "# mine\nx: 9\n"


def test_empty_value_becomes_a_block() -> None:
    """Lines take the place of nothing; a comment beside it stays."""
    text = "a: {}  # c\nb: 1\n"
    assert fill_block(text, node_at(text, "a"), ["x: 9"], "  ") == "a:   # c\n  x: 9\nb: 1\n"
    text = "a: null\nb: 1\n"
    assert fill_block(text, node_at(text, "a"), ["x: 9"], "  ") == "a:\n  x: 9\nb: 1\n"


@pytest.mark.parametrize(
    ("text", "path", "number", "expected"),
    [
        ("a: 1\nb:\n  c: 2\n\n# d\ne: 3\n", (), 1, "a: 1\n\n# d\ne: 3\n"),
        ("a: 1\nb: 2", (), 1, "a: 1"),
        ("a: 1\r\nb: 2", (), 1, "a: 1"),
        ("- a: 1\n  b: 2\n", (0,), 0, "- b: 2\n"),
        ("- a: 1\n", (0,), 0, "- \n"),
        ("- a\n- b\n", (), 0, "- b\n"),
    ],
    ids=["lines", "end", "crlf end", "first of item", "only of item", "item"],
)
def test_entry_goes_with_its_lines(text: str, path: tuple[str | int, ...], number: int, expected: str) -> None:
    """An entry goes with the lines it had for itself."""
    assert cut_block(text, node_at(text, *path), number) == expected
