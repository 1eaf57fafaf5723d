"""Tests of the allow-list walker."""

from __future__ import annotations

import contextlib
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from antigravity_proxy.simulator.fields import (
    Field,
    Kind,
    check_message,
    is_int64,
    join_path,
    parse_object,
    snake_case,
)
from antigravity_proxy.simulator.google_reply import ApiError

from .wire import place_of, refusal

MESSAGES = {
    "Root": {
        "text": Field(Kind.STRING),
        "isOn": Field(Kind.BOOL),
        "count": Field(Kind.INT32),
        "bigCount": Field(Kind.INT64),
        "ratio": Field(Kind.NUMBER),
        "mode": Field(Kind.ENUM, "Mode", frozenset({"A", "B"})),
        "child": Field(Kind.MESSAGE, "Root"),
        "someChildren": Field(Kind.MESSAGE, "Root", is_repeated=True),
        "childMap": Field(Kind.MESSAGE, "Root", is_map=True),
        "anything": Field(Kind.VALUE),
        "struct": Field(Kind.STRUCT),
        "names": Field(Kind.STRING, is_repeated=True),
    }
}


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"text": "", "isOn": False, "count": -5, "bigCount": "9223372036854775807", "ratio": 1, "mode": "A"},
        {"ratio": 0.5, "bigCount": 7, "anything": [1, None], "struct": {"a": None}, "names": []},
        {"child": {"child": {"text": "deep"}}, "someChildren": [{}, {"text": "x"}], "childMap": {"any name": {}}},
    ],
    ids=["empty", "scalars", "free values", "nested"],
)
def test_check_accepts_what_the_table_describes(body: dict[str, Any]) -> None:
    """A body with known fields of the right kinds passes."""
    check_message(body, "Root", MESSAGES)


@pytest.mark.parametrize(
    ("body", "path", "message"),
    [
        ({"x": 1}, "", 'Unknown name "x": Cannot find field.'),
        ({"child": {"x": 1}}, "child", "Unknown name \"x\" at 'child': Cannot find field."),
        ({"child": {"is_on": True}}, "child", "Unknown name \"is_on\" at 'child': Cannot find field."),
        (
            {"someChildren": [{}, {"x": 1}]},
            "some_children[1]",
            "Unknown name \"x\" at 'some_children[1]': Cannot find field.",
        ),
        (
            {"childMap": {"a": {}, "b": {"x": 1}}},
            "child_map[1].value",
            "Unknown name \"x\" at 'child_map[1].value': Cannot find field.",
        ),
        ({"text": 5}, "text", "Invalid value at 'text' (TYPE_STRING), 5"),
        ({"text": None}, "text", "Invalid value at 'text' (TYPE_STRING), null"),
        ({"isOn": "yes"}, "is_on", "Invalid value at 'is_on' (TYPE_BOOL), \"yes\""),
        ({"count": True}, "count", "Invalid value at 'count' (TYPE_INT32), true"),
        ({"count": 2**31}, "count", "Invalid value at 'count' (TYPE_INT32), 2147483648"),
        ({"count": 1.0}, "count", "Invalid value at 'count' (TYPE_INT32), 1.0"),
        ({"bigCount": "01"}, "big_count", "Invalid value at 'big_count' (TYPE_INT64), \"01\""),
        ({"ratio": "1"}, "ratio", "Invalid value at 'ratio' (TYPE_DOUBLE), \"1\""),
        (
            {"mode": "C"},
            "mode",
            "Invalid value at 'mode' (type.googleapis.com/google.internal.cloud.code.v1internal.Mode), \"C\"",
        ),
        (
            {"child": True},
            "child",
            "Invalid value at 'child' (type.googleapis.com/google.internal.cloud.code.v1internal.Root), true",
        ),
        ({"names": "a"}, "names", "Invalid value at 'names' (TYPE_STRING), \"a\""),
        ({"names": ["a", 1]}, "names[1]", "Invalid value at 'names[1]' (TYPE_STRING), 1"),
        (
            {"childMap": []},
            "child_map",
            "Invalid value at 'child_map' (type.googleapis.com/google.internal.cloud.code.v1internal.Root), []",
        ),
        (
            {"child": {"mode": ["A"]}},
            "child.mode",
            "Unknown name \"mode\" at 'child': Proto field is not repeating, cannot start list.",
        ),
        (
            {"struct": 1},
            "struct",
            "Invalid value at 'struct' (type.googleapis.com/google.internal.cloud.code.v1internal.), 1",
        ),
    ],
    ids=lambda value: str(value)[:40],
)
def test_check_words_violations_like_google(body: dict[str, Any], path: str, message: str) -> None:
    """A wrong body is refused with Google's sentence and the path in snake_case."""
    error = refusal(lambda: check_message(body, "Root", MESSAGES))
    assert error.http_status == 400
    assert message in error.message
    assert place_of(error)[0] == path


def test_check_lists_all_violations() -> None:
    """Several violations are one answer with a line and a detail each."""
    error = refusal(lambda: check_message({"x": 1, "text": 2}, "Root", MESSAGES))
    assert len(error.message.splitlines()) == 2
    assert len(error.details[0]["fieldViolations"]) == 2


def test_check_cuts_long_values() -> None:
    """A complaint does not repeat a megabyte."""
    error = refusal(lambda: check_message({"count": "x" * 10_000}, "Root", MESSAGES))
    assert len(error.message) < 200


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (b"{", "Invalid JSON payload received."),
        (b"", "Invalid JSON payload received."),
        (b"[]", "Root element must be a message"),
        (b'"x"', "Root element must be a message"),
        (b'{"a":' * 101 + b"1" + b"}" * 101, "Message too deep."),
        (b'{"a":[' + b"[" * 99 + b"]" * 99 + b"]}", "Message too deep."),
    ],
    ids=["cut", "nothing", "array", "text", "deep objects", "deep arrays"],
)
def test_parse_refuses_what_is_no_object(body: bytes, message: str) -> None:
    """A body that is no JSON object, or nested too deep, is a 400."""
    assert message in refusal(lambda: parse_object(body)).message


def test_parse_reads_objects() -> None:
    """A JSON object is given as it is, up to a hundred levels deep."""
    assert parse_object(b'{"a":[{"b":null}]}') == {"a": [{"b": None}]}
    assert parse_object(b'{"a":' * 100 + b"1" + b"}" * 100)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (0, True),
        (-(2**63), True),
        (2**63, False),
        ("-9223372036854775808", True),
        ("9223372036854775808", False),
        ("-0", False),
        ("+1", False),
        ("", False),
        (True, False),
        (1.5, False),
        (None, False),
    ],
    ids=str,
)
def test_int64_is_canonical(value: object, expected: bool) -> None:  # noqa: FBT001
    """Only 64-bit numbers and their canonical decimal texts count."""
    assert is_int64(value) is expected


def test_paths_are_snake_case() -> None:
    """Field names are printed in snake_case, joined by dots."""
    assert snake_case("maxOutputTokens") == "max_output_tokens"
    assert join_path("", "topP") == "top_p"
    assert join_path("request", "systemInstruction") == "request.system_instruction"


@settings(deadline=None, max_examples=50)
@given(
    st.recursive(
        st.none() | st.booleans() | st.integers(-(2**63), 2**63) | st.floats(allow_nan=False) | st.text(),
        lambda children: st.lists(children, max_size=3) | st.dictionaries(st.text(max_size=4), children, max_size=3),
        max_leaves=8,
    )
)
def test_check_raises_nothing_else(value: Any) -> None:
    """Any JSON value in any field either passes or is an ApiError."""
    for name in MESSAGES["Root"]:
        with contextlib.suppress(ApiError):
            check_message({name: value}, "Root", MESSAGES)
