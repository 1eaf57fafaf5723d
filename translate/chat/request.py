"""A chat completion request to a Cloud Code request.

Source:
    SPEC.md, "Requests".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...errors import RequestError
from ..contents import to_contents
from ..events import Text, Turn
from ..history import repair
from ..json_text import as_list, as_object, is_object
from ..options import MAX_STOPS, Options, to_generation_config
from ..target import rules_of
from ..tools import (
    ANSWER_TOOL,
    Tool,
    ToolChoice,
    ToolNames,
    to_declarations,
    to_tool_config,
    without_duplicates,
)
from .messages import to_conversation
from .reasoning import read_reasoning

if TYPE_CHECKING:
    from ..target import Target
    from .wire import ChatRequest

CHOICES = {"auto": None, "none": "NONE", "required": "ANY", "any": "ANY"}
ANSWER_DESCRIPTION = "Give the final answer to the user. Call this exactly once, with the whole answer."


class ChatCall:
    """One chat completion request, read once and written for whichever model it goes to.

    Attributes:
        names: how its tools are called upstream; answers need them to be called back.
        wants_stream: whether the answer is a stream.
        wants_usage: whether the stream ends with a chunk of token counts.

    Raises:
        RequestError: the request asks for something that cannot be had; names the field.
    """

    def __init__(self, body: ChatRequest) -> None:
        self._body = body
        self._reasoning = read_reasoning(body)
        self._tools = _read_tools(body)
        self._choice = _read_choice(body, self._tools)
        self._options = self._read_options()
        self._answer_tool = _name_answer_tool(self._tools)
        self.names = ToolNames(tool.name for tool in self._tools)
        self.wants_stream = bool(body.stream)
        self.wants_usage = bool(body.stream_options and body.stream_options.include_usage)
        if body.n is not None and body.n != 1:
            raise RequestError(f"n is {body.n}, but upstream gives one answer at a time. Leave n out.", param="n")
        if body.modalities is not None and set(body.modalities) - {"text", "image"}:
            raise RequestError("modalities asks for more than text; no model here speaks.", param="modalities")

    @property
    def model(self) -> str:
        """The public id the client asked for."""
        return self._body.model

    @property
    def effort(self) -> str | None:
        """The client's word for how much to think; None when it said nothing."""
        return self._reasoning.effort

    def answer_tool(self, target: Target) -> str | None:
        """The tool whose arguments are the answer, as upstream calls it; None where an answer needs no such tool."""
        if not self._options.is_json or rules_of(target).has_response_schema:
            return None
        return self.names.to_upstream(self._answer_tool)

    def to_request(self, target: Target, *, use_signatures: bool = True) -> dict[str, Any]:
        """The inner request for one model: ``{"contents", "generationConfig", "systemInstruction"?, "tools"?, ...}``.

        Args:
            target: where it goes.
            use_signatures: False leaves out the client's copies of thought signatures.

        Raises:
            RequestError: a message cannot be sent to this model; names it.
        """
        conversation = to_conversation(self._body.messages, target)
        instructions = conversation.instructions
        turns = repair(conversation.turns)
        if not turns:
            if not instructions:
                raise RequestError("messages has no content: every message is empty.", param="messages")
            instructions, turns = "", (Turn("user", (Text(instructions),)),)
        contents = to_contents(turns, target, self.names, use_signatures=use_signatures)
        request: dict[str, Any] = {"contents": contents}
        if instructions:
            request["systemInstruction"] = {"role": "user", "parts": [{"text": instructions}]}
        tools, choice = self._offer(target)
        request["generationConfig"] = self._generation_config(target, choice)
        if tools:
            request["tools"] = to_declarations(tools, target, self.names)
            if (config := to_tool_config(choice, self.names)) is not None:
                request["toolConfig"] = config
        return request

    def _generation_config(self, target: Target, choice: ToolChoice) -> dict[str, Any]:
        config = to_generation_config(self._options, target)
        if not rules_of(target).has_response_schema:
            config.pop("responseMimeType", None)
            config.pop("responseSchema", None)
        if choice.mode == "ANY" and not rules_of(target).thinks_when_forced:
            config["thinkingConfig"] = {"includeThoughts": False, "thinkingBudget": 0}
        return config

    def _offer(self, target: Target) -> tuple[tuple[Tool, ...], ToolChoice]:
        """The tools for one model and how they may be called."""
        if self.answer_tool(target) is None:
            return self._tools, self._choice
        answer_tool = Tool(self._answer_tool, ANSWER_DESCRIPTION, self._options.response_schema)
        names = (answer_tool.name,) if self._choice.mode == "NONE" else self._choice.names
        return (*self._tools, answer_tool), ToolChoice("ANY", names)

    def _read_options(self) -> Options:
        body = self._body
        max_tokens = body.max_tokens if body.max_tokens is not None else body.max_completion_tokens
        is_json, schema = _read_response_format(body)
        return Options(
            temperature=body.temperature,
            top_p=body.top_p,
            top_k=None if body.top_k is None else int(body.top_k),
            max_tokens=None if max_tokens is None else int(max_tokens),
            stop=_read_stop(body),
            seed=body.seed,
            is_json=is_json,
            response_schema=schema,
            include_thoughts=self._reasoning.include_thoughts,
            thinking_budget=self._reasoning.budget,
        )


def _name_answer_tool(tools: tuple[Tool, ...]) -> str:
    name = ANSWER_TOOL
    while any(tool.name == name for tool in tools):
        name = f"_{name}"
    return name


def _read_tools(body: ChatRequest) -> tuple[Tool, ...]:
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


def _read_choice(body: ChatRequest, tools: tuple[Tool, ...]) -> ToolChoice:
    choice = body.tool_choice
    if choice is None or not tools:
        return ToolChoice()  # some harnesses send a choice without tools
    if isinstance(choice, str):
        if choice not in CHOICES:
            raise RequestError(
                f"tool_choice is {choice[:40]!r}; it can be auto, none, required or a function.", param="tool_choice"
            )
        return ToolChoice(CHOICES[choice])
    if choice.get("type") == "allowed_tools":
        return _read_allowed(choice, tools)
    return ToolChoice("ANY", (_declared(as_object(choice.get("function")).get("name"), tools),))


def _read_allowed(choice: dict[str, Any], tools: tuple[Tool, ...]) -> ToolChoice:
    allowed = as_object(choice.get("allowed_tools"))
    functions = [as_object(as_object(entry).get("function")) for entry in as_list(allowed.get("tools"))]
    names = tuple(_declared(function.get("name"), tools) for function in functions)
    return ToolChoice("ANY", names) if allowed.get("mode") == "required" else ToolChoice()


def _declared(name: Any, tools: tuple[Tool, ...]) -> str:
    if not isinstance(name, str) or all(tool.name != name for tool in tools):
        raise RequestError(f"tool_choice names {str(name)[:80]!r}, which is not among tools.", param="tool_choice")
    return name


def _read_stop(body: ChatRequest) -> tuple[str, ...]:
    listed = [body.stop] if isinstance(body.stop, str) else body.stop or []
    stop = tuple(text for text in listed if text)
    if len(stop) > MAX_STOPS:
        raise RequestError(f"stop has {len(stop)} texts; upstream takes {MAX_STOPS}.", param="stop")
    return stop


def _read_response_format(body: ChatRequest) -> tuple[bool, dict[str, Any] | None]:
    response_format = body.response_format or {"type": "text"}
    kind = response_format.get("type")
    if kind == "text":
        return False, None
    if kind == "json_object":
        return True, None
    schema = as_object(response_format.get("json_schema")).get("schema")
    if kind != "json_schema" or not is_object(schema):
        raise RequestError(
            "response_format must be text, json_object, or json_schema with a schema.", param="response_format"
        )
    return True, schema
