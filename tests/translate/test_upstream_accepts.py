"""Tests that whatever is sent is what upstream takes, as the simulator enforces it."""

from __future__ import annotations

import copy
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from antigravity_proxy.catalog.builtin import MODELS
from antigravity_proxy.catalog.model import Effort, Model
from antigravity_proxy.catalog.routing import read_effort, route_to
from antigravity_proxy.errors import RequestError
from antigravity_proxy.simulator.enforcement import Facts, check_generation
from antigravity_proxy.simulator.fields import parse_object
from antigravity_proxy.translate.chat.request import ChatCall
from antigravity_proxy.translate.chat.wire import to_chat_request
from antigravity_proxy.translate.envelope import session_id, to_envelope
from antigravity_proxy.translate.signatures import KnownSignatures

from .samples import PNG, SIGNATURE, json_values
from .schema_samples import any_schemas

if TYPE_CHECKING:
    from antigravity_proxy.catalog.model import Route
    from antigravity_proxy.translate.cloud_wire import Request

FACTS = Facts(
    project="demo",
    accepts_any_project=False,
    is_current_client=True,
    is_fresh_request_id=lambda _: True,
    is_genuine=lambda *_: True,
)
"""What upstream knows when it takes the client's signatures for its own."""

ONE_OF_EACH_FAMILY = tuple({model.family: model for model in MODELS}.values())

TEXTS = st.sampled_from(["", " ", "Hi", "data: [DONE]", "\u00e9\u200b", "0"])
IDS = st.sampled_from(["call_1", "call_1", "call_1", "a/b c", "", "\u00e9" * 80])
NAMES = st.sampled_from(["read", "read file", "read/file", "final_answer", "7zip", "x" * 70])
EXTRA = st.sampled_from([{"google": {"thought_signature": text}} for text in (SIGNATURE, "-_-_", "", "?")])
URLS = st.sampled_from(
    [
        *(f"data:image/png;base64,{PNG}",) * 4,
        "data:application/octet-stream;base64,QUI%3D",
        "data:application/pdf;base64,QUJD",
        "data:text/x-log,a%20b",
        "data:image/gif;base64,QUJD",
        "data:;base64,",
        "https://example.com/a.png",
    ]
)
PART = st.one_of(
    TEXTS,
    st.fixed_dictionaries({"type": st.sampled_from(["text", "input_text"]), "text": TEXTS}),
    st.fixed_dictionaries({"type": st.just("image_url"), "image_url": st.fixed_dictionaries({"url": URLS})}),
    st.fixed_dictionaries({"type": st.just("input_image"), "image_url": URLS}),
    st.fixed_dictionaries({"type": st.just("thinking"), "thinking": TEXTS}),
    st.fixed_dictionaries(
        {
            "type": st.just("file"),
            "file": st.fixed_dictionaries(
                {"file_data": URLS | st.just("QUJD"), "filename": st.sampled_from(["a.go", "a.pdf", "a.gif", "a"])}
            ),
        }
    ),
    st.fixed_dictionaries(
        {
            "type": st.just("input_audio"),
            "input_audio": st.fixed_dictionaries(
                {"data": st.just("QUJD"), "format": st.sampled_from(["mp3", "", "opus"])}
            ),
        }
    ),
)
CONTENT = st.none() | TEXTS | st.lists(PART, max_size=3)
CALL = st.fixed_dictionaries(
    {
        "type": st.just("function"),
        "function": st.fixed_dictionaries(
            {"name": NAMES, "arguments": st.sampled_from(["", "{}", '{"a":[1]}', "[1]", '{"a'])}
        ),
    },
    optional={"id": IDS | st.just("call_1"), "extra_content": EXTRA},
)
MESSAGE = st.one_of(
    st.fixed_dictionaries({"role": st.sampled_from(["system", "developer"]), "content": TEXTS}),
    st.fixed_dictionaries({"role": st.just("user"), "content": CONTENT}),
    st.fixed_dictionaries(
        {"role": st.just("assistant"), "content": CONTENT},
        optional={
            "tool_calls": st.lists(CALL, max_size=3),
            "extra_content": EXTRA,
            "refusal": TEXTS,
            "reasoning_content": TEXTS,
        },
    ),
    st.fixed_dictionaries(
        {"role": st.just("tool"), "content": CONTENT}, optional={"tool_call_id": IDS, "name": NAMES}
    ),
)
NAMED = st.fixed_dictionaries({"type": st.just("function"), "function": st.fixed_dictionaries({"name": NAMES})})
TOOL = st.fixed_dictionaries(
    {
        "type": st.just("function"),
        "function": st.fixed_dictionaries(
            {"name": NAMES}, optional={"description": TEXTS, "parameters": any_schemas()}
        ),
    }
)
BUDGETS = st.sampled_from([-5, -1, 0, 1, 127, 1_023, 5_000, 40_000, 10**9])
BODY = st.fixed_dictionaries(
    {"model": st.just("m"), "messages": st.lists(MESSAGE, min_size=1, max_size=6)},
    optional={
        "tools": st.lists(TOOL, max_size=3),
        "tool_choice": st.one_of(
            st.sampled_from(["auto", "none", "required", {"type": "auto"}]),
            NAMED,
            st.fixed_dictionaries(
                {
                    "type": st.just("allowed_tools"),
                    "allowed_tools": st.fixed_dictionaries(
                        {"mode": st.sampled_from(["auto", "required"]), "tools": st.lists(NAMED, max_size=2)}
                    ),
                }
            ),
        ),
        "response_format": st.just({"type": "json_object"})
        | st.fixed_dictionaries(
            {
                "type": st.just("json_schema"),
                "json_schema": st.fixed_dictionaries({"schema": any_schemas().map(lambda it: {"const": it})})
                | st.fixed_dictionaries({"schema": any_schemas()}),
            }
        ),
        "max_tokens": st.sampled_from([0, 1, 100, 257, 2_048, 3_000, 10**9, 1e300, 0.5]),
        "temperature": st.floats(-1, 3),
        "top_p": st.floats(-1, 3),
        "top_k": st.sampled_from([-1, 0, 0.5, 40, 1e300]),
        "seed": st.integers(-(2**70), 2**70),
        "stop": TEXTS | st.lists(TEXTS, max_size=5),
        "reasoning_effort": st.sampled_from([*Effort, "", "auto", "max"]),
        "thinking": st.fixed_dictionaries(
            {"type": st.sampled_from(["enabled", "disabled"]), "budget_tokens": BUDGETS}
        ),
        "google": st.fixed_dictionaries(
            {"thinking_config": st.fixed_dictionaries({"include_thoughts": st.booleans()})}
        ),
    },
)


def places_in(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The path of everything inside a JSON value."""
    members = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [found for key, member in members for found in ((*path, key), *places_in(member, (*path, key)))]


@st.composite
def damaged(draw: st.DrawFn, bodies: st.SearchStrategy[dict[str, Any]]) -> dict[str, Any]:
    """A body of which up to two values, somewhere inside, are something else or gone."""
    body = copy.deepcopy(draw(bodies))
    for _ in range(draw(st.sampled_from([0, 0, 0, 1, 2]))):
        *way, last = draw(st.sampled_from(places_in(body["messages"], ("messages",)) + places_in(body)))
        holder: Any = body
        for key in way:
            holder = holder[key]
        if draw(st.booleans()):
            holder[last] = draw(json_values())
        else:
            del holder[last]
        if not isinstance(body.get("messages"), list):
            break
    return body


def check_request(request: Request, route: Route, *, is_genuine: bool = True) -> None:
    """Have upstream look at a request.

    Args:
        request: the inner request.
        route: where it goes.
        is_genuine: whether upstream takes the signatures in it for its own.
    """
    envelope = to_envelope(request, "-7", project="demo", runtime_id=route.runtime_id, request_id="1")
    facts = replace(FACTS, is_genuine=lambda *_: is_genuine)
    row = check_generation(parse_object(orjson.dumps(envelope)), facts)
    assert row.runtime_id == route.runtime_id


def send(body: Any, model: Model) -> None:
    """Have upstream look at what a body becomes, as it is sent first and as it is sent after a refused signature."""
    call = ChatCall(to_chat_request(body))
    route = route_to(model.id, read_effort(call.effort, call.effort_param))
    check_request(call.to_request(route), route)
    check_request(call.to_request(route, KnownSignatures(is_refused=lambda _: True)), route, is_genuine=False)


@settings(deadline=None, max_examples=300)
@given(damaged(BODY))
def test_any_body_is_accepted_or_refused_by_us(body: dict[str, Any]) -> None:
    """However damaged a chat is, every model takes what becomes of it, or the client hears from us what is wrong."""
    for model in MODELS:
        with suppress(RequestError):
            send(body, model)


def with_schema(schema: Any) -> dict[str, Any]:
    """A chat in which a tool and the answer have a schema."""
    return {
        "model": "m",
        "messages": [{"role": "user", "content": "Hi"}],
        "tools": [{"type": "function", "function": {"name": "read", "parameters": schema}}],
        "response_format": {"type": "json_schema", "json_schema": {"schema": schema}},
    }


@settings(deadline=None)
@given(any_schemas())
def test_any_schema_is_accepted(schema: Any) -> None:
    """Whatever a client takes for a schema, of a tool or of the answer, upstream takes what becomes of it."""
    for model in ONE_OF_EACH_FAMILY:
        send(with_schema({"type": "object", "properties": {"x": schema}}), model)
        if isinstance(schema, dict):
            send(with_schema(schema), model)


@pytest.mark.parametrize("model", ONE_OF_EACH_FAMILY, ids=lambda model: model.id)
def test_deep_schema_is_accepted(model: Model) -> None:
    """A schema that references make deeper than Google reads is cut, with all the data in it."""
    data: Any = 1
    for _ in range(60):
        data = [data]
    defs = {
        f"D{step}": {"properties": {"x": {"$ref": f"#/$defs/D{step + 1}"}}, "default": data, "description": data}
        for step in range(60)
    }
    send(with_schema({"$ref": "#/$defs/D0", "$defs": defs}), model)


RICH = {
    "model": "m",
    "messages": [
        {"role": "system", "content": "Be brief."},
        {"role": "assistant", "content": "Hello."},
        {"role": "user", "content": [{"type": "text", "text": "Read a and b."}]},
        {
            "role": "assistant",
            "content": [{"type": "thinking", "thinking": "Two calls."}],
            "reasoning_content": "Two calls.",
            "tool_calls": [
                {"id": "1", "type": "function", "function": {"name": "read file", "arguments": '{"path":"a"}'}},
                {"id": "2", "type": "function", "function": {"name": "read file", "arguments": '{"path":"b"}'}},
            ],
        },
        {"role": "tool", "tool_call_id": "2", "content": "b"},
        {"role": "assistant", "content": "And"},
    ],
    "tools": [{"type": "function", "function": {"name": "read file", "parameters": {"path": {"type": "string"}}}}],
    "tool_choice": "required",
    "response_format": {
        "type": "json_schema",
        "json_schema": {"schema": {"properties": {"n": {"enum": ["a", None]}}, "additionalProperties": False}},
    },
    "reasoning_effort": "high",
    "max_tokens": 2_000,
    "stop": ["END"],
}


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.id)
def test_rich_chat_is_accepted(model: Model) -> None:
    """A chat with a bit of everything is accepted by every model."""
    send(RICH, model)


@st.composite
def agent_rounds(draw: st.DrawFn) -> list[dict[str, Any]]:
    """The messages of an agent that works: each round calls some tools and gets their results, in any order."""
    messages: list[dict[str, Any]] = [{"role": "user", "content": "Go"}]
    for turn in range(draw(st.integers(1, 5))):
        numbers = range(draw(st.integers(1, 4)))
        names = {number: draw(st.sampled_from(["read", "list"])) for number in numbers}
        calls = [
            {
                "id": f"c{turn}-{n}",
                "type": "function",
                "function": {"name": names[n], "arguments": f'{{"n":"{turn}-{n}"}}'},
            }
            for n in numbers
        ]
        messages.append({"role": "assistant", "content": draw(st.none() | TEXTS), "tool_calls": calls})
        messages.extend(
            {"role": "tool", "tool_call_id": f"c{turn}-{n}", "content": f"{turn}-{n}"}
            for n in draw(st.permutations(numbers))
        )
        if draw(st.booleans()):
            messages.append({"role": "user", "content": "And?"})
    return messages


@st.composite
def damaged_rounds(draw: st.DrawFn) -> list[dict[str, Any]]:
    """Such messages with up to three in ten of the tool messages lost, doubled or moved."""
    messages = draw(agent_rounds())
    tools = [message for message in messages if message["role"] == "tool"]
    for message in draw(st.lists(st.sampled_from(tools), max_size=max(1, len(tools) * 3 // 10), unique_by=id)):
        damage = draw(st.sampled_from(["lose", "double", "move"]))
        if damage != "double":
            messages.remove(message)
        if damage != "lose":
            messages.insert(draw(st.integers(0, len(messages))), message)
    return messages


@settings(deadline=None)
@given(damaged_rounds())
def test_results_stay_with_their_calls(messages: list[dict[str, Any]]) -> None:
    """Whatever happens to tool messages, upstream takes the rest, and each result left answers its own call."""
    body = {"model": "m", "messages": messages}
    left = {message["content"] for message in messages if message["role"] == "tool"}
    for model in ONE_OF_EACH_FAMILY:
        send(body, model)
        contents = ChatCall(to_chat_request(body)).to_request(route_to(model.id, None))["contents"]
        calls = [part["functionCall"] for turn in contents for part in turn["parts"] if "functionCall" in part]
        answers = [
            part["functionResponse"] for turn in contents for part in turn["parts"] if "functionResponse" in part
        ]
        found = {
            call["args"]["n"]: answer["response"].get("output") for call, answer in zip(calls, answers, strict=True)
        }
        assert found == {number: number if number in left else None for number in found}


@settings(deadline=None)
@given(agent_rounds(), st.data())
def test_longer_chat_begins_as_the_shorter_one(messages: list[dict[str, Any]], data: st.DataObject) -> None:
    """A chat that goes on begins with the very bytes that were sent before, in the same session: for the cache."""
    ends = [at + 1 for at, after in enumerate([*messages[1:], None]) if after is None or after["role"] == "assistant"]
    end = data.draw(st.sampled_from(ends))
    for model in ONE_OF_EACH_FAMILY:
        shorter, longer = (
            ChatCall(to_chat_request({"model": "m", "messages": some})).to_request(route_to(model.id, None))[
                "contents"
            ]
            for some in (messages[:end], messages)
        )
        assert orjson.dumps(longer).startswith(orjson.dumps(shorter)[:-1])
        assert session_id(shorter) == session_id(longer)
