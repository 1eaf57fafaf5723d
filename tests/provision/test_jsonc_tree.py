"""Tests of JSON with comments as a tree."""

from __future__ import annotations

from typing import Any

import pytest

from antigravity_proxy.errors import ProvisionError
from antigravity_proxy.provision.jsonc_tree import parse_jsonc
from antigravity_proxy.provision.tree import data_of, find


@pytest.mark.parametrize("text", ["", "\ufeff", " \r\n"])
def test_nothing_is_no_tree(text: str) -> None:
    """A text without content has no tree."""
    assert parse_jsonc(text) is None


@pytest.mark.parametrize(
    ("path", "written"),
    [
        (("a",), '"x\\"y"'),
        (("b", 0), "-1.5"),
        (("b", 1), "true"),
        (("b", 2), "null"),
        (("b", 3), "false"),
        (("b",), "[-1.5, true, null, false,]"),
        (("c",), "{\r\n  }"),
        (("d",), "'é😀'"),
        (("e",), "+2"),
    ],
)
def test_places_are_those_of_the_text(path: tuple[str | int, ...], written: str) -> None:
    """Values begin and end where they are written, whatever stands between them."""
    text = (
        '\ufeff// c\r\n{ "a": /* " */ "x\\"y",\r\n\t"b" : [-1.5, true, null, false,],\r\n  "c": {\r\n  },'
        " 'd': 'é😀', e: +2 /* end */}\r\n"
    )
    node = find(parse_jsonc(text), path)
    assert node is not None
    assert text[node.start : node.end] == written


def test_values_mean_what_they_say() -> None:
    """Scalars are values of Python."""
    expected: dict[str, Any] = {"a": [1, -2, 1.5, True, None, "x"], "b": {}}
    assert data_of(parse_jsonc('{"a": [1, -2, 1.5, true, null, "x"], "b": {}}')) == expected


@pytest.mark.parametrize("text", ["", "\ufeff \n", "// only", "/* a */\r\n// b\r\n", "\ufeff// c\n/**/"])
def test_comments_alone_are_no_tree(text: str) -> None:
    """A text with nothing but comments has no tree, and can be begun."""
    assert parse_jsonc(text) is None


@pytest.mark.parametrize("separator", ["\u2028", "\u2029"])
def test_separators_of_lines_may_stand_in_texts(separator: str) -> None:
    """Characters that end a line elsewhere are like others in a text of JSON, also beside unassigned ones."""
    text = f'{{"k{separator}": "x{separator}y\ue000",\n "b": "z"}}'
    root = parse_jsonc(text)
    assert data_of(root) == {f"k{separator}": f"x{separator}y\ue000", "b": "z"}
    node = find(root, ("b",))
    assert node is not None
    assert text[node.start : node.end] == '"z"'


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"a": 1\n "b": 2}', "line 2, column 2: this is not JSON."),
        ('{"a": ', "line 1, column 7: this is not JSON."),
        ('{"a": 1}}', "line 1, column 9: this is not JSON."),
        ("// only\n1 2", "line 2, column 3: this is not JSON."),
        ("{\x00}", "this is not JSON."),
        ('{"a": NaN}', "line 1, column 7: this is not a JSON value."),
        ('{"a": ' + "9" * 5000 + "}", "this is not JSON."),
        ("[" * 200 + "]" * 200, "line 1, column 102: this is nested too deeply."),
    ],
    ids=["comma", "end", "bracket", "comment", "control", "number", "huge", "depth"],
)
def test_broken_text_is_refused_with_its_place(text: str, message: str) -> None:
    """What is not JSON is refused, and it is said where it goes wrong."""
    with pytest.raises(ProvisionError) as caught:
        parse_jsonc(text)
    assert message in str(caught.value)
