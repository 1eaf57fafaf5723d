"""Alternatives of a JSON Schema for forms that have none: what they share is kept, the rest is told in words.

Source:
    SPEC.md, "Tool schemas".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .json_text import as_list, as_object, is_object
from .schema_merge import common_type, flatten, implied_type
from .schema_words import in_words, one_of

if TYPE_CHECKING:
    from collections.abc import Iterable

SAID_BY_ENUM = frozenset({"type", "enum", "const", "title"})
"""What an alternative may hold to be told by its texts alone."""


def fold_unions(schema: dict[str, Any], *, keeps_one: bool) -> tuple[dict[str, Any], list[str]]:
    """A schema without ``allOf``, ``oneOf`` and ``anyOf``, that takes every value it took before.

    Alternatives of one type leave that type, with all their texts, properties or items; of different types, none.

    Args:
        schema: with all references written out.
        keeps_one: whether the first list of alternatives stays, as ``anyOf``.

    Returns:
        The schema, whose sub-schemas are not folded; and sentences with what it does not say any more.
    """
    fields, unions = flatten(schema)
    if keeps_one and unions:
        fields["anyOf"] = unions[0]
        unions = unions[1:]
    sentences = [_fold(fields, branches) for branches in unions]
    return fields, [sentence for sentence in sentences if sentence]


def _fold(fields: dict[str, Any], branches: list[dict[str, Any]]) -> str:
    """Merge alternatives into the fields as far as that forbids nothing; returns what is left to say."""
    parts = [flatten(branch)[0] for branch in branches]
    own = implied_type(fields)
    shared = common_type(implied_type(part) or own for part in parts)
    if shared is not None:
        fields.setdefault("type", shared)
    if shared == "string" and not {"enum", "const"} & fields.keys() and (texts := _texts_of(parts)):
        fields["enum"] = texts
        if all(part.keys() <= SAID_BY_ENUM for part in parts):
            return ""
    elif shared == "object":
        _merge_properties(fields, parts)
    elif shared == "array" and "items" not in fields and all(is_object(part.get("items")) for part in parts):
        fields["items"] = _any_of(part["items"] for part in parts)
    told = list(dict.fromkeys(in_words(branch) for branch in branches))
    return "" if told == [shared] else one_of(told)


def _texts_of(parts: list[dict[str, Any]]) -> list[str]:
    """The texts all parts allow together; none when one of the parts allows more than texts it names."""
    texts: dict[str, None] = {}
    for part in parts:
        members = [part["const"]] if "const" in part else as_list(part.get("enum"))
        named = [member for member in members if isinstance(member, str)]
        if not named or len(named) < sum(member is not None for member in members):
            return []
        texts.update(dict.fromkeys(named))
    return list(texts)


def _merge_properties(fields: dict[str, Any], parts: list[dict[str, Any]]) -> None:
    found: dict[str, list[Any]] = {}
    for part in parts:
        for name, schema in as_object(part.get("properties")).items():
            if schema is not False:
                found.setdefault(name, []).append(schema)
    merged = {name: _any_of(schemas) for name, schemas in found.items()}
    own = as_object(fields.get("properties"))
    if merged:
        fields["properties"] = {**own, **{name: schema for name, schema in merged.items() if name not in own}}
    needed = [
        name for name in as_list(parts[0].get("required")) if all(name in as_list(p.get("required")) for p in parts)
    ]
    if needed:
        fields["required"] = list(dict.fromkeys([*as_list(fields.get("required")), *needed]))


def _any_of(schemas: Iterable[Any]) -> Any:
    different = list({repr(schema): schema for schema in schemas}.values())
    return different[0] if len(different) == 1 else {"anyOf": different}
