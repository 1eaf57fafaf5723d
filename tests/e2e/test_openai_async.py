"""The real asynchronous openai package against a real server."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, cast

from .samples import data_url, png, tool

if TYPE_CHECKING:
    from openai import AsyncOpenAI

    from .simulator_control import SimulatorControl

MODEL = "gemini-3.8-flash"


def ask(content: Any) -> Any:
    """One user message."""
    return [{"role": "user", "content": content}]


async def test_text_comes_whole(async_client: AsyncOpenAI) -> None:
    """A plain question gets a whole answer."""
    answer = await async_client.chat.completions.create(model=MODEL, messages=ask("Say hello"))
    assert "Say hello" in str(answer.choices[0].message.content)


async def test_text_streams(async_client: AsyncOpenAI) -> None:
    """A streamed answer has the same text in pieces and ends."""
    stream = await async_client.chat.completions.create(model=MODEL, messages=ask("Say hello"), stream=True)
    chunks = [chunk async for chunk in stream]
    assert "Say hello" in "".join(chunk.choices[0].delta.content or "" for chunk in chunks)
    assert chunks[-1].choices[0].finish_reason == "stop"


async def test_image_and_calls(async_client: AsyncOpenAI) -> None:
    """An image is received, and a tool is called."""
    picture = {"type": "image_url", "image_url": {"url": data_url("image/png", png())}}
    answer = await async_client.chat.completions.create(model=MODEL, messages=ask([picture]))
    assert f"1 image/png of {len(png())} bytes" in str(answer.choices[0].message.content)
    called = await async_client.chat.completions.create(
        model=MODEL, messages=ask("Please call read"), tools=[tool("read", path="string")]
    )
    assert called.choices[0].finish_reason == "tool_calls"


async def test_many_streams_do_not_mix(async_client: AsyncOpenAI) -> None:
    """Fifty streams at once each get their own words, all of them."""

    async def one(number: int) -> str:
        stream = await async_client.chat.completions.create(
            model=MODEL, messages=ask(f"number {number} of many"), stream=True
        )
        return "".join([chunk.choices[0].delta.content or "" async for chunk in stream])

    texts = await asyncio.gather(*map(one, range(50)))
    assert all(f"You said: number {number} of many\n" in text for number, text in enumerate(texts))


async def test_leaving_ends_the_call_to_google(async_client: AsyncOpenAI, simulator: SimulatorControl) -> None:
    """A client that leaves in the middle ends the call to Google at once."""
    simulator.plan(
        {"name": "slow", "pace": 0.05},
    )
    stream = await async_client.chat.completions.create(model=MODEL, messages=ask("a long story " * 50), stream=True)
    async for _ in stream:
        break
    await stream.close()
    for _ in range(50):
        entry = cast("Any", simulator.requests("streamGenerateContent")[-1])
        if entry.get("aborted"):
            return
        await asyncio.sleep(0.05)
    raise AssertionError(entry)
