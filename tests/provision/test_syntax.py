"""Tests of how new values are written."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from antigravity_proxy.provision.syntax import JSONC, YAML, to_json, to_yaml_lines
from antigravity_proxy.provision.tree import data_of

TEXTS = st.text(
    st.characters(codec="utf-8", exclude_categories=("Cc", "Cs", "Zl", "Zp"), exclude_characters="\ufeff")
)
ODD_TEXTS = st.sampled_from(("off", "No", "1", "null", "~", "a: b", "a #b", "- a", "x "))
SCALARS = st.one_of(TEXTS, ODD_TEXTS, st.booleans(), st.integers(0, 9), st.none())
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(TEXTS, inner, max_size=3)),
    max_leaves=8,
)


@settings(max_examples=100, deadline=None)
@given(st.dictionaries(TEXTS, VALUES, min_size=1, max_size=3))
def test_yaml_says_what_was_meant(value: dict[str, Any]) -> None:
    """Lines of a block are read as the value that was written."""
    assert data_of(YAML.parse("\n".join(to_yaml_lines(value, "  ")))) == value


@settings(max_examples=50, deadline=None)
@given(VALUES, st.sampled_from((None, "  ", "\t")))
def test_json_says_what_was_meant(value: Any, unit: str | None) -> None:
    """JSON is read as the value that was written, on one line or several."""
    assert data_of(JSONC.parse(to_json(value, "", unit, "\n"))) == value


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({"off": None, "low": "low"}, ['"off": null', "low: low"]),
        ({"url": "http://127.0.0.1:1/v1", "version": "1.0.0"}, ["url: http://127.0.0.1:1/v1", 'version: "1.0.0"']),
        ({"a": {"b": [{"c": 1, "d": ["x"]}]}}, ["a:", "  b:", "    - c: 1", "      d: [x]"]),
        ({"a": [], "b": {}}, ["a: []", "b: {}"]),
        ([["a"], [["b"]]], ["- [a]", "- - [b]"]),
    ],
)
def test_yaml_is_readable(value: Any, expected: list[str]) -> None:
    """Words are plain where every version of YAML takes them for text, and lists of words stay on one line."""
    assert to_yaml_lines(value, "  ") == expected


def test_json_is_readable() -> None:
    """Short mappings stay on one line."""
    value = {"limit": {"context": 1, "output": 2}, "long": {"text": "x" * 80}, "list": [{"a": 1}]}
    assert to_json(value, "", "  ", "\n").splitlines() == [
        "{",
        '  "limit": {"context": 1, "output": 2},',
        '  "long": {',
        f'    "text": "{"x" * 80}"',
        "  },",
        '  "list": [',
        '    {"a": 1}',
        "  ]",
        "}",
    ]
