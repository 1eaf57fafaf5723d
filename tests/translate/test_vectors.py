"""Tests of whole requests and answers, which lie as JSON beside this module.

A file of ``vectors/requests`` says what a client sends (``openai``) and what is sent upstream for it
(``cloud_code``), or the ``error`` the client gets. One of ``vectors/responses`` says what upstream answers
(``events``) and what the client gets, as a stream (``chunks``) and as a whole (``completion``). ``why`` tells what
the file shows.
"""

from __future__ import annotations

import json
from itertools import count, pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from antigravity_proxy.catalog.routing import read_effort, route_to
from antigravity_proxy.errors import ProxyError
from antigravity_proxy.translate.answer_wire import parse_events
from antigravity_proxy.translate.candidates import CandidateReader
from antigravity_proxy.translate.chat.reply import to_completion
from antigravity_proxy.translate.chat.request import ChatCall
from antigravity_proxy.translate.chat.stream import ChatStream
from antigravity_proxy.translate.chat.wire import to_chat_request
from antigravity_proxy.translate.sse import SseDecoder
from antigravity_proxy.translate.structured import StructuredReader
from antigravity_proxy.translate.target import rules_of

from .test_upstream_accepts import check_request

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from antigravity_proxy.catalog.model import Route
    from antigravity_proxy.translate.events import Event, ToolCall

FOLDER = Path(__file__).parent / "vectors"
REQUESTS = sorted((FOLDER / "requests").glob("*.json"))
RESPONSES = sorted((FOLDER / "responses").glob("*.json"))
ANSWER_ID = "chatcmpl-1"
CREATED_S = 1_800_000_000


def read(path: Path) -> Any:
    """What a file says."""
    return json.loads(path.read_text(encoding="utf-8"))


def to_call(body: Any) -> ChatCall:
    """A body, read."""
    return ChatCall(to_chat_request(body))


def route_of(call: ChatCall) -> Route:
    """Where a request goes."""
    return route_to(call.model, read_effort(call.effort, call.effort_param))


def request_of(body: Any) -> Any:
    """What is sent upstream for a body, with the runtime id it goes to."""
    call = to_call(body)
    route = route_of(call)
    return {"model": route.runtime_id, "request": call.to_request(route)}


def to_sse(events: Iterable[Any]) -> bytes:
    """The events of an answer as upstream streams them."""
    return b"".join(b"data: " + orjson.dumps(event) + b"\r\n\r\n" for event in events)


def answer_of(body: Any, pieces: Iterable[bytes]) -> list[Event]:
    """The neutral events of an answer that comes in some pieces."""
    call = to_call(body)
    route = route_of(call)
    plain = CandidateReader(call.names.to_client, now_s=CREATED_S, keeps_signatures=rules_of(route).is_signed)
    tool = call.answer_tool(route)
    reader = plain if tool is None else StructuredReader(plain, tool)
    decoder = SseDecoder(parse_events)
    found = [event for piece in pieces for event in decoder.feed(piece)] + decoder.finish()
    return [out for event in found for out in reader.feed(event)] + reader.finish()


def call_ids() -> Callable[[ToolCall], str]:
    """Makes ids ``call_1``, ``call_2`` and so on."""
    numbers = count(1)
    return lambda _: f"call_{next(numbers)}"


def completion_of(body: Any, events: list[Any]) -> Any:
    """The whole answer a client gets."""
    return to_completion(answer_of(body, [to_sse(events)]), ANSWER_ID, CREATED_S, body["model"], call_ids())


def stream_of(body: Any, pieces: Iterable[bytes]) -> bytes:
    """The stream a client gets."""
    call = to_call(body)
    stream = ChatStream(ANSWER_ID, CREATED_S, body["model"], call_ids(), with_usage=call.wants_usage)
    return stream.feed(answer_of(body, pieces))


def chunks_of(body: Any, events: list[Any]) -> list[Any]:
    """The chunks of that stream, with the mark of the end."""
    *frames, rest = stream_of(body, [to_sse(events)]).split(b"\n\n")
    assert rest == b""
    words = [frame.removeprefix(b"data: ") for frame in frames]
    return ["[DONE]" if word == b"[DONE]" else orjson.loads(word) for word in words]


def error_of(error: ProxyError) -> dict[str, Any]:
    """What a client hears of an error."""
    return {"status": error.status, "param": getattr(error, "param", None), "message": str(error)}


@pytest.mark.parametrize("path", REQUESTS, ids=lambda path: path.stem)
def test_request_is_translated(path: Path) -> None:
    """What is sent upstream is what the file says, and upstream takes it."""
    vector = read(path)
    if "error" in vector:
        with pytest.raises(ProxyError) as caught:
            request_of(vector["openai"])
        assert error_of(caught.value) == vector["error"]
        return
    assert request_of(vector["openai"]) == vector["cloud_code"]
    check_request(vector["cloud_code"]["request"], route_of(to_call(vector["openai"])))


@pytest.mark.parametrize("path", RESPONSES, ids=lambda path: path.stem)
def test_answer_is_translated(path: Path) -> None:
    """What the client gets is what the file says, as a whole and as a stream."""
    vector = read(path)
    if "error" in vector:
        with pytest.raises(ProxyError) as caught:
            completion_of(vector["openai"], vector["events"])
        assert error_of(caught.value) == vector["error"]
        return
    assert completion_of(vector["openai"], vector["events"]) == vector["completion"]
    assert chunks_of(vector["openai"], vector["events"]) == vector["chunks"]


@pytest.mark.parametrize("path", RESPONSES, ids=lambda path: path.stem)
@settings(deadline=None, max_examples=20)
@given(data=st.data())
def test_answer_may_be_cut_anywhere(path: Path, data: st.DataObject) -> None:
    """A stream that comes byte by byte, or in any pieces, gives the same answer."""
    vector = read(path)
    if "error" in vector:
        return
    body, received = vector["openai"], to_sse(vector["events"])
    whole = stream_of(body, [received])
    assert stream_of(body, [received[at : at + 1] for at in range(len(received))]) == whole
    cuts = sorted(data.draw(st.sets(st.integers(0, len(received)), max_size=8)) | {0, len(received)})
    assert stream_of(body, [received[start:end] for start, end in pairwise(cuts)]) == whole


@pytest.mark.parametrize("path", [*REQUESTS, *RESPONSES], ids=lambda path: path.stem)
def test_vector_says_why(path: Path) -> None:
    """Every file tells what it shows, in a sentence."""
    assert read(path)["why"].endswith(".")
