"""Chat Completions as it stands on the wire, and the check of a request's shape.

Source:
    https://platform.openai.com/docs/api-reference/chat/create
"""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from ...errors import RequestError
from ..json_text import MAX_JSON_DEPTH, is_deeper_than

Json = dict[str, Any]


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
    messages: Annotated[list[Json], Field(min_length=1)]
    stream: bool | None = None
    stream_options: StreamOptions | None = None
    temperature: float | None = None
    top_p: float | None = None
    top_k: float | None = None
    max_tokens: float | None = None
    max_completion_tokens: float | None = None
    stop: str | list[str] | None = None
    seed: int | None = None
    n: int | None = None
    tools: list[Json] | None = None
    tool_choice: str | Json | None = None
    functions: list[Json] | None = None
    modalities: list[str] | None = None
    response_format: Json | None = None
    reasoning_effort: str | None = None
    reasoning: Any = None
    thinking: Any = None
    google: Any = None
    extra_body: Any = None


def to_chat_request(body: Any) -> ChatRequest:
    """Check the shape of a parsed request body.

    Raises:
        RequestError: a field is missing or has the wrong type; names the field. Or the body is nested too deep.
    """
    if is_deeper_than(body, MAX_JSON_DEPTH):
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
