"""Makes up JSON that satisfies a schema: arguments for a tool, or an answer in a demanded format.

The same schema always gives the same value. Formats and patterns beyond the common ones are not solved; a
``default``, ``example`` or ``enum`` is used where there is one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .fields import is_list, is_object

PLAUSIBLE_TEXTS: dict[str, str] = {
    "city": "Zurich",
    "location": "Zurich",
    "country": "Switzerland",
    "path": "README.md",
    "file": "README.md",
    "file_path": "README.md",
    "filePath": "README.md",
    "filename": "README.md",
    "directory": ".",
    "command": "echo hello",
    "cmd": "echo hello",
    "url": "https://example.com/",
    "query": "hello",
    "pattern": "hello",
    "expression": "6*7",
    "language": "en",
    "name": "Ada",
    "email": "ada@example.com",
    "json": '{"echo": "hello"}',
}
"""Property name to a text that makes sense there; any other name gives ``example NAME``."""

PROPER_NAMES = frozenset({"city", "location", "place", "town", "destination", "name", "query", "topic", "subject"})
"""Properties that hold the name a person has asked about, if there is one."""

FORMAT_TEXTS: dict[str, str] = {
    "date-time": "2026-01-02T03:04:05Z",
    "date": "2026-01-02",
    "time": "03:04:05Z",
    "email": "ada@example.com",
    "uri": "https://example.com/",
    "url": "https://example.com/",
    "uuid": "00000000-0000-4000-8000-000000000000",
    "ipv4": "127.0.0.1",
    "hostname": "example.com",
}

FIXED_KEYWORDS = ("const", "default", "example")
"""Keywords whose value is taken as it is, the first that is there."""

ALWAYS_NULL = "always null"
"""Words of a description that a model heeds where null is allowed."""

MAX_ITEMS = 20
"""How many items are made up at most, whatever ``minItems`` says."""


@dataclass(frozen=True, slots=True)
class _Hints:
    only_required: bool
    proper_name: str


def sample_json(schema: Any, name: str = "value", *, only_required: bool = False, proper_name: str = "") -> Any:
    """Give a value that satisfies a schema.

    Args:
        schema: JSON Schema or Google's own form of it; types may be in either case.
        name: the name of the property the value is for, which makes texts plausible.
        only_required: whether to leave out optional properties, except those that get the proper name.
        proper_name: what ``PROPER_NAMES`` get where the schema does not say better; empty for none.
    """
    return _sample(schema, name, _Hints(only_required, proper_name))


def _sample(schema: Any, name: str, hints: _Hints) -> Any:
    if not is_object(schema):
        return f"example {name}"
    given = _given_values(schema)
    if given:
        return given[0]
    for branch in (*schema.get("anyOf", ()), *schema.get("oneOf", ())):
        return _sample(branch, name, hints)
    match _type_of(schema):
        case "object":
            return _sample_object(schema, hints)
        case "array":
            return _sample_array(schema, name, hints)
        case kind:
            return _sample_text(schema, name, hints) if kind == "string" else _sample_scalar(schema, kind)


def _given_values(schema: dict[str, Any]) -> list[Any]:
    if schema.get("nullable") is True and ALWAYS_NULL in str(schema.get("description")):
        return [None]
    fixed = [schema[keyword] for keyword in FIXED_KEYWORDS if keyword in schema]
    return [*fixed, *schema.get("enum", ())]


def _type_of(schema: dict[str, Any]) -> str:
    declared: object = schema.get("type")
    if is_list(declared):
        declared = next((kind for kind in declared if kind != "null"), "null")
    if isinstance(declared, str):
        return declared.lower()
    if "properties" in schema or "allOf" in schema:
        return "object"
    return "array" if "items" in schema else "string"


def _sample_object(schema: dict[str, Any], hints: _Hints) -> dict[str, Any]:
    sample: dict[str, Any] = {}
    for part in schema.get("allOf", []):
        value: Any = _sample(part, "value", hints)
        if is_object(value):
            sample.update(value)
    properties: dict[str, Any] = schema.get("properties", {})
    required: list[str] = schema.get("required", [])
    named = PROPER_NAMES if hints.proper_name else frozenset[str]()
    optional = [name for name in properties if name in named or not hints.only_required]
    for name in dict.fromkeys([*optional, *required]):
        sample[name] = _sample(properties.get(name), name, hints)
    return sample


def _sample_array(schema: dict[str, Any], name: str, hints: _Hints) -> list[Any]:
    items: Any = schema.get("prefixItems", schema.get("items"))
    if is_list(items):
        return [_sample(item, name, hints) for item in items]
    count = min(max(1, int(schema.get("minItems", 1))), int(schema.get("maxItems", MAX_ITEMS)), MAX_ITEMS)
    return [_sample(items, name, hints) for _ in range(count)]


def _sample_text(schema: dict[str, Any], name: str, hints: _Hints) -> str:
    asked = hints.proper_name if name in PROPER_NAMES else ""
    text = FORMAT_TEXTS.get(schema.get("format", "")) or asked or PLAUSIBLE_TEXTS.get(name) or f"example {name}"
    shortest = int(schema.get("minLength", 0))
    longest = int(schema.get("maxLength", max(len(text), shortest)))
    return text.ljust(shortest, ".")[:longest]


def _sample_scalar(schema: dict[str, Any], kind: str) -> float | bool | None:
    if kind == "boolean":
        return True
    if kind == "null":
        return None
    smallest: float | None = schema.get("minimum")
    largest: float | None = schema.get("maximum")
    number: float = 1 if smallest is None else smallest
    if largest is not None:
        number = min(number, largest)
    return int(number) if kind == "integer" else number
