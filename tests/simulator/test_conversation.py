"""Tests of reading a request."""

from __future__ import annotations

from antigravity_proxy.simulator.conversation import Question, Tool, last_text, read_question

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
