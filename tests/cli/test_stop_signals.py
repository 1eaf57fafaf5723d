"""Tests of the signals that ask a server to stop."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
import uvloop

from antigravity_proxy.cli.stop_signals import STOP_SIGNALS, take_signals

if TYPE_CHECKING:
    from collections.abc import Callable

IN_EVERY_LOOP = pytest.mark.parametrize(
    "new_loop", [asyncio.new_event_loop, uvloop.new_event_loop], ids=["asyncio", "uvloop"]
)
STOPPED = """
import asyncio, atexit, os, signal, sys
from antigravity_proxy.cli.loop import run
from antigravity_proxy.cli.stop_signals import take_signals

def kill(me=os.getpid(), kill=os.kill):
    kill(me, NUMBER)

class Kept:
    def __del__(self, kill=kill):
        kill()

async def serve():
    stop = take_signals()
    os.kill(os.getpid(), signal.SIGTERM)
    await stop.wait()
    IN_LOOP

run(serve())
AFTERWARDS
print("ended")
"""
LATE = {
    "in-the-loop": {"IN_LOOP": "kill()"},
    "after-the-loop": {"AFTERWARDS": "kill()"},
    "at-exit": {"AFTERWARDS": "atexit.register(kill)"},
    "with-the-interpreter": {"AFTERWARDS": "sys.kept = Kept()"},
    "hung-in-the-loop": {"IN_LOOP": "kill(); kill(); kill()"},
    "hung-after-the-loop": {"AFTERWARDS": "kill(); kill(); kill()"},
}
"""Place → what a server that was told to stop does there."""


def run_program(number: int, **places: str) -> subprocess.CompletedProcess[str]:
    """Run a server that gets a signal after it was told to stop."""
    program = STOPPED.replace("NUMBER", str(int(number)))
    for place in ("IN_LOOP", "AFTERWARDS"):
        program = program.replace(place, places.get(place, "pass"))
    return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)


@IN_EVERY_LOOP
@pytest.mark.parametrize("number", STOP_SIGNALS)
def test_signal_ends_the_wait(number: int, new_loop: Callable[[], asyncio.AbstractEventLoop]) -> None:
    """Either signal wakes a server that only waits."""

    async def wait() -> str:
        stop = take_signals()
        asyncio.get_running_loop().call_soon(os.kill, os.getpid(), number)
        async with asyncio.timeout(10):
            await stop.wait()
        return "stopped"

    with asyncio.Runner(loop_factory=new_loop) as runner:
        assert runner.run(wait()) == "stopped"


@IN_EVERY_LOOP
def test_only_a_second_ctrl_c_hurries(new_loop: Callable[[], asyncio.AbstractEventLoop]) -> None:
    """While a server ends SIGTERM changes nothing, and Ctrl-C has it hurry."""

    async def end() -> bool:
        hurried = asyncio.Event()
        stop = take_signals()
        os.kill(os.getpid(), signal.SIGINT)
        await stop.wait(hurried.set)
        os.kill(os.getpid(), signal.SIGTERM)
        await asyncio.sleep(0)
        assert not hurried.is_set()
        os.kill(os.getpid(), signal.SIGINT)
        async with asyncio.timeout(10):
            return await hurried.wait()

    with asyncio.Runner(loop_factory=new_loop) as runner:
        assert runner.run(end())


@pytest.mark.parametrize("number", STOP_SIGNALS)
@pytest.mark.parametrize("places", LATE.values(), ids=LATE)
def test_late_signals(number: int, places: dict[str, str]) -> None:
    """However late it comes, a signal changes no exit code; but a third Ctrl-C ends at once what hangs, with 130."""
    ended = run_program(number, **places)
    is_ended = number == signal.SIGINT and "kill(); kill()" in "".join(places.values())
    expected = (130, "") if is_ended else (0, "ended\n")
    assert (ended.returncode, ended.stdout, ended.stderr) == (*expected, "")
