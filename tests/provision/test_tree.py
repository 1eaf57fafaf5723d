"""Tests of trees of positions."""

from __future__ import annotations

import pytest

from antigravity_proxy.errors import ProvisionError
from antigravity_proxy.provision.syntax import JSONC, YAML
from antigravity_proxy.provision.tree import Row, data_of, find, place, shape


def test_path_leads_to_a_value() -> None:
    """Keys, numbers and names lead on, and nothing is found where one does not fit."""
    text = '{"rows": [{"id": "a", "n": 1}, {"id": "b", "n": 2}, 3], "x": null}'
    root = JSONC.parse(text)
    assert data_of(find(root, ("rows", Row("id", "b"), "n"))) == 2
    assert data_of(find(root, ("rows", 0, "id"))) == "a"
    for path in (("y",), ("rows", "id"), ("x", 0), ("rows", 9), (Row("id", "a"),), ("x", "y")):
        assert find(root, path) is None
    assert find(None, ("x",)) is None


@pytest.mark.parametrize("path", [("a",), ("rows", Row("id", "x"))], ids=["key", "row"])
def test_name_that_stands_there_twice_is_refused(path: tuple[str | Row, ...]) -> None:
    """Of two entries of one name nobody knows which one holds."""
    root = JSONC.parse('{"a": 1, "a": 2, "rows": [{"id": "x"}, {"id": "x"}]}')
    with pytest.raises(ProvisionError, match="stands there twice"):
        find(root, path)


def test_data_is_plain() -> None:
    """Aliases and keys that are no text are left out of plain data."""
    root = YAML.parse("a: &x {b: [1, true]}\nc: *x\n? [d]\n: e\n")
    assert data_of(root) == {"a": {"b": [1, True]}, "c": None}


def test_shape_tells_meanings_apart() -> None:
    """Tags, names, order and kinds of scalars count; spaces and comments do not."""
    first = shape(YAML.parse("a: 1\nb: [x]  # c\n"))
    assert first == shape(YAML.parse("a:   1\nb:\n- x\n"))
    for other in ("a: '1'\nb: [x]\n", "b: [x]\na: 1\n", "a: !t 1\nb: [x]\n", "a: &n 1\nb: [x]\n", "a: 1\n"):
        assert shape(YAML.parse(other)) != first
    assert shape(YAML.parse("a: 1\nb: [x]\nc: 2\n"), ("c",)) == first


def test_places_are_counted_from_one() -> None:
    """An offset is a line and a column."""
    assert place("ab\ncd", 0) == "line 1, column 1"
    assert place("ab\ncd", 4) == "line 2, column 2"
