"""Tests of YAML as a tree."""

from __future__ import annotations

import re

import pytest

from antigravity_proxy.errors import ProvisionError
from antigravity_proxy.provision.tree import Kind, data_of, find
from antigravity_proxy.provision.yaml_tree import parse_yaml


@pytest.mark.parametrize("text", ["", "# only\n", "\ufeff", "\n\n"])
def test_nothing_is_no_tree(text: str) -> None:
    """A text without content has no tree."""
    assert parse_yaml(text) is None


def test_places_are_those_of_the_text() -> None:
    """Values begin and end where they are written, whatever follows them."""
    text = "\ufeffa: 'x'  # c\n# d\nb:\n  - &n one\n  -\n  # e\n  - |\n    two\nc:\n# f\nd: {x: 1}\n"
    root = parse_yaml(text)
    assert root is not None

    def written(*path: str | int) -> str:
        node = find(root, path)
        assert node is not None
        return text[node.start : node.end]

    assert written("a") == "'x'"
    assert written("b", 0) == "&n one"
    assert written("b", 1) == ""
    assert written("b", 2) == "|\n    two\n"
    assert written("c") == ""
    assert text[: find(root, ("c",)).end].endswith("c:")  # type: ignore[union-attr]
    assert written("d") == "{x: 1}"
    assert [text[entry.start] for entry in find(root, ("b",)).entries] == ["-", "-", "-"]  # type: ignore[union-attr]


def test_scalars_mean_what_they_say() -> None:
    """Plain words of YAML are no text, quoted and tagged ones are."""
    root = parse_yaml("[1, -2, true, FALSE, ~, null, '1', \"true\", !js 'x', 1.5, +1, off]")
    assert data_of(root) == [1, -2, True, False, None, None, "1", "true", "x", "1.5", "+1", "off"]


def test_alias_is_not_followed() -> None:
    """What an alias stands for belongs to another place."""
    node = find(parse_yaml("a: &x {b: 1}\nc: *x\n"), ("c",))
    assert node is not None
    assert node.kind is Kind.ALIAS
    assert node.entries == ()
    assert node.target is not None


def test_alias_stands_for_the_last_of_its_name() -> None:
    """A name that is given twice means the one before the alias; inside of itself an alias means nothing."""
    root = parse_yaml("a: &x 1\nb: *x\nc: &x [2, *x]\nd: *x\n")
    assert data_of(root) == {"a": 1, "b": 1, "c": [2, None], "d": [2, None]}


@pytest.mark.parametrize(
    "text",
    [
        "- a\n-\n  # - c\n  - b\n-  # d\n- - e\n  - f\n",
        "&x\n- a\n-   b\n",
        "!t &x # - c\n- |\n  text - y\n- >-\n  z\n\n-\n",
        "- {a: [b, -1]}\n- &n\n- *n\n- 'q - r'\n",
        "- k:\n- k: v\n- x y\n  z\n# - c\n- 1\n",
    ],
)
def test_items_begin_with_their_dash(text: str) -> None:
    """An item of a block begins with its dash, whatever stands before and in it."""
    pending = [parse_yaml(text)]
    for node in pending:
        assert node is not None
        for entry in node.entries:
            assert node.kind is not Kind.LIST or node.is_flow or text[entry.start] == "-"
            pending.append(entry.value)
    root = parse_yaml(text)
    assert root is not None
    starts = [entry.start for entry in root.entries]
    assert starts == [match.start() for match in re.finditer(r"^-", text, re.MULTILINE)]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a: 1\nb: [1\n", "line 3, column 1: this is not YAML: expected ',' or ']'"),
        ("a: 1\n  b: 2\n", "line 2, column 4: this is not YAML: mapping values are not allowed here"),
        ("a:\n\tb: 1\n", "line 2, column 1: this is not YAML"),
        ("a: 'x\n", "this is not YAML: found unexpected end of stream"),
        ("a: \x01\n", "line 1, column 4: this is not YAML: special characters are not allowed"),
        ("a: *b\n", "line 1, column 4: nothing is named &b"),
        ("a: 1\n---\nb: 2\n", "line 2, column 1: a second document begins here"),
        ("[" * 200 + "]" * 200, "line 1, column 101: this is nested too deeply"),
        ("%FOO\n- {", "this is not YAML"),
    ],
    ids=["bracket", "indent", "tab", "quote", "control", "alias", "documents", "depth", "directive"],
)
def test_broken_text_is_refused_with_its_place(text: str, message: str) -> None:
    """What is not one YAML document is refused, and it is said where it goes wrong."""
    with pytest.raises(ProvisionError) as caught:
        parse_yaml(text)
    assert message in str(caught.value)


def test_number_of_many_digits_is_a_text() -> None:
    """A number that is longer than Python reads does not stop anything."""
    assert data_of(parse_yaml("a: " + "9" * 5000)) == {"a": "9" * 5000}
