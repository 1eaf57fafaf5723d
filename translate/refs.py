"""References inside a JSON Schema, written out.

Source:
    https://json-schema.org/draft/2020-12/json-schema-core#section-8.2.3, RFC 6901 (JSON Pointer), and
    SPEC.md, "Tool schemas".
"""

from __future__ import annotations

import re
from types import MappingProxyType
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from .json_text import as_list, as_object, is_deeper_than, is_list, is_object
from .schema_merge import implied_type

if TYPE_CHECKING:
    from collections.abc import Mapping

MAX_SCHEMA_DEPTH = 40
"""Sub-schemas deeper than this are cut off and become a stub; each takes two levels of the JSON Google reads."""

DATA_DEPTH = 10
"""Levels that data, such as a default, may have at the largest depth, and more further up. Deeper data are left out,
or references could carry them to where Google reads no further."""

MAX_NODES = 20_000
"""A schema that grows beyond this many nodes and references by writing it out gets stubs from there on. Data that a
reference repeats count too."""

MAX_OPEN_REFS = 200
"""References inside references that are written out. A longer way ends in a stub, as each on it is compared with all
before it."""

TEXT_OF_NODE = 100
"""Characters of a repeated text that count as one node."""

MAX_NAME = 64
"""Characters of a definition's name that a stub repeats."""

MAX_INDEX_DIGITS = 6
"""Longest index of a list in a reference that is looked up."""

ONE = "one"
MANY = "many"
NAMED = "named"

SUBSCHEMAS: Mapping[str, str] = MappingProxyType(
    {
        "items": ONE,
        "additionalItems": ONE,
        "additionalProperties": ONE,
        "unevaluatedItems": ONE,
        "unevaluatedProperties": ONE,
        "propertyNames": ONE,
        "contains": ONE,
        "contentSchema": ONE,
        "not": ONE,
        "if": ONE,
        "then": ONE,
        "else": ONE,
        "anyOf": MANY,
        "oneOf": MANY,
        "allOf": MANY,
        "prefixItems": MANY,
        "properties": NAMED,
        "patternProperties": NAMED,
        "dependentSchemas": NAMED,
    }
)
"""Keyword → whether its value is one schema, a list of them, or named ones. All other values are data."""


DEFINITIONS = re.compile(r"^#/(?:\$defs|definitions|properties)/")
"""The way to most definitions, which says nothing of the one it leads to."""


ANSWER_ROUNDS = 4
"""How often the schema of an answer is written out in itself."""


ALTERNATIVES = ("anyOf", "oneOf")
"""Keywords of which one schema is enough."""


def inline_refs(schema: dict[str, Any]) -> dict[str, Any]:
    """The schema with every local reference replaced by what it points to, and old keywords by those of today.

    Keywords beside a reference win over those of its target. A reference that leads back into itself, or nowhere, or
    to another document becomes a stub: the target's type and description, as far as they are known, and where the
    whole of it stands.

    Args:
        schema: of any shape.
    """
    return _Inliner(schema, 1, has_end=False).written_out(schema, 0, ())


def inline_answer_refs(schema: dict[str, Any], *, is_bound: bool) -> dict[str, Any]:
    """The schema of an answer with every local reference replaced; what holds itself is written out four times.

    Args:
        schema: of any shape.
        is_bound: whether the answer can hold nothing that the schema does not say, so that it must come to an end: in
            the innermost, properties and alternatives that would go on are left out, and such lists and maps stay
            empty. What has to hold itself still becomes a stub: no answer could follow it.
    """
    return _Inliner(schema, ANSWER_ROUNDS, has_end=is_bound).written_out(schema, 0, ())


class _Inliner:
    def __init__(self, root: dict[str, Any], rounds: int, *, has_end: bool) -> None:
        self._root = root
        self._rounds = rounds
        self._has_end = has_end
        self._nodes = 0
        self._stubs: dict[str, dict[str, Any]] = {}

    def written_out(self, node: dict[str, Any], depth: int, open_refs: tuple[str, ...]) -> dict[str, Any]:
        self._nodes += 1
        if depth > MAX_SCHEMA_DEPTH or self._nodes > MAX_NODES:
            return _stub(node)
        while isinstance(ref := node.get("$ref"), str):
            self._nodes += 1
            beside = {key: value for key, value in node.items() if key != "$ref"}
            target = _resolve(self._root, ref)
            is_spent = len(open_refs) >= MAX_OPEN_REFS or self._nodes > MAX_NODES
            if target is None or is_spent or open_refs.count(ref) >= self._rounds:
                node = {**self._stub_of(ref, target), **beside}
                if ref in open_refs and "$ref" not in as_object(target):
                    node["description"] = _pointing_up(node.get("description"), ref)
                break
            open_refs = (*open_refs, ref)
            node = {**target, **beside}
        kept = {
            key: value for key, value in _modern(node).items() if key in SUBSCHEMAS or not _is_too_deep(value, depth)
        }
        if self._has_end:
            kept = self._ended(kept, open_refs)
        if open_refs:
            self._nodes += sum(_weight(value) for key, value in kept.items() if key not in SUBSCHEMAS)
        return {key: self._value(key, value, depth + 1, open_refs) for key, value in kept.items()}

    def _ended(self, node: dict[str, Any], open_refs: tuple[str, ...]) -> dict[str, Any]:
        ended = dict(node)
        for key, value in node.items():
            kind = SUBSCHEMAS.get(key)
            if kind == NAMED and is_object(value):
                ended[key] = {name: item for name, item in value.items() if not self._goes_on(item, open_refs)}
            elif key in ALTERNATIVES and is_list(value):
                left = [item for item in value if not self._goes_on(item, open_refs)]
                if len(left) == 1 < len(value):
                    del ended[key]
                    ended = {**as_object(left[0]), **ended}
                elif left:
                    ended[key] = left
            elif key == "items" and self._goes_on(value, open_refs):
                ended["maxItems"] = 0
            elif key == "additionalProperties" and self._goes_on(value, open_refs):
                ended[key] = False
        return ended

    def _goes_on(self, schema: Any, open_refs: tuple[str, ...]) -> bool:
        """Whether a schema holds again what has been written out often enough."""
        if not is_object(schema):
            return False
        return open_refs.count(schema.get("$ref", "")) >= self._rounds or any(
            self._goes_on(member, open_refs) for member in as_list(schema.get("allOf"))
        )

    def _stub_of(self, ref: str, target: dict[str, Any] | None) -> dict[str, Any]:
        if ref not in self._stubs:
            self._stubs[ref] = _stub(as_object(target))
        return self._stubs[ref]

    def _value(self, key: str, value: Any, depth: int, open_refs: tuple[str, ...]) -> Any:
        kind = SUBSCHEMAS.get(key)
        if kind == NAMED and is_object(value):
            return {name: self._schema(item, depth, open_refs) for name, item in value.items()}
        if kind in (ONE, MANY) and is_list(value):
            return [self._schema(item, depth, open_refs) for item in value]
        if kind == ONE:
            return self._schema(value, depth, open_refs)
        return value

    def _schema(self, value: Any, depth: int, open_refs: tuple[str, ...]) -> Any:
        return self.written_out(value, depth, open_refs) if is_object(value) else value


def _stub(target: dict[str, Any]) -> dict[str, Any]:
    known = {key: target[key] for key in ("type", "description") if key in target}
    if "type" not in known and (implied := implied_type(target)):
        known["type"] = implied
    return {key: value for key, value in known.items() if not _is_too_deep(value, MAX_SCHEMA_DEPTH)}


def _pointing_up(description: Any, ref: str) -> str:
    name = unquote(DEFINITIONS.sub("", ref)).replace("~1", "/").replace("~0", "~")
    words = "(as the whole)" if ref == "#" else f"(as {name[:MAX_NAME]} above)"
    return f"{description} {words}" if isinstance(description, str) and description else words


def _modern(node: dict[str, Any]) -> dict[str, Any]:
    """Keywords of older drafts in the words of 2020-12: switches beside limits, ``dependencies``, lists of items."""
    new = node
    if is_list(node.get("items")) and "prefixItems" not in node:
        new = {key: value for key, value in node.items() if key not in ("items", "additionalItems")}
        new["prefixItems"] = node["items"]
        if "additionalItems" in node:
            new["items"] = node["additionalItems"]
    for exclusive, limit in (("exclusiveMinimum", "minimum"), ("exclusiveMaximum", "maximum")):
        if node.get(exclusive) is True and limit in node:
            new = {key: value for key, value in new.items() if key != limit}
            new[exclusive] = node[limit]
    if "dependencies" in node:
        needs = as_object(node["dependencies"])
        new = {key: value for key, value in new.items() if key != "dependencies"}
        for keyword, is_such in (("dependentRequired", is_list), ("dependentSchemas", is_object)):
            such = {name: value for name, value in needs.items() if is_such(value)}
            if such and keyword not in node:
                new[keyword] = such
    return new


def _weight(data: Any) -> int:
    """How many nodes data count for beside the schema they are in."""
    if isinstance(data, str):
        return len(data) // TEXT_OF_NODE
    return sum(1 + _weight(member) for member in (data.values() if is_object(data) else as_list(data)))


def _is_too_deep(data: Any, depth: int) -> bool:
    is_nested = is_object(data) or is_list(data)
    return is_nested and is_deeper_than(data, 2 * (MAX_SCHEMA_DEPTH - depth) + DATA_DEPTH)


def _resolve(root: dict[str, Any], ref: str) -> dict[str, Any] | None:
    if ref == "#":
        return root
    if not ref.startswith("#/"):
        return None
    node: Any = root
    for step in ref[2:].split("/"):
        name = unquote(step).replace("~1", "/").replace("~0", "~")
        if is_object(node) and name in node:
            node = node[name]
        elif is_list(node) and name.isdecimal() and len(name) <= MAX_INDEX_DIGITS and int(name) < len(node):
            node = node[int(name)]
        else:
            return None
    return node if is_object(node) else None
