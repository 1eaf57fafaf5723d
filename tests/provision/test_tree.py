"""Tests of trees of positions."""

from __future__ import annotations

import pytest

from antigravity_proxy.errors import ProvisionError
from antigravity_proxy.provision.syntax import JSONC, YAML
from antigravity_proxy.provision.tree import Row, aliases_in, data_of, find, place, shape


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
    """Keys that are no text, and aliases inside of what they stand for, are left out of plain data."""
    root = YAML.parse("a: &x {b: [1, true], me: *x}\nc: *x\n? [d]\n: e\n")
    assert data_of(root) == {"a": {"b": [1, True], "me": None}, "c": {"b": [1, True], "me": None}}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{<<: *x, b: 2}", {"n": 1, "b": 2}),
        ("{n: 2, <<: *x}", {"n": 2}),
        ("{<<: [*y, *x]}", {"n": 3, "m": 4}),
        ("{<<: {m: 5}}", {"m": 5}),
        ("{<<: text}", {}),
        ("{'<<': *x}", {"<<": {"n": 1}}),
    ],
)
def test_merge_keys_bring_entries(text: str, expected: object) -> None:
    """What a merge key brings holds unless the mapping says something else."""
    found = data_of(YAML.parse(f"x: &x {{n: 1}}\ny: &y {{n: 3, m: 4}}\nz: {text}\n"))["z"]
    assert {key: value for key, value in found.items() if key != "<<" or "'" in text} == expected


def test_aliases_are_found_in_order() -> None:
    """All aliases of a document are found, wherever they stand."""
    root = YAML.parse("a: &a 1\nb: [*a, {c: *a}]\nd: *a\n")
    assert [alias.start for alias in aliases_in(root)] == sorted(alias.start for alias in aliases_in(root))
    assert len(list(aliases_in(root))) == 3
    assert list(aliases_in(None)) == []


def test_named_item_may_have_its_name_by_an_alias() -> None:
    """The name of an item counts however it is written."""
    root = YAML.parse("n: &n x\nrows: [{id: *n, v: 1}]\n")
    assert data_of(find(root, ("rows", Row("id", "x"), "v"))) == 1


def test_shape_tells_meanings_apart() -> None:
    """Tags, names, order and kinds of scalars count; spaces and comments do not."""
    first = shape(YAML.parse("a: 1\nb: [x]  # c\n"))
    assert first == shape(YAML.parse("a:   1\nb:\n- x\n"))
    for other in ("a: '1'\nb: [x]\n", "b: [x]\na: 1\n", "a: !t 1\nb: [x]\n", "a: &n 1\nb: [x]\n", "a: 1\n"):
        assert shape(YAML.parse(other)) != first
    assert shape(YAML.parse("a: 1\nb: [x]\nc: 2\n"), [("c",)]) == first


def test_places_are_counted_from_one() -> None:
    """An offset is a line and a column."""
    assert place("ab\ncd", 0) == "line 1, column 1"
    assert place("ab\ncd", 4) == "line 2, column 2"
