"""JSON Schemas of clients in the form each family of models takes.

Source:
    https://json-schema.org/draft/2020-12, https://ai.google.dev/api/caching#Schema, and SPEC.md, "Tool schemas".
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from .json_text import as_list, as_object, is_list, is_object
from .refs import MANY, NAMED, ONE, SUBSCHEMAS, inline_answer_refs, inline_refs
from .schema_keywords import Form, is_kept, is_value
from .schema_merge import implied_type, is_null, required_in, types_in, without_nesting
from .schema_unions import fold_unions
from .schema_words import limits_of, missing_in_words, values_in_words, with_words

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

FORMS: Mapping[str, Form] = MappingProxyType({"gemini": Form.GEMINI, "claude": Form.LEGACY, "gpt-oss": Form.LEGACY})
"""Family → the form in which it takes the parameters of a tool."""

SWITCHES = ("additionalProperties", "additionalItems", "unevaluatedProperties", "unevaluatedItems")
"""Keywords whose value is as good a boolean as a schema."""

BRANCHES = frozenset({"allOf", "anyOf", "oneOf", "not", "if", "then", "else", "dependentSchemas"})
"""Keywords whose schemas are about the same value as the one they stand in."""

COUNTS = ("minItems", "maxItems")
"""Counts of ``responseSchema``, where 2.0 is none."""

NARROW = frozenset({"properties", "items", "enum", "const"})
"""Keywords that are not the same beside an ``anyOf`` of several types as beside a list of them."""

DECISIVE = frozenset({"properties", "patternProperties", "$defs", "definitions", "dependencies", "dependentSchemas"})
"""Keywords that tell a schema from a bare map of properties."""

MAY_BE_OBJECTS = frozenset({*SUBSCHEMAS, *DECISIVE, "default", "const", "dependentRequired"})
"""Keywords that may have an object as value, as a property in a bare map has."""


def clean_schema(schema: Any, family: str) -> dict[str, Any]:
    """A tool's parameters for one family; never fails, and the same input gives the same output.

    Args:
        schema: JSON Schema of a client, of any shape.
        family: a key of FORMS.

    Returns:
        A schema of type object, as arguments are one.
    """
    written_out = inline_refs(_as_parameters(schema))
    form = FORMS[family]
    cleaned = _clean_real(written_out) if form is Form.GEMINI else _reduce(written_out, form)
    return {**cleaned, "type": "object"} if "type" in cleaned else {"type": "object", **cleaned}


def clean_response_schema(schema: Any) -> dict[str, Any]:
    """A schema for the whole answer, in the subset Gemini binds its text to."""
    return _reduce(inline_answer_refs(as_object(schema), is_bound=True), Form.RESPONSE)


def _as_parameters(schema: Any) -> dict[str, Any]:
    if not is_object(schema) or not schema:
        return {"type": "object", "properties": {}}
    if _is_bare(schema):
        return {"type": "object", "properties": schema}
    # Arguments are never null, and no client means that they could be.
    return {**{key: value for key, value in schema.items() if key != "nullable"}, "type": "object"}


def _is_bare(schema: dict[str, Any]) -> bool:
    """Whether a schema is only a map of properties, as some clients send; their names may be those of keywords."""
    return (
        all(is_object(value) for value in schema.values())
        and not DECISIVE & schema.keys()
        and not schema.keys() <= MAY_BE_OBJECTS
    )


def _clean_real(node: dict[str, Any]) -> dict[str, Any]:
    kept: dict[str, Any] = {}
    for key, value in node.items():
        if not is_kept(key, Form.GEMINI) or (value is False and SUBSCHEMAS.get(key) == ONE and key not in SWITCHES):
            continue
        if key != "type":
            cleaned = _each_schema(key, value, _clean_branch if key in BRANCHES else _clean_real)
            if is_value(key, cleaned):
                kept[key] = cleaned
        elif types := types_in(value):
            kept["type"] = types if is_list(value) else types[0]
    _put_required(kept, required_in(node))
    if (description := with_words(node.get("description"), missing_in_words(node), ())) is not None:
        kept["description"] = description
    return kept


def _clean_branch(node: dict[str, Any]) -> dict[str, Any]:
    """A schema about the value another one is about, whose properties may stand there.

    Required names are made properties of its own. Without them ``not`` would forbid all and ``if`` always hold.
    """
    properties = as_object(node.get("properties"))
    missing: dict[str, Any] = {name: {} for name in required_in(node) if name not in properties}
    return _clean_real({**node, "properties": {**properties, **missing}} if missing else node)


def _reduce(node: dict[str, Any], form: Form) -> dict[str, Any]:
    """A schema in a form with few keywords; the description tells the rest."""
    fields, sentences = fold_unions(node, keeps_one=is_kept("anyOf", form))
    if is_null(fields):
        return _reduced_null(fields, form)
    if "null" in types_in(fields.get("type")) or None in as_list(fields.get("enum")):
        fields["nullable"] = True
    kept: dict[str, Any] = {}
    for key, value in fields.items():
        if key not in ("type", "enum", "description") and is_kept(key, form):
            # A true for items cannot be said: it becomes {}, which takes all.
            cleaned = _each_schema(key, value, lambda inner: _reduce(inner, form))
            if key == "anyOf":
                kept[key] = without_nesting(cleaned)
            elif is_value(key, cleaned):
                kept[key] = int(cleaned) if key in COUNTS else cleaned
    limits = [
        *_put_type(kept, fields, form),
        *_put_values(kept, fields),
        *limits_of(fields, form),
        *missing_in_words(fields),
    ]
    description = with_words(fields.get("description"), limits, sentences)
    if description is not None:
        kept["description"] = description
    _put_required(kept, required_in(fields))
    return kept


def _reduced_null(fields: dict[str, Any], form: Form) -> dict[str, Any]:
    """What takes only null, which no form with few keywords has a type for."""
    kept: dict[str, Any] = {"type": "string", "nullable": True} if is_kept("nullable", form) else {}
    return {**kept, "description": with_words(fields.get("description"), ["always null"], ())}


def _put_type(kept: dict[str, Any], fields: dict[str, Any], form: Form) -> list[str]:
    """Put the type, or the first of several; returns what is left to say."""
    types = [name for name in types_in(fields.get("type")) if name != "null"]
    # What is kept may tell a type where values that go spoke of several.
    if not types and "anyOf" not in kept and (implied := implied_type(fields) or implied_type(kept)):
        types = [implied]
    if len(types) > 1 and is_kept("anyOf", form) and not NARROW & fields.keys():
        kept.setdefault("anyOf", [{"type": name} for name in types])
    elif types:
        kept["type"] = types[0]
        return [f"or {name}" for name in types[1:]]
    return []


def _put_values(kept: dict[str, Any], fields: dict[str, Any]) -> list[str]:
    """Put the texts that are allowed; returns what is left to say of other values."""
    listed = [fields["const"]] if "const" in fields else as_list(fields.get("enum"))
    members = [member for member in listed if member is not None]
    if members and all(isinstance(member, str) for member in members):
        kept["enum"] = list(dict.fromkeys(members))
        return []
    return [values_in_words(members)] if members else []


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


def _put_required(node: dict[str, Any], names: list[str]) -> None:
    """Require the names that are properties; upstream refuses others."""
    properties = as_object(node.get("properties"))
    node.pop("required", None)
    if known := [name for name in names if name in properties]:
        node["required"] = known
