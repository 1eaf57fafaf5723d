"""Tests of taking away what was written."""

from __future__ import annotations

import pytest

from antigravity_proxy.provision.removal import cut, cut_all, withdraw, withdraw_all
from antigravity_proxy.provision.syntax import JSONC, YAML, Syntax
from antigravity_proxy.provision.tree import Row

PATH = ("providers", "antigravity")


def test_nothing_is_cut_where_nothing_is() -> None:
    """A text without the entry stays as it is."""
    assert cut("a: 1\n", ("b",), YAML) == "a: 1\n"
    assert cut("a: 1\n", ("b", "c"), YAML) == "a: 1\n"
    assert withdraw("a: 1\n", ("b",), YAML, None) == "a: 1\n"


@pytest.mark.parametrize(
    ("text", "before", "expected"),
    [
        ("a: 1\nproviders:\n  antigravity: {}\n", None, "a: 1\n"),
        ("a: 1\nproviders:\n  antigravity: {}\n", "a: 1\n", "a: 1\n"),
        ("a: 1\nproviders:\n  antigravity: {}\n", "providers: {}\n", "a: 1\nproviders: {}\n"),
        ("providers:  # mine\n  antigravity: {}\n", "providers: null # old\n", "providers: null  # mine\n"),
        ("providers:\n  antigravity: {}\n", "providers: {x: 1}\n", "providers:\n"),
        ("providers: {antigravity: {}}\n", "providers: { }\n", "providers: { }\n"),
        ("providers:\n  antigravity: {}\n# later\n", None, "# later\n"),
        ("providers:\n  antigravity: {}\n", "{}\n", "{}\n"),
        ("# later\nproviders:\n  antigravity: {}\n", "{}\n", "{}\n# later\n"),
        ("providers:\n  antigravity: {}\n# later\n", "{}\n", "{}\n# later\n"),
        ("providers:\n  antigravity: {}\n", "a: 1\n", ""),
        ("providers:\n  antigravity: {}\n", "# c\n[]\n", ""),
    ],
)
def test_what_was_created_on_the_way_goes(text: str, before: str | None, expected: str) -> None:
    """Parents that were not there before go, those that were stay as they were written."""
    assert withdraw(text, PATH, YAML, before) == expected


def test_braces_that_were_not_empty_stay() -> None:
    """An object whose owner has taken everything else out since stays, without anything in it."""
    assert withdraw('{"providers": {"antigravity": {}}}', PATH, JSONC, '{"a": 1}') == "{}"
    assert withdraw('{"providers": {"antigravity": {}}}', PATH, JSONC, "") == ""


@pytest.mark.parametrize(
    ("text", "expected"),
    [("// mine\n{}\n", "// mine\n"), ("// mine\n// later\n{}\n", "// mine\n// later\n\n")],
    ids=["as it was", "later"],
)
def test_comments_that_were_all_come_back(text: str, expected: str) -> None:
    """A file that held comments alone has them again, those that came later too."""
    written = text.replace("{}", '{"providers": {"antigravity": {}}}')
    assert withdraw(written, PATH, JSONC, "// mine\n") == expected


@pytest.mark.parametrize(
    ("text", "steps", "syntax", "expected"),
    [
        ("- a\n- b  # b\n- c\n# d\n- e\n", (0, 1, 3), YAML, "- c\n# d\n"),
        ("[a, b, c, d]\n", (1, 3), YAML, "[a, c]\n"),
        ("[a, b, c, d]\n", (0, 1), YAML, "[c, d]\n"),
        ("[a, b]\n", (0, 1), YAML, "[]\n"),
        (
            '[\n  {"id": "x"},\n  2, // two\n  {"id": "y"}\n]\n',
            (Row("id", "y"), Row("id", "x")),
            JSONC,
            "[\n  2 // two\n]\n",
        ),
    ],
)
def test_many_entries_go_at_once(text: str, steps: tuple[int | Row, ...], syntax: Syntax, expected: str) -> None:
    """Several entries of a list go in one go, and the others stay."""
    assert cut_all(text, (), steps, syntax) == expected
    assert withdraw_all(text, (), steps, syntax, text) == expected
