"""The google-antigravity SDK: media, and what it makes of failures.

After a failure it ends the conversation, and a good answer without content makes it ask again at once, for ever; so
it must get neither without need.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ..samples import png, wav
from .table import ANTIGRAVITY_SDK

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..simulator_control import SimulatorControl
    from .desk import Desk
    from .table import Program

pytestmark = pytest.mark.programs

ATTEMPTS = 3
"""How often the proxy asks Google for an answer with content."""

CORRECTIONS = 5
"""How often the SDK itself asks for an answer that was not filtered."""

ASK = """
import asyncio
async def ask():
    async with Agent(config) as agent:
        print(await (await agent.chat("Hello")).text())
asyncio.run(ask())
"""
"""Follows the printed lines."""


@pytest.mark.parametrize(
    ("name", "data", "told"),
    [("red.png", png(), "1 image/png of {size} bytes"), ("silence.wav", wav(), "1 audio/wav of {size:,} bytes")],
    ids=["image", "wav"],
)
def test_media(open_desk: Callable[[Program], Desk], name: str, data: bytes, told: str) -> None:
    """A picture and a recording arrive byte for byte."""
    desk = open_desk(ANTIGRAVITY_SDK)
    path = desk.folder / name
    path.write_bytes(data)
    ended = desk.ask("What is this?", str(path))
    assert ended.returncode == 0, ended.stderr
    assert told.format(size=len(data)) in ended.stdout


@pytest.mark.parametrize(
    ("marker", "calls", "words"),
    [
        ("quota", 1, 'HTTP request failed with status 429: {"error":{"message":"Quota reached: '),
        ("empty", ATTEMPTS, "HTTP request failed with status 502: "),
        ("malformed-call", ATTEMPTS, "HTTP request failed with status 502: "),
        # Slowly: what comes at once with the end of an answer without content is tried again instead.
        ("only-thoughts]] [[simulate slow pace=0.1", 1, "unexpected EOF"),
        ("cut after=2", 1, "unexpected EOF"),
        ("blocked", CORRECTIONS, "blocked by content safety filters"),
    ],
)
def test_failure(
    open_desk: Callable[[Program], Desk], simulator: SimulatorControl, marker: str, calls: int, words: str
) -> None:
    """A failure is an error, with our words where there are any; nobody asks on and on, and no half answer counts."""
    ended = open_desk(ANTIGRAVITY_SDK).ask(f"Hello [[simulate {marker}]]")
    assert (ended.returncode, ended.stdout) == (1, ""), ended
    assert words in ended.stderr
    assert len(simulator.generations()) == calls


def test_printed_lines(open_desk: Callable[[Program], Desk]) -> None:
    """The lines that ``antigravity-proxy provision antigravity-sdk`` prints work as they are."""
    desk = open_desk(ANTIGRAVITY_SDK)
    ended = desk.run("python", "-c", desk.provision("antigravity-sdk") + ASK)
    assert ended.returncode == 0, ended.stderr
    assert "no Google model was asked" in ended.stdout
