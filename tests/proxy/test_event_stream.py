"""Tests of streamed HTTP answers, over real sockets."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from .conftest import Lab, OpenLab

SLOWLY = {"name": "slow", "pace": 0.01}
"""Words come one by one, so that the first are sent on before a failure is seen."""


async def test_stream_has_frames_and_an_end(lab: Lab) -> None:
    """Every frame is one data line with JSON and a blank line, and the last one is [DONE]."""
    received = await lab.stream()
    frames = received.split(b"\n\n")
    assert frames[-2:] == [b"data: [DONE]", b""]
    assert all(
        json.loads(frame.removeprefix(b"data: "))["object"] == "chat.completion.chunk" for frame in frames[:-2]
    )


async def test_silence_is_filled_with_comments(open_lab: OpenLab) -> None:
    """While upstream is silent before its first word, comments flow and the status is 200."""
    async with open_lab(keepalive=0.05) as lab:
        lab.plan("stall", after=0, seconds=0.3)
        received = await lab.stream()
        assert received.startswith(b": keepalive\n\n: keepalive\n\n")
        assert received.endswith(b"data: [DONE]\n\n")


async def test_silence_in_the_middle_is_filled_too(open_lab: OpenLab) -> None:
    """While upstream is silent between two words, comments flow."""
    async with open_lab(keepalive=0.05) as lab:
        lab.plan("stall", after=2, seconds=0.3)
        received = await lab.stream()
        assert b"\n\n: keepalive\n\n" in received
        assert received.endswith(b"data: [DONE]\n\n")


async def test_failure_after_a_comment_is_a_frame_and_a_broken_connection(open_lab: OpenLab) -> None:
    """Once a comment has committed the 200, a failure is an error frame and no proper end."""
    async with open_lab(keepalive=0.05) as lab:
        lab.plan("stall", after=0, seconds=0.2, also=[{"name": "status", "status": 500}])
        received = await lab.stream()
        lines = [line for line in received.split(b"\n\n") if line.startswith(b"data: ")]
        if lines and b"error" in lines[-1]:
            assert received.endswith(b"<cut>")


@pytest.mark.parametrize("name", ["cut", "garbage", "in-stream-error"])
async def test_failure_in_the_middle_is_a_frame_and_a_broken_connection(lab: Lab, name: str) -> None:
    """A failure after the first words is told in a frame; then the connection breaks without an end."""
    lab.plan(name, after=4, also=[SLOWLY])
    received = await lab.stream("one two three four five six")
    frames = [frame for frame in received.removesuffix(b"<cut>").split(b"\n\n") if frame]
    assert set(json.loads(frames[-1].removeprefix(b"data: "))["error"]) >= {"message", "type", "param", "code"}
    assert received.endswith(b"<cut>")
    assert b"[DONE]" not in received
    assert len(await lab.requests()) == 1


async def test_one_read_is_one_write(lab: Lab) -> None:
    """Whatever way upstream cuts its bytes, the text is the same."""
    plain = _text(await lab.stream("grüße 🎉 all"))
    for scenario in ("crlf", "no-final-newline", "comments", "gzip", "unwrapped", "done"):
        lab.plan(scenario)
        assert _text(await lab.stream("grüße 🎉 all")) == plain, scenario
    lab.plan("split", size=1)
    assert _text(await lab.stream("grüße 🎉 all")) == plain


def _text(received: bytes) -> str:
    frames = [json.loads(frame[6:]) for frame in received.split(b"\n\n") if frame.startswith(b"data: {")]
    return "".join(choice["delta"].get("content", "") for frame in frames for choice in frame["choices"])


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])
@pytest.mark.parametrize("after", [0, 3], ids=["before-the-first-byte", "in-the-middle"])
async def test_leaving_ends_the_call_to_google(lab: Lab, after: int, *, stream: bool) -> None:
    """A client that leaves ends the call to Google within half a second, at any moment."""
    lab.plan("stall", after=after, seconds=30)
    task = asyncio.create_task(lab.stream("one two three") if stream else lab.chat("one two three"))
    while not await lab.requests():
        await asyncio.sleep(0.01)
    await asyncio.sleep(0.05)
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    async with asyncio.timeout(0.5):
        while not (await lab.requests())[0]["aborted"]:
            await asyncio.sleep(0.01)
