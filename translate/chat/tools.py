"""Tools and tool choice of a chat.

Source:
    https://platform.openai.com/docs/api-reference/chat/create#chat-create-tools and SPEC.md, "Tools".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...errors import RequestError
from ..json_text import as_list, as_object
from ..tools import Mode, Tool, ToolChoice, without_duplicates

if TYPE_CHECKING:
    from .wire import ChatRequest

CHOICES = {"auto": None, "none": Mode.NONE, "required": Mode.ANY, "any": Mode.ANY}


def read_tools(body: ChatRequest) -> tuple[Tool, ...]:
    """The functions a client offers, each name once.

    Raises:
        RequestError: a tool is no function, or has no name.
    """
    if body.functions:
        raise RequestError("functions was replaced by tools; send tools.", param="functions")
    tools: list[Tool] = []
    for index, entry in enumerate(body.tools or ()):
        function = as_object(entry.get("function"))
        name = function.get("name")
        if entry.get("type") != "function" or not isinstance(name, str) or not name:
            param = f"tools[{index}]"
            raise RequestError(f"{param} is not a function with a name; other tools do not exist here.", param=param)
        description = function.get("description")
        tools.append(Tool(name, description if isinstance(description, str) else None, function.get("parameters")))
    return without_duplicates(tools)


def read_choice(body: ChatRequest, tools: tuple[Tool, ...]) -> tuple[tuple[Tool, ...], ToolChoice]:
    """The tools that may be called, and what is to be called of them.

    A choice without tools, as some harnesses send it, means nothing.

    Raises:
        RequestError: the choice is unknown, or names a tool that is not offered.
    """
    choice = body.tool_choice
    if choice is None or not tools:
        return tools, ToolChoice()
    kind = choice if isinstance(choice, str) else choice.get("type")
    if isinstance(kind, str) and kind in CHOICES:
        return tools, ToolChoice(CHOICES[kind])
    if kind == "function" and not isinstance(choice, str):
        return tools, ToolChoice(Mode.ANY, (_name_in(choice, {tool.name for tool in tools}),))
    if kind == "allowed_tools" and not isinstance(choice, str):
        return _read_allowed(as_object(choice.get("allowed_tools")), tools)
    raise RequestError(
        f"tool_choice is {str(kind)[:40]!r}; it can be auto, none, required, a function or allowed_tools.",
        param="tool_choice",
    )


def _read_allowed(allowed: dict[str, Any], tools: tuple[Tool, ...]) -> tuple[tuple[Tool, ...], ToolChoice]:
    offered = {tool.name for tool in tools}
    names = {_name_in(as_object(entry), offered): None for entry in as_list(allowed.get("tools"))}
    if allowed.get("mode") == "required":
        return tools, ToolChoice(Mode.ANY, tuple(names))
    return tuple(tool for tool in tools if tool.name in names), ToolChoice()


def _name_in(entry: dict[str, Any], offered: set[str]) -> str:
    name = as_object(entry.get("function")).get("name")
    if not isinstance(name, str) or name not in offered:
        raise RequestError(f"tool_choice names {str(name)[:80]!r}, which is not among tools.", param="tool_choice")
    return name
