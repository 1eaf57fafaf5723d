"""A chat completion request to a Cloud Code request.

Source:
    SPEC.md, "Requests".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...errors import RequestError
from ..answer_tool import to_answer_tool
from ..contents import to_contents
from ..events import Text, Turn
from ..history import repair
from ..json_text import as_object, is_object
from ..options import MAX_STOPS, Options, to_generation_config
from ..signatures import NOTHING_KNOWN
from ..target import rules_of
from ..tools import Mode, ToolChoice, ToolNames, to_declarations, to_tool_config
from .messages import to_conversation, unsigned_call_ids
from .reasoning import read_reasoning
from .tools import read_choice, read_tools

if TYPE_CHECKING:
    from ..answer_tool import AnswerTool
    from ..cloud_wire import GenerationConfig, Request
    from ..signatures import KnownSignatures
    from ..target import Target
    from ..tools import Tool
    from .wire import ChatRequest


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
        declared = read_tools(body)
        self._tools, self._choice = read_choice(body, declared)
        self._options = self._read_options()
        names = [tool.name for tool in declared]
        self._answer_tool = to_answer_tool(self._options.response_schema, names) if self._options.is_json else None
        self.names = ToolNames(names if self._answer_tool is None else (*names, self._answer_tool.tool.name))
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

    @property
    def effort_param(self) -> str:
        """Where in the body that word stands."""
        return self._reasoning.effort_param

    def answer_tool(self, target: Target) -> AnswerTool | None:
        """The tool whose arguments are the answer; None where an answer needs no such tool."""
        return None if rules_of(target).has_response_schema else self._answer_tool

    def unsigned_call_ids(self) -> list[str]:
        """The ids of the calls in the conversation that come without their thought signatures."""
        return unsigned_call_ids(self._body.messages)

    def to_request(self, target: Target, signatures: KnownSignatures = NOTHING_KNOWN) -> Request:
        """The inner request for one model.

        Args:
            target: where it goes.
            signatures: what is known of the signatures of this conversation.

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
        contents = to_contents(turns, target, self.names, signatures)
        tools, choice = self._offer(target)
        request: Request = {"contents": contents, "generationConfig": self._generation_config(target, choice)}
        if instructions:
            request["systemInstruction"] = {"role": "user", "parts": [{"text": instructions}]}
        if tools:
            request["tools"] = to_declarations(tools, target, self.names)
            if (config := to_tool_config(choice, self.names)) is not None:
                request["toolConfig"] = config
        return request

    def _generation_config(self, target: Target, choice: ToolChoice) -> GenerationConfig:
        config = to_generation_config(self._options, target)
        if not rules_of(target).has_response_schema:
            config.pop("responseMimeType", None)
            config.pop("responseSchema", None)
        if choice.mode is Mode.ANY and not rules_of(target).thinks_when_forced:
            config["thinkingConfig"] = {"includeThoughts": False, "thinkingBudget": 0}
        return config

    def _offer(self, target: Target) -> tuple[tuple[Tool, ...], ToolChoice]:
        """The tools for one model and how they may be called."""
        answer_tool = self.answer_tool(target)
        if answer_tool is None:
            return self._tools, self._choice
        names = (answer_tool.tool.name,) if self._choice.mode is Mode.NONE else self._choice.names
        return (*self._tools, answer_tool.tool), ToolChoice(Mode.ANY, names)

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
