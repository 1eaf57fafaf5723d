"""Tests of the tool whose arguments are the answer."""

from __future__ import annotations

from typing import Any

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from antigravity_proxy.translate.answer_tool import DESCRIPTION, TEXT_DESCRIPTION, AnswerTool, to_answer_tool
from antigravity_proxy.translate.schema import clean_schema
from antigravity_proxy.translate.tools import Tool

from .samples import CountedName, json_values
from .schema_samples import any_schemas

PLAIN = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
OR_NULL = {**PLAIN, "description": "(or null)"}


def parameters_of(schema: Any) -> dict[str, Any]:
    """What Claude and GPT-OSS are told of the arguments."""
    return clean_schema(to_answer_tool(schema, ()).tool.parameters, "claude")


@pytest.mark.parametrize(
    "schema",
    [
        pytest.param(PLAIN, id="object"),
        pytest.param({**PLAIN, "additionalProperties": False, "title": "N"}, id="object with more keywords"),
        pytest.param({**PLAIN, "type": "OBJECT"}, id="type in capitals"),
        pytest.param({key: value for key, value in PLAIN.items() if key != "type"}, id="no type"),
        pytest.param({"$ref": "#/$defs/N", "$defs": {"N": PLAIN}}, id="reference"),
    ],
)
def test_schema_of_object_is_that_of_arguments(schema: dict[str, Any]) -> None:
    """An object's properties are the arguments, and all arguments together are the answer."""
    tool = to_answer_tool(schema, ())
    assert (tool.tool.name, tool.tool.description, tool.key) == ("final_answer", DESCRIPTION, None)
    assert parameters_of(schema) == PLAIN
    assert tool.to_text({"n": 1}) == '{"n":1}'


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        pytest.param(
            {"type": "array", "items": {"type": "integer"}},
            {"type": "array", "items": {"type": "integer"}},
            id="list",
        ),
        pytest.param({"type": "string"}, {"type": "string"}, id="text"),
        pytest.param({**PLAIN, "type": ["object", "null"]}, OR_NULL, id="object or null in one"),
        pytest.param({"anyOf": [PLAIN, {"type": "null"}]}, OR_NULL, id="object or null"),
        pytest.param(
            {"oneOf": [PLAIN, {"type": "string"}]},
            {"description": "One of: object with n (integer); string."},
            id="alternatives",
        ),
        pytest.param({"const": 5}, {"type": "integer", "description": "(always 5)"}, id="constant number"),
        pytest.param({"allOf": [{"type": "string"}]}, {"type": "string"}, id="merged"),
        pytest.param({"enum": ["a", "b"]}, {"type": "string", "enum": ["a", "b"]}, id="one of some"),
        pytest.param({"const": "a"}, {"type": "string", "enum": ["a"]}, id="constant"),
        pytest.param(
            {"$ref": "#/$defs/A", "$defs": {"A": {"type": "array", "items": {"$ref": "#/$defs/B"}}, "B": PLAIN}},
            {"type": "array", "items": PLAIN},
            id="references",
        ),
    ],
)
def test_other_schema_is_put_under_a_key(schema: dict[str, Any], expected: dict[str, Any]) -> None:
    """As arguments are always an object, an answer of another kind is one of them, and is taken out again."""
    parameters = {"type": "object", "properties": {"value": expected}, "required": ["value"]}
    assert parameters_of(schema) == parameters
    assert to_answer_tool(schema, ()).to_text({"value": [1, "é", None]}) == '[1,"é",null]'


@pytest.mark.parametrize(
    ("schema", "description"),
    [
        pytest.param(None, TEXT_DESCRIPTION, id="no schema"),
        pytest.param({}, TEXT_DESCRIPTION, id="empty schema"),
        pytest.param(
            {"type": "object"},
            f'{TEXT_DESCRIPTION} It follows this JSON Schema: {{"type":"object"}}',
            id="object without properties",
        ),
        pytest.param(
            {"type": "object", "properties": {}, "additionalProperties": {"type": "integer"}},
            f'{TEXT_DESCRIPTION} It follows this JSON Schema: {{"type":"object","properties":{{}},'
            '"additionalProperties":{"type":"integer"}}',
            id="object of any keys",
        ),
    ],
)
def test_object_of_untold_keys_is_asked_for_as_text(schema: Any, description: str) -> None:
    """A model fills in only what is declared, so an object that says nothing of its keys is one text."""
    assert to_answer_tool(schema, ()) == AnswerTool(
        Tool(
            "final_answer",
            DESCRIPTION,
            {
                "type": "object",
                "properties": {"json": {"type": "string", "description": description}},
                "required": ["json"],
            },
        ),
        "json",
        is_text=True,
    )


def test_free_name_is_found_without_comparing_all() -> None:
    """Each taken name is looked up, however many of them are like the tool's own."""
    taken = [CountedName("final_answer"), *(CountedName(f"final_answer_{number}") for number in range(2, 300))]
    CountedName.compared = 0
    assert to_answer_tool(None, taken).tool.name == "final_answer_300"
    assert CountedName.compared <= 3 * len(taken)


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        pytest.param({"json": '{"n": 1}'}, '{"n": 1}', id="text"),
        pytest.param({"json": {"n": 1}}, '{"n":1}', id="object in place of its text"),
        pytest.param({"n": 1}, '{"n":1}', id="object in place of arguments"),
        pytest.param({}, "{}", id="nothing"),
        pytest.param({"json": None}, "null", id="null"),
    ],
)
def test_text_is_the_answer_as_it_is(arguments: dict[str, Any], expected: str) -> None:
    """The text is not written as JSON once more; a model that gave the object itself is understood."""
    assert to_answer_tool(None, ()).to_text(arguments) == expected


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        pytest.param({"value": "a"}, '"a"', id="text"),
        pytest.param({"value": None}, "null", id="null"),
        pytest.param({"values": [1]}, '{"values":[1]}', id="other key"),
    ],
)
def test_value_is_written_as_json(arguments: dict[str, Any], expected: str) -> None:
    """Under the key for values also a text is JSON; without the key all arguments are the answer."""
    assert to_answer_tool({"type": "string"}, ()).to_text(arguments) == expected


def test_name_is_not_one_of_the_client() -> None:
    """When the client has tools of that name, the answer's tool has another, however many they are."""
    assert to_answer_tool(None, {"final_answer", "final_answer_2"}).tool.name == "final_answer_3"
    many = {"final_answer", *("_" * length + "final_answer" for length in range(100))}
    assert to_answer_tool(None, many).tool.name == "final_answer_2"


@settings(deadline=None)
@given(
    any_schemas().filter(lambda schema: isinstance(schema, dict)),
    st.dictionaries(st.sampled_from(["json", "value", "n"]), json_values()),
)
def test_any_schema_has_an_answer_tool(schema: dict[str, Any], arguments: dict[str, Any]) -> None:
    """Whatever the schema, there is something to fill in, and what is filled in is text."""
    assert parameters_of(schema)["properties"]
    text = to_answer_tool(schema, ()).to_text(arguments)
    assert isinstance(text, str)
    if "json" not in arguments:
        assert orjson.loads(text) in (arguments, arguments.get("value"))
