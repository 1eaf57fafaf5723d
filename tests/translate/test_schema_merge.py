"""Tests of what JSON Schemas say together, and what they imply."""

from __future__ import annotations

from typing import Any

import pytest

from antigravity_proxy.translate.schema_merge import (
    MAX_LEVELS,
    branches_in,
    flatten,
    implied_type,
    is_null,
    required_in,
    types_in,
    without_nesting,
)


def nested(levels: int) -> dict[str, Any]:
    """A text behind that many lists of alternatives."""
    return {"anyOf": [nested(levels - 1)]} if levels else {"type": "string"}


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        pytest.param({"type": "STRING"}, "string", id="told"),
        pytest.param({"type": ["null", "array"]}, "array", id="or null"),
        pytest.param({"type": ["string", "array"]}, None, id="two"),
        pytest.param({"type": ["integer", "number"]}, "number", id="kinds of numbers"),
        pytest.param({"const": True}, "boolean", id="constant"),
        pytest.param({"const": None}, None, id="constant null"),
        pytest.param({"type": "null", "const": "a"}, "string", id="contradiction"),
        pytest.param({"enum": ["a", None, "b"]}, "string", id="texts"),
        pytest.param({"enum": [1, 2.5]}, "number", id="numbers"),
        pytest.param({"enum": ["a", {}]}, None, id="mixed"),
        pytest.param({"properties": {}}, "object", id="properties"),
        pytest.param({"prefixItems": []}, "array", id="positions"),
        pytest.param({"anyOf": [{"type": "string"}, {"const": "a"}, {"type": "null"}]}, "string", id="union"),
        pytest.param({"oneOf": [{"type": "string"}, {}]}, None, id="union with anything"),
        pytest.param({"oneOf": [{"type": "null"}]}, None, id="union of null"),
        pytest.param(nested(MAX_LEVELS), "string", id="deep union"),
        pytest.param(nested(MAX_LEVELS + 1), None, id="too deep union"),
        pytest.param({"minLength": 1}, None, id="limit"),
    ],
)
def test_type_is_implied(schema: dict[str, Any], expected: str | None) -> None:
    """A schema that names no type often leaves only one; null counts as none."""
    assert implied_type(schema) == expected


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        pytest.param({"type": "null"}, True, id="type"),
        pytest.param({"type": ["Null"]}, True, id="list of types"),
        pytest.param({"const": None}, True, id="constant"),
        pytest.param({"enum": [None]}, True, id="enum"),
        pytest.param({"type": "null", "const": 1}, False, id="constant beside it"),
        pytest.param({"type": ["null", "string"]}, False, id="or text"),
        pytest.param({}, False, id="anything"),
    ],
)
def test_null_is_told_from_others(schema: dict[str, Any], *, expected: bool) -> None:
    """A schema is null's when nothing else follows it."""
    assert is_null(schema) is expected


def test_types_are_named_once() -> None:
    """Types in capitals are types, and what JSON has no type of is none."""
    assert types_in(["STRING", "string", "any", 5, "Null"]) == ["string", "null"]


def test_branches_are_schemas() -> None:
    """True takes all, false nothing, and the rest is no schema."""
    assert branches_in([True, False, {"type": "string"}, 5]) == [{}, {"type": "string"}]
    assert branches_in({"a": {}}) == []


def test_branches_are_lifted_out_of_each_other() -> None:
    """An alternative that is nothing but alternatives stands for those."""
    inner = {"oneOf": [{"type": "string"}, {"anyOf": [{"type": "integer"}]}]}
    assert without_nesting([inner, {"anyOf": [], "title": "a"}]) == [
        {"type": "string"},
        {"type": "integer"},
        {"anyOf": [], "title": "a"},
    ]


def test_required_names_are_listed_or_marked() -> None:
    """A property may say itself that it is required; each name comes once."""
    properties = {"a": {"required": True}, "b": {"required": ["x"]}, "c": {"required": True}}
    assert required_in({"properties": properties, "required": ["c", 5, "c"]}) == ["c", "a"]


def test_everything_that_holds_is_merged() -> None:
    """Members of an allOf and a single alternative join; what stands beside them wins; a property follows all."""
    schema = {
        "description": "Mine.",
        "properties": {"a": {"type": "string"}},
        "allOf": [
            {"description": "Theirs.", "properties": {"a": {"maxLength": 3}, "b": False}, "required": ["a"]},
            {"properties": {"b": {}, "c": {"required": True}}},
        ],
        "oneOf": [{"title": "T"}, {"type": "null"}],
    }
    assert flatten(schema) == (
        {
            "description": "Mine.",
            "properties": {
                "a": {"allOf": [{"type": "string"}, {"maxLength": 3}]},
                "b": False,
                "c": {"required": True},
            },
            "required": ["a", "c"],
            "title": "T",
            "nullable": True,
        },
        [],
    )


def test_real_alternatives_are_apart() -> None:
    """Two lists of alternatives, wherever they stand, are two."""
    first, second = [{"type": "string"}, {"type": "integer"}], [{"minimum": 1}, {"maximum": 5}]
    assert flatten({"allOf": [{"anyOf": [*first, {"type": "null"}]}], "oneOf": second, "type": "x"}) == (
        {"type": "x", "nullable": True},
        [first, second],
    )
