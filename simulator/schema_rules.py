"""What a JSON Schema in a tool declaration or an answer format may look like.

Two forms are known: real JSON Schema for Gemini tools, and Google's own schema message for everything else, whose
fields the front end has checked already; here it is only held to its ``required`` lists.

Source: SPEC.md, "Tools"; JSON Schema 2020-12 for which keywords hold schemas.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .fields import is_integer, is_list, is_object
from .google_reply import invalid_argument
from .wire_shapes import JSON_TYPES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

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

VALUES: dict[str, tuple[str, ...]] = {
    "a text": ("title", "description", "format", "pattern", "contentEncoding", "contentMediaType"),
    "true or false": ("uniqueItems", "deprecated", "readOnly", "writeOnly"),
    "a list": ("enum", "examples"),
    "a number": ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"),
    "a number above 0": ("multipleOf",),
    "a whole number from 0": (
        *("minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties"),
        *("minContains", "maxContains"),
    ),
    "an object of lists of texts": ("dependentRequired",),
    "a list of different texts": ("required",),
    "a list of at least one schema": ("prefixItems", "anyOf", "oneOf", "allOf"),
    "an object": ("properties", "patternProperties", "dependentSchemas", "dependencies"),
}
"""What a value is to the keywords that take one. A keyword that is in no table is not known, so it is ignored.

Source: JSON Schema 2020-12, validation and meta-data vocabularies.
"""


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
    _check_values(schema, path)
    check_required(schema, path)
    for place, child in _child_schemas(schema, path):
        check_json_schema(child, place)


def check_message_schema(schema: dict[str, Any], path: str) -> None:
    """Check the ``required`` and ``enum`` lists of a schema in Google's own form, at every depth.

    Raises:
        ApiError: 400 for the first entry that names no property, and for an enum without members.
    """
    check_required(schema, path)
    if not schema.get("enum", True):
        raise invalid_argument(f"{path}.enum", "An enum has at least one member.")
    for place, child in _child_schemas(schema, path):
        check_message_schema(child, place)


def check_required(schema: dict[str, Any], path: str) -> None:
    """Check that every entry of ``required``, which is known to be a list of texts, is a property of the schema.

    Raises:
        ApiError: 400 when one is not.
    """
    for index, name in enumerate(schema.get("required", [])):
        if name not in schema.get("properties", {}):
            place = f"{path}.required[{index}]"
            message = f"{place}: property is not defined"
            raise invalid_argument(place, "property is not defined", message=message)


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


def _check_type(schema: dict[str, Any], path: str) -> None:
    if "type" not in schema:
        return
    value: object = schema["type"]
    names = value if is_list(value) else [value]
    if not names or not all(isinstance(name, str) and name in JSON_TYPES for name in names):
        raise invalid_argument(f"{path}.type", "type must be one or more of the seven JSON types.")
    if len(set(names)) < len(names):
        raise invalid_argument(f"{path}.type", "A type is named twice.")


def _check_values(schema: dict[str, Any], path: str) -> None:
    for wanted, keywords in VALUES.items():
        for keyword in keywords:
            if keyword in schema and not _VALUE_TESTS[wanted](schema[keyword]):
                raise invalid_argument(f"{path}.{keyword}", f"{keyword} must be {wanted}.")


def _is_number(value: object) -> bool:
    return isinstance(value, float) or is_integer(value)


def _is_count(value: object) -> bool:
    # To JSON Schema 2.0 is a whole number too.
    return (is_integer(value) or (isinstance(value, float) and value.is_integer())) and value >= 0


def _is_dependency_map(value: object) -> bool:
    return is_object(value) and all(map(_is_name_list, value.values()))


def _is_name_list(value: object) -> bool:
    return is_list(value) and all(isinstance(name, str) for name in value) and len(set(value)) == len(value)


def _child_schemas(schema: dict[str, Any], path: str) -> Iterator[tuple[str, Any]]:
    """Give each schema directly inside another; the values of its keywords are known to be well formed."""
    for keyword in SCHEMA_KEYWORDS:
        if keyword in schema and not _is_settled(schema[keyword], keyword):
            yield f"{path}.{keyword}", schema[keyword]
    for keyword in LIST_KEYWORDS:
        members: object = schema.get(keyword)
        if is_list(members):
            yield from ((f"{path}.{keyword}[{index}]", member) for index, member in enumerate(members))
    for keyword in MAP_KEYWORDS:
        for name, member in schema.get(keyword, {}).items():
            if keyword != "dependencies" or not is_list(member):
                yield f"{path}.{keyword}[{name}]", member


def _is_settled(value: object, keyword: str) -> bool:
    """Say whether the value of a keyword for one schema is a list seen to elsewhere, or a switch."""
    return (keyword in LIST_KEYWORDS and is_list(value)) or (keyword in BOOLEAN_KEYWORDS and isinstance(value, bool))


_VALUE_TESTS: dict[str, Callable[[Any], bool]] = {
    "a text": lambda value: isinstance(value, str),
    "true or false": lambda value: isinstance(value, bool),
    "a list": is_list,
    "a number": _is_number,
    "a number above 0": lambda value: _is_number(value) and value > 0,
    "a whole number from 0": _is_count,
    "an object of lists of texts": _is_dependency_map,
    "a list of different texts": _is_name_list,
    "a list of at least one schema": lambda value: is_list(value) and bool(value),
    "an object": is_object,
}
"""What each value of ``VALUES`` looks like."""
