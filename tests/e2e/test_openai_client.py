"""The real openai package against a real server: what answers look like."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, cast

import pytest
from pydantic import BaseModel

from .samples import PDF, base64_of, data_url, png, tool, wav

if TYPE_CHECKING:
    from openai import OpenAI
    from openai.types.chat import ChatCompletionChunk, ChatCompletionMessageParam

    from .simulator_control import SimulatorControl

FAMILIES = ("gemini-3.8-flash", "claude-sonnet-4-6", "gpt-oss-120b")


def ask(text: str) -> list[ChatCompletionMessageParam]:
    """One user message."""
    return [{"role": "user", "content": text}]


def text_of(chunks: list[ChatCompletionChunk]) -> str:
    """The visible text of a stream."""
    return "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices)


@pytest.mark.parametrize("model", FAMILIES)
def test_text_comes_whole(client: OpenAI, model: str) -> None:
    """A plain question gets a whole answer under the public model id, with usage."""
    answer = client.chat.completions.create(model=model, messages=ask("Say hello"))
    assert answer.model == model
    assert "Say hello" in str(answer.choices[0].message.content)
    assert answer.choices[0].finish_reason == "stop"
    assert answer.usage is not None
    assert answer.usage.total_tokens == answer.usage.prompt_tokens + answer.usage.completion_tokens > 0


@pytest.mark.parametrize("model", FAMILIES)
def test_text_streams(client: OpenAI, model: str) -> None:
    """A streamed answer opens with the role, has the same text in pieces, and one finish reason at the end."""
    chunks = list(client.chat.completions.create(model=model, messages=ask("Say hello"), stream=True))
    assert chunks[0].choices[0].delta.role == "assistant"
    assert len(chunks) > 3
    assert "Say hello" in text_of(chunks)
    reasons = [chunk.choices[0].finish_reason for chunk in chunks]
    assert reasons[-1] == "stop"
    assert reasons[:-1] == [None] * (len(reasons) - 1)
    assert all(chunk.usage is None for chunk in chunks)


def test_usage_comes_once_when_asked(client: OpenAI) -> None:
    """With include_usage the last chunk has no choices and the counts; no other chunk has any."""
    chunks = list(
        client.chat.completions.create(
            model="gemini-3.8-flash", messages=ask("Hi"), stream=True, stream_options={"include_usage": True}
        )
    )
    assert [chunk.usage is not None for chunk in chunks] == [False] * (len(chunks) - 1) + [True]
    assert chunks[-1].choices == []
    assert chunks[-1].usage is not None
    assert chunks[-1].usage.prompt_tokens > 0


def test_media_arrives_byte_for_byte(client: OpenAI, simulator: SimulatorControl) -> None:
    """Image, audio, PDF and a text file are all received, each with the bytes that were sent."""
    content: list[Any] = [
        {"type": "text", "text": "What are these?"},
        {"type": "image_url", "image_url": {"url": data_url("image/png", png())}},
        {"type": "input_audio", "input_audio": {"data": base64_of(wav()), "format": "wav"}},
        {"type": "file", "file": {"filename": "a.pdf", "file_data": data_url("application/pdf", PDF)}},
        {"type": "file", "file": {"filename": "notes.txt", "file_data": base64_of(b"some notes")}},
    ]
    answer = client.chat.completions.create(
        model="gemini-3.8-flash", messages=cast("Any", [{"role": "user", "content": content}])
    )
    text = str(answer.choices[0].message.content)
    for kind, data in (
        ("image/png", png()),
        ("audio/wav", wav()),
        ("application/pdf", PDF),
        ("text/plain", b"some notes"),
    ):
        assert f"1 {kind} of {len(data):,} bytes" in text


@pytest.mark.parametrize(
    "audio_format", ["wav", "mp3", "ogg", "opus", "flac", "aac", "m4a", "webm", "pcm16", "g711_ulaw"]
)
def test_audio_formats_are_taken(client: OpenAI, audio_format: str) -> None:
    """Every audio format clients send reaches the model."""
    part = {"type": "input_audio", "input_audio": {"data": base64_of(b"sound"), "format": audio_format}}
    messages = cast("Any", [{"role": "user", "content": [{"type": "text", "text": "Listen"}, part]}])
    answer = client.chat.completions.create(model="gemini-3.7-flash", messages=messages)
    assert "audio/" in str(answer.choices[0].message.content)


def test_video_is_taken(client: OpenAI) -> None:
    """A video as a data URL reaches the model."""
    part = {"type": "video_url", "video_url": {"url": data_url("video/mp4", b"film")}}
    messages = cast("Any", [{"role": "user", "content": [part]}])
    answer = client.chat.completions.create(model="gemini-3.8-flash", messages=messages)
    assert "video/mp4" in str(answer.choices[0].message.content)


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])
@pytest.mark.parametrize("model", FAMILIES)
def test_two_parallel_calls_and_the_follow_up(client: OpenAI, model: str, *, stream: bool) -> None:
    """Two calls come back with ids of their own, and their results are answered in the next turn."""
    tools = [tool("get_weather", city="string"), tool("get_time", zone="string")]
    messages = ask("Please call get_weather and get_time")
    message: Any
    if stream:
        with client.chat.completions.stream(model=model, messages=messages, tools=tools) as events:
            message = events.get_final_completion().choices[0].message
    else:
        answer = client.chat.completions.create(model=model, messages=messages, tools=tools)
        assert answer.choices[0].finish_reason == "tool_calls"
        message = answer.choices[0].message
    calls = message.tool_calls or []
    assert [call.function.name for call in calls] == ["get_weather", "get_time"]
    assert len({call.id for call in calls}) == 2
    assert all(len(call.id) <= 64 for call in calls)
    assert all(isinstance(json.loads(call.function.arguments), dict) for call in calls)

    messages.append(cast("Any", message.to_dict()))
    messages += [
        {"role": "tool", "tool_call_id": calls[1].id, "content": "It is noon"},
        {"role": "tool", "tool_call_id": calls[0].id, "content": "It is sunny"},
    ]
    follow_up = client.chat.completions.create(model=model, messages=messages, tools=tools)
    text = str(follow_up.choices[0].message.content)
    assert text.index("It is sunny") < text.index("It is noon")


def test_signature_comes_back_to_the_simulator(client: OpenAI, simulator: SimulatorControl) -> None:
    """The signature of a call travels to the client and back, byte for byte."""
    tools = [tool("read", path="string")]
    messages = ask("Please call read")
    message = (
        client.chat.completions.create(model="gemini-3.8-flash", messages=messages, tools=tools).choices[0].message
    )
    call = cast("Any", (message.tool_calls or [])[0].to_dict())
    signature = call["extra_content"]["google"]["thought_signature"]
    messages += [
        cast("Any", message.to_dict()),
        {"role": "tool", "tool_call_id": call["id"], "content": "done"},
    ]
    client.chat.completions.create(model="gemini-3.8-flash", messages=messages, tools=tools)
    replayed = simulator.generations()[-1]["request"]["contents"][1]["parts"][0]
    assert replayed["thoughtSignature"] == signature


@pytest.mark.parametrize(
    ("choice", "expected"),
    [("none", []), ("required", ["first"]), ({"type": "function", "function": {"name": "second"}}, ["second"])],
    ids=["none", "required", "named"],
)
def test_tool_choice_is_obeyed(client: OpenAI, choice: Any, expected: list[str]) -> None:
    """None forbids calls, required forces one, and a named function is the one that is called."""
    answer = client.chat.completions.create(
        model="gemini-3.8-flash",
        messages=ask("Hello"),
        tools=[tool("first", a="string"), tool("second", b="integer")],
        tool_choice=choice,
    )
    calls = answer.choices[0].message.tool_calls or []
    assert [call.function.name for call in calls if call.type == "function"] == expected


@pytest.mark.parametrize("model", FAMILIES)
def test_reasoning_effort_shows_thoughts(client: OpenAI, model: str) -> None:
    """With an effort thoughts come in reasoning_content and are counted; without one there are none."""
    thinking = client.chat.completions.create(model=model, messages=ask("Hi"), reasoning_effort="high")
    message = cast("Any", thinking.choices[0].message)
    assert message.reasoning_content
    assert message.content
    assert thinking.usage is not None
    assert thinking.usage.completion_tokens_details is not None
    assert (thinking.usage.completion_tokens_details.reasoning_tokens or 0) > 0
    plain = client.chat.completions.create(model=model, messages=ask("Hi"))
    assert getattr(plain.choices[0].message, "reasoning_content", None) is None


def test_thoughts_stream_before_the_text(client: OpenAI) -> None:
    """Streamed thoughts come as reasoning_content deltas, all before the first text."""
    chunks = list(
        client.chat.completions.create(
            model="gemini-3.8-flash", messages=ask("Hi"), reasoning_effort="medium", stream=True
        )
    )
    kinds = [
        "thought" if "reasoning_content" in (chunk.choices[0].delta.model_extra or {}) else "text"
        for chunk in chunks
        if chunk.choices[0].delta.content or chunk.choices[0].delta.model_extra
    ]
    assert kinds.index("text") == kinds.count("thought") > 0


class Trip(BaseModel):
    """A structured answer with nesting, an enumeration, an optional field and a list."""

    class Stop(BaseModel):
        """A place on the way."""

        city: str
        nights: int

    title: str
    stops: list[Stop]
    note: str | None = None


@pytest.mark.parametrize("model", FAMILIES)
def test_parse_gives_a_pydantic_model(client: OpenAI, model: str) -> None:
    """``.parse()`` returns an instance, on every family."""
    answer = client.chat.completions.parse(model=model, messages=ask("Plan a trip"), response_format=Trip)
    trip = answer.choices[0].message.parsed
    assert isinstance(trip, Trip)
    assert answer.choices[0].finish_reason == "stop"


def test_json_object_is_one_json_object(client: OpenAI) -> None:
    """``json_object`` gives text that is a JSON object."""
    answer = client.chat.completions.create(
        model="gemini-3.8-flash", messages=ask("Give JSON"), response_format={"type": "json_object"}
    )
    assert isinstance(json.loads(str(answer.choices[0].message.content)), dict)


@pytest.mark.parametrize("model", FAMILIES[1:])
def test_json_object_asks_for_text_where_nothing_is_declared(
    client: OpenAI, simulator: SimulatorControl, model: str
) -> None:
    """On a family that answers through a tool, the text of the object is what is asked for and what comes back."""
    simulator.plan({"name": "call", "function": "final_answer", "args": '{"json": "{\\"name\\": \\"Ada\\"}"}'})
    answer = client.chat.completions.create(
        model=model, messages=ask("Give JSON"), response_format={"type": "json_object"}
    )
    assert json.loads(str(answer.choices[0].message.content)) == {"name": "Ada"}
    assert answer.choices[0].finish_reason == "stop"


@pytest.mark.parametrize("model", FAMILIES)
def test_list_schema_gives_a_list(client: OpenAI, model: str) -> None:
    """A schema whose root is a list gives a list, on every family."""
    schema: Any = {"type": "array", "items": {"type": "string"}, "minItems": 1}
    answer = client.chat.completions.create(
        model=model,
        messages=ask("Give a list"),
        response_format={"type": "json_schema", "json_schema": {"name": "words", "schema": schema}},
    )
    assert isinstance(json.loads(str(answer.choices[0].message.content)), list)


@pytest.mark.parametrize(
    "kind",
    [
        "several-parts",
        "thought-false",
        "gemini-ids",
        "empty-stop",
        "claude-signatures",
        "same-ids",
        "no-args",
    ],
)
@pytest.mark.parametrize("model", FAMILIES)
def test_odd_but_valid_answers_are_read_and_replayed(
    client: OpenAI, simulator: SimulatorControl, model: str, kind: str
) -> None:
    """Whatever valid form an answer has, it is read, and its calls are replayed to the same model and to another."""
    simulator.plan({"name": "shape", "kind": kind})
    tools = [tool("read", path="string"), tool("write", path="string")]
    messages = ask("Please call read")
    message = client.chat.completions.create(model=model, messages=messages, tools=tools).choices[0].message
    assert message.content or message.tool_calls
    messages.append(cast("Any", message.to_dict()))
    messages += [{"role": "tool", "tool_call_id": call.id, "content": "done"} for call in message.tool_calls or []]
    messages += ask("Go on")
    for next_model in (model, "gemini-3.8-flash", "claude-sonnet-4-6"):
        answer = client.chat.completions.create(model=next_model, messages=messages, tools=tools)
        assert answer.choices[0].message.content or answer.choices[0].message.tool_calls
    assert len(simulator.generations()) == 4, "a signature was refused"


def test_every_option_reaches_google(client: OpenAI, simulator: SimulatorControl) -> None:
    """Sampling, length, stop and seed arrive under Google's names; what has no meaning there is left out."""
    client.chat.completions.create(
        model="gemini-3.8-flash",
        messages=[{"role": "developer", "content": "Be brief"}, *ask("Hi")],
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


def test_models_are_listed_and_found(client: OpenAI) -> None:
    """The list has the eight models with what harnesses read, and each is found by its id."""
    models = client.models.list().data
    assert len(models) == 8
    assert {model.owned_by for model in models} == {"antigravity"}
    row = cast("Any", client.models.retrieve("gemini-3.1-pro"))
    assert (row.context_length, row.max_output_tokens) == (1_048_576, 65_535)
    assert row.reasoning_efforts == ["low", "high"]
    assert "audio" in row.input_modalities


def test_transcription_gives_text(client: OpenAI) -> None:
    """A voice note is written down, as JSON and as plain text."""
    note = ("note.ogg", b"OggS sound", "audio/ogg")
    answer = client.audio.transcriptions.create(model="whisper-1", file=note)
    assert "audio/ogg of 10 bytes" in answer.text
    plain = client.audio.transcriptions.create(model="whisper-1", file=note, response_format="text")
    assert "audio/ogg of 10 bytes" in str(plain)
