"""Tests of schemas that real agents and generators send, and of odd ones: what each family gets of them."""

from __future__ import annotations

import json
import sys
from functools import partial
from itertools import cycle, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import orjson
import pytest
from hypothesis import given, settings

from antigravity_proxy.catalog.builtin import MODELS
from antigravity_proxy.translate.json_text import MAX_JSON_DEPTH, as_object, is_deeper_than
from antigravity_proxy.translate.refs import inline_refs
from antigravity_proxy.translate.schema import clean_response_schema, clean_schema
from antigravity_proxy.translate.schema_merge import is_null, required_in

from .schema_samples import any_schemas
from .test_upstream_accepts import send

if TYPE_CHECKING:
    from collections.abc import Callable

    from antigravity_proxy.catalog.model import Model

FILES: dict[str, list[dict[str, Any]]] = {
    path.stem: json.loads(path.read_text(encoding="utf-8"))
    for path in sorted(Path(__file__).with_name("corpus").glob("*.json"))
}
"""Entries with a ``name``, the reason ``why`` they are here, the client's ``schema``, and what becomes of it for
``gemini`` and ``legacy`` (Claude and GPT-OSS); "same" stands for the schema itself."""

CORPUS = [
    pytest.param(entry, id=f"{topic}: {entry['name']}") for topic, entries in FILES.items() for entry in entries
]

ONE_OF_EACH_FAMILY = tuple({model.family: model for model in MODELS}.values())


def test_corpus_is_large() -> None:
    """There are more than a hundred schemas, each with a name of its own."""
    names = [param.id for param in CORPUS]
    assert len(set(names)) == len(names) > 100


@pytest.mark.parametrize("entry", CORPUS)
@pytest.mark.parametrize(
    ("family", "key"), [("gemini", "gemini"), ("claude", "legacy"), ("gpt-oss", "legacy")], ids=lambda name: name
)
def test_schema_becomes_what_the_corpus_says(entry: dict[str, Any], family: str, key: str) -> None:
    """Each family gets what it can be told, in the same bytes every time, and cleaning that changes nothing."""
    expected = entry["schema"] if entry[key] == "same" else entry[key]
    cleaned = clean_schema(entry["schema"], family)
    assert cleaned == expected
    assert orjson.dumps(clean_schema(entry["schema"], family)) == orjson.dumps(cleaned)
    assert orjson.dumps(clean_schema(cleaned, family)) == orjson.dumps(cleaned)


@pytest.mark.parametrize("entry", CORPUS)
def test_corpus_is_accepted(entry: dict[str, Any]) -> None:
    """Upstream takes the tool and, where it may be one, the answer's schema."""
    body: dict[str, Any] = {
        "model": "m",
        "messages": [{"role": "user", "content": "Hi"}],
        "tools": [{"type": "function", "function": {"name": "read", "parameters": entry["schema"]}}],
    }
    if isinstance(entry["schema"], dict) and not is_deeper_than(entry["schema"], MAX_JSON_DEPTH - 4):
        body["response_format"] = {"type": "json_schema", "json_schema": {"schema": entry["schema"]}}
    for model in ONE_OF_EACH_FAMILY:
        send(body, model)


@pytest.mark.parametrize("model", ONE_OF_EACH_FAMILY, ids=lambda model: model.id)
def test_all_tools_of_agents_are_accepted_together(model: Model) -> None:
    """Upstream takes a hundred and twenty tools of real agents in one request, under names it would not take."""
    schemas = [entry["schema"] for entry in FILES["agents"]]
    functions = [
        {"name": f"{number} tool/{'x' * 70}", "parameters": schema}
        for number, schema in enumerate(islice(cycle(schemas), 120))
    ]
    tools = [{"type": "function", "function": function} for function in functions]
    send({"model": "m", "messages": [{"role": "user", "content": "Hi"}], "tools": [*tools, tools[0]]}, model)


@pytest.mark.parametrize("model", ONE_OF_EACH_FAMILY, ids=lambda model: model.id)
def test_very_deep_tool_is_accepted(model: Model) -> None:
    """A tool nested far deeper than anyone reads is cut, not refused."""
    schema: dict[str, Any] = {"type": "string"}
    for _ in range(150):
        schema = {"anyOf": [{"type": "object", "properties": {"a": schema}}, {"type": "null"}]}
    function = {"name": "read", "parameters": {"type": "object", "properties": {"a": schema}}}
    body = {"model": "m", "messages": [{"role": "user", "content": "Hi"}]}
    send({**body, "tools": [{"type": "function", "function": function}]}, model)


@settings(deadline=None)
@given(any_schemas())
def test_properties_and_their_required_marks_are_kept(schema: Any) -> None:
    """Properties of any schema that are not behind alternatives are there for every family, required or not."""
    written_out = inline_refs({"type": "object", "properties": {"x": schema}, "required": ["x"]})
    for family in ("gemini", "claude", "gpt-oss"):
        assert_holds(written_out, clean_schema(written_out, family))


def assert_holds(schema: dict[str, Any], cleaned: dict[str, Any]) -> None:
    """Check the names of properties in a schema, below them, and below the items of lists."""
    if is_null(schema):
        return  # An object that is always null has nothing in it.
    for name, inner in as_object(schema.get("properties")).items():
        if inner is not False:
            assert name in cleaned["properties"]
            assert name not in required_in(schema) or name in cleaned["required"]
            assert_holds(as_object(inner), cleaned["properties"][name])
    if isinstance(schema.get("items"), dict):
        assert_holds(schema["items"], cleaned["items"])


def calls_made(act: Callable[[], object]) -> int:
    """How many Python functions are called; unlike seconds, the same on every machine."""
    count = 0

    def watch(_frame: object, event: str, _value: object) -> None:
        nonlocal count
        count += event == "call"

    previous = sys.getprofile()
    sys.setprofile(watch)
    try:
        act()
    finally:
        sys.setprofile(previous)
    return count


def wide(size: int) -> dict[str, Any]:
    """Many properties with a bit of everything."""
    one = {
        "anyOf": [{"$ref": "#/$defs/A"}, {"type": "object", "properties": {"b": {"const": 1}}}, {"type": "null"}],
        "description": "One.",
    }
    defs = {"A": {"allOf": [{"properties": {"a": {"type": "string", "minLength": 1}}}, {"required": ["a"]}]}}
    return {"type": "object", "properties": {f"p{number}": one for number in range(size)}, "$defs": defs}


def many(keyword: str) -> Callable[[int], dict[str, Any]]:
    """One property with many schemas under a keyword."""
    return lambda size: {
        "type": "object",
        "properties": {
            "x": {keyword: [{"type": "object", "properties": {f"p{n}": {"minimum": n}}} for n in range(size)]}
        },
    }


@pytest.mark.parametrize("family", ["gemini", "claude"])
@pytest.mark.parametrize(
    "grown", [wide, many("anyOf"), many("allOf"), many("oneOf")], ids=["properties", "anyOf", "allOf", "oneOf"]
)
def test_effort_grows_with_the_schema(grown: Callable[[int], dict[str, Any]], family: str) -> None:
    """Four times the schema is at most about four times the work."""
    small, large = (calls_made(partial(clean_schema, grown(size), family)) for size in (50, 200))
    assert large < 4.5 * small


def nested_unions(depth: int) -> dict[str, Any]:
    """Alternatives in alternatives, which words could tell over and over."""
    schema: dict[str, Any] = {"type": "string"}
    for level in range(depth):
        schema = {"anyOf": [{"type": "object", "properties": {f"p{level}": schema}}, {"type": "string"}]}
    return {"type": "object", "properties": {"x": schema}}


@pytest.mark.parametrize(
    "clean", [lambda it: clean_schema(it, "claude"), clean_response_schema], ids=["tool", "answer"]
)
def test_effort_grows_with_the_depth(clean: Callable[[Any], object]) -> None:
    """Each level is told by those right above it, so twice the depth is about twice the work."""
    small, large = (calls_made(partial(clean, nested_unions(depth))) for depth in (9, 18))
    assert large < 3 * small
