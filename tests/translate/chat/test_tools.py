"""Tests of tools and tool choice of a chat."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from antigravity_proxy.errors import RequestError
from antigravity_proxy.translate.chat.tools import CHOICES, read_choice, read_tools
from antigravity_proxy.translate.chat.wire import to_chat_request
from antigravity_proxy.translate.tools import Mode, Tool, ToolChoice

from ..samples import CountedName, json_values

READ, WRITE = Tool("read", None, None), Tool("write", None, None)
BOTH = (READ, WRITE)


def body_of(**fields: Any) -> Any:
    """A request with these fields."""
    return to_chat_request({"model": "m", "messages": [{}], **fields})


def function(name: Any, **fields: Any) -> dict[str, Any]:
    """A function as clients write it."""
    return {"type": "function", "function": {"name": name, **fields}}


def allowed(mode: str | None, *names: Any) -> dict[str, Any]:
    """The choice of some tools."""
    return {"type": "allowed_tools", "allowed_tools": {"mode": mode, "tools": [function(name) for name in names]}}


@pytest.mark.parametrize(
    ("tools", "expected"),
    [
        pytest.param(None, (), id="absent"),
        pytest.param([], (), id="none"),
        pytest.param([function("read")], (READ,), id="name alone"),
        pytest.param(
            [function("read", description="Reads.", parameters={"type": "object"}, strict=True)],
            (Tool("read", "Reads.", {"type": "object"}),),
            id="whole",
        ),
        pytest.param([function("read", description=5)], (READ,), id="description that is no text"),
        pytest.param([function("read", parameters=5)], (Tool("read", None, 5),), id="strange parameters"),
        pytest.param([function("read"), function("write"), function("read", description="x")], BOTH, id="twice"),
    ],
)
def test_tools_are_read(tools: Any, expected: tuple[Tool, ...]) -> None:
    """Functions are tools, each name once; what is odd about their schema is for others to mend."""
    assert read_tools(body_of(tools=tools)) == expected


@pytest.mark.parametrize(
    "tool",
    [
        pytest.param({"type": "custom", "custom": {"name": "read"}}, id="other kind"),
        pytest.param({"type": "web_search"}, id="tool of a vendor"),
        pytest.param({"function": {"name": "read"}}, id="no kind"),
        pytest.param({"type": "function"}, id="no function"),
        pytest.param({"type": "function", "function": 5}, id="function that is none"),
        pytest.param(function(""), id="empty name"),
        pytest.param(function(5), id="name that is no text"),
    ],
)
def test_other_tool_is_refused_by_name(tool: Any) -> None:
    """Only functions with a name exist here."""
    with pytest.raises(RequestError, match="not a function with a name") as caught:
        read_tools(body_of(tools=[function("read"), tool]))
    assert (caught.value.status, caught.value.param) == (400, "tools[1]")


def test_functions_are_refused() -> None:
    """The field that tools replaced is refused, unless there is nothing in it."""
    assert read_tools(body_of(functions=[])) == ()
    with pytest.raises(RequestError, match="send tools") as caught:
        read_tools(body_of(functions=[{"name": "read"}]))
    assert caught.value.param == "functions"


@pytest.mark.parametrize(
    ("choice", "expected"),
    [
        pytest.param(None, ToolChoice(), id="absent"),
        pytest.param("auto", ToolChoice(), id="auto"),
        pytest.param("none", ToolChoice(Mode.NONE), id="none"),
        pytest.param("required", ToolChoice(Mode.ANY), id="required"),
        pytest.param("any", ToolChoice(Mode.ANY), id="any"),
        pytest.param({"type": "auto"}, ToolChoice(), id="auto as an object"),
        pytest.param({"type": "none"}, ToolChoice(Mode.NONE), id="none as an object"),
        pytest.param({"type": "any"}, ToolChoice(Mode.ANY), id="any as an object"),
        pytest.param(function("write"), ToolChoice(Mode.ANY, ("write",)), id="named"),
        pytest.param(allowed("required", "write", "read"), ToolChoice(Mode.ANY, ("write", "read")), id="one of some"),
    ],
)
def test_choice_is_read(choice: Any, expected: ToolChoice) -> None:
    """Every way to say what is to be called has its mode, and all tools stay declared."""
    assert read_choice(body_of(tool_choice=choice), BOTH) == (BOTH, expected)


@pytest.mark.parametrize("mode", ["auto", None, "strange"])
@pytest.mark.parametrize(
    ("names", "expected"),
    [
        pytest.param(("write",), (WRITE,), id="one"),
        pytest.param(("write", "read"), BOTH, id="both"),
        pytest.param((), (), id="none"),
    ],
)
def test_allowed_tools_alone_are_declared(
    mode: str | None, names: tuple[str, ...], expected: tuple[Tool, ...]
) -> None:
    """As the model may call none of them, the choice of some cannot be a mode: the others are not declared."""
    assert read_choice(body_of(tool_choice=allowed(mode, *names)), BOTH) == (expected, ToolChoice())


@pytest.mark.parametrize("choice", ["required", "maybe", function("x"), {}])
def test_choice_without_tools_means_nothing(choice: Any) -> None:
    """Some harnesses send a choice and no tools."""
    assert read_choice(body_of(tool_choice=choice), ()) == ((), ToolChoice())


@pytest.mark.parametrize(
    ("choice", "words"),
    [
        pytest.param("maybe", "is 'maybe'; it can be auto, none, required, a function or allowed_tools", id="word"),
        pytest.param("function", "is 'function'; it can be", id="function without a name"),
        pytest.param("allowed_tools", "is 'allowed_tools'; it can be", id="some without names"),
        pytest.param("x" * 100, f"is '{'x' * 40}'; it can be", id="long word"),
        pytest.param({}, "is 'None'; it can be", id="empty"),
        pytest.param({"type": ["auto"]}, "it can be auto", id="type that is no text"),
        pytest.param({"type": "tool", "name": "read"}, "is 'tool'; it can be", id="form of another API"),
        pytest.param(function("x"), "names 'x', which is not among tools", id="another tool"),
        pytest.param({"type": "function"}, "names 'None', which is not", id="function without anything"),
        pytest.param(allowed("required", "read", "x"), "names 'x'", id="another tool of some"),
        pytest.param(allowed("auto", 5), "names '5'", id="name that is no text"),
        pytest.param(
            {"type": "allowed_tools", "allowed_tools": {"tools": ["read"]}}, "names 'None'", id="name alone"
        ),
    ],
)
def test_impossible_choice_is_refused(choice: Any, words: str) -> None:
    """A choice that is unknown, or of a tool that is not offered, is a 400."""
    with pytest.raises(RequestError, match=words) as caught:
        read_choice(body_of(tool_choice=choice), BOTH)
    assert (caught.value.status, caught.value.param) == (400, "tool_choice")


@pytest.mark.parametrize("mode", ["auto", "required"])
def test_allowed_tools_are_found_without_comparing_all(mode: str) -> None:
    """Each allowed tool is looked up, so that thousands of them take no longer than their number."""
    names = [f"tool_{number}" for number in range(300)]
    tools = tuple(Tool(CountedName(name), None, None) for name in names)
    CountedName.compared = 0
    kept, choice = read_choice(body_of(tool_choice=allowed(mode, *names)), tools)
    assert CountedName.compared <= 3 * len(names)
    assert kept == tools
    assert choice.names == (tuple(names) if mode == "required" else ())


WILD = json_values(
    st.sampled_from([*CHOICES, "function", "allowed_tools", "read"]),
    st.sampled_from(["type", "function", "allowed_tools", "mode", "tools", "name"]),
)


@settings(deadline=None)
@given(st.text(max_size=5) | st.dictionaries(st.sampled_from(["type", "function", "allowed_tools"]), WILD))
def test_any_choice_is_read_or_refused(choice: Any) -> None:
    """Whatever a client chooses, only tools it offers are declared and named."""
    with suppress(RequestError):
        tools, read = read_choice(body_of(tool_choice=choice), BOTH)
        assert set(tools) <= set(BOTH)
        assert set(read.names) <= {tool.name for tool in tools}
