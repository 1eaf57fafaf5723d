"""JSON Schemas put together: what an allOf or a single alternative says, and the type a schema has without saying so.

Source:
    https://json-schema.org/draft/2020-12/json-schema-core#section-10.2, and SPEC.md, "Tool schemas".
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from .json_text import as_list, as_object, is_list, is_object

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

TYPES = ("string", "number", "integer", "boolean", "object", "array", "null")
"""The names of types, as JSON Schema spells them."""

UNIONS = ("anyOf", "oneOf")

MARKS = (
    ("properties", "object"),
    ("patternProperties", "object"),
    ("items", "array"),
    ("prefixItems", "array"),
)
"""Keyword and the type its author has in mind; looked up in this order where a schema names no type."""

MAX_LEVELS = 8
"""Alternatives inside alternatives that are looked into for their type."""

JSON_TYPES: Mapping[type, str] = MappingProxyType(
    {
        type(None): "null",
        bool: "boolean",
        int: "integer",
        float: "number",
        str: "string",
        list: "array",
        dict: "object",
    }
)
"""What the parser makes of JSON → its type."""


def types_in(value: Any) -> list[str]:
    """The types that the value of ``type`` names, each once, in small letters."""
    named = [name.lower() for name in (value if is_list(value) else [value]) if isinstance(name, str)]
    return [name for name in dict.fromkeys(named) if name in TYPES]


def common_type(types: Iterable[str | None]) -> str | None:
    """The one type that covers all of these; None when there is none, or one of them is not known."""
    found = set(types)
    if found == {"integer", "number"}:
        return "number"
    return found.pop() if len(found) == 1 else None


def type_of(value: Any) -> str:
    """The type of a JSON value."""
    return JSON_TYPES[type(value)]


def implied_type(schema: dict[str, Any], levels: int = MAX_LEVELS) -> str | None:
    """The one type, ``null`` aside, of what a schema takes; None when there are several, or it does not tell.

    Args:
        schema: any, also one with references in it.
        levels: how many alternatives inside alternatives are looked into.
    """
    if types := [name for name in types_in(schema.get("type")) if name != "null"]:
        return common_type(types)
    values = [schema["const"]] if "const" in schema else as_list(schema.get("enum"))
    if members := [type_of(value) for value in values if value is not None]:
        return common_type(members)
    if marked := next((name for keyword, name in MARKS if keyword in schema), None):
        return marked
    for keyword in UNIONS:
        branches = [branch for branch in branches_in(schema.get(keyword)) if not is_null(branch)]
        if branches:
            return common_type(implied_type(branch, levels - 1) for branch in branches) if levels else None
    return None


def is_null(schema: dict[str, Any]) -> bool:
    """Whether a schema takes nothing but ``null``."""
    if "const" in schema:
        return schema["const"] is None
    return types_in(schema.get("type")) == ["null"] or schema.get("enum") == [None]


def branches_in(value: Any) -> list[dict[str, Any]]:
    """The alternatives that the value of ``anyOf`` or ``oneOf`` offers.

    ``true`` is the schema that takes all; ``false`` and what is no schema are left out.
    """
    return [as_object(branch) for branch in as_list(value) if branch is True or is_object(branch)]


def without_nesting(branches: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The alternatives with the inner ones of each that is nothing but alternatives itself."""
    found: list[dict[str, Any]] = []
    for branch in branches:
        inner = next((branch[keyword] for keyword in UNIONS if branch.keys() == {keyword}), None)
        found += [branch] if inner is None else without_nesting(branches_in(inner))
    return found


def flatten(schema: dict[str, Any]) -> tuple[dict[str, Any], list[list[dict[str, Any]]]]:
    """A schema with everything merged into it that holds anyway: each ``allOf``, and alternatives where there is one.

    What stands beside them wins, save that the properties of all are there; a property of several schemas has to
    follow all of these. "Or null" becomes ``nullable``; ``required: true`` in a property, a name in ``required``.

    Args:
        schema: with all references written out.

    Returns:
        The schema without ``allOf``, ``anyOf`` and ``oneOf``; and each list of two or more alternatives it had.
    """
    fields: dict[str, Any] = {}
    properties: dict[str, list[Any]] = {}
    required: list[Any] = []
    unions: list[list[dict[str, Any]]] = []
    for part in _parts(schema):
        for key, value in part.items():
            if key == "anyOf":
                unions.append(value)
            else:
                fields.setdefault(key, value)
        for name, item in as_object(part.get("properties")).items():
            properties.setdefault(name, []).append(item)
        required += required_in(part)
    if "properties" in fields:
        fields["properties"] = {name: _all_of(items) for name, items in properties.items()}
    if required or "required" in fields:
        fields["required"] = required
    return fields, unions


def required_in(schema: dict[str, Any]) -> list[str]:
    """The names a schema lists as required, and the properties that say so themselves, as in draft 3; each once."""
    listed = [name for name in as_list(schema.get("required")) if isinstance(name, str)]
    properties = as_object(schema.get("properties"))
    marked = [name for name, item in properties.items() if as_object(item).get("required") is True]
    return list(dict.fromkeys([*listed, *marked]))


def _parts(schema: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The schema itself and all that is merged into it, without combining keywords save ``anyOf`` for real unions."""
    yield {key: value for key, value in schema.items() if key != "allOf" and key not in UNIONS}
    for member in as_list(schema.get("allOf")):
        yield from _parts(as_object(member))
    for keyword in UNIONS:
        branches = without_nesting(branches_in(schema.get(keyword)))
        values = [branch for branch in branches if not is_null(branch)]
        if len(values) < len(branches):
            yield {"nullable": True}
        if len(values) == 1:
            yield from _parts(values[0])
        elif values:
            yield {"anyOf": values}


def _all_of(schemas: list[Any]) -> Any:
    if any(schema is False for schema in schemas):
        return False
    return schemas[0] if len(schemas) == 1 else {"allOf": schemas}
