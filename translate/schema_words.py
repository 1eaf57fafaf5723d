"""What a form of JSON Schema has no keyword for, said in the few words that a description has room for.

Source:
    SPEC.md, "Tool schemas".
"""

from __future__ import annotations

import re
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from .json_text import as_list, as_object, is_list, is_object, to_json
from .schema_keywords import is_kept, is_number, is_value
from .schema_merge import flatten, required_in, types_in

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from .schema_keywords import Form

MAX_WORDS = 200
"""Characters of one statement. A longer one is left out, as a pattern that is cut off would be another pattern."""

MAX_LISTED = 20
"""Members of a list that are named; an ellipsis stands for the others."""

MAX_DEFAULT = 40
"""Characters of a default that is worth its place."""

MAX_LEVELS = 2
"""How deep the properties of an alternative are told."""

NO_LIMIT = 2**53 - 1
"""Limits from here on are those of JavaScript's whole numbers, which some generators add to every integer."""


def _limit(text: str) -> Callable[[Any], str | None]:
    return lambda value: None if is_number(value) and abs(value) >= NO_LIMIT else text.format(to_json(value))


def _count(text: str, one: str, many: str) -> Callable[[Any], str | None]:
    return lambda value: None if value >= NO_LIMIT else f"{text} {int(value)} {one if value == 1 else many}"


def _text(text: str) -> Callable[[Any], str | None]:
    return text.format


def _flag(text: str) -> Callable[[Any], str | None]:
    return lambda value: text if value is True else None


def _schema(text: str) -> Callable[[Any], str | None]:
    return lambda value: text.format(told) if (told := _told(as_object(value))) else None


def _default(value: Any) -> str | None:
    told = to_json(value)
    is_short = value is not None and not is_object(value) and not is_list(value) and len(told) <= MAX_DEFAULT
    return f"default: {told}" if is_short and told != '""' else None


def _positions(value: Any) -> str | None:
    schemas = [as_object(item) for item in as_list(value)]
    return f"in this order: {_listed(in_words(schema) for schema in schemas)}" if schemas else None


def _key_patterns(value: Any) -> str | None:
    schemas = as_object(value)
    told = _listed(f"{key}: {in_words(as_object(item))}" for key, item in schemas.items() if item is not False)
    return f"keys that match {told}" if told else None


def _needs(value: Any) -> str | None:
    needs = [f"{name} needs {_listed(names, ' and ')}" for name, names in value.items() if names]
    return _listed(needs) if needs else None


WORDS: Mapping[str, Callable[[Any], str | None]] = MappingProxyType(
    {
        "format": _text("format: {}"),
        "pattern": _text("pattern: {}"),
        "contentEncoding": _text("encoding: {}"),
        "contentMediaType": _text("media type: {}"),
        "minimum": _limit("at least {}"),
        "exclusiveMinimum": _limit("more than {}"),
        "maximum": _limit("at most {}"),
        "exclusiveMaximum": _limit("less than {}"),
        "multipleOf": _limit("multiple of {}"),
        "minLength": _count("at least", "character", "characters"),
        "maxLength": _count("at most", "character", "characters"),
        "minItems": _count("at least", "item", "items"),
        "maxItems": _count("at most", "item", "items"),
        "uniqueItems": _flag("no item twice"),
        "prefixItems": _positions,
        "contains": _schema("has an item that is {}"),
        "minProperties": _count("at least", "property", "properties"),
        "maxProperties": _count("at most", "property", "properties"),
        "propertyNames": _schema("keys: {}"),
        "patternProperties": _key_patterns,
        "additionalProperties": _schema("values of other keys: {}"),
        "dependentRequired": _needs,
        "not": _schema("not {}"),
        "default": _default,
        "nullable": _flag("or null"),
        "deprecated": _flag("deprecated"),
    }
)
"""Keyword → what is said of its value; None says nothing. In this order, whatever the order in the schema."""

IMPLIED = {"minLength": 0, "minItems": 0, "minProperties": 0}
"""Limits that every value keeps, which are not worth a word."""


def limits_of(schema: dict[str, Any], form: Form | None = None) -> list[str]:
    """What is said of those keywords that a form does not keep; of all when there is no form."""
    told: list[str] = []
    for keyword, wording in WORDS.items():
        if keyword not in schema or not is_value(keyword, value := schema[keyword]):
            continue
        is_said = form is not None and is_kept(keyword, form)
        if not is_said and (keyword not in IMPLIED or value != IMPLIED[keyword]):
            words = wording(value)
            if words is not None and len(words) <= MAX_WORDS:
                told.append(words)
    return told


def missing_in_words(schema: dict[str, Any]) -> list[str]:
    """The statement that names are required which no property has, if a schema tells no properties at all."""
    names = required_in(schema)
    return [f"with {_listed(names)}"] if names and not as_object(schema.get("properties")) else []


def with_words(description: Any, limits: Iterable[str], sentences: Iterable[str]) -> str | None:
    """A description with statements behind it, save those it makes already; None when there is nothing to say.

    Args:
        description: the client's; another type than text counts as none.
        limits: short statements, which come in brackets.
        sentences: whole ones.
    """
    given: str | None = description if isinstance(description, str) else None
    text = (given or "").rstrip()
    said = [words for words in limits if not _says(text, words)]
    left = [sentence for sentence in sentences if sentence not in text]
    if not said and not left:
        return given
    told = [text, f"({'; '.join(said)})"] if said else [f"{text}." if text[-1:].isalnum() else text]
    return " ".join(filter(None, [*told, *left]))


def one_of(alternatives: Iterable[str]) -> str:
    """The sentence that lists alternatives."""
    return f"One of: {_listed(alternatives, '; ')}."


def values_in_words(values: Sequence[Any]) -> str:
    """The statement that a value is one of some."""
    return f"always {_cut(to_json(values[0]))}" if len(values) == 1 else f"one of {_listed(map(to_json, values))}"


def in_words(schema: dict[str, Any], levels: int = MAX_LEVELS) -> str:
    """A schema in one phrase, such as ``object with a (integer), b?``; a question mark is behind what is optional."""
    return _told(schema, levels) or "anything"


def _told(schema: dict[str, Any], levels: int = MAX_LEVELS) -> str:
    fields, unions = flatten(schema)
    phrases = [_kind(fields, levels)]
    if levels:
        phrases += [_listed((in_words(branch, levels - 1) for branch in union), " or ") for union in unions]
    phrase = ", ".join(filter(None, phrases))
    limits = f"({'; '.join(said)})" if levels and (said := limits_of(_without_structure(fields))) else ""
    title = fields.get("description") or fields.get("title")
    note = title.strip().rstrip(".") if isinstance(title, str) else ""
    told = " ".join(filter(None, (phrase, limits)))
    return _cut(" - ".join(filter(None, (told, note))))


def _kind(fields: dict[str, Any], levels: int) -> str:
    if "const" in fields:
        return to_json(fields["const"])
    if members := as_list(fields.get("enum")):
        return _listed(map(to_json, members), " or ")
    types = types_in(fields.get("type"))
    names = list(dict.fromkeys([*as_object(fields.get("properties")), *as_list(fields.get("required"))]))
    if names and (not types or "object" in types):
        return f"object with {_listed(_property(name, fields, levels) for name in names)}"
    items = fields.get("items")
    if levels and is_object(items) and (not types or types == ["array"]) and (told := _told(items, levels - 1)):
        return f"array of {told}"
    return " or ".join(types)


def _property(name: str, fields: dict[str, Any], levels: int) -> str:
    mark = "" if name in as_list(fields.get("required")) else "?"
    told = ""
    if levels:
        schema = as_object(as_object(fields.get("properties")).get(name))
        told = _told({key: value for key, value in schema.items() if key not in ("description", "title")}, levels - 1)
    return f"{name}{mark} ({told})" if told else f"{name}{mark}"


def _without_structure(fields: dict[str, Any]) -> dict[str, Any]:
    """The keywords of an alternative that are limits; those with schemas in them would make its phrase too long."""
    return {key: value for key, value in fields.items() if not is_object(value) and not is_list(value)}


def _listed(words: Iterable[str], between: str = ", ") -> str:
    listed = [_cut(word) for word in words]
    more = ["…"] if len(listed) > MAX_LISTED else []
    return between.join([*listed[:MAX_LISTED], *more])


def _cut(text: str) -> str:
    return text if len(text) <= MAX_WORDS else f"{text[: MAX_WORDS - 1]}…"


def _says(text: str, words: str) -> bool:
    """Whether a text says something already; "at least 1" is not said by "at least 10"."""
    if words.startswith("default: "):
        return "default" in text.lower()
    return re.search(rf"(?<!\w){re.escape(words)}(?!\.?\w)", text, re.IGNORECASE) is not None
