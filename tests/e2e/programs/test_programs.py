"""Each program, pointed at the proxy by ``provision``, asks a prompt and has one of its tools called."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from .desk import WORD
from .table import AIDER, MODEL, PROGRAMS

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..simulator_control import SimulatorControl
    from .desk import Desk
    from .table import Program

PROMPT = "Hello from a real program"
CALLERS = tuple(program for program in PROGRAMS if program.tool is not None)
ANSWERED = "no Google model was asked"

pytestmark = pytest.mark.programs


def last_parts(request: dict[str, Any]) -> list[dict[str, Any]]:
    """The parts of the last turn of a generation."""
    parts: list[dict[str, Any]] = request["request"]["contents"][-1]["parts"]
    return parts


def named(program: Program) -> str:
    """The id of a test."""
    return program.name


@pytest.mark.parametrize("program", PROGRAMS, ids=named)
def test_prompt(program: Program, open_desk: Callable[[Program], Desk], simulator: SimulatorControl) -> None:
    """The prompt arrives at Google's side for the chosen model, and its answer comes out of the program."""
    ended = open_desk(program).ask(PROMPT)
    asked = [
        request
        for request in simulator.generations()
        if any(PROMPT in part.get("text", "") for part in last_parts(request))
    ]
    assert asked, ended
    assert all(request["model"].startswith(MODEL) for request in asked)
    assert ended.returncode == 0, ended.stderr
    assert ANSWERED in " ".join(ended.stdout.split()), ended


@pytest.mark.parametrize("program", CALLERS, ids=named)
def test_tool_round_trip(program: Program, open_desk: Callable[[Program], Desk], simulator: SimulatorControl) -> None:
    """The program runs its tool when the model calls it, what the tool read goes back, and the answer comes out."""
    ended = open_desk(program).ask_for_the_note()
    results = [
        part["functionResponse"]
        for request in simulator.generations()
        for part in last_parts(request)
        if "functionResponse" in part
    ]
    assert program.tool is not None
    assert [result["name"] for result in results] == [program.tool.function], ended
    assert WORD in str(results[0]["response"])
    assert ended.returncode == 0, ended.stderr
    assert ANSWERED in " ".join(ended.stdout.split()), ended
    assert WORD in ended.stdout


def test_edit(open_desk: Callable[[Program], Desk]) -> None:
    """Aider, which gives no tools to the model, applies the edit that the model answers with."""
    desk = open_desk(AIDER)
    ended = desk.ask('Change it. [[simulate text text="note.txt\n```\nplugh\n```\n"]]')
    assert ended.returncode == 0, ended.stderr
    assert desk.note.read_text(encoding="utf-8") == "plugh\n", ended
