"""JSON Schemas of clients in the form each family of models takes.

Source:
    https://json-schema.org/draft/2020-12, https://ai.google.dev/api/caching#Schema, and SPEC.md, "Tool schemas".
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from .json_text import as_list, as_object, is_list, is_object
from .refs import MANY, NAMED, ONE, SUBSCHEMAS, inline_refs

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

GEMINI_DROPPED: Mapping[str, str] = MappingProxyType(
    {
        "$schema": "names a dialect, which upstream does not want to be told",
        "$id": "an address for references, and there are none left",
        "$anchor": "as $id",
        "$dynamicAnchor": "as $id",
        "$ref": "could not be written out",
        "$dynamicRef": "could not be written out",
        "$recursiveRef": "could not be written out",
        "$recursiveAnchor": "as $id",
        "$vocabulary": "belongs to a dialect's own description",
        "$comment": "for the schema's authors",
        "$defs": "written out where it was used",
        "definitions": "written out where it was used",
    }
)
"""Keywords taken out of ``parametersJsonSchema`` → why."""

LEGACY_KEPT = ("type", "description", "properties", "required", "items", "enum")
"""All that ``parameters`` of Claude and GPT-OSS may hold; upstream answers 400 to any other keyword."""

RESPONSE_KEPT = (*LEGACY_KEPT, "format", "title", "nullable", "anyOf", "minItems", "maxItems", "minimum", "maximum")
"""What ``responseSchema`` of Gemini may hold, as far as clients use it."""

SWITCHES = ("additionalProperties", "additionalItems", "unevaluatedProperties", "unevaluatedItems")
"""Keywords whose value is as good a boolean as a schema."""

TYPES = ("string", "number", "integer", "boolean", "object", "array")
KEYWORDS = frozenset(
    {*SUBSCHEMAS, *GEMINI_DROPPED, *RESPONSE_KEPT, "const", "default", "oneOf", "allOf", "additionalProperties"}
)


def clean_schema(schema: Any, family: str) -> dict[str, Any]:
    """A tool's parameters for one family; never fails, and the same input gives the same output.

    Args:
        schema: JSON Schema of a client, of any shape.
        family: a key of FAMILY_RULES.
    """
    root = _as_parameters(schema)
    return _CLEANERS[family](inline_refs(root))


def clean_response_schema(schema: Any) -> dict[str, Any]:
    """A schema for the whole answer, in the subset Gemini binds its text to."""
    return _keep(inline_refs(as_object(schema)), RESPONSE_KEPT)


def _as_parameters(schema: Any) -> dict[str, Any]:
    if not is_object(schema) or not schema:
        return {"type": "object", "properties": {}}
    if not KEYWORDS.intersection(schema) and all(is_object(value) for value in schema.values()):
        return {"type": "object", "properties": schema}  # a bare map of properties, as some clients send
    return schema if "type" in schema else {"type": "object", **schema}


def _clean_gemini(node: dict[str, Any]) -> dict[str, Any]:
    kept = {key: _each_schema(key, value, _clean_gemini) for key, value in node.items() if key not in GEMINI_DROPPED}
    _mend_required(kept)
    return kept


def _clean_legacy(node: dict[str, Any]) -> dict[str, Any]:
    return _keep(node, LEGACY_KEPT)


def _keep(node: dict[str, Any], keywords: tuple[str, ...]) -> dict[str, Any]:
    kept: dict[str, Any] = {}
    for key, value in node.items():
        if key not in keywords:
            continue
        if key == "type":
            _put_type(kept, value, nullable="nullable" in keywords)
        elif key == "enum":
            if is_list(value) and value and all(isinstance(member, str) for member in value):
                kept["enum"] = value
        elif key == "items" and not is_object(value):
            kept["items"] = {}  # true, or one schema per position, which upstream cannot say
        elif key == "anyOf":
            continue
        else:
            kept[key] = _each_schema(key, value, lambda inner: _keep(inner, keywords))
    if "anyOf" in keywords:
        _put_alternatives(kept, node, keywords)
    _mend_required(kept)
    return kept


def _put_alternatives(kept: dict[str, Any], node: dict[str, Any], keywords: tuple[str, ...]) -> None:
    """Write anyOf, oneOf and const in the words that are left; "or null" becomes ``nullable``."""
    if isinstance(node.get("const"), str):
        kept["enum"] = [node["const"]]
    listed = node.get("anyOf", node.get("oneOf"))
    branches = [branch for branch in as_list(listed) if is_object(branch)]
    values = [branch for branch in branches if branch.get("type") != "null"]
    if len(values) < len(branches):
        kept["nullable"] = True
    if len(values) == 1:
        kept.update(_keep(values[0], keywords))
    elif values:
        kept["anyOf"] = [_keep(branch, keywords) for branch in values]


def _put_type(kept: dict[str, Any], value: Any, *, nullable: bool) -> None:
    types = value if is_list(value) else [value]
    named = [item for item in types if isinstance(item, str) and item in TYPES]
    if named:
        kept["type"] = named[0]
    if nullable and "null" in types:
        kept["nullable"] = True


def _each_schema(key: str, value: Any, clean: Callable[[dict[str, Any]], dict[str, Any]]) -> Any:
    """The value of a keyword with every schema in it cleaned; ``false``, which nothing matches, is left out."""
    kind = SUBSCHEMAS.get(key)
    if kind == NAMED:
        named = as_object(value)
        return {name: clean(_schema_of(item)) for name, item in named.items() if item is not False}
    if kind == MANY:
        listed = as_list(value)
        return [clean(_schema_of(item)) for item in listed if item is not False]
    if kind == ONE and is_object(value):
        return clean(value)
    if kind == ONE and key not in SWITCHES:
        return {}
    return value


def _schema_of(value: Any) -> dict[str, Any]:
    return as_object(value)


def _mend_required(node: dict[str, Any]) -> None:
    """Keep in ``required`` only names that are properties; upstream refuses others."""
    if "required" not in node:
        return
    properties = as_object(node.get("properties"))
    listed = as_list(node["required"])
    names = [name for name in listed if isinstance(name, str) and name in properties]
    if names:
        node["required"] = list(dict.fromkeys(names))
    else:
        del node["required"]


_CLEANERS: Mapping[str, Callable[[dict[str, Any]], dict[str, Any]]] = MappingProxyType(
    {"gemini": _clean_gemini, "claude": _clean_legacy, "gpt-oss": _clean_legacy}
)
