"""Tests of changes to one place of a file."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings

from antigravity_proxy.errors import ProvisionError
from antigravity_proxy.provision.removal import withdraw, withdraw_all
from antigravity_proxy.provision.splice import merge, put, put_all
from antigravity_proxy.provision.syntax import JSONC, YAML, Syntax
from antigravity_proxy.provision.tree import Row, data_of, find, shape

from .documents import json_documents, yaml_documents

if TYPE_CHECKING:
    from antigravity_proxy.provision.tree import Node, Path

JSON_AFTER = """\
{
  "a": {"b": 2, "e": 3, "f": 4},
  "c": {
    "d": [
      {"i": "x", "v": 5}
    ],
    "g": 6
  }
}
"""
PATH = ("providers", "antigravity")
VALUE: dict[str, Any] = {
    "name": "A: b",
    "models": [{"id": "x", "input": ["text"], "efforts": {"off": None}}, {"id": "y"}],
    "options": {"url": "http://127.0.0.1:1/v1", "on": True, "n": 5},
}


def check(text: str, syntax: Syntax) -> None:
    """What holds for every valid document."""
    before = syntax.parse(text)
    try:
        written = put(text, PATH, VALUE, syntax)
    except ProvisionError:
        # A block scalar that ends the text without a line end would get one.
        assert syntax is YAML
        assert not text.endswith("\n")
        return
    after = syntax.parse(written)
    assert data_of(find(after, PATH)) == VALUE
    parent = find(before, PATH[:1])
    if parent is not None and not parent.is_empty:
        assert shape(after, [PATH]) == shape(before)
    elif before is not None and not before.is_null:
        assert shape(after, [PATH[:1]]) == shape(before, [PATH[:1]])
    assert put(written, PATH, VALUE, syntax) == written
    assert withdraw(written, PATH, syntax, text) == text
    changed = merge(written, PATH, {"options": {"url": "http://127.0.0.1:2/v1"}}, syntax)
    assert changed == written.replace("http://127.0.0.1:1/v1", "http://127.0.0.1:2/v1")


@settings(max_examples=60, deadline=None)
@given(yaml_documents("providers"))
def test_yaml_stays_as_it_is(text: str) -> None:
    """Writing into YAML changes nothing else, a second time nothing at all, and is taken back byte for byte."""
    check(text, YAML)


@settings(max_examples=40, deadline=None)
@given(json_documents("providers"))
def test_json_stays_as_it_is(text: str) -> None:
    """Writing into JSON with comments does neither."""
    check(text, JSONC)


@pytest.mark.parametrize(
    ("text", "path", "syntax"),
    [
        ("providers: words\n", PATH, YAML),
        ("providers: [a]\n", PATH, YAML),
        ("providers: {antigravity: {a: 1}}\n", PATH, YAML),
        ("a: &x {b: 1}\nproviders: *x\n", PATH, YAML),
        ("providers: !tag\nb: 1\n", PATH, YAML),
        ("---\n...\n", PATH, YAML),
        ("providers: {antigravity: !tag x}\n", PATH, YAML),
        ("rows: {a: 1}\n", ("rows", Row("id", "x")), YAML),
        ('{"providers": 5}', PATH, JSONC),
        ("5", PATH, JSONC),
    ],
)
def test_place_that_holds_something_else_is_refused(text: str, path: Path, syntax: Syntax) -> None:
    """What stands in the way is not written over."""
    with pytest.raises(ProvisionError, match=r"holds something else|cannot be changed safely|is an alias"):
        put(text, path, VALUE, syntax)


@pytest.mark.parametrize(
    ("text", "path", "value", "syntax", "expected"),
    [
        ("a: 'b'  # c\n", ("a",), "it's", YAML, "a: 'it''s'  # c\n"),
        ('a: "b"\n', ("a",), "c", YAML, 'a: "c"\n'),
        ("a: b\n", ("a",), "off", YAML, 'a: "off"\n'),
        ("a: 'b'\n", ("a",), True, YAML, "a: true\n"),
        ("a:\nb: 1\n", ("a",), "c", YAML, "a: c\nb: 1\n"),
        ("a: {b: , c: 1}\n", ("a", "b"), "d", YAML, 'a: {b: "d" , c: 1}\n'),
        ("a: []\n", ("a",), [{"b": 1}], YAML, "a:\n  - b: 1\n"),
        ("a: {b: []}\n", ("a", "b"), [{"c": 1}], YAML, 'a: {b: [{"c": 1}]}\n'),
        ("- a\n-\n", (1,), "c", YAML, "- a\n- c\n"),
        ("x: &n 1\na: *n\n", ("a",), 2, YAML, "x: &n 1\na: 2\n"),
        ("a: &n 1  # c\n", ("a",), 2, YAML, "a: &n 2  # c\n"),
        ("a: &n 'b'\n", ("a",), "c", YAML, "a: &n 'c'\n"),
        ("a: &n # c\n  b\n", ("a",), "c", YAML, "a: &n # c\n  c\n"),
        ("a: &n\nb: 1\n", ("a",), "c", YAML, "a: &n c\nb: 1\n"),
        ("a: {b: &n, c: 1}\n", ("a", "b"), 2, YAML, "a: {b: &n 2, c: 1}\n"),
        ('{"a": "b"}', ("a",), "c", JSONC, '{"a": "c"}'),
        (
            '{\n  "a": []\n}',
            ("a",),
            [{"b": {"c": {}}}],
            JSONC,
            '{\n  "a": [\n    {\n      "b": {"c": {}}\n    }\n  ]\n}',
        ),
        ("null", ("a",), 1, JSONC, '{"a": 1}\n'),
        ("~\n", ("a",), 1, YAML, "\na: 1\n"),
        ("- {id: x}\n- {id: y, n: 1}\n", (Row("id", "y"), "n"), 2, YAML, "- {id: x}\n- {id: y, n: 2}\n"),
    ],
)
def test_value_is_replaced_in_its_style(text: str, path: Path, value: Any, syntax: Syntax, expected: str) -> None:
    """A value is written in the quotes and brackets of the one before."""
    assert put(text, path, value, syntax) == expected


def test_merge_goes_into_mappings() -> None:
    """Only the named keys of a mapping change."""
    text = "a: {b: 1, c: {d: 2, e: 3}}\n"
    assert merge(text, ("a",), {"c": {"d": 4}, "f": {}}, YAML) == 'a: {b: 1, c: {d: 4, e: 3}, "f": {}}\n'
    assert merge("a: 1\n", (), {"a": 2}, YAML) == "a: 2\n"
    assert merge("", ("a",), {"b": 1}, YAML) == "a:\n  b: 1\n"


@pytest.mark.parametrize(
    ("text", "wanted", "syntax", "expected"),
    [
        (
            "a:\n  b: 1\n  c:\n# end\n",
            {("a", "c"): 2, ("a", "b"): 3, ("a", "d"): {"x": [{"z": 4}]}, ("e",): 5, ("f", "g"): 6, ("f", "h"): 7},
            YAML,
            "a:\n  b: 3\n  c: 2\n  d:\n    x:\n      - z: 4\ne: 5\nf:\n  g: 6\n  h: 7\n# end\n",
        ),
        (
            "rows: []  # none\n",
            {("rows", Row("id", "x"), "v"): 1, ("rows", Row("id", "w"), "v"): 2},
            YAML,
            "rows:   # none\n  - id: x\n    v: 1\n  - id: w\n    v: 2\n",
        ),
        (
            "- {id: x, v: 1}\n",
            {(0, "v"): 2, (0, "m"): 3, (Row("id", "w"), "v"): 4},
            YAML,
            '- {id: x, v: 2, "m": 3}\n- id: w\n  v: 4\n',
        ),
        (
            '{\n  "a": {"b": 1},\n  "c": {\n    "d": []\n  }\n}\n',
            {("a", "b"): 2, ("a", "e"): 3, ("a", "f"): 4, ("c", "d", Row("i", "x"), "v"): 5, ("c", "g"): 6},
            JSONC,
            JSON_AFTER,
        ),
        ("// mine", {("a", "b"): 1, ("a", "c"): 2}, JSONC, '// mine\n{\n  "a": {"b": 1, "c": 2}\n}\n'),
    ],
    ids=["block", "empty", "flow", "json", "only comments"],
)
def test_many_values_are_put_at_once(text: str, wanted: dict[Path, Any], syntax: Syntax, expected: str) -> None:
    """Values for several places are written in one go, each where and as it would be alone."""
    written = put_all(text, wanted.items(), syntax)
    assert written == expected
    assert put_all(written, wanted.items(), syntax) == written


@pytest.mark.parametrize(
    ("text", "path", "value", "expected"),
    [
        (
            "p: &p\n    a:\n        x: 1\n",
            ("p", "b"),
            {"w": 2},
            "p: &p\n    a:\n        x: 1\n    b:\n        w: 2\n",
        ),
        ("p: !t\n    a: 1\n", ("q",), {"w": 2}, "p: !t\n    a: 1\nq:\n    w: 2\n"),
        ("p: &p\n- &i\n  a: 1\n", ("p", 0, "b"), 2, "p: &p\n- &i\n  a: 1\n  b: 2\n"),
    ],
    ids=["anchor", "tag", "item"],
)
def test_indent_is_that_of_entries(text: str, path: Path, value: Any, expected: str) -> None:
    """How deep a level is does not depend on an anchor or a tag before it."""
    assert put(text, path, value, YAML) == expected


def test_every_text_is_parsed_once() -> None:
    """Whatever is written and taken away, each text on the way is read once, and there are few of them."""
    parsed: list[str] = []

    def parse(text: str) -> Node | None:
        parsed.append(text)
        return YAML.parse(text)

    syntax = replace(YAML, parse=parse).remembering()
    before = "rows:\n" + "".join(f"- id: k{number}\n  v: 1\n" for number in range(20))
    wanted = [(("rows", Row("id", f"k{number}"), "v"), 2) for number in range(40)]
    written = put_all(before, wanted, syntax)
    assert parsed == [before, written]
    assert put_all(written, wanted, syntax) == written
    assert parsed == [before, written]
    steps = [Row("id", f"k{number}") for number in range(20, 40)]
    assert withdraw_all(written, ("rows",), steps, syntax, before) == before.replace("v: 1", "v: 2")
    assert len(parsed) == len(set(parsed)) == 3
