"""Tests of references inside a JSON Schema."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings

from antigravity_proxy.translate.json_text import is_deeper_than
from antigravity_proxy.translate.refs import (
    ANSWER_ROUNDS,
    DATA_DEPTH,
    MAX_NODES,
    MAX_OPEN_REFS,
    MAX_SCHEMA_DEPTH,
    inline_answer_refs,
    inline_refs,
)

from .samples import CountedName
from .schema_samples import any_schemas

STATUS = {"type": "string", "enum": ["open", "closed"]}


def with_defs(schema: dict[str, Any], **defs: Any) -> dict[str, Any]:
    """A schema with definitions beside it."""
    return {"properties": {"x": schema}, "$defs": defs}


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        pytest.param(with_defs({"$ref": "#/$defs/Status"}, Status=STATUS), STATUS, id="definition"),
        pytest.param(
            with_defs({"$ref": "#/$defs/Status", "description": "mine", "type": "number"}, Status=STATUS),
            {"type": "number", "enum": ["open", "closed"], "description": "mine"},
            id="keywords beside it win",
        ),
        pytest.param(
            with_defs(
                {"$ref": "#/$defs/A"}, A={"$ref": "#/$defs/B", "title": "A"}, B={"$ref": "#/$defs/C"}, C=STATUS
            ),
            {**STATUS, "title": "A"},
            id="chain",
        ),
        pytest.param(with_defs({"$ref": "#/$defs/a~1b~0c"}, **{"a/b~c": STATUS}), STATUS, id="escapes"),
        pytest.param(with_defs({"$ref": "#/$defs/a%20b"}, **{"a b": STATUS}), STATUS, id="percent escapes"),
        pytest.param(
            with_defs({"$ref": "#/$defs/A/anyOf/1"}, A={"anyOf": [{}, STATUS]}), STATUS, id="index of a list"
        ),
        pytest.param(
            with_defs({"items": {"$ref": "#/$defs/A"}, "anyOf": [{"$ref": "#/$defs/A"}]}, A=STATUS),
            {"items": STATUS, "anyOf": [STATUS]},
            id="used twice",
        ),
        pytest.param(
            with_defs({"items": [{"$ref": "#/$defs/A"}, True]}, A=STATUS),
            {"prefixItems": [STATUS, True]},
            id="list of items",
        ),
        pytest.param(
            with_defs({"contentSchema": {"$ref": "#/$defs/A"}}, A=STATUS), {"contentSchema": STATUS}, id="content"
        ),
    ],
)
def test_reference_is_written_out(schema: dict[str, Any], expected: dict[str, Any]) -> None:
    """What a reference points to stands in its place, wherever schemas may stand."""
    assert inline_refs(schema)["properties"]["x"] == expected


@pytest.mark.parametrize(
    "ref",
    [
        pytest.param("#/$defs/Missing", id="dangling"),
        pytest.param("#/$defs/Text", id="not a schema"),
        pytest.param("#/$defs/List/5", id="index too large"),
        pytest.param("#/$defs/List/x", id="no index"),
        pytest.param("#/$defs/List/" + "9" * 5_000, id="enormous index"),
        pytest.param("#Name", id="anchor"),
        pytest.param("https://example.com/schema.json", id="another document"),
        pytest.param("", id="empty"),
    ],
)
def test_reference_becomes_stub_when_it_leads_nowhere(ref: str) -> None:
    """Of a reference that cannot be followed, what stands beside it is left."""
    schema = with_defs({"$ref": ref, "description": "mine"}, Text="text", List=[{}])
    assert inline_refs(schema)["properties"]["x"] == {"description": "mine"}


def test_every_use_of_a_broken_reference_becomes_a_stub() -> None:
    """A reference that leads nowhere is told in the same way wherever it stands."""
    broken = {"$ref": "#/$defs/Lost", "description": "mine"}
    assert inline_refs({"properties": {"a": broken, "b": broken}}) == {
        "properties": {"a": {"description": "mine"}, "b": {"description": "mine"}}
    }


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        pytest.param(
            with_defs(
                {"$ref": "#/$defs/Node"},
                Node={"type": "object", "description": "A node.", "properties": {"next": {"$ref": "#/$defs/Node"}}},
            ),
            {
                "type": "object",
                "description": "A node.",
                "properties": {"next": {"type": "object", "description": "A node. (as Node above)"}},
            },
            id="definition of itself",
        ),
        pytest.param(
            with_defs({"$ref": "#/$defs/A"}, A={"$ref": "#/$defs/B"}, B={"$ref": "#/$defs/A"}), {}, id="ring"
        ),
        pytest.param(with_defs({"$ref": "#/$defs/A"}, A={"$ref": "#/$defs/A"}), {}, id="itself"),
        pytest.param(
            {"type": "object", "properties": {"x": {"$ref": "#"}}},
            {"type": "object", "properties": {"x": {"type": "object", "description": "(as the whole)"}}},
            id="whole",
        ),
    ],
)
def test_reference_becomes_stub_when_it_leads_back(schema: dict[str, Any], expected: dict[str, Any]) -> None:
    """A schema that holds itself is written out once; inside, its type and a pointer to it are left."""
    assert inline_refs(schema)["properties"]["x"] == expected


@pytest.mark.parametrize(
    "schema",
    [
        pytest.param({"properties": {"$ref": {"type": "string"}}}, id="property of that name"),
        pytest.param({"default": {"$ref": "#/x"}, "enum": [{"$ref": "#"}], "const": {"$ref": "#"}}, id="data"),
        pytest.param({"$ref": 5}, id="number"),
        pytest.param({"properties": [{"$ref": "#"}], "anyOf": {"a": {"$ref": "#"}}}, id="wrong shapes"),
        pytest.param({"additionalProperties": False, "items": True}, id="booleans"),
    ],
)
def test_what_is_no_reference_stays(schema: dict[str, Any]) -> None:
    """Names of properties, data, and what is no schema are left as they are."""
    assert inline_refs(schema) == schema


NULL = {"type": "null"}
NODE_REF = {"$ref": "#/$defs/Node"}


@pytest.mark.parametrize(
    ("property_schema", "expected"),
    [
        pytest.param({"anyOf": [NODE_REF, NULL]}, NULL, id="or null"),
        pytest.param({"oneOf": [NODE_REF, NULL, STATUS]}, {"oneOf": [NULL, STATUS]}, id="one of three"),
        pytest.param({"anyOf": [{"allOf": [NODE_REF]}, NULL]}, NULL, id="wrapped"),
        pytest.param(
            {"type": "array", "items": NODE_REF},
            {"type": "array", "items": {"type": "object", "description": "(as Node above)"}, "maxItems": 0},
            id="list",
        ),
        pytest.param(
            {"type": "object", "additionalProperties": NODE_REF},
            {"type": "object", "additionalProperties": False},
            id="map",
        ),
        pytest.param(NODE_REF, None, id="property"),
        pytest.param(
            {"anyOf": [NODE_REF]},
            {"anyOf": [{"type": "object", "description": "(as Node above)"}]},
            id="without an end",
        ),
    ],
)
def test_answer_that_holds_itself_ends(property_schema: dict[str, Any], expected: dict[str, Any] | None) -> None:
    """The innermost of four allows no more of itself."""
    node = {"type": "object", "properties": {"x": property_schema, "name": STATUS}}
    innermost = inline_answer_refs({"properties": {"root": NODE_REF}, "$defs": {"Node": node}}, is_bound=True)
    innermost = innermost["properties"]["root"]
    for _ in range(ANSWER_ROUNDS - 1):
        assert innermost["properties"]["name"] == STATUS
        (innermost,) = nodes_in(innermost["properties"]["x"])
    assert innermost["properties"].pop("name") == STATUS
    assert innermost["properties"].get("x") == expected


def nodes_in(schema: Any) -> list[dict[str, Any]]:
    """The outermost objects with named properties."""
    if not isinstance(schema, dict):
        return [node for member in schema for node in nodes_in(member)] if isinstance(schema, list) else []
    if "properties" in schema:
        return [schema]
    return [node for value in schema.values() for node in nodes_in(value)]


def test_input_is_not_changed() -> None:
    """The client's schema serves the next model as well."""
    schema = with_defs({"$ref": "#/$defs/A", "title": "x"}, A=STATUS)
    inline_refs(schema)
    assert schema == with_defs({"$ref": "#/$defs/A", "title": "x"}, A={"type": "string", "enum": ["open", "closed"]})


def test_deep_schema_is_cut_off() -> None:
    """Below the largest depth only types and descriptions are left."""
    schema: dict[str, Any] = {"type": "string", "pattern": "x"}
    for _ in range(MAX_SCHEMA_DEPTH + 10):
        schema = {"type": "array", "items": schema}
    inlined = inline_refs(schema)
    for _ in range(MAX_SCHEMA_DEPTH + 1):
        inlined = inlined["items"]
    assert inlined == {"type": "array"}


def nested(levels: int) -> list[Any]:
    """Lists in each other."""
    value: list[Any] = []
    for _ in range(levels):
        value = [value]
    return value


@pytest.mark.parametrize(
    ("depth", "levels", "is_kept"),
    [
        pytest.param(0, 2 * MAX_SCHEMA_DEPTH + DATA_DEPTH, True, id="top"),
        pytest.param(0, 2 * MAX_SCHEMA_DEPTH + DATA_DEPTH + 1, False, id="too deep at the top"),
        pytest.param(MAX_SCHEMA_DEPTH, DATA_DEPTH, True, id="bottom"),
        pytest.param(MAX_SCHEMA_DEPTH, DATA_DEPTH + 1, False, id="too deep at the bottom"),
    ],
)
def test_deep_data_is_left_out(depth: int, levels: int, *, is_kept: bool) -> None:
    """Data may be as deep as leaves the whole within what Google reads, wherever references carry it."""
    schema: dict[str, Any] = {"default": nested(levels), "description": "x"}
    for _ in range(depth):
        schema = {"properties": {"x": schema}}
    inlined = inline_refs(schema)
    assert schema_at(inlined, depth) == (schema_at(schema, depth) if is_kept else {"description": "x"})


def schema_at(schema: dict[str, Any], depth: int) -> dict[str, Any]:
    """The schema that many properties below."""
    return schema if depth == 0 else schema_at(schema["properties"]["x"], depth - 1)


def test_stub_holds_no_deep_data() -> None:
    """Also below the largest depth there is nothing that Google does not read."""
    schema: dict[str, Any] = {"type": "string", "description": nested(DATA_DEPTH + 1)}
    for _ in range(MAX_SCHEMA_DEPTH + 1):
        schema = {"properties": {"x": schema}}
    assert schema_at(inline_refs(schema), MAX_SCHEMA_DEPTH + 1) == {"type": "string"}


def test_growing_schema_is_cut_off() -> None:
    """Definitions that double at every step do not grow without end."""
    steps = {f"S{step}": {"anyOf": [{"$ref": f"#/$defs/S{step + 1}"}] * 2} for step in range(30)}
    inlined = inline_refs({"anyOf": [{"$ref": "#/$defs/S0"}], "$defs": {**steps, "S30": STATUS}})
    assert count_nodes(inlined) < 3 * MAX_NODES


def count_nodes(schema: dict[str, Any]) -> int:
    """How many schemas are in this one, over its alternatives."""
    return 1 + sum(count_nodes(branch) for branch in schema.get("anyOf", ()))


@settings(deadline=None)
@given(any_schemas())
def test_any_schema_is_inlined(schema: Any) -> None:
    """Whatever a client sends comes out without an error, and not deeper than the limit and its own data allow."""
    if isinstance(schema, dict):
        assert not is_deeper_than(inline_refs(schema), 2 * (MAX_SCHEMA_DEPTH + 1) + DATA_DEPTH)


def test_repeated_data_count_as_growth() -> None:
    """A large list or text that every reference would repeat ends the writing out as well."""
    defs = {"A": {"enum": [str(number) for number in range(1_000)]}, "B": {"description": "x" * 100_000}}
    names = {f"{kind}{number}": {"$ref": f"#/$defs/{kind}"} for kind in defs for number in range(100)}
    written_out = inline_refs({"properties": names, "$defs": defs})["properties"]
    assert sum("enum" in schema for schema in written_out.values()) < MAX_NODES / 1_000 + 1


def test_long_chain_of_references_takes_steps_in_proportion() -> None:
    """References that only lead to each other are followed so far, and not compared with all before them."""
    count = 3_000
    chain: dict[str, Any] = {f"d{number}": {"$ref": CountedName(f"#/$defs/d{number + 1}")} for number in range(count)}
    CountedName.compared = 0
    written = inline_refs({"$ref": CountedName("#/$defs/d0"), "$defs": {**chain, f"d{count}": {"type": "string"}}})
    assert "$ref" not in written
    assert CountedName.compared <= MAX_OPEN_REFS**2
