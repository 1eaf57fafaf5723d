"""Tests of changes to one place of a file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings

from antigravity_proxy.errors import ProvisionError
from antigravity_proxy.provision.splice import cut, merge, put, withdraw, words
from antigravity_proxy.provision.syntax import JSONC, YAML, Syntax
from antigravity_proxy.provision.tree import Row, data_of, find, shape

from .documents import json_documents, yaml_documents

if TYPE_CHECKING:
    from antigravity_proxy.provision.tree import Path

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
        assert shape(after, PATH) == shape(before)
    elif before is not None and not before.is_null:
        assert shape(after, PATH[:1]) == shape(before, PATH[:1])
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
    with pytest.raises(ProvisionError, match=r"holds something else|cannot be changed safely"):
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


def test_nothing_is_cut_where_nothing_is() -> None:
    """A text without the entry stays as it is."""
    assert cut("a: 1\n", ("b",), YAML) == "a: 1\n"
    assert cut("a: 1\n", ("b", "c"), YAML) == "a: 1\n"
    assert withdraw("a: 1\n", ("b",), YAML, None) == "a: 1\n"


@pytest.mark.parametrize(
    ("text", "before", "expected"),
    [
        ("a: 1\nproviders:\n  antigravity: {}\n", None, "a: 1\n"),
        ("a: 1\nproviders:\n  antigravity: {}\n", "a: 1\n", "a: 1\n"),
        ("a: 1\nproviders:\n  antigravity: {}\n", "providers: {}\n", "a: 1\nproviders: {}\n"),
        ("providers:  # mine\n  antigravity: {}\n", "providers: null # old\n", "providers: null  # mine\n"),
        ("providers:\n  antigravity: {}\n", "providers: {x: 1}\n", "providers:\n"),
        ("providers: {antigravity: {}}\n", "providers: { }\n", "providers: { }\n"),
        ("providers:\n  antigravity: {}\n# later\n", None, "# later\n"),
        ("providers:\n  antigravity: {}\n", "{}\n", "{}\n"),
        ("# later\nproviders:\n  antigravity: {}\n", "{}\n", "{}\n# later\n"),
        ("providers:\n  antigravity: {}\n# later\n", "{}\n", "{}\n# later\n"),
        ("providers:\n  antigravity: {}\n", "a: 1\n", ""),
        ("providers:\n  antigravity: {}\n", "# c\n[]\n", ""),
    ],
)
def test_what_was_created_on_the_way_goes(text: str, before: str | None, expected: str) -> None:
    """Parents that were not there before go, those that were stay as they were written."""
    assert withdraw(text, PATH, YAML, before) == expected


def test_braces_that_were_not_empty_stay() -> None:
    """An object whose owner has taken everything else out since stays, without anything in it."""
    assert withdraw('{"providers": {"antigravity": {}}}', PATH, JSONC, '{"a": 1}') == "{}"
    assert withdraw('{"providers": {"antigravity": {}}}', PATH, JSONC, "") == ""


def test_merge_goes_into_mappings() -> None:
    """Only the named keys of a mapping change."""
    text = "a: {b: 1, c: {d: 2, e: 3}}\n"
    assert merge(text, ("a",), {"c": {"d": 4}, "f": {}}, YAML) == 'a: {b: 1, c: {d: 4, e: 3}, "f": {}}\n'
    assert merge("a: 1\n", (), {"a": 2}, YAML) == "a: 2\n"
    assert merge("", ("a",), {"b": 1}, YAML) == "a:\n  b: 1\n"


def test_paths_are_said_in_words() -> None:
    """A path is shown with dots."""
    assert words(("rows", Row("id", "x"), 0, "a")) == "rows.x.0.a"
    assert words(()) == "the file"
