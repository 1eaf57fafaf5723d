"""Tests of what is said in words because no keyword says it."""

from __future__ import annotations

from typing import Any

import pytest

from antigravity_proxy.translate.schema_keywords import Form
from antigravity_proxy.translate.schema_words import (
    MAX_LISTED,
    MAX_WORDS,
    in_words,
    limits_of,
    missing_in_words,
    one_of,
    values_in_words,
    with_words,
)


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        pytest.param({"maximum": 5, "minimum": 1}, ["at least 1", "at most 5"], id="order of the table"),
        pytest.param(
            {"minLength": 1, "maxLength": 2.0}, ["at least 1 character", "at most 2 characters"], id="counts"
        ),
        pytest.param({"minLength": 0, "maxItems": 2**53}, [], id="no limits"),
        pytest.param({"minimum": -(2**53), "multipleOf": 2}, ["multiple of 2"], id="whole numbers of JavaScript"),
        pytest.param({"minLength": "1", "uniqueItems": 1}, [], id="wrong values"),
        pytest.param({"uniqueItems": False, "deprecated": True}, ["deprecated"], id="switches"),
        pytest.param({"pattern": "a" * MAX_WORDS}, [], id="long pattern"),
        pytest.param({"default": 5}, ["default: 5"], id="default"),
        pytest.param({"default": None}, [], id="default null"),
        pytest.param({"default": ""}, [], id="default of nothing"),
        pytest.param({"default": [1]}, [], id="default list"),
        pytest.param({"contains": {"type": "integer"}}, ["has an item that is integer"], id="contains"),
        pytest.param({"not": {}, "additionalProperties": False}, [], id="nothing to say"),
        pytest.param(
            {"prefixItems": [True, {"type": "string"}]}, ["in this order: anything, string"], id="positions"
        ),
        pytest.param(
            {"patternProperties": {"^a": {}, "^b": False}}, ["keys that match ^a: anything"], id="patterns of keys"
        ),
        pytest.param({"patternProperties": {}}, [], id="no patterns of keys"),
        pytest.param({"dependentRequired": {"a": ["b", "c"], "d": []}}, ["a needs b and c"], id="needs"),
        pytest.param({"dependentRequired": {}}, [], id="no needs"),
    ],
)
def test_limits_are_told(schema: dict[str, Any], expected: list[str]) -> None:
    """Each keyword has its few words, and none when it limits nothing."""
    assert limits_of(schema) == expected


def test_limits_a_form_keeps_are_not_told() -> None:
    """What stands in the schema needs no words."""
    assert limits_of({"minimum": 1, "minLength": 2}, Form.RESPONSE) == ["at least 2 characters"]


@pytest.mark.parametrize(
    ("description", "limits", "sentences", "expected"),
    [
        pytest.param("How many.", ["at least 1", "or null"], [], "How many. (at least 1; or null)", id="limits"),
        pytest.param(None, ["at least 1"], [], "(at least 1)", id="no description"),
        pytest.param(5, [], [], None, id="description that is none"),
        pytest.param(" As it is ", [], [], " As it is ", id="nothing to say"),
        pytest.param("", [], [], "", id="empty"),
        pytest.param("Kind", [], ["One of: a; b."], "Kind. One of: a; b.", id="sentence"),
        pytest.param("Kind", ["or null"], ["One of: a; b."], "Kind (or null) One of: a; b.", id="both"),
        pytest.param("Kind. One of: a; b.", [], ["One of: a; b."], "Kind. One of: a; b.", id="sentence said already"),
        pytest.param("At least 1.", ["at least 1"], [], "At least 1.", id="said already"),
        pytest.param("At least 10.", ["at least 1"], [], "At least 10. (at least 1)", id="number that goes on"),
        pytest.param("At least 1.5", ["at least 1"], [], "At least 1.5 (at least 1)", id="fraction"),
        pytest.param("The default is 3.", ["default: 3"], [], "The default is 3.", id="default said already"),
    ],
)
def test_words_come_behind_a_description(
    description: Any, limits: list[str], sentences: list[str], expected: str | None
) -> None:
    """What a description says already is not said again, and a second time changes nothing."""
    told = with_words(description, limits, sentences)
    assert told == expected
    assert with_words(told, limits, sentences) == expected


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        pytest.param({}, "anything", id="anything"),
        pytest.param({"type": ["string", "null"]}, "string or null", id="types"),
        pytest.param({"type": "integer", "minimum": 1}, "integer (at least 1)", id="limit"),
        pytest.param({"enum": ["a", 1]}, '"a" or 1', id="values"),
        pytest.param({"const": {"a": None}}, '{"a":null}', id="constant"),
        pytest.param({"type": "array", "items": {"type": "string"}}, "array of string", id="list"),
        pytest.param({"type": "array", "items": {}}, "array", id="list of anything"),
        pytest.param({"type": "string", "description": " A path. "}, "string - A path", id="description"),
        pytest.param({"title": "Path"}, "Path", id="title alone"),
        pytest.param({"anyOf": [{"type": "string"}, {"const": 1}]}, "string or 1", id="alternatives"),
        pytest.param(
            {"properties": {"a": {"type": "integer", "title": "A"}, "b": {}}, "required": ["a", "c"]},
            "object with a (integer), b?, c",
            id="object",
        ),
        pytest.param(
            {"properties": {"a": {"properties": {"b": {"properties": {"c": {"type": "string"}}}}}}},
            "object with a? (object with b? (object with c?))",
            id="object in objects",
        ),
        pytest.param({"type": "string", "description": "x" * 300}, "string - " + "x" * 190 + "…", id="long"),
    ],
)
def test_schema_is_told_in_one_phrase(schema: dict[str, Any], expected: str) -> None:
    """A phrase names types, values and properties; what is optional has a question mark."""
    assert in_words(schema) == expected


def test_long_lists_are_cut() -> None:
    """Twenty members are named, and an ellipsis stands for more."""
    assert one_of(["a", "b"]) == "One of: a; b."
    assert values_in_words([False]) == "always false"
    assert values_in_words([0] * MAX_LISTED) == "one of " + ", ".join("0" * MAX_LISTED)
    assert values_in_words([0] * (MAX_LISTED + 1)).endswith("0, …")


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        pytest.param({"required": ["a", "b"]}, ["with a, b"], id="no properties"),
        pytest.param({"required": ["a"], "properties": {"b": {}}}, [], id="other properties"),
        pytest.param({}, [], id="nothing"),
    ],
)
def test_required_names_without_any_property_are_told(schema: dict[str, Any], expected: list[str]) -> None:
    """An object that tells nothing but a name still tells that."""
    assert missing_in_words(schema) == expected
