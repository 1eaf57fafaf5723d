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
        "dependencies": "an old keyword whose values may be schemas or not",
    }
)
"""Keywords taken out of ``parametersJsonSchema`` → why."""

LEGACY_KEPT = ("type", "description", "properties", "required", "items", "enum")
"""All that ``parameters`` of Claude and GPT-OSS may hold; upstream answers 400 to any other keyword."""

RESPONSE_KEPT = (*LEGACY_KEPT, "format", "title", "nullable", "anyOf", "minItems", "maxItems", "minimum", "maximum")
"""What ``responseSchema`` of Gemini may hold, as far as clients use it."""

VALUE_TYPES: Mapping[str, tuple[type, ...]] = MappingProxyType(
    {
        "description": (str,),
        "title": (str,),
        "format": (str,),
        "nullable": (bool,),
        "minItems": (int,),
        "maxItems": (int,),
        "minimum": (int, float),
        "maximum": (int, float),
    }
)
"""Keyword of RESPONSE_KEPT → what its value must be; one of another type is left out."""


def _is_number(value: Any) -> bool:
    return type(value) in (int, float)


def _is_count(value: Any) -> bool:
    return _is_number(value) and value >= 0 and value % 1 == 0


def _is_name_map(value: Any) -> bool:
    return is_object(value) and all(
        is_list(names) and all(isinstance(name, str) for name in names) and len(set(names)) == len(names)
        for names in value.values()
    )


GEMINI_VALUES: Mapping[str, Callable[[Any], bool]] = MappingProxyType(
    {
        **dict.fromkeys(
            ("title", "description", "format", "pattern", "contentEncoding", "contentMediaType"),
            lambda value: isinstance(value, str),
        ),
        **dict.fromkeys(
            ("uniqueItems", "deprecated", "readOnly", "writeOnly"), lambda value: isinstance(value, bool)
        ),
        **dict.fromkeys(("enum", "examples"), is_list),
        **dict.fromkeys(("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"), _is_number),
        "multipleOf": lambda value: _is_number(value) and value > 0,
        **dict.fromkeys(("minLength", "maxLength", "minItems", "maxItems"), _is_count),
        **dict.fromkeys(("minProperties", "maxProperties", "minContains", "maxContains"), _is_count),
        "dependentRequired": _is_name_map,
    }
)
"""Keyword of JSON Schema → whether it may have a value; one that may not is left out, as Gemini refuses it."""

SWITCHES = ("additionalProperties", "additionalItems", "unevaluatedProperties", "unevaluatedItems")
"""Keywords whose value is as good a boolean as a schema."""

TYPES = ("string", "number", "integer", "boolean", "object", "array", "null")
KEYWORDS = frozenset(
    {*SUBSCHEMAS, *GEMINI_DROPPED, *RESPONSE_KEPT, "const", "default", "oneOf", "allOf", "additionalProperties"}
)


def clean_schema(schema: Any, family: str) -> dict[str, Any]:
    """A tool's parameters for one family; never fails, and the same input gives the same output.

    Args:
        schema: JSON Schema of a client, of any shape.
        family: a key of FAMILY_RULES.

    Returns:
        A schema of type object, as arguments are one.
    """
    cleaned = _CLEANERS[family](inline_refs(_as_parameters(schema)))
    cleaned["type"] = "object"
    return cleaned


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
    kept: dict[str, Any] = {}
    for key, value in node.items():
        if key in GEMINI_DROPPED or (value is False and SUBSCHEMAS.get(key) == ONE and key not in SWITCHES):
            continue
        if key != "type":
            cleaned = _each_schema(key, value, _clean_gemini)
            if _is_for_gemini(key, cleaned):
                kept[key] = cleaned
        elif types := _types_in(value):
            kept["type"] = types if is_list(value) else types[0]
    _mend_required(kept)
    return kept


def _is_for_gemini(key: str, value: Any) -> bool:
    """Whether a keyword may have a value; a list of schemas may not be empty."""
    if SUBSCHEMAS.get(key) == MANY:
        return bool(value)
    return key not in GEMINI_VALUES or GEMINI_VALUES[key](value)


def _clean_legacy(node: dict[str, Any]) -> dict[str, Any]:
    return _keep(node, LEGACY_KEPT)


def _keep(node: dict[str, Any], keywords: tuple[str, ...]) -> dict[str, Any]:
    node = _with_all_of(node)
    kept: dict[str, Any] = {}
    for key, value in node.items():
        if key not in keywords or key == "anyOf":
            continue
        if key == "type":
            _put_type(kept, value, keywords)
        elif key == "enum":
            _put_enum(kept, value, keywords)
        elif key not in VALUE_TYPES or type(value) in VALUE_TYPES[key]:
            # items: true, or one schema for each position, cannot be said: they become {}, which takes all.
            kept[key] = _each_schema(key, value, lambda inner: _keep(inner, keywords))
    _put_alternatives(kept, node, keywords)
    _mend_required(kept)
    return kept


def _with_all_of(node: dict[str, Any]) -> dict[str, Any]:
    """The node with the schemas of its allOf merged into it; what stands beside it wins, property by property."""
    merged = {key: value for key, value in node.items() if key != "allOf"}
    for branch in map(as_object, as_list(node.get("allOf"))):
        part = _with_all_of(branch)
        properties = {**as_object(part.get("properties")), **as_object(merged.get("properties"))}
        required = [*as_list(merged.get("required")), *as_list(part.get("required"))]
        merged = {**part, **merged}
        if properties:
            merged["properties"] = properties
        if required:
            merged["required"] = required
    return merged


def _put_enum(kept: dict[str, Any], value: Any, keywords: tuple[str, ...]) -> None:
    members = [member for member in as_list(value) if member is not None]
    if members and all(isinstance(member, str) for member in members):
        kept.setdefault("type", "string")
        kept["enum"] = members
        if "nullable" in keywords and len(members) < len(value):
            kept["nullable"] = True


def _put_type(kept: dict[str, Any], value: Any, keywords: tuple[str, ...]) -> None:
    types = _types_in(value)
    if named := [name for name in types if name != "null"]:
        kept["type"] = named[0]
    if "nullable" in keywords and "null" in types:
        kept["nullable"] = True


def _types_in(value: Any) -> list[str]:
    types = value if is_list(value) else [value]
    named = [name.lower() for name in types if isinstance(name, str)]
    return [name for name in dict.fromkeys(named) if name in TYPES]


def _put_alternatives(kept: dict[str, Any], node: dict[str, Any], keywords: tuple[str, ...]) -> None:
    """Write const, anyOf and oneOf in the words that are left, as far as that can be done.

    A single alternative is merged, and what stands beside it wins; "or null" becomes ``nullable`` where that is kept.
    """
    if isinstance(node.get("const"), str):
        kept.setdefault("type", "string")
        kept["enum"] = [node["const"]]
    listed = as_list(node.get("anyOf", node.get("oneOf")))
    branches = [branch for branch in listed if is_object(branch)]
    values = [branch for branch in branches if branch.get("type") != "null"]
    if len(values) < len(branches) and "nullable" in keywords:
        kept["nullable"] = True
    if len(values) == 1:
        for key, value in _keep(values[0], keywords).items():
            kept.setdefault(key, value)
    elif values and "anyOf" in keywords:
        kept["anyOf"] = [_keep(branch, keywords) for branch in values]


def _each_schema(key: str, value: Any, clean: Callable[[dict[str, Any]], dict[str, Any]]) -> Any:
    """The value of a keyword with every schema in it cleaned; ``false``, which nothing matches, is left out."""
    kind = SUBSCHEMAS.get(key)
    if kind == NAMED:
        return {name: clean(as_object(item)) for name, item in as_object(value).items() if item is not False}
    if kind == MANY:
        return [clean(as_object(item)) for item in as_list(value) if item is not False]
    if kind == ONE and not (key in SWITCHES and isinstance(value, bool)):
        return clean(as_object(value))
    return value


def _mend_required(node: dict[str, Any]) -> None:
    """Keep in ``required`` only names that are properties; upstream refuses others."""
    if "required" not in node:
        return
    properties = as_object(node.get("properties"))
    names = [name for name in as_list(node["required"]) if isinstance(name, str) and name in properties]
    if names:
        node["required"] = list(dict.fromkeys(names))
    else:
        del node["required"]


_CLEANERS: Mapping[str, Callable[[dict[str, Any]], dict[str, Any]]] = MappingProxyType(
    {"gemini": _clean_gemini, "claude": _clean_legacy, "gpt-oss": _clean_legacy}
)
