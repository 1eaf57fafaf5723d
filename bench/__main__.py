"""``make bench``: measure everything side by side, and print the table; exit 1 when an answer of ours was wrong."""

from __future__ import annotations

import argparse
import asyncio
import os
import resource
import signal
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

import uvloop

from .cells import CELLS, Cell
from .check import WrongAnswerError
from .load import Load
from .processes import HARNESS_CORE, PROXY_CORE, SPINNERS, Processes, free_ports
from .programs import Program, programs
from .report import is_noisy, to_table
from .scenario import Scenario

if TYPE_CHECKING:
    from .load import Measured

START_S = 60.0
TIME_S = 540.0
"""After this time each cell is measured once."""

MAX_REPEATS = 4
SIGN_OF_LIFE = Cell(Scenario(3), max_requests=1)
WARM_UP = Cell(Scenario(20), 4, max_s=1, max_requests=150)
"""The first hundred requests of a Python process cost half as much again."""


class Run:
    """One run.

    Args:
        processes: those that are up.
        measured: the programs, all of them halted.
    """

    def __init__(self, processes: Processes, measured: list[Program]) -> None:
        self._processes = processes
        self._programs = measured
        self.rounds: dict[tuple[str, str], list[Measured]] = {}
        self.wrong: dict[tuple[str, str], str] = {}

    async def measure(self, name: str, until_s: float) -> None:
        """Measure a cell: rounds of all targets in turn, more when they are noisy and there is time."""
        cell = CELLS[name]
        for index in range(cell.rounds + MAX_REPEATS):
            is_late = time.monotonic() > until_s
            is_enough = index >= cell.rounds and (name == "idle" or not is_noisy(name, self.rounds))
            if index and (is_late or is_enough):
                return
            await self._round(name, index)

    async def _round(self, name: str, index: int) -> None:
        first = index % len(self._programs)
        for program in self._programs[first:] + self._programs[:first]:
            await self._measure_one(name, index, program)

    async def _measure_one(self, name: str, index: int, program: Program) -> None:
        cell, target = CELLS[name], program.target
        most = cell.rough_rounds if target.is_rough else cell.rounds + MAX_REPEATS
        if index >= most or (name, target.name) in self.wrong or (name == "idle" and program.command is None):
            return
        is_awake = cell.is_awake and not target.is_rough
        try:
            measured = await ask(self._processes, program, cell, *(SPINNERS if is_awake else ()))
        except WrongAnswerError as exc:
            self.wrong[name, target.name] = str(exc)
            say(f"  {target.name}, {name}: {exc}")
        else:
            self.rounds.setdefault((name, target.name), []).append(measured)


async def ask(processes: Processes, program: Program, cell: Cell, *others: str) -> Measured:
    """Measure one cell on one program, while it and some others run.

    Raises:
        WrongAnswerError: an answer was wrong, or none came.
    """
    upstream_pid, name = processes.pid("upstream"), program.target.name
    if program.command is None:
        return await Load(cell, program.target).run(None, upstream_pid)
    with processes.running(name, *others):
        return await Load(cell, program.target).run(processes.pid(name), upstream_pid)


async def start(processes: Processes, program: Program) -> str | None:
    """Start a program, warm it up, and halt it; why it gives no right answer, if it gives none."""
    target, upstream_pid = program.target, processes.pid("upstream")
    if program.command is not None:
        processes.start(target.name, program.command, PROXY_CORE, program.environment)
    until_s = time.monotonic() + START_S
    while True:
        try:
            await Load(SIGN_OF_LIFE, target).run(None, upstream_pid)
            await Load(WARM_UP, target).run(None, upstream_pid)
        except WrongAnswerError as exc:
            if time.monotonic() > until_s:
                return str(exc)
            await asyncio.sleep(0.25)
        else:
            if program.command is not None:
                processes.stop(target.name)
            return None


async def main(cells: list[str], folder: Path, *, with_peers: bool) -> int:
    """Measure some cells, and print the table."""
    until_s = time.monotonic() + TIME_S
    (port,) = free_ports(1)
    with Processes(folder) as processes:
        command = (sys.executable, "-m", f"{__package__}.upstream", "--port", str(port))
        processes.start("upstream", command, HARNESS_CORE)
        found = programs(f"http://127.0.0.1:{port}", folder, with_peers=with_peers)
        failures = {program.target.name: await start(processes, program) for program in found}
        run = Run(processes, [program for program in found if failures[program.target.name] is None])
        for cell in cells:
            started_s = time.monotonic()
            await run.measure(cell, until_s)
            say(f"{cell}: {time.monotonic() - started_s:.0f} s")
    print(to_table([program.target.name for program in found], run.rounds, run.wrong))
    for (cell, name), why in run.wrong.items():
        print(f"WRONG: {name}, {cell}: {why[:300]}")
    for name, failure in failures.items():
        if failure is not None:
            print(f"NOT MEASURED: {name}: {failure[:300]}")
    ours = {program.target.name for program in found if program.target.is_ours}
    return int(any(name in ours for _, name in run.wrong) or any(failures[name] is not None for name in ours))


def say(text: str) -> None:
    """Tell how far the run is."""
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="make bench", description="Measure the server beside relays and gateways.")
    parser.add_argument("--no-peers", action="store_true", help="leave other gateways out")
    parser.add_argument("--cells", default=",".join(CELLS), help=f"of {', '.join(CELLS)}")
    options = parser.parse_args()
    os.sched_setaffinity(0, {HARNESS_CORE})
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # so that whoever ends the run ends all its processes
    _, most_files = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(16_384, most_files), most_files))
    with tempfile.TemporaryDirectory(prefix="bench-") as folder_name:
        sys.exit(uvloop.run(main(options.cells.split(","), Path(folder_name), with_peers=not options.no_peers)))
