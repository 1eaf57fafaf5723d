"""Tests of messages to turns."""

from __future__ import annotations

from typing import Any

import pytest

from antigravity_proxy.errors import RequestError
from antigravity_proxy.translate.chat.messages import Conversation, to_arguments, to_conversation
from antigravity_proxy.translate.events import Media, Part, Text, Thought, ToolCall, ToolResult, Turn

from ..samples import CLAUDE, GEMINI, GPT_OSS, PNG, SIGNATURE, SampleTarget

IMAGE_PART = {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PNG}"}}
IMAGE = Media("image/png", PNG)
SIGNED = {"google": {"thought_signature": SIGNATURE}}


def turn_of(**message: Any) -> Turn:
    """The turn of a message."""
    [turn] = to_conversation([message], GEMINI).turns
    return turn


def call_of(**fields: Any) -> dict[str, Any]:
    """A tool call of an assistant message."""
    return {"id": "call_1", "type": "function", "function": {"name": "read", "arguments": '{"path":"a"}'}, **fields}


def test_instructions_are_collected() -> None:
    """System and developer messages from anywhere become one text, and nothing is added to it."""
    messages: list[dict[str, Any]] = [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "Hi"},
        {"role": "developer", "content": [{"type": "text", "text": "Line 1"}, {"type": "text", "text": "Line 2"}]},
        {"role": "system", "content": " "},
        {"role": "system", "content": None},
    ]
    expected = Conversation("Be brief.\n\nLine 1\nLine 2", (Turn("user", (Text("Hi"),)),))
    assert to_conversation(messages, GEMINI) == expected


def test_instruction_with_media_is_refused() -> None:
    """An image among the instructions is a 400, as upstream takes only text there."""
    with pytest.raises(RequestError, match="Put media into a user message") as caught:
        to_conversation([{"role": "system", "content": [IMAGE_PART]}], GEMINI)
    assert caught.value.param == "messages[0]"


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        pytest.param("Hi", (Text("Hi"),), id="text"),
        pytest.param(["Look:", IMAGE_PART], (Text("Look:"), IMAGE), id="parts"),
        pytest.param(None, (), id="none"),
    ],
)
def test_user_message_becomes_turn(content: Any, expected: tuple[Part, ...]) -> None:
    """What the user says is a turn of the user."""
    assert turn_of(role="user", content=content) == Turn("user", expected)


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        pytest.param({"content": "Hi"}, (Text("Hi"),), id="text"),
        pytest.param({"content": None, "refusal": "No."}, (Text("No."),), id="refusal"),
        pytest.param({"content": "Hi", "reasoning_content": "hmm"}, (Thought("hmm"), Text("Hi")), id="thoughts"),
        pytest.param({"content": "Hi", "reasoning_content": " "}, (Text("Hi"),), id="blank thoughts"),
        pytest.param({"content": "Hi", "reasoning_content": 5}, (Text("Hi"),), id="thoughts that are no text"),
        pytest.param(
            {
                "content": "Hi",
                "reasoning": "hmm",
                "reasoning_details": [{"type": "reasoning.text", "text": "hmm"}],
            },
            (Thought("hmm"), Text("Hi")),
            id="thoughts told twice",
        ),
        pytest.param(
            {
                "content": "Hi",
                "reasoning_details": [
                    {"type": "reasoning.summary", "summary": "a"},
                    {"type": "reasoning.encrypted", "data": "QUJD", "text": "x"},
                    {"type": "reasoning.text", "text": "b"},
                    {"type": "reasoning.text"},
                    "text",
                ],
            },
            (Thought("ab"), Text("Hi")),
            id="details of thoughts",
        ),
        pytest.param(
            {
                "content": [
                    {"type": "thinking", "thinking": "hmm", "signature": SIGNATURE},
                    {"type": "redacted_thinking", "data": "AAAA"},
                    {"type": "reasoning", "text": "hmm"},
                    {"type": "text", "text": "Hi"},
                ]
            },
            (Text("Hi"),),
            id="parts of thoughts are left out",
        ),
        pytest.param({"content": [{"type": "thinking"}]}, (), id="nothing but thoughts"),
        pytest.param({"content": "Hi", "extra_content": SIGNED}, (Text("Hi", SIGNATURE),), id="signed text"),
        pytest.param(
            {"content": ["a", "b"], "extra_content": SIGNED}, (Text("a"), Text("b", SIGNATURE)), id="signed last text"
        ),
        pytest.param(
            {"content": ["a", IMAGE_PART], "extra_content": SIGNED},
            (Text("a", SIGNATURE), IMAGE),
            id="text and image",
        ),
        pytest.param({"content": [IMAGE_PART], "extra_content": SIGNED}, (IMAGE,), id="nothing to sign"),
        pytest.param({"content": "Hi", "extra_content": {"google": 5}}, (Text("Hi"),), id="strange extra"),
        pytest.param(
            {"content": "Hi", "tool_calls": [call_of()]},
            (Text("Hi"), ToolCall("call_1", "read", {"path": "a"})),
            id="call",
        ),
        pytest.param(
            {"tool_calls": [call_of(extra_content=SIGNED), call_of(id=None), call_of(id="")]},
            (
                ToolCall("call_1", "read", {"path": "a"}, SIGNATURE),
                ToolCall(None, "read", {"path": "a"}),
                ToolCall(None, "read", {"path": "a"}),
            ),
            id="signed call and calls without ids",
        ),
        pytest.param(
            {"content": "", "function_call": {"name": "read", "arguments": "{}"}},
            (Text(""), ToolCall(None, "read", {})),
            id="call of old clients",
        ),
        pytest.param(
            {"tool_calls": [{"id": "c", "type": "custom", "custom": {"name": "patch", "input": "*** x"}}]},
            (ToolCall("c", "patch", {"input": "*** x"}),),
            id="custom call",
        ),
        pytest.param(
            {
                "content": "",
                "tool_calls": [
                    {"id": "a", "type": "function", "function": {"name": "", "arguments": "{}"}},
                    {"id": "b", "type": "function", "function": {"arguments": "{}"}},
                    {"id": "c", "type": "custom", "custom": {"input": "x"}},
                    {"id": "d", "type": "function"},
                    "text",
                ],
            },
            (Text(""),),
            id="calls without names",
        ),
        pytest.param({"content": "Hi", "tool_calls": 5}, (Text("Hi"),), id="calls that are no list"),
    ],
)
def test_assistant_message_becomes_turn(message: dict[str, Any], expected: tuple[Part, ...]) -> None:
    """What the assistant said and called is a turn of the model."""
    assert turn_of(role="assistant", **message) == Turn("model", expected)


@pytest.mark.parametrize("target", [CLAUDE, GPT_OSS], ids=lambda target: target.family)
def test_signatures_are_read_only_where_they_are_taken(target: SampleTarget) -> None:
    """For a family without signatures the client's copies are as if they were not there."""
    message = {"role": "assistant", "content": " ", "extra_content": SIGNED}
    calls = {"role": "assistant", "tool_calls": [call_of(extra_content=SIGNED)]}
    turns = to_conversation([message, calls], target).turns
    assert [turn.parts for turn in turns] == [(Text(" "),), (ToolCall("call_1", "read", {"path": "a"}),)]


@pytest.mark.parametrize("role", ["system", "user"])
def test_thoughts_of_others_are_refused(role: str) -> None:
    """Only a model has thoughts; such a part of anybody else is not known."""
    message = {"role": role, "content": [{"type": "thinking", "thinking": "hmm"}]}
    with pytest.raises(RequestError, match="'thinking', which is not known") as caught:
        to_conversation([message], GEMINI)
    assert caught.value.param == "messages[0].content[0]"


def test_assistant_media_is_refused_when_model_does_not_take_it() -> None:
    """An image in what the assistant said is a 400 for Claude, and sent to Gemini."""
    messages: list[dict[str, Any]] = [
        {"role": "user", "content": "Hi"},
        {"role": "assistant", "content": [{"type": "thinking"}, IMAGE_PART]},
    ]
    assert to_conversation(messages, GEMINI).turns[1].parts == (IMAGE,)
    with pytest.raises(RequestError, match="Move it to a user message") as caught:
        to_conversation(messages, CLAUDE)
    assert caught.value.param == "messages[1].content[1]"


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        pytest.param({"content": "done"}, ToolResult(None, None, "done"), id="text"),
        pytest.param(
            {"content": "done", "tool_call_id": "call_1", "name": "read"},
            ToolResult("call_1", "read", "done"),
            id="id and name",
        ),
        pytest.param({"content": "", "tool_call_id": "", "name": ""}, ToolResult(None, None, ""), id="all empty"),
        pytest.param({"content": None, "tool_call_id": 5}, ToolResult(None, None, ""), id="nothing"),
        pytest.param({"content": {"a": [1, "é"]}}, ToolResult(None, None, '{"a":[1,"é"]}'), id="object"),
        pytest.param({"content": 5.5}, ToolResult(None, None, "5.5"), id="number"),
        pytest.param(
            {"content": [{"type": "text", "text": "a"}, IMAGE_PART, {"type": "text", "text": "b"}]},
            ToolResult(None, None, "a\nb", media=(IMAGE,)),
            id="parts",
        ),
    ],
)
@pytest.mark.parametrize("role", ["tool", "function"])
def test_tool_message_becomes_result(role: str, message: dict[str, Any], expected: ToolResult) -> None:
    """What a tool gave back is a result in a turn of the user, with its images beside it."""
    assert turn_of(role=role, **message) == Turn("user", (expected,))


@pytest.mark.parametrize("role", [None, "critic", 5, ["user"]], ids=["none", "unknown", "number", "list"])
def test_unknown_role_is_refused(role: Any) -> None:
    """A role that does not exist is a 400 that names the message."""
    with pytest.raises(RequestError, match="known roles are system") as caught:
        to_conversation([{"role": "user", "content": "Hi"}, {"role": role, "content": "Hi"}], GEMINI)
    assert caught.value.param == "messages[1].role"


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        pytest.param('{"a": 1}', {"a": 1}, id="object"),
        pytest.param({"a": 1}, {"a": 1}, id="object that is no text"),
        pytest.param("", {}, id="empty"),
        pytest.param(" \n", {}, id="blank"),
        pytest.param(None, {}, id="none"),
        pytest.param("[1]", {}, id="list"),
        pytest.param("null", {}, id="null"),
        pytest.param('"text"', {}, id="text in JSON"),
        pytest.param('{"a": 1', {"_raw": '{"a": 1'}, id="cut"),
        pytest.param(r'{"a": "\ud83d"}', {"a": "\ufffd"}, id="half an emoji"),
        pytest.param('{"a":' * 100 + "1" + "}" * 100, {"_raw": '{"a":' * 100 + "1" + "}" * 100}, id="deep"),
    ],
)
def test_arguments_are_an_object(value: Any, expected: dict[str, Any]) -> None:
    """Arguments of the past are an object, and text that is none is kept for the model to see."""
    assert to_arguments(value) == expected
