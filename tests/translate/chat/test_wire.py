"""Tests of the shapes of a chat request and of its answer."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import orjson
import pytest
from hypothesis import given, settings
from pydantic import ValidationError

from antigravity_proxy.errors import RequestError
from antigravity_proxy.translate.chat.reply import to_completion
from antigravity_proxy.translate.chat.stream import ChatStream
from antigravity_proxy.translate.chat.wire import ChatRequest, Chunk, Completion, to_chat_request
from antigravity_proxy.translate.events import Event, Finish, FinishReason, Media, Text, Thought, ToolCall, Usage
from antigravity_proxy.translate.json_text import MAX_JSON_DEPTH

from ..samples import PNG, SIGNATURE, json_values
from ..shapes import misfits

SMALL = {"model": "gemini-3.8-flash", "messages": [{"role": "user", "content": "Hi"}]}


def test_small_request_is_read() -> None:
    """A model and a message are enough; nothing else is assumed."""
    request = to_chat_request(SMALL)
    assert (request.model, request.messages) == (SMALL["model"], SMALL["messages"])
    assert request.model_dump(exclude_none=True) == SMALL


def test_unknown_keys_are_ignored() -> None:
    """What harnesses send blindly does no harm."""
    extras = {
        "store": False,
        "user": "u",
        "metadata": {"a": "b"},
        "parallel_tool_calls": True,
        "logprobs": True,
        "presence_penalty": 1,
        "service_tier": "auto",
    }
    assert to_chat_request({**SMALL, **extras}) == to_chat_request(SMALL)


@pytest.mark.parametrize("field", ["messages", "tools", "functions", "modalities", "stop"])
def test_only_the_first_fault_of_a_list_is_looked_for(field: str) -> None:
    """A list of nothing but faults is refused for its first one, and no error is made for each of the others."""
    with pytest.raises(RequestError) as caught:
        to_chat_request({**SMALL, field: [5] * 10_000})
    cause = caught.value.__cause__
    assert isinstance(cause, ValidationError)
    assert cause.error_count() <= 2


@pytest.mark.parametrize("value", [True, 5, "high", ["high"], {"effort": 5}, None])
@pytest.mark.parametrize("alias", ["reasoning", "thinking", "google", "extra_body"])
def test_aliases_may_be_of_any_type(alias: str, value: Any) -> None:
    """A field that is not OpenAI's own may mean something else to whoever sends it."""
    assert getattr(to_chat_request({**SMALL, alias: value}), alias) == value


def test_numbers_and_nulls_are_taken() -> None:
    """Whole numbers stand for fractions and the other way round, and null is as good as absent."""
    request = to_chat_request({**SMALL, "temperature": 1, "max_tokens": 10.5, "seed": 3.0, "stop": None})
    assert (request.temperature, request.max_tokens, request.seed, request.stop) == (1.0, 10.5, 3, None)


@pytest.mark.parametrize(
    ("fields", "param", "words"),
    [
        pytest.param({"model": None}, "model", "valid string", id="no model"),
        pytest.param({"model": ""}, "model", "at least 1 character", id="empty model"),
        pytest.param({"messages": []}, "messages", "at least 1 item", id="no messages"),
        pytest.param({"messages": "Hi"}, "messages", "valid list", id="messages that are text"),
        pytest.param({"messages": ["Hi"]}, "messages[0]", "valid dictionary", id="message that is text"),
        pytest.param({"stop": [1]}, "stop", "valid string", id="stop that is no text"),
        pytest.param({"stop": ["a", 1]}, "stop", "valid string", id="stop with a number"),
        pytest.param(
            {"stream_options": {"include_usage": "x"}}, "stream_options.include_usage", "boolean", id="inside"
        ),
        pytest.param({"max_tokens": "many"}, "max_tokens", "valid number", id="text for a number"),
        pytest.param({"max_tokens": "inf"}, "max_tokens", "finite number", id="infinity"),
        pytest.param({"temperature": "nan"}, "temperature", "finite number", id="not a number"),
        pytest.param({"top_k": 1e309}, "top_k", "finite number", id="beyond all numbers"),
        pytest.param({"tools": {"a": 1}}, "tools", "valid list", id="tools that are no list"),
        pytest.param({"tool_choice": 5}, "tool_choice", "valid string", id="choice that is a number"),
    ],
)
def test_wrong_field_is_refused_by_name(fields: dict[str, Any], param: str, words: str) -> None:
    """A field of another type is a 400 that names it and says what it must be."""
    with pytest.raises(RequestError, match=words) as caught:
        to_chat_request({**SMALL, **fields})
    assert (caught.value.status, caught.value.param) == (400, param)
    assert caught.value.message.startswith(f"{param}: ")


@pytest.mark.parametrize("body", [None, [], "text", 5], ids=["none", "list", "text", "number"])
def test_body_that_is_no_object_is_refused(body: Any) -> None:
    """A body that is not an object is a 400 about the body."""
    with pytest.raises(RequestError, match=r"^The body: ") as caught:
        to_chat_request(body)
    assert caught.value.param is None


@pytest.mark.parametrize("field", ["model", "messages"])
def test_missing_field_is_refused(field: str) -> None:
    """Model and messages must be there."""
    with pytest.raises(RequestError, match="Field required") as caught:
        to_chat_request({key: value for key, value in SMALL.items() if key != field})
    assert caught.value.param == field


def test_deep_body_is_refused() -> None:
    """A body that is nested deeper than Google reads is a 400."""
    value: list[Any] = []
    for _ in range(MAX_JSON_DEPTH):
        value = [value]
    with pytest.raises(RequestError, match="nested deeper than 80 levels"):
        to_chat_request({**SMALL, "metadata": value})


@settings(deadline=None)
@given(json_values())
def test_any_body_is_a_request_or_refused(value: Any) -> None:
    """Whatever stands in the body or in one of its fields, it is a request or a 400."""
    for body in (value, *({**SMALL, name: value} for name in ChatRequest.model_fields)):
        with suppress(RequestError):
            assert isinstance(to_chat_request(body), ChatRequest)


ANSWER: tuple[Event, ...] = (
    Thought("Hm."),
    Text("Look:", SIGNATURE),
    Media("image/png", PNG),
    ToolCall("1", "read", {"path": "a"}, SIGNATURE),
    Usage(prompt=5, cached=2, answer=3, thoughts=1),
    Finish(FinishReason.STOP, "STOP"),
)


def test_completion_has_its_shape() -> None:
    """An answer with a bit of everything has the fields of its shape."""
    completion = to_completion(ANSWER, "chatcmpl-1", 5, "m", lambda _: "call_1")
    assert list(misfits(completion, Completion)) == []


def test_chunks_have_their_shape() -> None:
    """So has every frame of the same answer as a stream."""
    frames = ChatStream("chatcmpl-1", 5, "m", lambda _: "call_1", with_usage=True).feed(ANSWER).split(b"\n\n")
    *chunks, done, rest = (frame.removeprefix(b"data: ") for frame in frames)
    assert (done, rest) == (b"[DONE]", b"")
    assert [found for chunk in chunks for found in misfits(orjson.loads(chunk), Chunk)] == []
