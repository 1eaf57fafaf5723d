"""Tests of tools: declarations, names and choice."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from antigravity_proxy.translate.tools import (
    Mode,
    Tool,
    ToolChoice,
    ToolNames,
    to_declarations,
    to_tool_config,
    without_duplicates,
)

from .samples import CLAUDE, GEMINI, GPT_OSS, SampleTarget

NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.:-]{0,63}")
STRICT = {"type": "object", "properties": {"path": {"type": "string"}}, "additionalProperties": False}
PLAIN = {"type": "object", "properties": {"path": {"type": "string"}}}


@pytest.mark.parametrize(
    ("target", "expected"),
    [
        pytest.param(GEMINI, {"parametersJsonSchema": STRICT}, id="gemini"),
        pytest.param(CLAUDE, {"parameters": PLAIN}, id="claude"),
        pytest.param(GPT_OSS, {"parameters": PLAIN}, id="gpt-oss"),
    ],
)
def test_declaration_has_field_of_family(target: SampleTarget, expected: dict[str, Any]) -> None:
    """Gemini takes the client's schema, the others a cut one under another name."""
    tools = (Tool("read", "Reads a file.", STRICT),)
    declared = to_declarations(tools, target, ToolNames(["read"]))
    assert declared == [{"functionDeclarations": [{"name": "read", "description": "Reads a file.", **expected}]}]


def test_declarations_stand_in_one_list() -> None:
    """All functions are in one entry; a missing description is left out and missing parameters are none."""
    empty = {"type": "object", "properties": {}}
    tools = (Tool("a", None, None), Tool("b", "", {}))
    assert to_declarations(tools, GEMINI, ToolNames([])) == [
        {
            "functionDeclarations": [
                {"name": "a", "parametersJsonSchema": empty},
                {"name": "b", "description": "", "parametersJsonSchema": empty},
            ]
        }
    ]


def test_duplicates_collapse() -> None:
    """Of tools with the same name the first one is declared."""
    first, second, other = Tool("a", "first", None), Tool("a", "second", None), Tool("b", None, None)
    assert without_duplicates([first, second, other, first]) == (first, other)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        pytest.param("read_file", "read_file", id="good"),
        pytest.param("mcp.server:read-file", "mcp.server:read-file", id="all that is allowed"),
        pytest.param("read file/é", "read_file__", id="other characters"),
        pytest.param("7zip", "_7zip", id="digit in front"),
        pytest.param("-x", "_-x", id="hyphen in front"),
        pytest.param("", "_", id="empty"),
        pytest.param("a" * 70, "a" * 64, id="long"),
        pytest.param("7" * 70, "_" + "7" * 63, id="long with a digit in front"),
    ],
)
def test_name_is_rewritten(name: str, expected: str) -> None:
    """A name that upstream refuses becomes one it takes, and comes back as the client spelled it."""
    names = ToolNames([name])
    assert names.to_upstream(name) == expected
    assert names.to_client(expected) == name


def test_thousands_of_names_that_become_the_same_are_told_apart() -> None:
    """However many long names begin in the same way, each gets its number without all numbers being tried."""
    declared = [f"{'a' * 64}{number}" for number in range(50_000)]
    names = ToolNames(declared)
    assert names.to_upstream(declared[-1]) == f"{'a' * 58}_50000"
    assert len({names.to_upstream(name) for name in declared}) == len(declared)


def test_names_that_become_the_same_are_told_apart() -> None:
    """Long names that are equal at first, and names that differ only in refused characters, get numbers."""
    first, second, third = "a" * 64 + "x", "a" * 64 + "y", "a" * 64
    names = ToolNames([first, second, third, "b c", "b/c"])
    sent = [names.to_upstream(name) for name in (first, second, third, "b c", "b/c")]
    assert sent == ["a" * 64, "a" * 62 + "_2", "a" * 62 + "_3", "b_c", "b_c_2"]
    assert [names.to_client(name) for name in sent] == [first, second, third, "b c", "b/c"]


def test_undeclared_name_does_not_take_a_declared_one() -> None:
    """A tool of the history that is gone is told apart from one that is declared."""
    names = ToolNames(["a_b"])
    assert (names.to_upstream("a b"), names.to_upstream("a_b")) == ("a_b_2", "a_b")


def test_made_up_name_is_handed_on() -> None:
    """A name the model invented reaches the client as it is."""
    assert ToolNames(["read"]).to_client("write") == "write"


@settings(deadline=None)
@given(
    st.lists(st.text(max_size=70) | st.text(st.sampled_from("a_2 /"), max_size=5), max_size=12),
    st.lists(st.text(st.sampled_from("a_2 /"), max_size=5), max_size=6),
)
def test_names_are_good_and_different_and_map_back(declared: list[str], undeclared: list[str]) -> None:
    """Any names become ones upstream takes, no two the same, each leading back to its own."""
    names = ToolNames(declared)
    sent = {name: names.to_upstream(name) for name in (*declared, *undeclared)}
    assert all(NAME.fullmatch(name) for name in sent.values())
    assert len(set(sent.values())) == len(sent)
    assert all(names.to_client(upstream) == name for name, upstream in sent.items())
    assert sent == {name: names.to_upstream(name) for name in (*undeclared, *declared)}


@pytest.mark.parametrize(
    ("choice", "expected"),
    [
        pytest.param(ToolChoice(), None, id="left to the model"),
        pytest.param(ToolChoice(Mode.NONE), {"mode": "NONE"}, id="none"),
        pytest.param(ToolChoice(Mode.ANY), {"mode": "ANY"}, id="any"),
        pytest.param(
            ToolChoice(Mode.ANY, ("b/c", "read")),
            {"mode": "ANY", "allowedFunctionNames": ["b_c_2", "read"]},
            id="some",
        ),
    ],
)
def test_choice_becomes_mode(choice: ToolChoice, expected: dict[str, Any] | None) -> None:
    """A choice is a mode, with the names upstream knows; without one there is nothing to send."""
    config = to_tool_config(choice, ToolNames(["read", "b c", "b/c"]))
    assert config == (None if expected is None else {"functionCallingConfig": expected})
