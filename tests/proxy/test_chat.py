"""Tests of one chat completion in the hands of the server."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import pytest

from antigravity_proxy.catalog.catalog import Catalog
from antigravity_proxy.catalog.model import Effort
from antigravity_proxy.catalog.routing import reroute
from antigravity_proxy.errors import ProxyError, RequestError, UnknownModelError
from antigravity_proxy.proxy.chat import Chat
from antigravity_proxy.proxy.large_work import LargeWork
from antigravity_proxy.proxy.signature_memory import SignatureMemory
from antigravity_proxy.proxy.state import StateFile
from antigravity_proxy.translate.chat.request import ChatCall
from antigravity_proxy.translate.chat.wire import to_chat_request
from antigravity_proxy.translate.events import Finish, FinishReason, Text, ToolCall
from antigravity_proxy.translate.signatures import SENTINEL

from ..translate.samples import event_of

HELLO = [{"role": "user", "content": "Hello"}]
STOP = Finish(FinishReason.STOP, "STOP")
SCHEMA = {"type": "json_schema", "json_schema": {"name": "trip", "schema": {"type": "object", "properties": {}}}}


NO_MEMORY = SignatureMemory(StateFile(Path("/nonexistent/state.db"), clock=lambda: 0.0), clock=lambda: 0.0)


def chat_of(memory: SignatureMemory = NO_MEMORY, **options: Any) -> Chat:
    """A chat with ids that count."""
    numbers = itertools.count(1)
    body = {"model": "gemini-3.8-flash", "messages": HELLO, **options}
    return new_chat(body, memory, new_id=lambda: f"id{next(numbers)}", now_s=1_788_609_600.9)


def new_chat(body: Any, memory: SignatureMemory = NO_MEMORY, **options: Any) -> Chat:
    """A chat about a parsed body."""
    return Chat(ChatCall(to_chat_request(body)), Catalog(), memory, LargeWork(), size=0, **options)


@pytest.mark.parametrize(
    ("options", "runtime_id", "effort"),
    [
        ({}, "gemini-3.8-flash-low", None),
        ({"reasoning_effort": "high"}, "gemini-3.8-flash-high", Effort.HIGH),
        ({"model": "claude-opus-4-6"}, "claude-opus-4-6-thinking", None),
    ],
)
def test_route_follows_model_and_effort(options: dict[str, Any], runtime_id: str, effort: Effort | None) -> None:
    """The model and the effort say where the request goes first."""
    route = chat_of(**options).route
    assert (route.runtime_id, route.effort) == (runtime_id, effort)


@pytest.mark.parametrize(("stream", "wanted"), [(True, True), (False, False), (None, False)])
def test_stream_is_wanted_when_asked_for(*, stream: bool | None, wanted: bool) -> None:
    """A stream comes only for ``true``."""
    assert chat_of(stream=stream).wants_stream is wanted


@pytest.mark.parametrize(
    ("body", "raised"),
    [
        ([], RequestError),
        (None, RequestError),
        (5, RequestError),
        ("text", RequestError),
        ({}, RequestError),
        ({"model": "nope", "messages": HELLO}, UnknownModelError),
        ({"model": "gemini-3.8-flash", "messages": HELLO, "reasoning_effort": "enormous"}, RequestError),
    ],
    ids=["list", "null", "number", "string", "empty", "model", "effort"],
)
def test_wrong_request_is_refused_at_once(body: Any, raised: type[ProxyError]) -> None:
    """What is wrong with the request is said before anything is sent."""
    with pytest.raises(raised):
        new_chat(body, new_id=lambda: "x", now_s=0)


async def test_request_is_written_for_the_route() -> None:
    """A request that takes another route is written anew with that one's thinking."""
    chat = chat_of(reasoning_effort="low")
    first = await chat.to_request(chat.route)
    second = await chat.to_request(reroute(chat.route, "gemini-3.7-flash-tiered"))
    assert first["generationConfig"]["thinkingConfig"] == {"includeThoughts": True, "thinkingBudget": 1000}
    assert second["generationConfig"]["thinkingConfig"] == {"includeThoughts": True, "thinkingLevel": "LOW"}


def test_completion_has_own_ids_and_whole_seconds() -> None:
    """The answer has an id of ours, each call another, and the time in whole seconds."""
    completion = chat_of().to_completion([ToolCall("a", "read", {}), ToolCall("a", "read", {}), STOP])
    assert (completion["id"], completion["created"], completion["model"]) == (
        "chatcmpl-id1",
        1_788_609_600,
        "gemini-3.8-flash",
    )
    calls = completion["choices"][0]["message"]["tool_calls"]
    assert [call["id"] for call in calls] == ["call_id2", "call_id3"]


def test_stream_has_the_ids_of_the_completion() -> None:
    """The chunks of a stream carry the same id, and their calls ids of ours."""
    frames = chat_of().new_stream().feed([ToolCall("a", "read", {}), STOP])
    assert b'"id":"chatcmpl-id1"' in frames
    assert b'"id":"call_id2"' in frames


async def test_reader_gives_names_back_and_reads_the_answer_tool() -> None:
    """An answer speaks of tools as the client spelled them; the tool that carries a JSON answer comes as text."""
    tool = {"type": "function", "function": {"name": "read file", "parameters": {"type": "object"}}}
    chat = chat_of(tools=[tool])
    request = await chat.to_request(chat.route)
    sent = request["tools"][0]["functionDeclarations"][0]["name"]
    assert sent != "read file"
    call = {"candidates": [{"content": {"parts": [{"functionCall": {"name": sent, "args": {}}}]}}]}
    assert chat.new_reader(chat.route).feed(event_of(call)) == [ToolCall(None, "read file", {})]

    structured = chat_of(model="claude-sonnet-4-6", response_format=SCHEMA)
    request = await structured.to_request(structured.route)
    declared = request["tools"][0]["functionDeclarations"]
    answer = {
        "candidates": [{"content": {"parts": [{"functionCall": {"name": declared[0]["name"], "args": {"a": 1}}}]}}]
    }
    reader = structured.new_reader(structured.route)
    assert [*reader.feed(event_of(answer)), *reader.finish()][0] == Text('{"a":1}')


async def test_signature_of_a_call_comes_back_by_its_id(tmp_path: Path) -> None:
    """A client that keeps only id, name and arguments of a call still sends its signature, until it is refused."""
    memory = SignatureMemory(StateFile(tmp_path / "state.db", clock=lambda: 0.0), clock=lambda: 0.0)
    asked = chat_of(memory)
    asked.new_reader(asked.route)
    (call,) = asked.to_completion([ToolCall(None, "read", {}, "QUJD"), STOP])["choices"][0]["message"]["tool_calls"]
    kept = {"id": call["id"], "type": "function", "function": call["function"]}
    history = [*HELLO, {"role": "assistant", "tool_calls": [kept]}, {"role": "tool", "tool_call_id": kept["id"]}]
    for model, signature in (("gemini-3.8-flash", "QUJD"), ("claude-sonnet-4-6", None), ("gemini-3.1-pro", "QUJD")):
        chat = chat_of(memory, model=model, messages=history)
        await chat.recall_signatures()
        request = await chat.to_request(chat.route)
        assert request["contents"][1]["parts"][0].get("thoughtSignature") == signature
    await chat.refuse_signatures(chat.route)
    request = await chat.to_request(chat.route)
    assert request["contents"][1]["parts"][0].get("thoughtSignature") == SENTINEL
