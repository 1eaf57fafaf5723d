"""Tests of made-up JSON."""

from __future__ import annotations

from typing import Any

import pytest

from antigravity_proxy.simulator.json_sample import sample_json


@pytest.mark.parametrize(
    ("schema", "sample"),
    [
        (None, "example value"),
        ({}, "example value"),
        ({"type": "string"}, "example value"),
        ({"type": "STRING", "format": "date"}, "2026-01-02"),
        ({"type": "string", "minLength": 15}, "example value.."),
        ({"type": "string", "maxLength": 3}, "exa"),
        ({"type": "string", "enum": ["b", "a"]}, "b"),
        ({"const": [1]}, [1]),
        ({"type": "integer", "default": 4}, 4),
        ({"type": "string", "example": "x"}, "x"),
        ({"type": "integer"}, 1),
        ({"type": "INTEGER", "minimum": 5.0}, 5),
        ({"type": "number", "minimum": 0.5}, 0.5),
        ({"type": "number", "maximum": 0}, 0),
        ({"type": "boolean"}, True),
        ({"type": "null"}, None),
        ({"type": ["null", "integer"]}, 1),
        ({"type": ["null"]}, None),
        ({"type": "string", "nullable": True, "description": "Free. (always null)"}, None),
        ({"type": "string", "nullable": True}, "example value"),
        ({"type": "array"}, ["example value"]),
        ({"type": "array", "items": {"type": "integer"}, "minItems": "2"}, [1, 1]),
        ({"type": "array", "items": {"type": "integer"}, "maxItems": 0}, []),
        ({"items": [{"type": "integer"}, {"type": "boolean"}]}, [1, True]),
        ({"prefixItems": [{"type": "integer"}], "type": "array"}, [1]),
        ({"anyOf": [{"type": "integer"}, {"type": "string"}]}, 1),
        ({"oneOf": [{"type": "boolean"}]}, True),
        ({"allOf": [{"properties": {"a": {"type": "integer"}}}, {"type": "string"}]}, {"a": 1}),
        (
            {"type": "object", "properties": {"city": {"type": "string"}, "n": {}}},
            {"city": "Zurich", "n": "example n"},
        ),
        ({"type": "object", "required": ["z"]}, {"z": "example z"}),
        ({"type": "object"}, {}),
    ],
    ids=lambda value: str(value)[:60],
)
def test_sample_satisfies_schema(schema: Any, sample: Any) -> None:
    """A schema of each kind gives a value that satisfies it."""
    assert sample_json(schema) == sample


def test_sample_of_required_only() -> None:
    """Optional arguments are left out when only required ones are wanted, at every depth."""
    inner = {"type": "object", "properties": {"a": {"type": "integer"}, "b": {}}, "required": ["a"]}
    schema = {"type": "object", "properties": {"x": inner, "y": {}}, "required": ["x"]}
    assert sample_json(schema, only_required=True) == {"x": {"a": 1}}


@pytest.mark.parametrize(
    ("schema", "sample"),
    [
        ({"properties": {"city": {"type": "string"}}, "required": ["city"]}, {"city": "Paris"}),
        ({"properties": {"city": {"type": "string"}, "unit": {"type": "string"}}}, {"city": "Paris"}),
        ({"properties": {"city": {"enum": ["Bern"]}}}, {"city": "Bern"}),
        ({"properties": {"city": {"type": "string", "example": "Bern"}}}, {"city": "Bern"}),
        ({"properties": {"name": {"type": "string", "format": "email"}}}, {"name": "ada@example.com"}),
        ({"properties": {"path": {"type": "string"}}, "required": ["path"]}, {"path": "README.md"}),
    ],
    ids=["required", "optional", "enum", "example", "format", "no name"],
)
def test_proper_name_goes_where_names_go(schema: dict[str, Any], sample: Any) -> None:
    """A name the question is about is the value of a property for names, unless the schema says better."""
    assert sample_json(schema, only_required=True, proper_name="Paris") == sample


def test_sample_of_array_is_bounded() -> None:
    """A schema cannot ask for a million items."""
    assert len(sample_json({"type": "array", "minItems": 1_000_000})) == 20
