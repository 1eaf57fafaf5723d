"""The real openai package against a real server: what is particular about streams."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import openai
import pytest

from .callers import WITH_USAGE, AsyncStream
from .samples import FAMILIES, MODEL, tool, user

if TYPE_CHECKING:
    from openai import AsyncOpenAI
    from openai.types.chat import ChatCompletionChunk

    from .callers import Streamer
    from .simulator_control import SimulatorControl


async def chunks_of(streamer: Streamer, **request: Any) -> list[ChatCompletionChunk]:
    """All chunks of an answer."""
    return [chunk async for chunk in streamer.chunks(**request)]


@pytest.mark.parametrize("model", FAMILIES)
async def test_text_comes_in_pieces(streamer: Streamer, model: str) -> None:
    """A stream opens with the role, goes on in pieces of one answer, and has one finish reason, at its end."""
    chunks = await chunks_of(streamer, model=model, messages=user("Say hello"))
    assert [chunk.choices[0].delta.role for chunk in chunks[:2]] == ["assistant", None]
    assert len([chunk for chunk in chunks if chunk.choices[0].delta.content]) > 3
    reasons = [chunk.choices[0].finish_reason for chunk in chunks]
    assert reasons == [None] * (len(reasons) - 1) + ["stop"]
    assert {(chunk.id, chunk.model, chunk.created) for chunk in chunks} == {
        (chunks[0].id, model, chunks[0].created),
    }


async def test_usage_comes_once_and_only_when_asked_for(streamer: Streamer) -> None:
    """With include_usage the last chunk has the counts and no choices; no other chunk has any, as without it."""
    chunks = await chunks_of(streamer, model=MODEL, messages=user("Hi"), **WITH_USAGE)
    assert [chunk.usage is not None for chunk in chunks] == [False] * (len(chunks) - 1) + [True]
    assert chunks[-1].choices == []
    assert chunks[-1].usage is not None
    assert chunks[-1].usage.prompt_tokens > 0
    assert all(chunk.usage is None for chunk in await chunks_of(streamer, model=MODEL, messages=user("Hi")))


async def test_thoughts_come_before_the_text(streamer: Streamer) -> None:
    """Streamed thoughts come as reasoning_content deltas, all before the first text."""
    chunks = await chunks_of(streamer, model=MODEL, messages=user("Hi"), reasoning_effort="medium")
    deltas = [chunk.choices[0].delta for chunk in chunks]
    thoughts = [index for index, delta in enumerate(deltas) if getattr(delta, "reasoning_content", None)]
    texts = [index for index, delta in enumerate(deltas) if delta.content]
    assert thoughts
    assert thoughts[-1] < texts[0]


async def test_calls_are_numbered(streamer: Streamer) -> None:
    """Streamed calls carry the places by which clients put them together."""
    tools = [tool("read", path="string"), tool("write", path="string")]
    messages = user("Please call read and write")
    chunks = await chunks_of(streamer, model=MODEL, messages=messages, tools=tools)
    calls = [call for chunk in chunks for call in chunk.choices[0].delta.tool_calls or []]
    named = {call.index: call.function.name for call in calls if call.function is not None and call.function.name}
    assert named == {0: "read", 1: "write"}
    assert chunks[-1].choices[0].finish_reason == "tool_calls"


@pytest.mark.parametrize(
    "scenario",
    [
        {"name": "cut", "after": 3},
        {"name": "in-stream-error", "after": 3, "code": 503},
        {"name": "garbage", "after": 3},
    ],
    ids=lambda scenario: scenario["name"],
)
async def test_failure_in_the_middle_raises(
    streamer: Streamer, simulator: SimulatorControl, scenario: dict[str, Any]
) -> None:
    """An answer that breaks off after its first words raises; nothing is said twice and no end is pretended."""
    simulator.plan({**scenario, "also": [{"name": "slow", "pace": 0.02}]})
    chunks: list[ChatCompletionChunk] = []

    async def read() -> None:
        async for chunk in streamer.chunks(model=MODEL, messages=user("Hi")):
            chunks.append(chunk)  # noqa: PERF401 -- what came before the failure counts

    with pytest.raises(openai.APIError):
        await read()
    assert chunks
    assert all(chunk.choices[0].finish_reason is None for chunk in chunks)
    assert "".join(chunk.choices[0].delta.content or "" for chunk in chunks).count("You") <= 1
    assert len(simulator.generations()) == 1


async def test_leaving_ends_the_call_to_google(streamer: Streamer, simulator: SimulatorControl) -> None:
    """A client that leaves in the middle ends the call to Google at once."""
    simulator.plan({"name": "stall", "after": 3, "seconds": 30})
    chunks = streamer.chunks(model=MODEL, messages=user("a long story " * 50))
    async for _ in chunks:
        break
    await chunks.aclose()
    simulator.wait_until_aborted()


async def test_many_streams_do_not_mix(async_client: AsyncOpenAI) -> None:
    """Fifty streams at once each get their own words, all of them."""
    streamer = AsyncStream(async_client)
    answers = await asyncio.gather(
        *(streamer.ask(model=MODEL, messages=user(f"number {number} of many")) for number in range(50))
    )
    for number, answer in enumerate(answers):
        assert f"You said: number {number} of many\n" in str(answer.choices[0].message.content)
