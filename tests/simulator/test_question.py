"""Tests of reading a request, and of which tools are called."""

from __future__ import annotations

import pytest

from antigravity_proxy.simulator.question import Question, Tool, choose_tools, last_text, proper_name, read_question

from .wire import call, gemini_tool, legacy_tool, model, response, tools, user

PNG = {"inlineData": {"mimeType": "image/png", "data": "aGk="}}


def test_last_text_joins_the_texts_of_the_last_turn() -> None:
    """Only the last turn is read, its texts one per line."""
    assert last_text({"contents": [user("old"), model("x"), user("one", PNG, "two")]}) == "one\ntwo"


def test_question_of_a_plain_text() -> None:
    """A request with a text and nothing else gives a question with defaults."""
    question = read_question({"contents": [user("hi")]}, "hi")
    assert question == Question("hi", config={})
    assert question.setting("temperature", 1) == 1
    assert Question("hi").setting("temperature") is None


def test_question_of_everything() -> None:
    """Media, results, tools of both forms, mode and configuration are read."""
    request = {
        "contents": [user("a"), model(call("f")), user(response("f"), PNG, "hi")],
        "tools": tools(gemini_tool("f"), legacy_tool("g", {"type": "object"})),
        "toolConfig": {"functionCallingConfig": {"mode": "ANY", "allowedFunctionNames": ["g"]}},
        "generationConfig": {"temperature": 0.5},
    }
    question = read_question(request, "hi")
    assert question.media == (("image/png", 2),)
    assert question.results == ({"name": "f", "response": {"output": "ok"}},)
    assert question.tools == (Tool("f", {"type": "object", "properties": {}}), Tool("g", {"type": "object"}))
    assert (question.mode, question.allowed) == ("ANY", ("g",))
    assert question.setting("temperature") == 0.5


TOOLS = tuple(Tool(name, {}) for name in ("read", "write", "get_weather"))


def chosen(text: str, **fields: object) -> list[str]:
    """Give the names of the tools that are called for a text."""
    return [tool.name for tool in choose_tools(Question(text, **{"tools": TOOLS, **fields}))]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("hello", []),
        ("I read a book and write a letter", []),
        ("call me later please", ["read"]),
        ("Please call read", ["read"]),
        ("please use the tool", ["read"]),
        ("Would you run a function for me?", ["read"]),
        ("TOOLCALL", ["read"]),
        ("what's the weather in Paris? use the tool", ["get_weather"]),
        ("use both tools", ["read", "write"]),
        ("call write", ["write"]),
        ("Call write and then read", ["write", "read"]),
        ("call it. I read books", ["read"]),
        ("What does get_weather say?", ["get_weather"]),
        ("get_weather_now and my-get_weather", []),
        ("try `write` for once", ["write"]),
        ("use get_weather and read", ["get_weather", "read"]),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_text_chooses_tools(text: str, names: list[str]) -> None:
    """A text that asks for a tool or names one gets it; everyday words need a verb or quotes."""
    assert chosen(text) == names


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("what's the weather in Paris? use the tool", "Paris"),
        ("weather for New York, please", "New York"),
        ("the mayor of Łódź", "Łódź"),
        ("weather in the north of France", "France"),
        ("in Saint-Denis or in Rome", "Saint-Denis"),
        ("Paris is nice", ""),
        ("wait for it", ""),
        ("in 2026", ""),
        ("", ""),
    ],
    ids=str,
)
def test_proper_name_is_found(text: str, name: str) -> None:
    """The first capitalised name after in, for or of is what a text is about."""
    assert proper_name(text) == name


def test_no_tools_no_calls() -> None:
    """Without declared tools nothing can be called."""
    assert chosen("TOOLCALL", tools=()) == []


def test_mode_none_forbids() -> None:
    """NONE forbids calls whatever the text says."""
    assert chosen("call read", mode="NONE") == []


def test_mode_any_forces() -> None:
    """ANY forces a call of the named tool, else of the first that is allowed."""
    assert chosen("hello", mode="ANY") == ["read"]
    assert chosen("hello", mode="ANY", allowed=("write",)) == ["write"]
    assert chosen("call read", mode="ANY", allowed=("write",)) == ["write"]
    assert chosen("hello", mode="ANY", results=({"name": "read"},)) == ["read"]


def test_results_are_answered_in_words() -> None:
    """After tool results no tool is called again."""
    assert chosen("call read", results=({"name": "read"},)) == []
