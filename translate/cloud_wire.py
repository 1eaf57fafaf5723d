"""Cloud Code's requests as they stand on the wire.

Answers have no shapes here: what others send may have any, and is read with care in ``candidates``.

Source:
    https://ai.google.dev/api/generate-content and SPEC.md, "Requests".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NotRequired, TypedDict

if TYPE_CHECKING:
    from .events import Role
    from .tools import Mode

SchemaField = Literal["parameters", "parametersJsonSchema"]


class InlineData(TypedDict):
    """A file, as base64."""

    mimeType: str
    data: str


class FunctionCall(TypedDict):
    """What the model called."""

    name: str
    args: dict[str, Any]
    id: NotRequired[str]


class FunctionResponse(TypedDict):
    """What came of a call, under ``output`` or ``error``."""

    name: str
    response: dict[str, str]
    id: NotRequired[str]


class Part(TypedDict, total=False):
    """One of ``text``, ``inlineData``, ``functionCall`` and ``functionResponse``; a signature may ride on it.

    ``thought`` says that the text is one.
    """

    text: str
    thought: bool
    inlineData: InlineData
    functionCall: FunctionCall
    functionResponse: FunctionResponse
    thoughtSignature: str


class Content(TypedDict):
    """One turn."""

    role: Role
    parts: list[Part]


class GenerationConfig(TypedDict):
    """How the answer is to be made; the thinking is the catalogue's, which knows its shape for each model."""

    maxOutputTokens: int
    temperature: NotRequired[float]
    topP: NotRequired[float]
    topK: NotRequired[int]
    stopSequences: NotRequired[list[str]]
    seed: NotRequired[int]
    responseMimeType: NotRequired[str]
    responseSchema: NotRequired[dict[str, Any]]
    thinkingConfig: NotRequired[dict[str, Any]]


class FunctionDeclaration(TypedDict):
    """One tool; a family's rules say in which field its schema stands."""

    name: str
    description: NotRequired[str]
    parameters: NotRequired[dict[str, Any]]
    parametersJsonSchema: NotRequired[dict[str, Any]]


class Tools(TypedDict):
    """All tools of a request."""

    functionDeclarations: list[FunctionDeclaration]


class FunctionCallingConfig(TypedDict):
    """Whether tools are called, and which."""

    mode: Mode
    allowedFunctionNames: NotRequired[list[str]]


class ToolConfig(TypedDict):
    """How tools may be called."""

    functionCallingConfig: FunctionCallingConfig


class Request(TypedDict):
    """The inner request; its session is added with the envelope."""

    contents: list[Content]
    generationConfig: GenerationConfig
    systemInstruction: NotRequired[Content]
    tools: NotRequired[list[Tools]]
    toolConfig: NotRequired[ToolConfig]
    sessionId: NotRequired[str]


class Envelope(TypedDict):
    """The body of ``streamGenerateContent``."""

    project: str
    model: str
    request: Request
    requestType: str
    userAgent: str
    requestId: str
