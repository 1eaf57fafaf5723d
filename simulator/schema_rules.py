"""What a JSON Schema in a tool declaration or an answer format may look like.

Two forms are known: real JSON Schema for Gemini tools, and Google's own schema message for everything else, whose
fields the front end has checked already; here it is only held to its ``required`` lists.

Source: SPEC.md, "Tools"; JSON Schema 2020-12 for which keywords hold schemas.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .fields import is_list, is_object
from .google_error import ApiError, invalid_argument
from .wire_shapes import JSON_TYPES

if TYPE_CHECKING:
    from collections.abc import Iterator

FORBIDDEN_KEYWORDS = frozenset(
    {
        "$ref",
        "$dynamicRef",
        "$recursiveRef",
        "$recursiveAnchor",
        "$defs",
        "definitions",
        "$schema",
        "$id",
        "$anchor",
        "$dynamicAnchor",
        "$vocabulary",
        "$comment",
    }
)
"""Keywords that must be resolved or dropped before a schema is sent."""

SCHEMA_KEYWORDS = (
    "items",
    "additionalItems",
    "contains",
    "additionalProperties",
    "propertyNames",
    "unevaluatedItems",
    "unevaluatedProperties",
    "not",
    "if",
    "then",
    "else",
    "contentSchema",
)
"""Keywords whose value is one schema."""

LIST_KEYWORDS = ("items", "prefixItems", "anyOf", "oneOf", "allOf")
"""Keywords whose value is a list of schemas; ``items`` may be one."""

MAP_KEYWORDS = ("properties", "patternProperties", "dependentSchemas", "dependencies")
"""Keywords whose value holds schemas by free names; a value of ``dependencies`` may be a list of names instead."""

BOOLEAN_KEYWORDS = frozenset({"additionalItems", "additionalProperties", "unevaluatedItems", "unevaluatedProperties"})
"""Where ``true`` and ``false`` are switches of the schema around them; everywhere else a schema is an object."""


def check_json_schema(schema: object, path: str) -> None:
    """Check a real JSON Schema, keyword by keyword; names of properties and data are left alone.

    Args:
        schema: the value of ``parametersJsonSchema``.
        path: its printed path.

    Raises:
        ApiError: 400 for the first keyword that may not be sent or is malformed.
    """
    if not is_object(schema):
        raise invalid_argument(path, "A schema must be an object.")
    for keyword in sorted(FORBIDDEN_KEYWORDS & schema.keys()):
        raise invalid_argument(
            path,
            f"{keyword} must be resolved or removed.",
            message=f"Invalid JSON payload received. Unknown name \"{keyword}\" at '{path}': Cannot find field.",
        )
    _check_type(schema, path)
    check_required(schema, path)
    for place, child in _child_schemas(schema, path):
        check_json_schema(child, place)


def check_message_schema(schema: dict[str, Any], path: str) -> None:
    """Check the ``required`` lists of a schema in Google's own form, at every depth.

    Raises:
        ApiError: 400 for the first entry that names no property.
    """
    check_required(schema, path)
    for place, child in _child_schemas(schema, path):
        check_message_schema(child, place)


def check_required(schema: dict[str, Any], path: str) -> None:
    """Check that every entry of ``required`` is a property of the same schema.

    Raises:
        ApiError: 400 when one is not.
    """
    required: object = schema.get("required", [])
    if not is_list(required):
        raise invalid_argument(f"{path}.required", "required must be a list.")
    properties: object = schema.get("properties", {})
    if not is_object(properties):
        raise invalid_argument(f"{path}.properties", "properties must be an object.")
    for index, name in enumerate(required):
        if not isinstance(name, str) or name not in properties:
            raise _undefined_property(f"{path}.required[{index}]")


def check_root_type(schema: dict[str, Any], path: str) -> None:
    """Check that the arguments of a function are an object.

    Raises:
        ApiError: 400 when the schema says something else or nothing.
    """
    if schema.get("type") != "object":
        raise invalid_argument(
            f"{path}.type",
            'The type of the whole must be "object".',
            message=f"{path} schema should be of type OBJECT.",
        )


def _undefined_property(path: str) -> ApiError:
    return invalid_argument(path, "property is not defined", message=f"{path}: property is not defined")


def _check_type(schema: dict[str, Any], path: str) -> None:
    if "type" not in schema:
        return
    value: object = schema["type"]
    names = value if is_list(value) else [value]
    if not names or not all(isinstance(name, str) and name in JSON_TYPES for name in names):
        raise invalid_argument(f"{path}.type", "type must be one or more of the seven JSON types.")


def _child_schemas(schema: dict[str, Any], path: str) -> Iterator[tuple[str, Any]]:
    for keyword in SCHEMA_KEYWORDS:
        if keyword in schema and not _is_settled(schema[keyword], keyword):
            yield f"{path}.{keyword}", schema[keyword]
    for keyword in LIST_KEYWORDS:
        members: object = schema.get(keyword, [])
        if is_list(members):
            yield from ((f"{path}.{keyword}[{index}]", member) for index, member in enumerate(members))
        elif keyword not in SCHEMA_KEYWORDS:
            raise invalid_argument(f"{path}.{keyword}", f"{keyword} must be a list.")
    for keyword in MAP_KEYWORDS:
        entries: object = schema.get(keyword, {})
        if not is_object(entries):
            raise invalid_argument(f"{path}.{keyword}", f"{keyword} must be an object.")
        for name, member in entries.items():
            if keyword != "dependencies" or not is_list(member):
                yield f"{path}.{keyword}[{name}]", member


def _is_settled(value: object, keyword: str) -> bool:
    """Say whether the value of a keyword for one schema is a list seen to elsewhere, or a switch."""
    return (keyword in LIST_KEYWORDS and is_list(value)) or (keyword in BOOLEAN_KEYWORDS and isinstance(value, bool))
