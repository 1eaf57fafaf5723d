"""The real openai package against a real server: what it can ask, in each of its ways to ask."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, cast

import pytest
from openai import pydantic_function_tool
from pydantic import BaseModel

from antigravity_proxy.translate.refs import ANSWER_ROUNDS

from .samples import FAMILIES, MODEL, PDF, audio, base64_of, data_url, document, image, png, tool, user, wav

if TYPE_CHECKING:
    from .callers import Caller
    from .simulator_control import SimulatorControl

EVERY_FAMILY = pytest.mark.parametrize("model", FAMILIES)


@EVERY_FAMILY
async def test_text_is_answered_with_usage(caller: Caller, model: str) -> None:
    """A plain question gets an answer under the public model id, and the tokens are counted."""
    answer = await caller.ask(model=model, messages=user("Say hello"))
    assert answer.model == model
    assert answer.id.startswith("chatcmpl-")
    assert [choice.finish_reason for choice in answer.choices] == ["stop"]
    message = answer.choices[0].message
    assert message.role == "assistant"
    assert message.tool_calls is None
    assert str(message.content).count("You said: Say hello") == 1
    assert answer.usage is not None
    assert min(answer.usage.prompt_tokens, answer.usage.completion_tokens) > 0
    assert answer.usage.total_tokens == answer.usage.prompt_tokens + answer.usage.completion_tokens


@pytest.mark.parametrize(
    ("part", "received"),
    [
        (image(png()), f"1 image/png of {len(png())} bytes"),
        (image(b"a photograph", "image/jpeg"), "1 image/jpeg of 12 bytes"),
        (audio(wav(), "wav"), f"1 audio/wav of {len(wav()):,} bytes"),
        (document("a.pdf", data_url("application/pdf", PDF)), f"1 application/pdf of {len(PDF)} bytes"),
        (document("notes.txt", base64_of(b"some notes")), "1 text/plain of 10 bytes"),
        ({"type": "video_url", "video_url": {"url": data_url("video/mp4", b"a film")}}, "1 video/mp4 of 6 bytes"),
    ],
    ids=["png", "jpeg", "wav", "pdf", "text-file", "video"],
)
async def test_file_arrives_with_all_its_bytes(caller: Caller, part: Any, received: str) -> None:
    """A picture, a sound, a document or a film reaches the model whole and under its type."""
    answer = await caller.ask(model=MODEL, messages=user([{"type": "text", "text": "What is this?"}, part]))
    assert f"I got {received}." in str(answer.choices[0].message.content)


async def test_files_of_all_kinds_go_together(caller: Caller) -> None:
    """One question may have a picture, a sound, a PDF and a text file."""
    parts = [image(png()), audio(wav(), "wav"), document("a.pdf", data_url("application/pdf", PDF))]
    answer = await caller.ask(model=MODEL, messages=user([{"type": "text", "text": "What are these?"}, *parts]))
    text = str(answer.choices[0].message.content)
    for mime_type, data in (("image/png", png()), ("audio/wav", wav()), ("application/pdf", PDF)):
        assert f"1 {mime_type} of {len(data):,} bytes" in text


@pytest.mark.parametrize(
    ("audio_format", "mime_type"),
    [
        ("wav", "wav"),
        ("mp3", "mpeg"),
        ("ogg", "ogg"),
        ("opus", "ogg"),
        ("flac", "flac"),
        ("aac", "aac"),
        ("m4a", "mp4"),
        ("webm", "webm"),
        ("pcm16", "pcm"),
        ("g711_ulaw", "basic"),
    ],
    ids=lambda value: value,
)
async def test_audio_format_is_taken(caller: Caller, audio_format: str, mime_type: str) -> None:
    """Every audio format clients send reaches the model as what it is."""
    answer = await caller.ask(model="gemini-3.7-flash", messages=user([audio(b"sound", audio_format)]))
    assert f"I got 1 audio/{mime_type} of 5 bytes." in str(answer.choices[0].message.content)


@EVERY_FAMILY
async def test_two_parallel_calls_and_the_follow_up(caller: Caller, model: str) -> None:
    """Two calls come with ids of their own, and their results, in whatever order, are answered in the next turn."""
    tools = [tool("get_weather", city="string"), tool("get_time", zone="string")]
    messages = user("Please call get_weather and get_time")
    answer = await caller.ask(model=model, messages=messages, tools=tools)
    assert answer.choices[0].finish_reason == "tool_calls"
    message = cast("Any", answer.choices[0].message)
    weather, time = message.tool_calls
    assert (weather.function.name, time.function.name) == ("get_weather", "get_time")
    assert list(json.loads(weather.function.arguments)) == ["city"]
    assert list(json.loads(time.function.arguments)) == ["zone"]
    assert weather.id != time.id
    assert max(len(weather.id), len(time.id)) <= 64

    messages += [
        message.to_dict(),
        {"role": "tool", "tool_call_id": time.id, "content": "It is noon"},
        {"role": "tool", "tool_call_id": weather.id, "content": "It is sunny"},
    ]
    follow_up = await caller.ask(model=model, messages=messages, tools=tools)
    assert follow_up.choices[0].finish_reason == "stop"
    text = str(follow_up.choices[0].message.content)
    assert text.index("get_weather answered") < text.index("It is sunny") < text.index("It is noon")


async def test_signature_comes_back_to_google(caller: Caller, simulator: SimulatorControl) -> None:
    """The signature of a call travels to the client and back, byte for byte."""
    tools = [tool("read", path="string")]
    messages = user("Please call read")
    answer = await caller.ask(model=MODEL, messages=messages, tools=tools)
    message = cast("Any", answer.choices[0].message.to_dict())
    (call,) = message["tool_calls"]
    messages += [message, {"role": "tool", "tool_call_id": call["id"], "content": "done"}]
    await caller.ask(model=MODEL, messages=messages, tools=tools)
    replayed = simulator.generations()[-1]["request"]["contents"][1]["parts"][0]
    assert replayed["thoughtSignature"] == call["extra_content"]["google"]["thought_signature"]


@pytest.mark.parametrize(
    ("choice", "expected"),
    [("none", []), ("required", ["first"]), ({"type": "function", "function": {"name": "second"}}, ["second"])],
    ids=["none", "required", "named"],
)
async def test_tool_choice_is_obeyed(caller: Caller, choice: Any, expected: list[str]) -> None:
    """None forbids calls, required forces one, and a named function is the one that is called."""
    tools = [tool("first", a="string"), tool("second", b="integer")]
    answer = await caller.ask(model=MODEL, messages=user("Hello"), tools=tools, tool_choice=choice)
    calls = answer.choices[0].message.tool_calls or []
    assert [call.function.name for call in calls if call.type == "function"] == expected


@EVERY_FAMILY
async def test_reasoning_effort_shows_thoughts(caller: Caller, model: str) -> None:
    """With an effort thoughts come in reasoning_content and are counted; without one there are none."""
    thinking = await caller.ask(model=model, messages=user("Hi"), reasoning_effort="high")
    message = cast("Any", thinking.choices[0].message)
    assert "wants an answer" in message.reasoning_content
    assert "wants an answer" not in message.content
    assert thinking.usage is not None
    assert thinking.usage.completion_tokens_details is not None
    assert (thinking.usage.completion_tokens_details.reasoning_tokens or 0) > 0
    plain = await caller.ask(model=model, messages=user("Hi"))
    assert getattr(plain.choices[0].message, "reasoning_content", None) is None


class Trip(BaseModel):
    """A structured answer with nesting, an optional field and a list."""

    class Stop(BaseModel):
        """A place on the way."""

        city: str
        nights: int

    title: str
    stops: list[Stop]
    note: str | None = None


@EVERY_FAMILY
async def test_pydantic_model_comes_back_filled(caller: Caller, model: str) -> None:
    """``.parse()`` and ``.stream()`` with a pydantic model give an instance, on every family."""
    answer = await caller.parse(Trip, model=model, messages=user("Plan a trip"))
    choice = answer.choices[0]
    assert isinstance(choice.message.parsed, Trip)
    assert choice.message.parsed == Trip.model_validate_json(str(choice.message.content))
    assert choice.finish_reason == "stop"
    assert not choice.message.tool_calls


class Task(BaseModel):
    """A structured answer that holds others of its kind in every way that has an end."""

    title: str
    steps: list[Task]
    by_name: dict[str, Task]
    next: Task | None


async def test_pydantic_model_that_holds_itself_comes_back_filled(caller: Caller) -> None:
    """A model that holds itself is filled as deep as it is written out in itself, and what comes back is valid."""
    answer = await caller.parse(Task, model=MODEL, messages=user("Plan the work"))
    task = answer.choices[0].message.parsed
    assert task is not None
    depth = 0
    while task.steps:
        task = task.steps[0]
        depth += 1
    assert depth == ANSWER_ROUNDS


class Forecast(BaseModel):
    """Tell the weather to come."""

    city: str
    days: int


@EVERY_FAMILY
async def test_pydantic_tool_is_called_with_parsed_arguments(caller: Caller, model: str) -> None:
    """A tool made of a pydantic model is called with arguments the openai package turns into an instance."""
    messages = user("Please call Forecast for Zurich")
    answer = await caller.parse(Trip, model=model, messages=messages, tools=[pydantic_function_tool(Forecast)])
    (call,) = answer.choices[0].message.tool_calls or []
    assert isinstance(call.function.parsed_arguments, Forecast)
    assert call.function.parsed_arguments.city == "Zurich"
    assert answer.choices[0].message.parsed is None


@pytest.mark.parametrize("model", FAMILIES[:1])
async def test_json_object_is_one_json_object(caller: Caller, model: str) -> None:
    """``json_object`` gives text that is a JSON object."""
    answer = await caller.ask(model=model, messages=user("Give JSON"), response_format={"type": "json_object"})
    assert isinstance(json.loads(str(answer.choices[0].message.content)), dict)


@pytest.mark.parametrize("model", FAMILIES[1:])
async def test_json_object_asks_for_text_where_nothing_is_declared(
    caller: Caller, simulator: SimulatorControl, model: str
) -> None:
    """On a family that answers through a tool, the text of the object is what is asked for and what comes back."""
    simulator.plan({"name": "call", "function": "final_answer", "args": '{"json": "{\\"name\\": \\"Ada\\"}"}'})
    answer = await caller.ask(model=model, messages=user("Give JSON"), response_format={"type": "json_object"})
    assert json.loads(str(answer.choices[0].message.content)) == {"name": "Ada"}
    assert answer.choices[0].finish_reason == "stop"


@EVERY_FAMILY
async def test_list_schema_gives_a_list(caller: Caller, model: str) -> None:
    """A schema whose root is a list gives a list, on every family."""
    schema = {"type": "array", "items": {"type": "string"}, "minItems": 1}
    wanted = {"type": "json_schema", "json_schema": {"name": "words", "schema": schema}}
    answer = await caller.ask(model=model, messages=user("Give a list"), response_format=wanted)
    assert isinstance(json.loads(str(answer.choices[0].message.content)), list)


@pytest.mark.parametrize(
    "kind",
    ["several-parts", "thought-false", "gemini-ids", "empty-stop", "claude-signatures", "same-ids", "no-args"],
)
@EVERY_FAMILY
async def test_odd_but_valid_answer_is_read_and_replayed(
    caller: Caller, simulator: SimulatorControl, model: str, kind: str
) -> None:
    """Whatever valid form an answer has, it is read, and its calls are replayed to the same model and to another."""
    simulator.plan({"name": "shape", "kind": kind})
    tools = [tool("read", path="string"), tool("write", path="string")]
    messages = user("Please call read")
    message = (await caller.ask(model=model, messages=messages, tools=tools)).choices[0].message
    assert message.content or message.tool_calls
    messages.append(message.to_dict())
    messages += [{"role": "tool", "tool_call_id": call.id, "content": "done"} for call in message.tool_calls or []]
    messages += user("Go on")
    for next_model in (model, MODEL, "claude-sonnet-4-6"):
        answer = await caller.ask(model=next_model, messages=messages, tools=tools)
        assert answer.choices[0].message.content or answer.choices[0].message.tool_calls
    assert len(simulator.generations()) == 4, "a signature was refused"


async def test_every_option_reaches_google(caller: Caller, simulator: SimulatorControl) -> None:
    """Sampling, length, stop and seed arrive under Google's names; what has no meaning there is left out."""
    await caller.ask(
        model=MODEL,
        messages=[{"role": "developer", "content": "Be brief"}, *user("Hi")],
        temperature=0.5,
        top_p=0.9,
        max_completion_tokens=100_000,
        stop=["END"],
        seed=7,
        user="u",
        store=True,
        metadata={"a": "b"},
        presence_penalty=0.5,
        extra_body={"top_k": 40},
    )
    request = simulator.generations()[0]["request"]
    assert request["systemInstruction"] == {"role": "user", "parts": [{"text": "Be brief"}]}
    assert request["generationConfig"] == {
        "maxOutputTokens": 65536,
        "temperature": 0.5,
        "topP": 0.9,
        "topK": 40,
        "stopSequences": ["END"],
        "seed": 7,
        "thinkingConfig": {"includeThoughts": False, "thinkingBudget": 0},
    }
