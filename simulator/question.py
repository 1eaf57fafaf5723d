"""Reads out of a request what an answer depends on, and decides which tools it calls.

It calls what the text asks for: ``call get_weather``, ``use read and write``, ``run both tools``, or any mention of
a name that is no everyday word. ``TOOLCALL`` and ``use the tool`` call the tool whose name shares most words with the
text, the first of equals.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from .part_rules import decoded_size

VERB = r"(?:call|use|invoke|run)"
CALLS_SOME_TOOL = re.compile(
    rf"\bTOOLCALL\b|^\s*(?:please\s+)?call\b|\b{VERB}\b[^.?!\n]{{0,40}}\b(?:tools?|functions?)\b", re.IGNORECASE
)
CALLS_SEVERAL = re.compile(r"\b(?:both|in parallel|two tools|all tools)\b", re.IGNORECASE)
EVERYDAY_WORD = re.compile(r"[a-z]+|[A-Z][a-z]*")
"""Names such as ``read`` turn up in ordinary text; they count only in the sentence of a verb, or in quotes."""

PROPER_NAME = re.compile(r"\b(?:in|for|of)\s+([^\W\d_a-z][\w'-]*(?: [^\W\d_a-z][\w'-]*)*)")
"""What a question is about: words with a capital (or in a script without) after in, for or of."""

WORD_OF_NAME = re.compile(r"[A-Z]?[a-z]{3,}")
"""A word of a function's name, whether it is written with underscores or humps."""


@dataclass(frozen=True, slots=True)
class Tool:
    """A function the model may call: its name and the schema of its arguments."""

    name: str
    schema: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Question:
    """What the last turn asks, and under which conditions.

    Attributes:
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


def choose_tools(question: Question) -> list[Tool]:
    """Give the tools to call now, in order; none for an answer in words."""
    if not question.tools or question.mode == "NONE":
        return []
    candidates = [tool for tool in question.tools if not question.allowed or tool.name in question.allowed]
    if question.results and question.mode != "ANY":
        return []
    named = _named_tools(question.text, candidates)
    if named:
        return named
    if CALLS_SOME_TOOL.search(question.text):
        return candidates[:2] if CALLS_SEVERAL.search(question.text) else _likeliest(question.text, candidates)
    return candidates[:1] if question.mode == "ANY" else []


def proper_name(text: str) -> str:
    """Give the first name a text asks about, such as ``New York`` in "the weather in New York"; empty for none."""
    match = PROPER_NAME.search(text)
    return "" if match is None else match[1]


def _read_tools(request: dict[str, Any]) -> tuple[Tool, ...]:
    return tuple(
        Tool(
            declaration["name"],
            declaration["parametersJsonSchema" if "parametersJsonSchema" in declaration else "parameters"],
        )
        for tool in request.get("tools", [])
        for declaration in tool["functionDeclarations"]
    )


def _likeliest(text: str, tools: list[Tool]) -> list[Tool]:
    spoken = set(re.findall(r"[a-z]+", text.lower()))
    shared = [len(spoken & {word.lower() for word in WORD_OF_NAME.findall(tool.name)}) for tool in tools]
    return [tools[shared.index(max(shared))]]


def _named_tools(text: str, tools: list[Tool]) -> list[Tool]:
    found = [(position, tool) for tool in tools if (position := _mention(text, tool.name)) is not None]
    return [tool for _, tool in sorted(found, key=lambda pair: pair[0])]


def _mention(text: str, name: str) -> int | None:
    word = rf"(?<![\w.-])(?P<name>{re.escape(name)})(?![\w-])"
    if EVERYDAY_WORD.fullmatch(name):
        quoted = re.search(rf"[`\"']{word}[`\"'(]", text)
        match = quoted or re.search(rf"\b{VERB}\b[^.?!\n]*?{word}", text, re.IGNORECASE)
    else:
        match = re.search(word, text)
    return None if match is None else match.start("name")
