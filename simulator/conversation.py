"""Reads out of a request what an answer depends on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .part_rules import decoded_size


@dataclass(frozen=True, slots=True)
class Tool:
    """A function the model may call: its name and the schema of its arguments."""

    name: str
    schema: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Question:
    """What the last turn asks, and under which conditions.

    Args:
        text: the texts of the last turn, one per line, without simulator markers.
        media: (media type, size in bytes) of the media in the last turn.
        results: the function responses in the last turn.
        tools: the declared functions.
        mode: how functions may be called: AUTO, ANY, NONE or VALIDATED.
        allowed: the only functions that may be called under ANY; empty for all.
        config: ``generationConfig``.
    """

    text: str
    media: tuple[tuple[str, int], ...] = ()
    results: tuple[dict[str, Any], ...] = ()
    tools: tuple[Tool, ...] = ()
    mode: str = "AUTO"
    allowed: tuple[str, ...] = ()
    config: dict[str, Any] | None = None

    def setting(self, name: str, default: Any = None) -> Any:
        """Give a value of ``generationConfig``."""
        return (self.config or {}).get(name, default)


def last_text(request: dict[str, Any]) -> str:
    """Give the texts of the last turn, one per line."""
    return "\n".join(part["text"] for part in request["contents"][-1]["parts"] if "text" in part)


def read_question(request: dict[str, Any], text: str) -> Question:
    """Give the question of a request that has passed all rules.

    Args:
        request: the inner request.
        text: the last text, from which the caller may have taken markers.
    """
    parts: list[dict[str, Any]] = request["contents"][-1]["parts"]
    blobs = [part["inlineData"] for part in parts if "inlineData" in part]
    calling: dict[str, Any] = request.get("toolConfig", {}).get("functionCallingConfig", {})
    return Question(
        text=text,
        media=tuple((blob["mimeType"], decoded_size(blob["data"]) or 0) for blob in blobs),
        results=tuple(part["functionResponse"] for part in parts if "functionResponse" in part),
        tools=_read_tools(request),
        mode=calling.get("mode", "AUTO"),
        allowed=tuple(calling.get("allowedFunctionNames", ())),
        config=request.get("generationConfig", {}),
    )


def _read_tools(request: dict[str, Any]) -> tuple[Tool, ...]:
    return tuple(
        Tool(
            declaration["name"],
            declaration["parametersJsonSchema" if "parametersJsonSchema" in declaration else "parameters"],
        )
        for tool in request.get("tools", [])
        for declaration in tool["functionDeclarations"]
    )
