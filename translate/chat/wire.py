"""Chat Completions as it stands on the wire, and the check of a request's shape.

Source:
    https://platform.openai.com/docs/api-reference/chat/create
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, NotRequired, TypedDict

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from ...errors import RequestError
from ..json_text import MAX_JSON_DEPTH, as_object, is_deeper_than

Json = dict[str, Any]
Objects = Annotated[list[Json], Field(fail_fast=True)]
Texts = Annotated[list[str], Field(fail_fast=True)]
"""Lists of which the first fault is told: an error for each of a million wrong members takes gigabytes."""


class StreamOptions(BaseModel):
    """``stream_options`` of a request."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    include_usage: bool | None = None


class ChatRequest(BaseModel):
    """The body of ``POST /v1/chat/completions``, as far as it has a meaning here; other keys are ignored.

    Messages, tools and formats are read by their own modules, which can say better than a schema what is wrong.
    """

    model_config = ConfigDict(extra="ignore", frozen=True, allow_inf_nan=False)

    model: Annotated[str, Field(min_length=1)]
    messages: Annotated[Objects, Field(min_length=1)]
    stream: bool | None = None
    stream_options: StreamOptions | None = None
    temperature: float | None = None
    top_p: float | None = None
    top_k: float | None = None
    max_tokens: float | None = None
    max_completion_tokens: float | None = None
    stop: str | Texts | None = None
    seed: int | None = None
    n: int | None = None
    tools: Objects | None = None
    tool_choice: str | Json | None = None
    functions: Objects | None = None
    modalities: Texts | None = None
    response_format: Json | None = None
    reasoning_effort: str | None = None
    reasoning: Any = None
    thinking: Any = None
    google: Any = None
    extra_body: Any = None


class GoogleExtra(TypedDict):
    """A thought signature, which a client sends back with what it belongs to."""

    thought_signature: str


class ExtraContent(TypedDict):
    """What a provider adds to OpenAI's fields, under its name."""

    google: GoogleExtra


class Extra(TypedDict):
    """What messages, deltas and calls have in common."""

    extra_content: NotRequired[ExtraContent]


class ImageUrl(TypedDict):
    """A data URL."""

    url: str


class Image(TypedDict):
    """An image the model made, as OpenAI-compatible gateways send it."""

    type: Literal["image_url"]
    image_url: ImageUrl


class Function(TypedDict):
    """What is called; the arguments are JSON text."""

    name: str
    arguments: str


class ToolCall(Extra):
    """A tool call, whole."""

    id: str
    type: Literal["function"]
    function: Function


class ToolCallDelta(ToolCall):
    """A tool call in a stream: whole too, in one delta."""

    index: int


class PromptDetails(TypedDict):
    """Part of the prompt's tokens."""

    cached_tokens: int


class CompletionDetails(TypedDict):
    """Part of the answer's tokens."""

    reasoning_tokens: int


class Usage(TypedDict):
    """Token counts."""

    prompt_tokens: int
    completion_tokens: int
    total_tokens: int
    prompt_tokens_details: NotRequired[PromptDetails]
    completion_tokens_details: NotRequired[CompletionDetails]


class Message(Extra):
    """The whole answer."""

    role: Literal["assistant"]
    content: str | None
    reasoning_content: NotRequired[str]
    images: NotRequired[list[Image]]
    tool_calls: NotRequired[list[ToolCall]]


class Choice(TypedDict):
    """The one answer there is."""

    index: int
    message: Message
    finish_reason: str


class Completion(TypedDict):
    """The body of an answer that is not streamed."""

    id: str
    object: Literal["chat.completion"]
    created: int
    model: str
    choices: list[Choice]
    usage: NotRequired[Usage]


class Delta(Extra):
    """What one chunk adds to the answer; nothing in the last one."""

    role: NotRequired[Literal["assistant"]]
    content: NotRequired[str]
    reasoning_content: NotRequired[str]
    images: NotRequired[list[Image]]
    tool_calls: NotRequired[list[ToolCallDelta]]


class ChunkChoice(TypedDict):
    """The one answer there is, as far as a chunk tells of it."""

    index: int
    delta: Delta
    finish_reason: str | None


class ChunkHead(TypedDict):
    """What is the same in every chunk."""

    id: str
    object: Literal["chat.completion.chunk"]
    created: int
    model: str


class Chunk(ChunkHead):
    """One frame of a stream; the one with the usage has no choice."""

    choices: list[ChunkChoice]
    usage: NotRequired[Usage]


def to_chat_request(body: Any) -> ChatRequest:
    """Check the shape of a parsed request body.

    Raises:
        RequestError: a field is missing or has the wrong type; names the field. Or the body is nested too deep.
    """
    # Tools may be as deep as they like: all that is sent of them is schemas, which are cut.
    if is_deeper_than({key: value for key, value in as_object(body).items() if key != "tools"}, MAX_JSON_DEPTH):
        raise RequestError(
            f"The body is nested deeper than {MAX_JSON_DEPTH} levels, which is more than Google reads."
        )
    try:
        return ChatRequest.model_validate(body)
    except ValidationError as exc:
        error = exc.errors(include_url=False, include_context=False, include_input=False)[0]
        param = _path(error["loc"])
        raise RequestError(f"{param or 'The body'}: {error['msg']}.", param=param or None) from exc


def _path(loc: tuple[int | str, ...]) -> str:
    """The place of an error, such as ``messages[0]``; names of union members, such as ``list[str]``, are left out."""
    path = ""
    for step in loc:
        if isinstance(step, int):
            path += f"[{step}]"
        elif not path:
            path = step
        elif step in StreamOptions.model_fields:
            path += f".{step}"
    return path
