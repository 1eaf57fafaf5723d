"""Schemas as clients send them, and worse."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hypothesis import strategies as st

from antigravity_proxy.translate.refs import MANY, NAMED, ONE, SUBSCHEMAS
from antigravity_proxy.translate.schema_keywords import KEYWORDS, Form

from .samples import json_values

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hypothesis.strategies import SearchStrategy

NAMES = st.sampled_from(["a", "b", "type", "$ref", "$defs", "anyOf"])
REFS = st.sampled_from(["#", "#/$defs/a", "#/properties/a", "#/anyOf/0", "#/$defs/a/items", "#x", "nowhere"])
TYPES = st.sampled_from(["object", "array", "string", "null", "integer", "STRING", "any"])
WILD = json_values(REFS | TYPES, st.sampled_from(sorted(KEYWORDS)))


def any_schemas() -> SearchStrategy[Any]:
    """Values that are often nearly a schema, with references into it and wrong values anywhere."""
    return st.one_of(WILD, st.recursive(WILD, _nodes, max_leaves=6))


def _nodes(inner: SearchStrategy[Any]) -> SearchStrategy[dict[str, Any]]:
    named = st.dictionaries(NAMES, inner, max_size=3)
    listed = st.lists(inner, max_size=3)
    return st.fixed_dictionaries(
        {},
        optional={
            "type": TYPES | st.lists(TYPES, max_size=3),
            "properties": named,
            "required": st.lists(NAMES, max_size=3) | st.just(value=True),
            "items": inner | listed,
            "anyOf": listed,
            "oneOf": listed,
            "allOf": listed,
            "not": inner,
            "additionalProperties": inner,
            "patternProperties": named,
            "dependencies": named,
            "$ref": REFS,
            "$defs": named,
            "enum": WILD,
            "const": WILD,
            "default": WILD,
            "description": WILD,
            "nullable": WILD,
            "minItems": WILD,
            "minimum": WILD,
            "exclusiveMinimum": WILD,
            "pattern": WILD,
            "dependentRequired": WILD,
        },
    )


def schemas_in(schema: Any) -> Iterator[dict[str, Any]]:
    """A schema and all below it, at every place where a schema may stand."""
    if not isinstance(schema, dict):
        return
    yield schema
    for key, value in schema.items():
        kind = SUBSCHEMAS.get(key)
        if kind == ONE:
            yield from schemas_in(value)
        if kind in (ONE, MANY) and isinstance(value, list):
            for inner in value:
                yield from schemas_in(inner)
        if kind == NAMED and isinstance(value, dict):
            for inner in value.values():
                yield from schemas_in(inner)


FORBIDDEN = frozenset(keyword for keyword, row in KEYWORDS.items() if Form.GEMINI not in row.forms)
"""Keywords that no schema for Gemini holds."""
