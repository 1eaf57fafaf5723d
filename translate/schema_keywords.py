"""Which keyword of JSON Schema goes to which field of Cloud Code, and why not elsewhere.

Source:
    https://json-schema.org/draft/2020-12/json-schema-validation, https://ai.google.dev/api/caching#Schema, and
    SPEC.md, "Tool schemas".
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from .json_text import is_list, is_object

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

MAX_COUNT = 2**53
"""Counts above this limit nothing, and not every reader of JSON knows them."""


class Form(StrEnum):
    """What a schema is cleaned for, by the field it stands in upstream."""

    GEMINI = "parametersJsonSchema"
    LEGACY = "parameters"
    RESPONSE = "responseSchema"


@dataclass(frozen=True, slots=True)
class Keyword:
    """What is known of one keyword.

    Attributes:
        forms: those that keep it.
        is_value: whether it may have a value; with another one it is left out everywhere, as upstream refuses it.
        reason: why the other forms do not keep it, or what they do instead.
    """

    forms: frozenset[Form]
    is_value: Callable[[Any], bool]
    reason: str


def is_number(value: Any) -> bool:
    """Whether a JSON value is a number; booleans are none."""
    return type(value) in (int, float)


def _is_count(value: Any) -> bool:
    return is_number(value) and 0 <= value <= MAX_COUNT and value % 1 == 0


def _is_factor(value: Any) -> bool:
    return is_number(value) and value > 0


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_switch(value: Any) -> bool:
    return isinstance(value, bool)


def _is_some(value: Any) -> bool:
    return is_list(value) and bool(value)


def _is_name_map(value: Any) -> bool:
    return is_object(value) and all(
        is_list(names) and all(isinstance(name, str) for name in names) and len(set(names)) == len(names)
        for names in value.values()
    )


def _is_any(_value: Any) -> bool:
    return True


_ALL = frozenset(Form)
_REAL = frozenset({Form.GEMINI})
_GOOGLE = frozenset({Form.GEMINI, Form.RESPONSE})
_NONE: frozenset[Form] = frozenset()
_WORDS = "told in words"

KEYWORDS: Mapping[str, Keyword] = MappingProxyType(
    {
        "type": Keyword(_ALL, _is_any, "known everywhere; a list of types only to real JSON Schema"),
        "description": Keyword(_ALL, _is_text, "known everywhere"),
        "properties": Keyword(_ALL, _is_any, "known everywhere"),
        "required": Keyword(_ALL, _is_any, "known everywhere; only names of properties"),
        "items": Keyword(_ALL, _is_any, "known everywhere"),
        "enum": Keyword(_ALL, is_list, "known everywhere; values that are no texts are told in words"),
        "title": Keyword(_GOOGLE, _is_text, "seldom says more than the name of the property"),
        "nullable": Keyword(_GOOGLE, _is_switch, _WORDS),
        "format": Keyword(_GOOGLE, _is_text, _WORDS),
        "minimum": Keyword(_GOOGLE, is_number, _WORDS),
        "maximum": Keyword(_GOOGLE, is_number, _WORDS),
        "minItems": Keyword(_GOOGLE, _is_count, _WORDS),
        "maxItems": Keyword(_GOOGLE, _is_count, _WORDS),
        "anyOf": Keyword(_GOOGLE, _is_some, "merged where that forbids nothing, and told in words"),
        "oneOf": Keyword(_REAL, _is_some, "as anyOf; responseSchema has it under that name"),
        "allOf": Keyword(_REAL, _is_some, "merged"),
        "const": Keyword(_REAL, _is_any, "a text becomes an enum of one, other values are told in words"),
        "exclusiveMinimum": Keyword(_REAL, is_number, _WORDS),
        "exclusiveMaximum": Keyword(_REAL, is_number, _WORDS),
        "multipleOf": Keyword(_REAL, _is_factor, _WORDS),
        "minLength": Keyword(_REAL, _is_count, _WORDS),
        "maxLength": Keyword(_REAL, _is_count, _WORDS),
        "pattern": Keyword(_REAL, _is_text, _WORDS),
        "contentEncoding": Keyword(_REAL, _is_text, _WORDS),
        "contentMediaType": Keyword(_REAL, _is_text, _WORDS),
        "uniqueItems": Keyword(_REAL, _is_switch, _WORDS),
        "prefixItems": Keyword(_REAL, _is_some, _WORDS),
        "contains": Keyword(_REAL, _is_any, _WORDS),
        "minContains": Keyword(_REAL, _is_count, "rare, and hard to follow"),
        "maxContains": Keyword(_REAL, _is_count, "rare, and hard to follow"),
        "minProperties": Keyword(_REAL, _is_count, _WORDS),
        "maxProperties": Keyword(_REAL, _is_count, _WORDS),
        "propertyNames": Keyword(_REAL, _is_any, _WORDS),
        "patternProperties": Keyword(_REAL, _is_any, _WORDS),
        "additionalProperties": Keyword(_REAL, _is_any, "a schema is told in words; models add no properties anyway"),
        "dependentRequired": Keyword(_REAL, _is_name_map, _WORDS),
        "not": Keyword(_REAL, _is_any, _WORDS),
        "default": Keyword(_REAL, _is_any, _WORDS),
        "deprecated": Keyword(_REAL, _is_switch, _WORDS),
        "readOnly": Keyword(_REAL, _is_switch, "about what a server gives, not what it is given"),
        "writeOnly": Keyword(_REAL, _is_switch, "about what a server gives, not what it is given"),
        "examples": Keyword(_REAL, is_list, "cost more than they tell"),
        "additionalItems": Keyword(_REAL, _is_any, "rare, and hard to follow"),
        "unevaluatedItems": Keyword(_REAL, _is_any, "rare, and hard to follow"),
        "unevaluatedProperties": Keyword(_REAL, _is_any, "models add no properties anyway"),
        "contentSchema": Keyword(_REAL, _is_any, "rare, and hard to follow"),
        "dependentSchemas": Keyword(_REAL, _is_any, "rare, and hard to follow"),
        "if": Keyword(_REAL, _is_any, "rare, and hard to follow"),
        "then": Keyword(_REAL, _is_any, "rare, and hard to follow"),
        "else": Keyword(_REAL, _is_any, "rare, and hard to follow"),
        "$schema": Keyword(_NONE, _is_any, "names a dialect, which upstream does not want to be told"),
        "$id": Keyword(_NONE, _is_any, "an address for references, and there are none left"),
        "$anchor": Keyword(_NONE, _is_any, "as $id"),
        "$dynamicAnchor": Keyword(_NONE, _is_any, "as $id"),
        "$recursiveAnchor": Keyword(_NONE, _is_any, "as $id"),
        "$ref": Keyword(_NONE, _is_any, "written out, or leads nowhere"),
        "$dynamicRef": Keyword(_NONE, _is_any, "could not be written out"),
        "$recursiveRef": Keyword(_NONE, _is_any, "could not be written out"),
        "$vocabulary": Keyword(_NONE, _is_any, "belongs to a dialect's own description"),
        "$comment": Keyword(_NONE, _is_any, "for the schema's authors"),
        "$defs": Keyword(_NONE, _is_any, "written out where it was used"),
        "definitions": Keyword(_NONE, _is_any, "written out where it was used"),
        "dependencies": Keyword(_NONE, _is_any, "rewritten as dependentRequired and dependentSchemas"),
    }
)
"""Keyword → where it goes. One that is not listed is none of JSON Schema; readers of real JSON Schema ignore it."""


def is_kept(keyword: str, form: Form) -> bool:
    """Whether a form has a keyword; only real JSON Schema has unknown ones."""
    row = KEYWORDS.get(keyword)
    return form is Form.GEMINI if row is None else form in row.forms


def is_value(keyword: str, value: Any) -> bool:
    """Whether a keyword may have a value; an unknown one may not hold what could be a schema, as nobody cleans it."""
    row = KEYWORDS.get(keyword)
    return not (is_object(value) or is_list(value)) if row is None else row.is_value(value)
