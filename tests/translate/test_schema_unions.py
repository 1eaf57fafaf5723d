"""Tests of alternatives in forms that have none."""

from __future__ import annotations

from typing import Any

import pytest

from antigravity_proxy.translate.schema_unions import fold_unions

TEXT, NUMBER = {"type": "string"}, {"type": "integer"}


@pytest.mark.parametrize(
    ("schema", "fields", "sentences"),
    [
        pytest.param({"anyOf": [TEXT, NUMBER]}, {}, ["One of: string; integer."], id="two types"),
        pytest.param(
            {"anyOf": [TEXT, NUMBER], "type": "string"},
            {"type": "string"},
            ["One of: string; integer."],
            id="type beside two types",
        ),
        pytest.param({"anyOf": [TEXT, {"type": "string"}]}, TEXT, [], id="same twice"),
        pytest.param(
            {"anyOf": [{"const": "a"}, {"enum": ["b", None]}]}, {**TEXT, "enum": ["a", "b"]}, [], id="texts"
        ),
        pytest.param(
            {"anyOf": [{"const": "a"}, {"const": "b"}], "enum": ["a"]},
            {**TEXT, "enum": ["a"]},
            ['One of: "a"; "b".'],
            id="texts beside an enum",
        ),
        pytest.param(
            {"anyOf": [{**TEXT, "enum": ["a", 1]}, {"const": "b"}]},
            TEXT,
            ['One of: "a" or 1; "b".'],
            id="texts and others",
        ),
        pytest.param(
            {"anyOf": [{"type": "array", "items": TEXT}, {"type": "array", "items": NUMBER}]},
            {"type": "array", "items": {"anyOf": [TEXT, NUMBER]}},
            ["One of: array of string; array of integer."],
            id="lists",
        ),
        pytest.param(
            {"anyOf": [{"type": "array", "items": TEXT}, {"type": "array"}]},
            {"type": "array"},
            ["One of: array of string; array."],
            id="lists of anything",
        ),
        pytest.param(
            {
                "properties": {"a": TEXT},
                "required": ["a"],
                "anyOf": [
                    {"properties": {"a": NUMBER, "b": TEXT, "c": TEXT}, "required": ["c", "b"]},
                    {"properties": {"b": NUMBER, "c": TEXT, "d": False}, "required": ["c"]},
                ],
            },
            {
                "type": "object",
                "properties": {"a": TEXT, "b": {"anyOf": [TEXT, NUMBER]}, "c": TEXT},
                "required": ["a", "c"],
            },
            ["One of: object with a? (integer), b (string), c (string); object with b? (integer), c (string), d?."],
            id="objects",
        ),
        pytest.param(
            {"type": "object", "anyOf": [{"required": ["a"]}, {"minProperties": 1}]},
            {"type": "object"},
            ["One of: object with a; (at least 1 property)."],
            id="objects without properties",
        ),
    ],
)
def test_what_alternatives_share_is_kept(
    schema: dict[str, Any], fields: dict[str, Any], sentences: list[str]
) -> None:
    """One type, its texts, properties and items stay; the rest is told; nothing that was allowed is forbidden."""
    assert fold_unions(schema, keeps_one=False) == (fields, sentences)


def test_one_union_may_stay() -> None:
    """A form that has alternatives keeps the first list of them, and the second one becomes words."""
    schema = {"anyOf": [TEXT, NUMBER], "oneOf": [{"minimum": 1}, {"maximum": 5}]}
    assert fold_unions(schema, keeps_one=True) == (
        {"anyOf": [TEXT, NUMBER]},
        ["One of: (at least 1); (at most 5)."],
    )
    assert fold_unions(TEXT, keeps_one=True) == (TEXT, [])
