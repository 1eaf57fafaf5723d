"""Tests of JSON Schemas in the form each family takes."""

from __future__ import annotations

from typing import Any

import orjson
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from antigravity_proxy.translate.schema import clean_response_schema, clean_schema
from antigravity_proxy.translate.schema_keywords import Form, is_kept, is_value
from antigravity_proxy.translate.schema_merge import TYPES
from antigravity_proxy.translate.target import FAMILY_RULES

from .schema_samples import FORBIDDEN, any_schemas, schemas_in

LEGACY = ("claude", "gpt-oss")
FAMILIES = st.sampled_from(sorted(FAMILY_RULES))


def of_property(schema: Any, family: str) -> Any:
    """What becomes of the schema of one property."""
    return clean_schema({"type": "object", "properties": {"x": schema}}, family)["properties"].get("x")


@pytest.mark.parametrize("family", LEGACY)
@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        pytest.param(
            {
                "type": "object",
                "properties": {
                    "value": {
                        "anyOf": [{"type": "string", "enum": ["auto"]}, {"type": "boolean", "enum": [False]}],
                    }
                },
            },
            {"type": "object", "properties": {"value": {"description": 'One of: "auto"; false.'}}},
            id="union with a boolean",
        ),
        pytest.param(
            {
                "type": "object",
                "properties": {
                    "metadata": {
                        "type": "object",
                        "description": "Extra.",
                        "patternProperties": {"^.*$": {"type": "string"}},
                        "additionalProperties": False,
                    },
                    "label": {"type": "string", "maxLength": 60},
                    "limit": {"type": "number", "default": 5, "minimum": 1},
                },
            },
            {
                "type": "object",
                "properties": {
                    "metadata": {"type": "object", "description": "Extra. (keys that match ^.*$: string)"},
                    "label": {"type": "string", "description": "(at most 60 characters)"},
                    "limit": {"type": "number", "description": "(at least 1; default: 5)"},
                },
            },
            id="list of things to do",
        ),
        pytest.param(
            {
                "type": "object",
                "properties": {
                    "path": {"type": ["string", "null"], "nullable": True, "format": "uri"},
                    "mode": {"type": "string", "enum": ["a", "b"], "default": "a"},
                },
                "required": ["path"],
            },
            {
                "type": "object",
                "properties": {
                    "path": {"type": "string", "description": "(format: uri; or null)"},
                    "mode": {"type": "string", "enum": ["a", "b"], "description": '(default: "a")'},
                },
                "required": ["path"],
            },
            id="nullable",
        ),
        pytest.param(
            {
                "type": "object",
                "properties": {"status": {"$ref": "#/$defs/Status"}},
                "$defs": {"Status": {"type": "string", "enum": ["open", "closed"]}},
            },
            {"type": "object", "properties": {"status": {"type": "string", "enum": ["open", "closed"]}}},
            id="reference",
        ),
        pytest.param(
            {"type": "object", "properties": {"anyOf": {"type": "string"}, "$ref": {"type": "string"}}},
            {"type": "object", "properties": {"anyOf": {"type": "string"}, "$ref": {"type": "string"}}},
            id="names of properties",
        ),
    ],
)
def test_legacy_schema_holds_only_what_bridge_knows(schema: Any, expected: Any, family: str) -> None:
    """For Claude and GPT-OSS a schema is cut down to six keywords, and names of properties are not keywords."""
    assert clean_schema(schema, family) == expected


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        pytest.param(
            {"anyOf": [{"type": "string"}, {"type": "null"}]},
            {"type": "string", "description": "(or null)"},
            id="or null",
        ),
        pytest.param({"oneOf": [{"type": "string"}]}, {"type": "string"}, id="one of one"),
        pytest.param(
            {"allOf": [{"type": "string", "description": "theirs"}], "description": "mine"},
            {"type": "string", "description": "mine"},
            id="all of one",
        ),
        pytest.param(
            {"allOf": [{"type": "string"}, {"minLength": 1}]},
            {"type": "string", "description": "(at least 1 character)"},
            id="all of several",
        ),
        pytest.param(
            {
                "allOf": [
                    {"properties": {"a": {"type": "string"}, "b": {"type": "string"}}, "required": ["a"]},
                    {"allOf": [{"type": "object", "properties": {"c": {}}, "required": ["c", "a"]}], "title": "x"},
                    True,
                ],
                "properties": {"b": {"type": "number"}},
                "required": ["b"],
            },
            {
                "type": "object",
                "properties": {"a": {"type": "string"}, "b": {"type": "number"}, "c": {}},
                "required": ["b", "a", "c"],
            },
            id="all of several objects",
        ),
        pytest.param({"allOf": 5, "type": "string"}, {"type": "string"}, id="all of nothing"),
        pytest.param(
            {"allOf": [{"properties": 5, "required": 5}]},
            {"type": "object", "properties": {}},
            id="all of strange ones",
        ),
        pytest.param({"const": "x"}, {"type": "string", "enum": ["x"]}, id="constant"),
        pytest.param({"const": "x", "type": ["string"]}, {"type": "string", "enum": ["x"]}, id="constant of a type"),
        pytest.param({"const": 5}, {"type": "integer", "description": "(always 5)"}, id="constant number"),
        pytest.param({"enum": ["a", "b"]}, {"type": "string", "enum": ["a", "b"]}, id="enum of no type"),
        pytest.param({"enum": ["a"], "type": "string"}, {"type": "string", "enum": ["a"]}, id="enum before its type"),
        pytest.param(
            {"enum": ["a", None]}, {"type": "string", "enum": ["a"], "description": "(or null)"}, id="enum or null"
        ),
        pytest.param({"enum": ["a", 1]}, {"description": '(one of "a", 1)'}, id="mixed enum"),
        pytest.param({"enum": [None]}, {"description": "(always null)"}, id="enum of null"),
        pytest.param({"enum": []}, {}, id="empty enum"),
        pytest.param({"enum": "a"}, {}, id="enum that is no list"),
        pytest.param({"type": ["null"]}, {"description": "(always null)"}, id="null"),
        pytest.param({"type": "STRING"}, {"type": "string"}, id="type in capitals"),
        pytest.param(
            {"type": ["NULL", "Integer"]}, {"type": "integer", "description": "(or null)"}, id="types in capitals"
        ),
        pytest.param({"type": "TEXT"}, {}, id="unknown type"),
        pytest.param({"type": "array", "items": True}, {"type": "array", "items": {}}, id="any items"),
        pytest.param(
            {"items": [{"type": "string"}]},
            {"type": "array", "description": "(in this order: string)"},
            id="items by position",
        ),
        pytest.param({"description": 5}, {}, id="description of another type"),
        pytest.param(
            {"properties": {"a": True, "b": False}}, {"type": "object", "properties": {"a": {}}}, id="boolean schemas"
        ),
        pytest.param(
            {"properties": 5, "required": ["a"]},
            {"type": "object", "properties": {}, "description": "(with a)"},
            id="required without a property",
        ),
        pytest.param(
            {"properties": {"a": {}}, "required": ["a", "b", 5, "a"]},
            {"type": "object", "properties": {"a": {}}, "required": ["a"]},
            id="required twice",
        ),
        pytest.param(True, {}, id="anything"),
    ],
)
def test_legacy_schema_keeps_meaning_where_it_can(schema: Any, expected: Any) -> None:
    """What the six keywords can say is said with them; the rest is left open."""
    assert of_property(schema, "claude") == expected


@pytest.mark.parametrize(
    "schema",
    [
        pytest.param(
            {
                "type": "object",
                "properties": {
                    "value": {"anyOf": [{"type": "string", "enum": ["auto"]}, {"type": "boolean", "enum": [False]}]}
                },
            },
            id="union with a boolean",
        ),
        pytest.param(
            {
                "type": "object",
                "properties": {
                    "path": {"type": ["string", "null"], "format": "uri", "default": {"$ref": "#"}},
                    "limit": {"type": "number", "exclusiveMinimum": 0, "const": 5},
                    "$defs": {"not": {"type": "string"}},
                    "pair": {"prefixItems": [{"type": "string"}, {"type": "number"}]},
                },
                "required": ["path"],
                "additionalProperties": False,
                "unevaluatedProperties": {"type": "string"},
            },
            id="many keywords",
        ),
    ],
)
def test_gemini_schema_is_unchanged(schema: Any) -> None:
    """Gemini takes JSON Schema, so a good one is sent as it came."""
    assert clean_schema(schema, "gemini") == schema


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        pytest.param(
            {"$schema": "x", "$id": "x", "$comment": "x", "$anchor": "x", "type": "string"},
            {"type": "string"},
            id="about itself",
        ),
        pytest.param(
            {"anyOf": [{"$comment": "x"}, {"items": {"$id": "x"}}]}, {"anyOf": [{}, {"items": {}}]}, id="inside"
        ),
        pytest.param({"$ref": "#/$defs/None", "title": "x"}, {"title": "x"}, id="dangling reference"),
        pytest.param({"$ref": 5, "$dynamicRef": "#x"}, {}, id="strange references"),
        pytest.param(
            {"dependencies": {"a": {"type": "STRING"}, "b": ["a"], "c": 5}},
            {"dependentSchemas": {"a": {"type": "string"}}, "dependentRequired": {"b": ["a"]}},
            id="dependencies",
        ),
        pytest.param({"type": ["string", "null", "any"]}, {"type": ["string", "null"]}, id="one unknown type"),
        pytest.param({"type": "STRING"}, {"type": "string"}, id="type in capitals"),
        pytest.param({"type": ["STRING", "Null"]}, {"type": ["string", "null"]}, id="types in capitals"),
        pytest.param({"type": "TEXT"}, {}, id="unknown type"),
        pytest.param({"allOf": [{"type": "STRING"}, {}]}, {"allOf": [{"type": "string"}, {}]}, id="all of several"),
        pytest.param({"const": "x", "enum": ["x", None]}, {"const": "x", "enum": ["x", None]}, id="constant"),
        pytest.param({"type": {"a": 1}}, {}, id="type that is none"),
        pytest.param({"properties": {"a": True, "b": False}}, {"properties": {"a": {}}}, id="boolean schemas"),
        pytest.param({"anyOf": [True, False, {}]}, {"anyOf": [{}, {}]}, id="boolean alternatives"),
        pytest.param({"items": True}, {"items": {}}, id="any items"),
        pytest.param({"not": False, "items": False}, {}, id="nothing"),
        pytest.param(
            {"not": {"required": ["a"]}, "anyOf": [{"properties": {"b": {}}, "required": ["a", "b"]}]},
            {
                "not": {"properties": {"a": {}}, "required": ["a"]},
                "anyOf": [{"properties": {"a": {}, "b": {}}, "required": ["a", "b"]}],
            },
            id="required in a branch",
        ),
        pytest.param(
            {"items": [{"type": "STRING"}, True], "additionalItems": {"type": "number"}},
            {"prefixItems": [{"type": "string"}, {}], "items": {"type": "number"}},
            id="items by position",
        ),
        pytest.param({"additionalProperties": 5}, {"additionalProperties": {}}, id="switch that is none"),
        pytest.param({"required": ["a"]}, {"description": "(with a)"}, id="required without a property"),
        pytest.param({"required": "a", "properties": {"a": {}}}, {"properties": {"a": {}}}, id="required text"),
        pytest.param({"type": ["string", "String"]}, {"type": ["string"]}, id="type named twice"),
        pytest.param({"anyOf": [], "oneOf": None, "allOf": [False]}, {}, id="no alternatives"),
        pytest.param({"description": 5, "title": None, "pattern": ["a"], "format": {}}, {}, id="no texts"),
        pytest.param({"uniqueItems": 1, "readOnly": "yes"}, {}, id="no booleans"),
        pytest.param({"enum": "x", "examples": {}}, {}, id="no lists"),
        pytest.param({"minimum": "1", "exclusiveMinimum": True, "multipleOf": 0}, {}, id="no numbers"),
        pytest.param({"minLength": "3", "maxItems": -1, "minItems": 1.5, "maxLength": True}, {}, id="no counts"),
        pytest.param({"dependentRequired": {"a": ["b", "b"]}}, {}, id="name twice"),
        pytest.param({"dependentRequired": ["a"]}, {}, id="no names"),
        pytest.param({"dependentRequired": {"a": [1]}}, {}, id="numbers for names"),
        pytest.param(
            {"minLength": 2.0, "multipleOf": 0.5, "dependentRequired": {"a": ["b"]}, "enum": [], "x-own": 1},
            {"minLength": 2.0, "multipleOf": 0.5, "dependentRequired": {"a": ["b"]}, "enum": [], "x-own": 1},
            id="unusual but right",
        ),
    ],
)
def test_gemini_schema_is_mended(schema: Any, expected: Any) -> None:
    """Keywords Gemini refuses are taken out, at every place where a schema stands."""
    assert of_property(schema, "gemini") == expected


def test_reference_is_inlined_for_gemini() -> None:
    """A definition stands where it was used and is gone elsewhere."""
    status = {"type": "string", "enum": ["open", "closed"]}
    schema = {
        "type": "object",
        "properties": {"status": {"$ref": "#/$defs/Status"}},
        "$defs": {"Status": status},
        "definitions": {},
    }
    assert clean_schema(schema, "gemini") == {"type": "object", "properties": {"status": status}}


@pytest.mark.parametrize("family", FAMILY_RULES)
@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        pytest.param(None, {"type": "object", "properties": {}}, id="none"),
        pytest.param({}, {"type": "object", "properties": {}}, id="empty"),
        pytest.param("text", {"type": "object", "properties": {}}, id="text"),
        pytest.param(
            {"properties": {"a": {}}, "required": ["a"]},
            {"type": "object", "properties": {"a": {}}, "required": ["a"]},
            id="no type",
        ),
        pytest.param({"type": ["object", "null"]}, {"type": "object"}, id="or null"),
        pytest.param({"type": "strange"}, {"type": "object"}, id="unknown type"),
        pytest.param(
            {"path": {"type": "string"}, "limit": {"type": "number"}},
            {"type": "object", "properties": {"path": {"type": "string"}, "limit": {"type": "number"}}},
            id="bare properties",
        ),
        pytest.param(
            {"$ref": "#/definitions/A", "definitions": {"A": {"properties": {"a": {"type": "string"}}}}},
            {"type": "object", "properties": {"a": {"type": "string"}}},
            id="reference",
        ),
    ],
)
def test_parameters_are_always_an_object(schema: Any, expected: Any, family: str) -> None:
    """The parameters of a tool are an object, whatever the client says of them."""
    assert clean_schema(schema, family) == expected


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        pytest.param(
            {
                "type": "object",
                "properties": {"a": {"type": "string"}},
                "required": ["a"],
                "additionalProperties": False,
            },
            {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]},
            id="strict",
        ),
        pytest.param({"type": ["string", "null"]}, {"type": "string", "nullable": True}, id="list of types"),
        pytest.param(
            {"anyOf": [{"type": "string"}, {"type": "null"}], "title": "A"},
            {"title": "A", "nullable": True, "type": "string"},
            id="or null",
        ),
        pytest.param(
            {"oneOf": [{"type": "string"}, {"const": "x"}, {"type": "null"}]},
            {"nullable": True, "anyOf": [{"type": "string"}, {"type": "string", "enum": ["x"]}]},
            id="alternatives",
        ),
        pytest.param(
            {"type": "array", "items": {"type": "integer"}, "minItems": 1, "maxItems": "x"},
            {"type": "array", "items": {"type": "integer"}, "minItems": 1},
            id="list",
        ),
        pytest.param(
            {"type": "number", "minimum": 0.5, "maximum": 2},
            {"type": "number", "minimum": 0.5, "maximum": 2},
            id="number",
        ),
        pytest.param({"$ref": "#/$defs/A", "$defs": {"A": {"type": "string"}}}, {"type": "string"}, id="reference"),
        pytest.param({"anyOf": 5, "nullable": "yes"}, {}, id="wrong values"),
        pytest.param(
            {"enum": ["a", None]}, {"type": "string", "enum": ["a"], "nullable": True}, id="enum with null among it"
        ),
        pytest.param({"type": "STRING"}, {"type": "string"}, id="type in capitals"),
        pytest.param(
            {"allOf": [{"$ref": "#/$defs/A"}, {"nullable": True}], "title": "B", "$defs": {"A": {"title": "A"}}},
            {"title": "B", "nullable": True},
            id="all of several",
        ),
        pytest.param(
            {"anyOf": [{"type": "integer"}, {"type": "string"}], "allOf": [{"anyOf": [{"type": "null"}]}]},
            {"anyOf": [{"type": "integer"}, {"type": "string"}], "nullable": True},
            id="alternatives beside all of one",
        ),
        pytest.param(None, {}, id="none"),
    ],
)
def test_response_schema_is_in_the_words_of_gemini(schema: Any, expected: Any) -> None:
    """The schema of an answer says null as ``nullable`` and alternatives as ``anyOf``, and keeps its own type."""
    assert clean_response_schema(schema) == expected


@settings(deadline=None)
@given(any_schemas(), FAMILIES)
@example({"properties": {}, "enum": ["#", False]}, "claude")
@example({"enum": [None]}, "claude")
def test_cleaning_twice_changes_nothing_more(schema: Any, family: str) -> None:
    """A clean schema is clean, and the same schema gives the same bytes."""
    once = clean_schema(schema, family)
    assert orjson.dumps(clean_schema(schema, family)) == orjson.dumps(once)
    assert orjson.dumps(clean_schema(once, family)) == orjson.dumps(once)
    response = clean_response_schema(schema)
    assert clean_response_schema(response) == response


@settings(deadline=None)
@given(any_schemas(), FAMILIES)
def test_clean_schema_holds_only_what_family_takes(schema: Any, family: str) -> None:
    """Wherever a schema stands, there are only keywords and types the family knows, and required properties exist."""
    cleaned = clean_schema(schema, family)
    assert cleaned["type"] == "object"
    for node in schemas_in(cleaned):
        assert set(node.get("required", ())) <= set(node.get("properties", ()))
        types = node.get("type", "string")
        assert set(types if isinstance(types, list) else [types]) <= set(TYPES)
        if family in LEGACY:
            assert all(is_kept(key, Form.LEGACY) for key in node)
            assert all(isinstance(member, str) for member in node.get("enum", ()))
        else:
            assert not FORBIDDEN & set(node)


@settings(deadline=None)
@given(any_schemas())
def test_response_schema_holds_only_what_gemini_takes(schema: Any) -> None:
    """The schema of an answer has only fields of Google's own form, with values of their types."""
    for node in schemas_in(clean_response_schema(schema)):
        assert all(is_kept(key, Form.RESPONSE) for key in node)
        assert set(node.get("required", ())) <= set(node.get("properties", ()))
        assert all(is_value(key, value) for key, value in node.items())
