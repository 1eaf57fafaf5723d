"""Tests of JSON text to values and back."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from antigravity_proxy.translate.json_text import (
    as_list,
    as_object,
    is_deeper_than,
    is_list,
    is_object,
    parse_json,
    to_json,
)

from .samples import json_values

SMILE = "\N{GRINNING FACE}"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(b'{"a": [1, 2.5, null, true]}', {"a": [1, 2.5, None, True]}, id="bytes"),
        pytest.param('"text"', "text", id="text"),
        pytest.param(SMILE.encode().join((b'"', b'"')), SMILE, id="emoji"),
        pytest.param(rb'"\ud83d\ude00"', SMILE, id="escaped emoji"),
        pytest.param(rb'"a\ud83db"', "a\ufffdb", id="first half of an emoji"),
        pytest.param(rb'"a\ude00b"', "a\ufffdb", id="second half of an emoji"),
        pytest.param(rb'{"\ud83d": "\ud83d\ude00\ud83d"}', {"\ufffd": f"{SMILE}\ufffd"}, id="half in a key"),
        pytest.param(b'"\xed\xa0\xbd"', "\ufffd", id="encoded half"),
        pytest.param('"\ud83d"', "\ufffd", id="raw half"),
        pytest.param(b"\xef\xbb\xbf[]", [], id="byte order mark"),
    ],
)
def test_parse_json_gives_value(text: bytes | str, expected: Any) -> None:
    """JSON is parsed, whole emoji stay and half ones become the replacement character."""
    assert parse_json(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(b"", id="nothing"),
        pytest.param(b"{", id="cut"),
        pytest.param(b"{} {}", id="two values"),
        pytest.param(b"\xff", id="not UTF-8"),
        pytest.param(b"NaN", id="not a number"),
        pytest.param(b'["\\ud83d", Infinity]', id="infinity beside half an emoji"),
        pytest.param(b"[" * 100_000, id="nested deep"),
        pytest.param(b'["\\ud83d",' + b"[" * 100_000 + b"]" * 100_001, id="nested deep beside half an emoji"),
    ],
)
def test_parse_json_raises_value_error(text: bytes) -> None:
    """What is not JSON, or too deep, is a ValueError and nothing else."""
    with pytest.raises(ValueError, match=r"."):
        parse_json(text)


@settings(deadline=None)
@given(st.text(st.characters(codec=None, exclude_categories=())))
def test_parse_json_mends_any_text(text: str) -> None:
    """Any string of a client survives, except for half characters, and can be encoded."""
    parsed = parse_json(json.dumps(text))
    assert parsed == text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    assert parse_json(to_json(parsed)) == parsed


@settings(deadline=None)
@given(st.binary(max_size=40) | st.text(max_size=40))
def test_parse_json_raises_only_value_error(text: bytes | str) -> None:
    """Any bytes and any text give a value or a ValueError."""
    with suppress(ValueError):
        assert to_json(parse_json(text))


@settings(deadline=None)
@given(json_values())
def test_json_survives_both_ways(value: Any) -> None:
    """What is encoded and parsed again is the same."""
    assert parse_json(to_json(value)) == value


@pytest.mark.parametrize("number", [1, 2**64, -(10**30)])
def test_to_json_is_compact(number: int) -> None:
    """The text has no blanks and keeps characters as they are, and numbers of any size."""
    assert to_json({"a": [number, "é"], "b": None}) == f'{{"a":[{number},"é"],"b":null}}'


@pytest.mark.parametrize(
    "value",
    [
        pytest.param("\ud83d", id="half an emoji"),
        pytest.param({1, 2}, id="no JSON type"),
        pytest.param([2**64, "\ud83d"], id="half an emoji beside a large number"),
        pytest.param([2**64, {1, 2}], id="no JSON type beside a large number"),
    ],
)
def test_to_json_raises_value_error(value: Any) -> None:
    """What JSON cannot say is a ValueError."""
    with pytest.raises(ValueError, match=r"."):
        to_json(value)


def test_to_json_raises_value_error_when_nested_too_deep() -> None:
    """A value deeper than the encoder goes is a ValueError."""
    value: list[Any] = []
    for _ in range(1_000):
        value = [value]
    with pytest.raises(ValueError, match="Recursion"):
        to_json(value)


@pytest.mark.parametrize(
    ("value", "depth"),
    [
        pytest.param("text", 0, id="text"),
        pytest.param([], 0, id="empty list"),
        pytest.param({"a": 1, "b": [2]}, 1, id="list in an object"),
        pytest.param([1, "a", None], 0, id="list of scalars"),
        pytest.param([[], [[]], []], 2, id="deepest of several"),
        pytest.param({"a": {"b": {"c": "text"}}}, 2, id="objects"),
    ],
)
def test_is_deeper_than_counts_nesting(value: Any, depth: int) -> None:
    """A list or object inside another is one level; scalars are none."""
    assert not is_deeper_than(value, depth)
    assert depth == 0 or is_deeper_than(value, depth - 1)


def test_values_of_any_shape_are_told_apart() -> None:
    """Objects and lists are known, and anything else counts as an empty one."""
    assert (is_object({}), is_object([]), is_list([]), is_list({})) == (True, False, True, False)
    assert (as_object({"a": 1}), as_object([1]), as_object(None)) == ({"a": 1}, {}, {})
    assert (as_list([1]), as_list({"a": 1}), as_list("text")) == ([1], [], [])
