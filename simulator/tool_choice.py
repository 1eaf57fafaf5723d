"""Decides which tools the simulated model calls.

It calls what the text asks for: ``call get_weather``, ``use read and write``, ``run both tools``, or any mention of
a name that is no everyday word. ``TOOLCALL`` and ``use the tool`` call the tool whose name shares most words with the
text, the first of equals.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .conversation import Question, Tool

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
