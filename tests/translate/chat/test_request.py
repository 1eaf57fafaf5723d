"""Tests of a chat completion request to a Cloud Code request."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from antigravity_proxy.catalog.builtin import MODELS
from antigravity_proxy.catalog.model import Effort
from antigravity_proxy.catalog.routing import route_to
from antigravity_proxy.errors import RequestError
from antigravity_proxy.translate.answer_tool import to_answer_tool
from antigravity_proxy.translate.chat.request import ChatCall
from antigravity_proxy.translate.chat.wire import to_chat_request
from antigravity_proxy.translate.signatures import NOTHING_KNOWN, SENTINEL, KnownSignatures
from antigravity_proxy.translate.tools import to_declarations

from ..samples import CLAUDE, GEMINI, GPT_OSS, SIGNATURE, SampleTarget, json_values

if TYPE_CHECKING:
    from antigravity_proxy.translate.cloud_wire import Request

READ = {"type": "function", "function": {"name": "read", "parameters": {"type": "object", "properties": {}}}}
WRITE = {"type": "function", "function": {"name": "write"}}
HI = {"role": "user", "content": "Hi"}
SCHEMA = {
    "type": "object",
    "properties": {"n": {"type": "integer"}},
    "required": ["n"],
    "additionalProperties": False,
}
PLAIN_SCHEMA = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
IMAGE_PART = {"type": "image_url", "image_url": {"url": "data:image/jpeg;base64,/9j/4AAQSkZJRg=="}}


def call_of(*messages: Any, **fields: Any) -> ChatCall:
    """A request with these messages and fields."""
    return ChatCall(to_chat_request({"model": "m", "messages": [*messages] or [HI], **fields}))


def contents_of(target: SampleTarget, *messages: Any) -> Any:
    """What is sent of these messages."""
    return call_of(*messages).to_request(target)["contents"]


def assistant_call(call_id: str, name: str = "read", **fields: Any) -> dict[str, Any]:
    """An assistant message that calls a tool."""
    call = {"id": call_id, "type": "function", "function": {"name": name, "arguments": "{}"}}
    return {"role": "assistant", "content": "", "tool_calls": [{**call, **fields}]}


def tool_result(call_id: str, content: Any = "done") -> dict[str, Any]:
    """The message that answers it."""
    return {"role": "tool", "tool_call_id": call_id, "content": content}


def declared_in(request: Request) -> list[str]:
    """The names of the tools in a request."""
    return [tool["name"] for entry in request.get("tools", []) for tool in entry["functionDeclarations"]]


def test_small_request_has_only_what_is_needed() -> None:
    """A question becomes one turn with the length of the answer and the thinking."""
    assert call_of().to_request(GEMINI) == {
        "contents": [{"role": "user", "parts": [{"text": "Hi"}]}],
        "generationConfig": {
            "maxOutputTokens": 65_536,
            "thinkingConfig": {"includeThoughts": True, "thinkingBudget": 4_000},
        },
    }


def test_call_says_what_client_wants() -> None:
    """Model, stream, usage and effort are known before a target is."""
    call = call_of(stream=True, stream_options={"include_usage": True}, reasoning={"effort": "HIGH"})
    assert (call.model, call.wants_stream, call.wants_usage) == ("m", True, True)
    assert (call.effort, call.effort_param) == ("high", "reasoning.effort")
    plain = call_of()
    assert (plain.wants_stream, plain.wants_usage, plain.effort) == (False, False, None)
    assert call_of(stream_options={"include_usage": False}).wants_usage is False


def test_instructions_are_one_part_without_a_persona() -> None:
    """System and developer messages are the system instruction, and nothing is added."""
    request = call_of({"role": "system", "content": "A"}, HI, {"role": "developer", "content": "B"}).to_request(
        GEMINI
    )
    assert request["systemInstruction"] == {"role": "user", "parts": [{"text": "A\n\nB"}]}
    assert request["contents"] == [{"role": "user", "parts": [{"text": "Hi"}]}]


def test_instructions_alone_are_asked() -> None:
    """A request of nothing but instructions asks them as the user, once."""
    request = call_of({"role": "system", "content": "A"}, {"role": "user", "content": ""}).to_request(GEMINI)
    assert request["contents"] == [{"role": "user", "parts": [{"text": "A"}]}]
    assert "systemInstruction" not in request


@pytest.mark.parametrize(
    "messages",
    [
        pytest.param([{"role": "user", "content": ""}], id="empty text"),
        pytest.param([{"role": "user", "content": " \n"}], id="blank text"),
        pytest.param([{"role": "assistant"}, {"role": "system", "content": " "}], id="nothing at all"),
    ],
)
def test_request_without_content_is_refused(messages: list[Any]) -> None:
    """When no message says anything, there is nothing to answer."""
    with pytest.raises(RequestError, match="every message is empty") as caught:
        call_of(*messages).to_request(GEMINI)
    assert caught.value.param == "messages"


def test_assistant_first_gets_user_in_front() -> None:
    """A conversation that the assistant opens starts with a greeting of the user."""
    contents = contents_of(GEMINI, {"role": "assistant", "content": "A"}, HI)
    assert contents[0] == {"role": "user", "parts": [{"text": "Hello"}]}


def test_thoughts_of_the_history_are_left_out_on_claude() -> None:
    """On Claude a replayed call keeps its id and its text, and the thought before it stays behind."""
    contents = contents_of(
        CLAUDE,
        {"role": "user", "content": "hello"},
        {**assistant_call("call-1"), "content": "text", "reasoning_content": "plan"},
        tool_result("call-1"),
    )
    assert contents == [
        {"role": "user", "parts": [{"text": "hello"}]},
        {
            "role": "model",
            "parts": [{"text": "text"}, {"functionCall": {"name": "read", "args": {}, "id": "call-1"}}],
        },
        {
            "role": "user",
            "parts": [{"functionResponse": {"name": "read", "response": {"output": "done"}, "id": "call-1"}}],
        },
    ]


def test_thoughts_alone_vanish_on_claude() -> None:
    """A turn that is empty without its thoughts is none."""
    contents = contents_of(CLAUDE, HI, {"role": "assistant", "content": "", "reasoning_content": "plan"}, HI)
    assert [content["role"] for content in contents] == ["user"]


def test_neighbours_are_merged() -> None:
    """Two messages of the user and two of the assistant are one turn each, and the user has the last word."""
    says = [{"role": role, "content": word} for role, word in (("user", "a"), ("user", "b"), ("assistant", "c"))]
    assert [len(content["parts"]) for content in contents_of(GEMINI, *says, says[2])] == [2, 2, 1]
    assert len(contents_of(GEMINI, *says[:2], says[2], says[2], HI)) == 3


def test_image_becomes_inline_data() -> None:
    """A data URL is sent as its type and its bare base64."""
    assert contents_of(GEMINI, {"role": "user", "content": [IMAGE_PART]}) == [
        {"role": "user", "parts": [{"inlineData": {"mimeType": "image/jpeg", "data": "/9j/4AAQSkZJRg=="}}]}
    ]


def test_sound_beside_empty_text_is_one_part() -> None:
    """An empty text next to a sound is left out."""
    content = [
        {"type": "text", "text": ""},
        {"type": "input_audio", "input_audio": {"data": "AAAA", "format": "mp3"}},
    ]
    [turn] = contents_of(GEMINI, {"role": "user", "content": content})
    assert turn["parts"] == [{"inlineData": {"mimeType": "audio/mpeg", "data": "AAAA"}}]


def test_call_beside_empty_text_is_one_part() -> None:
    """An assistant message of an empty text and a call is the call, named in its result as well."""
    contents = contents_of(GEMINI, HI, assistant_call("a"), tool_result("a"))
    assert contents[1]["parts"] == [{"functionCall": {"name": "read", "args": {}}, "thoughtSignature": SENTINEL}]
    assert contents[2]["parts"] == [{"functionResponse": {"name": "read", "response": {"output": "done"}}}]


def test_assistant_message_without_anything_is_skipped() -> None:
    """An empty text, a function without a name and a custom call without one are no turn."""
    calls = [{"type": "function", "function": {"name": ""}}, {"type": "custom", "custom": {"input": "x"}}]
    contents = contents_of(GEMINI, HI, {"role": "assistant", "content": "", "tool_calls": calls}, HI)
    assert contents == [{"role": "user", "parts": [{"text": "Hi"}, {"text": "Hi"}]}]


def test_image_of_tool_stands_behind_its_result() -> None:
    """An image a tool gave back follows the result in the same turn."""
    contents = contents_of(CLAUDE, HI, assistant_call("a"), tool_result("a", ["Seen.", IMAGE_PART]))
    response = {"name": "read", "response": {"output": "Seen."}, "id": "a"}
    image = {"inlineData": {"mimeType": "image/jpeg", "data": "/9j/4AAQSkZJRg=="}}
    assert contents[2]["parts"] == [{"functionResponse": response}, image]


@pytest.mark.parametrize(
    ("signatures", "expected"),
    [(NOTHING_KNOWN, SIGNATURE), (KnownSignatures(is_refused=lambda _: True), SENTINEL)],
    ids=["first", "after a refusal"],
)
def test_signature_of_client_is_used_until_refused(signatures: KnownSignatures, expected: str) -> None:
    """The client's copy of a signature goes back, unless upstream refused it before."""
    extra = {"google": {"thought_signature": SIGNATURE}}
    call = call_of(HI, assistant_call("a", extra_content=extra), tool_result("a"))
    contents = call.to_request(GEMINI, signatures)["contents"]
    assert contents[1]["parts"][0]["thoughtSignature"] == expected


@pytest.mark.parametrize("target", [CLAUDE, GPT_OSS], ids=lambda target: target.family)
def test_signatures_of_client_are_nothing_to_others(target: SampleTarget) -> None:
    """A blank text that only carried a signature vanishes where nobody takes the signature."""
    extra = {"google": {"thought_signature": SIGNATURE}}
    signed = {"role": "assistant", "content": " ", "extra_content": extra}
    assert contents_of(target, HI, signed, HI) == [{"role": "user", "parts": [{"text": "Hi"}, {"text": "Hi"}]}]
    [_, content, _] = contents_of(target, HI, assistant_call("a", extra_content=extra), tool_result("a"))
    assert content["parts"] == [{"functionCall": {"name": "read", "args": {}, "id": "a"}}]


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        pytest.param({"max_tokens": 100}, 100, id="old name"),
        pytest.param({"max_completion_tokens": 200}, 200, id="new name"),
        pytest.param({"max_tokens": 100, "max_completion_tokens": 200}, 100, id="both"),
        pytest.param({"max_tokens": 2_048.9}, 2_048, id="fraction"),
        pytest.param({"max_tokens": 1e300}, 65_535, id="far too many"),
        pytest.param({"max_tokens": 10_000_000}, 65_535, id="too many"),
        pytest.param({"max_tokens": -1}, 65_535, id="no limit"),
        pytest.param({"max_tokens": 0.5}, 65_535, id="less than one"),
        pytest.param({}, 65_535, id="none"),
    ],
)
def test_length_is_read(fields: dict[str, Any], expected: int) -> None:
    """The length of an answer has two names, of which the old one wins, and is clamped to the model's."""
    config = call_of(**fields).to_request(route_to("gemini-3.1-pro", None))["generationConfig"]
    assert config["maxOutputTokens"] == expected


@pytest.mark.parametrize(
    ("effort", "expected"),
    [
        pytest.param(None, {"includeThoughts": False, "thinkingBudget": 0}, id="none asked"),
        pytest.param("low", {"includeThoughts": True, "thinkingBudget": 1_000}, id="low"),
        pytest.param("medium", {"includeThoughts": True, "thinkingBudget": 4_000}, id="medium"),
        pytest.param("high", {"includeThoughts": True, "thinkingBudget": -1}, id="high"),
    ],
)
def test_effort_of_route_is_sent(effort: str | None, expected: dict[str, Any]) -> None:
    """The route's thinking is in the request, also when nothing was asked."""
    route = route_to("gemini-3.8-flash", None if effort is None else Effort(effort))
    assert call_of().to_request(route)["generationConfig"]["thinkingConfig"] == expected


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        pytest.param({"reasoning": {"exclude": True}}, False, id="excluded"),
        pytest.param({"thinking": {"include_thoughts": "true"}}, True, id="text is ignored"),
        pytest.param(
            {"google": {"thinking_config": {"include_thoughts": False}}, "reasoning_effort": "high"},
            False,
            id="hidden by Google's extension",
        ),
    ],
)
def test_thoughts_are_shown_or_hidden(fields: dict[str, Any], *, expected: bool) -> None:
    """A client that does not want to see thoughts gets none, and the field has one spelling."""
    config = call_of(**fields).to_request(GEMINI)["generationConfig"]["thinkingConfig"]
    assert config == {"includeThoughts": expected, "thinkingBudget": 4_000}


def test_sampling_is_handed_on() -> None:
    """What a client says about chance and ends has its fields."""
    call = call_of(temperature=1, top_p=0.5, top_k=40.0, seed=7, stop="END")
    config = call.to_request(SampleTarget("m", "gemini", 100, None))["generationConfig"]
    assert config == {
        "maxOutputTokens": 100,
        "temperature": 1.0,
        "topP": 0.5,
        "topK": 40,
        "stopSequences": ["END"],
        "seed": 7,
    }


@pytest.mark.parametrize(
    ("stop", "expected"),
    [
        pytest.param("", None, id="empty"),
        pytest.param([], None, id="none"),
        pytest.param(["a", "", "b"], ["a", "b"], id="empty one among others"),
        pytest.param(list("abcde"), list("abcde"), id="most"),
    ],
)
def test_stop_is_read(stop: Any, expected: list[str] | None) -> None:
    """The ends of an answer are a text or several, and empty ones do not count."""
    assert call_of(stop=stop).to_request(GEMINI)["generationConfig"].get("stopSequences") == expected


@pytest.mark.parametrize(
    ("fields", "param", "words"),
    [
        pytest.param({"stop": list("abcdef")}, "stop", "upstream takes 5", id="many ends"),
        pytest.param({"n": 2}, "n", "one answer at a time", id="two answers"),
        pytest.param({"n": 0}, "n", "one answer at a time", id="no answer"),
        pytest.param({"modalities": ["text", "audio"]}, "modalities", "no model here speaks", id="voice"),
        pytest.param({"tools": [{"type": "custom"}]}, "tools[0]", "not a function with a name", id="other tool"),
        pytest.param({"tools": [READ], "tool_choice": "maybe"}, "tool_choice", "is 'maybe'", id="unknown choice"),
        pytest.param({"response_format": {"type": "xml"}}, "response_format", "must be text", id="format"),
        pytest.param(
            {"response_format": {"type": "json_schema"}}, "response_format", "with a schema", id="no schema"
        ),
        pytest.param({"response_format": {"a": 1}}, "response_format", "must be text", id="format without a type"),
    ],
)
def test_impossible_wish_is_refused_by_name(fields: dict[str, Any], param: str, words: str) -> None:
    """What cannot be had is a 400 that names the field, before any model is asked."""
    with pytest.raises(RequestError, match=words) as caught:
        call_of(**fields)
    assert (caught.value.status, caught.value.param) == (400, param)


def test_harmless_wishes_are_taken() -> None:
    """One answer, as text, without functions is what everybody gets."""
    call = call_of(n=1, modalities=["text", "image"], functions=[], response_format={"type": "text"})
    assert call.to_request(GEMINI) == call_of().to_request(GEMINI)


@pytest.mark.parametrize(
    ("choice", "expected"),
    [
        pytest.param("auto", None, id="auto"),
        pytest.param("none", {"mode": "NONE"}, id="none"),
        pytest.param("required", {"mode": "ANY"}, id="required"),
        pytest.param(
            {"type": "function", "function": {"name": "write"}},
            {"mode": "ANY", "allowedFunctionNames": ["write"]},
            id="named",
        ),
        pytest.param(
            {"type": "allowed_tools", "allowed_tools": {"mode": "required", "tools": [READ]}},
            {"mode": "ANY", "allowedFunctionNames": ["read"]},
            id="one of some",
        ),
    ],
)
@pytest.mark.parametrize("target", [GEMINI, CLAUDE, GPT_OSS], ids=lambda target: target.family)
def test_tool_choice_becomes_mode(target: SampleTarget, choice: Any, expected: dict[str, Any] | None) -> None:
    """A choice means the same for every family; one that leaves it to the model is not sent."""
    request = call_of(tools=[READ, WRITE], tool_choice=choice).to_request(target)
    assert request.get("toolConfig") == (None if expected is None else {"functionCallingConfig": expected})
    assert declared_in(request) == ["read", "write"]


@pytest.mark.parametrize(("names", "expected"), [(["write"], ["write"]), ([], [])], ids=["one", "none"])
def test_only_allowed_tools_are_declared(names: list[str], expected: list[str]) -> None:
    """When the model may call some tools or none, the others are not declared, and calls of them are known still."""
    tools = [{"type": "function", "function": {"name": name}} for name in names]
    choice = {"type": "allowed_tools", "allowed_tools": {"mode": "auto", "tools": tools}}
    call = call_of(HI, assistant_call("a"), tool_result("a"), tools=[READ, WRITE], tool_choice=choice)
    request = call.to_request(GEMINI)
    assert declared_in(request) == expected
    assert "toolConfig" not in request
    assert request["contents"][1]["parts"][0]["functionCall"]["name"] == "read"


def test_tool_choice_without_tools_is_left_out() -> None:
    """Some harnesses send a choice and no tools; that is no choice."""
    assert call_of(tool_choice="required", tools=[]).to_request(GEMINI) == call_of().to_request(GEMINI)


@pytest.mark.parametrize(
    ("target", "budget"),
    [pytest.param(GEMINI, 4_000, id="gemini"), pytest.param(CLAUDE, 0, id="claude")],
)
def test_claude_does_not_think_when_forced(target: SampleTarget, budget: int) -> None:
    """Claude cannot think before a call it must make, so its thinking is off for that turn."""
    config = call_of(tools=[READ], tool_choice="required").to_request(target)["generationConfig"]
    assert config["thinkingConfig"] == {"includeThoughts": budget > 0, "thinkingBudget": budget}


def test_duplicate_tools_collapse() -> None:
    """A tool that is declared twice is sent once."""
    assert declared_in(call_of(tools=[READ, WRITE, READ]).to_request(GEMINI)) == ["read", "write"]


def test_long_names_are_told_apart_everywhere() -> None:
    """Names equal in their first 64 characters differ in declarations, calls, results and choice, and map back."""
    first, second = "a" * 64 + "1", "a" * 64 + "2"
    call = call_of(
        HI,
        assistant_call("c", second),
        tool_result("c"),
        tools=[{"type": "function", "function": {"name": name}} for name in (first, second)],
        tool_choice={"type": "function", "function": {"name": second}},
    )
    request = call.to_request(CLAUDE)
    sent = "a" * 62 + "_2"
    declared = declared_in(request)
    assert declared == ["a" * 64, sent]
    assert request["contents"][1]["parts"][0]["functionCall"]["name"] == sent
    assert request["contents"][2]["parts"][0]["functionResponse"]["name"] == sent
    assert request["toolConfig"]["functionCallingConfig"]["allowedFunctionNames"] == [sent]
    assert [call.names.to_client(name) for name in declared] == [first, second]


def response_format(schema: Any = None) -> dict[str, Any]:
    """The wish for JSON, with or without a schema."""
    if schema is None:
        return {"type": "json_object"}
    return {"type": "json_schema", "json_schema": {"name": "answer", "strict": True, "schema": schema}}


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        pytest.param(None, {}, id="any object"),
        pytest.param(SCHEMA, {"responseSchema": PLAIN_SCHEMA}, id="schema"),
    ],
)
def test_gemini_answers_in_json(schema: Any, expected: dict[str, Any]) -> None:
    """Gemini binds its text itself, in fields of one spelling."""
    call = call_of(response_format=response_format(schema))
    config = call.to_request(GEMINI)["generationConfig"]
    wanted = {"responseMimeType": "application/json", **expected}
    assert {name: value for name, value in config.items() if name.startswith("response")} == wanted
    assert call.answer_tool(GEMINI) is None


@pytest.mark.parametrize("target", [CLAUDE, GPT_OSS], ids=lambda target: target.family)
@pytest.mark.parametrize("schema", [None, SCHEMA, {"type": "array"}], ids=["any object", "object", "list"])
def test_others_answer_in_json_through_a_tool(target: SampleTarget, schema: Any) -> None:
    """A family that cannot bind its text must call a tool whose arguments are the answer."""
    call = call_of(response_format=response_format(schema))
    request = call.to_request(target)
    answer_tool = to_answer_tool(schema, ())
    assert call.answer_tool(target) == answer_tool
    assert request["tools"] == to_declarations([answer_tool.tool], target, call.names)
    assert declared_in(request) == ["final_answer"]
    assert request["toolConfig"] == {"functionCallingConfig": {"mode": "ANY"}}
    assert request["generationConfig"] == {
        "maxOutputTokens": target.max_output_tokens,
        "thinkingConfig": {"includeThoughts": False, "thinkingBudget": 0},
    }


@pytest.mark.parametrize(
    ("choice", "expected"),
    [
        pytest.param("auto", {"mode": "ANY"}, id="auto"),
        pytest.param("none", {"mode": "ANY", "allowedFunctionNames": ["final_answer"]}, id="none"),
        pytest.param(
            {"type": "function", "function": {"name": "read"}},
            {"mode": "ANY", "allowedFunctionNames": ["read"]},
            id="named",
        ),
    ],
)
def test_answer_tool_stands_beside_tools(choice: Any, expected: dict[str, Any]) -> None:
    """The tool for the answer is one more, which stays possible when the client's own are forbidden."""
    request = call_of(tools=[READ], tool_choice=choice, response_format=response_format(SCHEMA)).to_request(CLAUDE)
    assert declared_in(request) == ["read", "final_answer"]
    assert request["toolConfig"] == {"functionCallingConfig": expected}


def test_answer_tool_is_not_one_of_the_client() -> None:
    """When the client has a tool of that name, the answer's tool has another, and the client's own is still its."""
    tools = [{"type": "function", "function": {"name": name}} for name in ("final_answer", "/final_answer")]
    call = call_of(tools=tools, response_format=response_format(), tool_choice="none")
    request = call.to_request(CLAUDE)
    answer_tool = call.answer_tool(CLAUDE)
    assert answer_tool is not None
    assert declared_in(request) == ["final_answer", "_final_answer", "final_answer_2"]
    assert call.names.to_client("final_answer_2") == answer_tool.tool.name
    assert request["toolConfig"]["functionCallingConfig"]["allowedFunctionNames"] == ["final_answer_2"]


@pytest.mark.parametrize(
    ("part", "expected"),
    [
        pytest.param(
            {"type": "video_url", "video_url": {"url": "data:video/mp4;base64,AAAA"}},
            {"mimeType": "video/mp4", "data": "AAAA"},
            id="film",
        ),
        pytest.param(
            {"type": "file", "file": {"file_data": "data:application/pdf;base64,AAAA"}},
            {"mimeType": "application/pdf", "data": "AAAA"},
            id="document",
        ),
    ],
)
def test_other_media_become_inline_data(part: dict[str, Any], expected: dict[str, str]) -> None:
    """Films and documents go the way of images."""
    [turn] = contents_of(GEMINI, {"role": "user", "content": [part]})
    assert turn["parts"] == [{"inlineData": expected}]


def test_same_request_is_written_for_every_model() -> None:
    """A request that was written for one model can be written for another, and again for the first."""
    call = call_of(HI, assistant_call("a"), tool_result("a"), tools=[READ])
    first = orjson.dumps(call.to_request(GEMINI))
    assert "id" in call.to_request(CLAUDE)["contents"][1]["parts"][0]["functionCall"]
    assert orjson.dumps(call.to_request(GEMINI)) == first


LEAVES = (
    "user",
    "assistant",
    "tool",
    "text",
    "image_url",
    "call_1",
    "read",
    "{}",
    "auto",
    "data:image/png;base64,AAAA",
)
KEYS = (
    "role",
    "content",
    "type",
    "text",
    "tool_calls",
    "function",
    "name",
    "arguments",
    "id",
    "image_url",
    "url",
    "file",
)
WILD = json_values(st.sampled_from(LEAVES), st.sampled_from(KEYS))
MESSAGES = st.fixed_dictionaries(
    {"role": st.sampled_from(["user", "assistant", "tool", "system"])},
    optional={"content": WILD, "tool_calls": st.lists(WILD, max_size=3), "tool_call_id": WILD, "refusal": WILD},
)
FIELDS = ("tools", "tool_choice", "response_format", "stop", "n", "seed", "top_k", "max_tokens", "thinking")
BODIES = st.fixed_dictionaries(
    {"model": st.just("m"), "messages": st.lists(MESSAGES | WILD, max_size=5)},
    optional=dict.fromkeys(FIELDS, WILD),
)


@settings(deadline=None)
@given(BODIES | WILD, st.sampled_from(MODELS), st.none() | st.sampled_from(Effort))
def test_any_body_is_a_request_or_refused(body: Any, model: Any, effort: Effort | None) -> None:
    """Whatever JSON a client sends becomes a request that can be encoded, or an error that says what is wrong."""
    try:
        request = ChatCall(to_chat_request(body)).to_request(route_to(model.id, effort))
    except RequestError:
        return
    assert request["contents"][0]["role"] == request["contents"][-1]["role"] == "user"
    assert orjson.dumps(request)
