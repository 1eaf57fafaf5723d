"""Tests of the table of keywords."""

from __future__ import annotations

from typing import Any

import pytest

from antigravity_proxy.simulator.schema_rules import FORBIDDEN_KEYWORDS
from antigravity_proxy.translate.refs import SUBSCHEMAS
from antigravity_proxy.translate.schema import clean_schema
from antigravity_proxy.translate.schema_keywords import KEYWORDS, Form, is_kept, is_value
from antigravity_proxy.translate.schema_words import WORDS


def test_claude_and_gpt_oss_have_six_keywords() -> None:
    """Upstream answers 400 to any other keyword in ``parameters``."""
    kept = {keyword for keyword in KEYWORDS if is_kept(keyword, Form.LEGACY)}
    assert kept == {"type", "description", "properties", "required", "items", "enum"}


def test_gemini_never_has_what_upstream_forbids() -> None:
    """Words of a schema about itself, and references, are in no form."""
    assert not [keyword for keyword in FORBIDDEN_KEYWORDS if any(is_kept(keyword, form) for form in Form)]


def test_unknown_keyword_is_for_gemini_alone() -> None:
    """Readers of real JSON Schema ignore what they do not know."""
    assert [form for form in Form if is_kept("x-own", form)] == [Form.GEMINI]
    assert is_value("x-own", "any text")


def test_every_keyword_has_a_row_and_a_reason() -> None:
    """Keywords that hold schemas are all known, and those that say so are told in words."""
    assert SUBSCHEMAS.keys() <= KEYWORDS.keys()
    assert all(row.reason for row in KEYWORDS.values())
    assert {keyword for keyword, row in KEYWORDS.items() if row.reason == "told in words"} <= WORDS.keys()
    assert WORDS.keys() <= KEYWORDS.keys()


@pytest.mark.parametrize(
    ("keyword", "good", "bad"),
    [
        pytest.param("title", "", None, id="text"),
        pytest.param("uniqueItems", False, 0, id="switch"),
        pytest.param("enum", [], "a", id="list"),
        pytest.param("anyOf", [{}], [], id="some"),
        pytest.param("minimum", -0.5, True, id="number"),
        pytest.param("minLength", 2.0, 1e300, id="count"),
        pytest.param("maxItems", 0, -1, id="count from zero"),
        pytest.param("multipleOf", 0.5, 0, id="factor"),
        pytest.param("dependentRequired", {"a": ["b"]}, {"a": ["b", "b"]}, id="names"),
        pytest.param("type", 5, ..., id="checked elsewhere"),
    ],
)
def test_value_is_told_from_another(keyword: str, good: Any, bad: Any) -> None:
    """A keyword is left out when its value is none that it may have."""
    assert is_value(keyword, good)
    assert bad is ... or not is_value(keyword, bad)


def test_unknown_keyword_that_could_hold_a_schema_goes() -> None:
    """Nobody cleans what an unknown keyword holds, so only plain values of one are kept."""
    schema = {"type": "object", "x-note": "keep", "x-order": 1, "x-old": {"$ref": "#/nowhere"}, "x-more": [{}]}
    assert clean_schema(schema, "gemini") == {"type": "object", "x-note": "keep", "x-order": 1}
