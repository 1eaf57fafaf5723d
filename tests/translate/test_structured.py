"""Tests of answers that must be JSON and come through a tool."""

from __future__ import annotations

from typing import Any

import pytest

from antigravity_proxy.errors import UpstreamGarbledError, UpstreamRefusedError
from antigravity_proxy.translate.answer_tool import AnswerTool, to_answer_tool
from antigravity_proxy.translate.candidates import CandidateReader
from antigravity_proxy.translate.events import Event, Finish, FinishReason, Text, Thought, ToolCall
from antigravity_proxy.translate.structured import StructuredReader, read_json
from antigravity_proxy.translate.tools import Tool

from .samples import event_of

OBJECT = AnswerTool(Tool("final_answer", None, None))
TEXT = to_answer_tool(None, ())
REQUIRED = to_answer_tool({"type": "object", "properties": {"n": {}}, "required": ["n"]}, ())
VALUE = to_answer_tool({"type": "array"}, ())
STOP = Finish(FinishReason.STOP, "STOP")


def call(name: str = "final_answer", **arguments: Any) -> dict[str, Any]:
    """A part that calls a tool."""
    return {"functionCall": {"name": name, "args": arguments}}


def read(*events: tuple[Any, ...], tool: AnswerTool = OBJECT, reason: str = "STOP") -> list[Event]:
    """All that comes out of an answer with the given parts in its events."""
    reader = StructuredReader(CandidateReader(str, now_s=0, keeps_signatures=False), tool)
    given: list[Event] = []
    for parts in events:
        given += reader.feed(event_of({"candidates": [{"content": {"parts": list(parts)}}]}))
    given += reader.feed(event_of({"candidates": [{"finishReason": reason}]}))
    assert reader.is_finished
    return given + reader.finish()


@pytest.mark.parametrize(
    ("events", "expected"),
    [
        pytest.param([(call(n=1),)], [Text('{"n":1}')], id="call"),
        pytest.param([(call(n=1), call(n=2))], [Text('{"n":1}')], id="called twice"),
        pytest.param(
            [({"text": "Here: "},), (call(n=1),), ({"text": "done"},)], [Text('{"n":1}')], id="words beside"
        ),
        pytest.param(
            [({"text": "hm", "thought": True},), (call(n=1),)], [Thought("hm"), Text('{"n":1}')], id="thought before"
        ),
        pytest.param(
            [({"text": "I look."},), (call("read", path="a"),), ({"text": "Wait."},)],
            [ToolCall(None, "read", {"path": "a"}), Text("I look."), Text("Wait.")],
            id="another tool",
        ),
        pytest.param(
            [(call("read", path="a"),), ({"text": "And now: "},), (call(n=1),)],
            [ToolCall(None, "read", {"path": "a"}), Text('{"n":1}')],
            id="another tool and the answer",
        ),
        pytest.param(
            [({"text": '{"n":'},), ({"text": " 1}"},)], [Text('{"n":'), Text(" 1}")], id="JSON without a call"
        ),
        pytest.param([], [], id="nothing"),
    ],
)
def test_nothing_but_json_comes_out(events: list[tuple[Any, ...]], expected: list[Event]) -> None:
    """The first call of the tool is the answer; words are dropped beside it, and are the answer without it."""
    assert read(*events) == [*expected, STOP]


@pytest.mark.parametrize(
    ("events", "tool"),
    [
        pytest.param([({"text": "I cannot."},)], OBJECT, id="words"),
        pytest.param([(call(json="no json"),)], TEXT, id="text of the call"),
        pytest.param([(call(json="{'n': 1}"),)], TEXT, id="nearly JSON"),
        pytest.param([(call(json="[1]"),)], TEXT, id="list for an object"),
        pytest.param([({"text": "42"},)], OBJECT, id="number for an object"),
        pytest.param([({"text": '{"m": 1}'},)], REQUIRED, id="words without what is required"),
        pytest.param([(call(),)], REQUIRED, id="nothing of what is required"),
    ],
)
def test_answer_that_is_no_json_is_broken(events: list[tuple[Any, ...]], tool: AnswerTool) -> None:
    """An answer that is not JSON, or not what was asked for, is an error, as no client could use it."""
    with pytest.raises(UpstreamGarbledError, match=r"^The model (did not answer|left out)"):
        read(*events, tool=tool)


def test_notice_in_place_of_json_is_its_error() -> None:
    """That the client is too old is told as that, and not as JSON that is missing."""
    notice = {"text": "This version of Antigravity is no longer supported. Please update."}
    with pytest.raises(UpstreamRefusedError) as caught:
        read((notice,))
    assert caught.value.code == "client_outdated"


def test_answer_that_was_cut_short_is_given_out() -> None:
    """What fits into the limit is the client's, with the reason why there is no more."""
    expected = [Text('{"n":'), Finish(FinishReason.LENGTH, "MAX_TOKENS")]
    assert read(({"text": '{"n":'},), reason="MAX_TOKENS") == expected


@pytest.mark.parametrize("reason", ["MAX_TOKENS", "SAFETY"])
def test_call_that_was_cut_short_is_given_out(reason: str) -> None:
    """A call without all its arguments is no fault of the model when its answer was cut short."""
    *events, end = read((call(),), tool=REQUIRED, reason=reason)
    assert events == [Text("{}")]
    assert isinstance(end, Finish)
    assert end.reason is not FinishReason.STOP


def test_usable_call_is_taken() -> None:
    """Of several calls the first that can be used is the answer."""
    assert read((call(), call(n=1), call(n=2)), tool=REQUIRED) == [Text('{"n":1}'), STOP]


@pytest.mark.parametrize(
    "schema",
    [
        {"properties": {"n": {}}, "required": ["n", "m"]},
        {"properties": {"n": {}, "m": False}, "required": ["m"]},
        {"properties": {"n": {}}, "required": [["n"], {}, None, 1]},
        {"properties": {"n": {}}, "required": "n"},
    ],
    ids=["no property", "never", "no names", "no list"],
)
def test_only_what_was_asked_for_is_required(schema: dict[str, Any]) -> None:
    """What the model never hears of is not missed."""
    assert read((call(n=1),), tool=to_answer_tool(schema, ())) == [Text('{"n":1}'), STOP]


def test_text_of_the_call_is_the_answer() -> None:
    """An answer that is asked for as text comes out as the model wrote it."""
    assert read((call(json='{"n": [1]}'),), tool=TEXT) == [Text('{"n": [1]}'), STOP]


@pytest.mark.parametrize("text", ["", "{", "[1] x", "NaN"])
def test_check_refuses_what_is_no_json(text: str) -> None:
    """Only one whole JSON value passes."""
    assert read_json('[{"a": null}]') == [{"a": None}]
    with pytest.raises(UpstreamGarbledError):
        read_json(text)


def test_answer_of_another_kind_need_be_no_object() -> None:
    """A schema that is no object is answered by its own kind, through the tool or without."""
    assert read((call(value=[1]),), tool=VALUE) == [Text("[1]"), STOP]
    assert read(({"text": "[1]"},), tool=VALUE) == [Text("[1]"), STOP]


def test_answer_that_went_on_is_known() -> None:
    """What is known of the end of an answer is what its events say."""
    one = StructuredReader(CandidateReader(str, now_s=0, keeps_signatures=False), OBJECT)
    parts = [{"text": "{}"}]
    event = event_of({"response": {"candidates": [{"content": {"parts": parts}, "finishReason": "STOP"}]}})
    one.feed(event)
    assert (one.is_finished, one.has_gone_on) == (True, False)
    one.feed(event)
    assert one.has_gone_on
