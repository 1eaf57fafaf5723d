"""Tests of the schema rules."""

from __future__ import annotations

import contextlib
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from antigravity_proxy.simulator.google_reply import ApiError
from antigravity_proxy.simulator.schema_rules import (
    FORBIDDEN_KEYWORDS,
    check_json_schema,
    check_message_schema,
    check_root_type,
)

from .wire import place_of, refusal


@pytest.mark.parametrize(
    "schema",
    [
        {},
        {"type": "object", "properties": {"a": {"type": ["string", "null"]}}, "required": ["a"]},
        {"type": "object", "additionalProperties": False, "unevaluatedProperties": True},
        {"additionalProperties": {"type": "string"}, "patternProperties": {"^a": {}}},
        {"properties": {"$ref": {}, "$dynamicRef": {"type": "string"}, "definitions": {}}, "required": ["$ref"]},
        {"default": {"$ref": "#"}, "const": {"$defs": 1}, "enum": [{"$schema": "x"}], "examples": [{"$id": 1}]},
        {"anyOf": [{"type": "string"}, {"not": {}}], "items": [{}, {}], "prefixItems": [{}]},
        {"items": {"type": "integer"}, "format": "x", "nullable": True, "x-unknown": 1},
        {"dependencies": {"a": ["b"], "c": {"type": "object"}}},
        {"dependentRequired": {"a": ["b"]}, "minLength": 2.0, "maxItems": 0, "multipleOf": 0.1, "minimum": -1.5},
        {"description": "", "pattern": "^a", "uniqueItems": True, "enum": [], "examples": [1], "items": []},
    ],
    ids=lambda value: str(value)[:50],
)
def test_json_schemas_pass(schema: dict[str, Any]) -> None:
    """Real JSON Schema passes; names of properties and data are free."""
    check_json_schema(schema, "s")


@pytest.mark.parametrize(
    ("schema", "path"),
    [
        (True, "s"),
        (None, "s"),
        ({"properties": {"a": True}}, "s.properties[a]"),
        ({"items": False}, "s.items"),
        ({"items": None}, "s.items"),
        ({"not": []}, "s.not"),
        ({"anyOf": [True]}, "s.anyOf[0]"),
        ({"anyOf": {}}, "s.anyOf"),
        ({"properties": []}, "s.properties"),
        ({"properties": 1, "required": ["a"]}, "s.properties"),
        ({"patternProperties": []}, "s.patternProperties"),
        ({"type": "text"}, "s.type"),
        ({"type": []}, "s.type"),
        ({"type": ["string", 1]}, "s.type"),
        ({"type": None}, "s.type"),
        ({"required": ["a"]}, "s.required[0]"),
        ({"required": "a"}, "s.required"),
        ({"properties": {"a": {}}, "required": ["a", 1]}, "s.required"),
        ({"properties": {"a": {}}, "required": ["a", "b"]}, "s.required[1]"),
        ({"properties": {"a": {}}, "anyOf": [{"required": ["a"]}]}, "s.anyOf[0].required[0]"),
        ({"properties": {"a": {"$ref": "#/x"}}}, "s.properties[a]"),
        ({"allOf": [{"items": {"if": {"$comment": "c"}}}]}, "s.allOf[0].items.if"),
        ({"dependencies": {"a": True}}, "s.dependencies[a]"),
        ({"enum": "x"}, "s.enum"),
        ({"examples": {}}, "s.examples"),
        ({"description": 5}, "s.description"),
        ({"title": None}, "s.title"),
        ({"pattern": ["a"]}, "s.pattern"),
        ({"minLength": "3"}, "s.minLength"),
        ({"maxItems": -1}, "s.maxItems"),
        ({"minItems": 1.5}, "s.minItems"),
        ({"minProperties": True}, "s.minProperties"),
        ({"minimum": "1"}, "s.minimum"),
        ({"exclusiveMinimum": True}, "s.exclusiveMinimum"),
        ({"multipleOf": 0}, "s.multipleOf"),
        ({"uniqueItems": 1}, "s.uniqueItems"),
        ({"dependentRequired": ["a"]}, "s.dependentRequired"),
        ({"dependentRequired": {"a": "b"}}, "s.dependentRequired"),
        ({"dependentRequired": {"a": [1]}}, "s.dependentRequired"),
        ({"anyOf": []}, "s.anyOf"),
        ({"prefixItems": []}, "s.prefixItems"),
        ({"type": ["string", "string"]}, "s.type"),
        ({"properties": {"a": {}}, "required": ["a", "a"]}, "s.required"),
        ({"properties": {"a": {"items": {"minLength": None}}}}, "s.properties[a].items.minLength"),
    ],
    ids=lambda value: str(value)[:50],
)
def test_bad_json_schemas_are_refused(schema: Any, path: str) -> None:
    """A keyword that may not be sent or is malformed is a 400 that names the place."""
    error = refusal(lambda: check_json_schema(schema, "s"))
    assert (error.http_status, place_of(error)[0]) == (400, path)


@pytest.mark.parametrize("keyword", sorted(FORBIDDEN_KEYWORDS))
def test_unresolved_keywords_are_unknown_names(keyword: str) -> None:
    """Keywords that must be gone by now are unknown names, also deep inside."""
    schema = {"properties": {"a": {"oneOf": [{keyword: "x"}]}}}
    assert f'Unknown name "{keyword}"' in refusal(lambda: check_json_schema(schema, "s")).message


def test_message_schema_has_real_required() -> None:
    """Google's own form is held to its required lists at every depth."""
    check_message_schema({"properties": {"a": {"items": {"type": "STRING"}}}, "required": ["a"]}, "s")
    deep = {"properties": {"a": {"items": {"required": ["x"]}}}}
    assert "s.properties[a].items.required[0]" in refusal(lambda: check_message_schema(deep, "s")).message


def test_message_schema_has_members_in_its_enums() -> None:
    """An enum in Google's own form has at least one member, at every depth."""
    check_message_schema({"enum": ["a"]}, "s")
    empty: dict[str, Any] = {"properties": {"a": {"enum": []}}}
    assert place_of(refusal(lambda: check_message_schema(empty, "s")))[0] == "s.properties[a].enum"


def test_root_must_be_an_object() -> None:
    """The arguments of a function are an object, and the schema says so."""
    check_root_type({"type": "object"}, "s")
    assert "type OBJECT" in refusal(lambda: check_root_type({}, "s")).message
    assert "type OBJECT" in refusal(lambda: check_root_type({"type": ["object", "null"]}, "s")).message


KEYWORDS = st.sampled_from(
    [
        *("type", "properties", "required", "items", "anyOf", "not", "enum", "dependencies", "additionalProperties"),
        *("minLength", "multipleOf", "dependentRequired", "description", "a"),
    ]
)
SCHEMAS = st.recursive(
    st.none() | st.booleans() | st.integers(0, 3) | st.sampled_from(["object", "array", "a"]),
    lambda children: st.lists(children, max_size=2) | st.dictionaries(KEYWORDS, children, max_size=3),
    max_leaves=12,
)


@settings(deadline=None)
@given(SCHEMAS)
def test_any_schema_passes_or_is_refused(schema: Any) -> None:
    """Whatever JSON is sent as a schema, nothing but an ApiError is raised."""
    with contextlib.suppress(ApiError):
        check_json_schema(schema, "s")
