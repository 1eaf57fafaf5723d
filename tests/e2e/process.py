"""The real command, run as a process of its own."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import threading
from contextlib import contextmanager
from dataclasses import dataclass, field
from queue import Empty, Queue
from typing import TYPE_CHECKING, TypeAlias

from ..complaints import check_complaints
from .clients import download
from .simulator_control import SimulatorControl

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

Ended: TypeAlias = "subprocess.CompletedProcess[str]"
START_TIMEOUT_S = 30.0
STOP_TIMEOUT_S = 15.0
PROGRAM_TIMEOUT_S = 60.0
READY = re.compile(r"ready at (http://\S+)")
SIMULATOR = re.compile(r"Simulator: (http://\S+)")
OWN_VARIABLES = ("ANTIGRAVITY_PROXY_", "DSH_ANTIGRAVITY_", "OPENAI_", "XDG_")
"""Beginnings of the names by which the command, its clients and the platform's folders are set up."""

PROXY_VARIABLES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY")


@dataclass
class Running:
    """A running command.

    Attributes:
        process: the process.
        lines: what it has written so far, to stdout or stderr.
        url: what it said it is ready at.
    """

    process: subprocess.Popen[str]
    lines: list[str] = field(default_factory=list)
    url: str = ""

    @property
    def simulator_url(self) -> str:
        """Where the embedded simulator is."""
        found = SIMULATOR.search("".join(self.lines))
        assert found is not None, self.lines
        return found[1]

    def stop(self) -> int:
        """Ask it to stop and give its exit code."""
        self.process.terminate()
        return self.process.wait(STOP_TIMEOUT_S)


def command_environment(home: Path, extra: Mapping[str, str] | None = None) -> dict[str, str]:
    """An environment in which nothing of the developer's own set-up shows."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(OWN_VARIABLES) and name.upper() not in PROXY_VARIABLES
    }
    return {**kept, "HOME": str(home), "ANTIGRAVITY_PROXY_HOME": str(home), **(extra or {})}


@contextmanager
def run_command(*arguments: str, home: Path, extra: Mapping[str, str] | None = None) -> Iterator[Running]:
    """Run ``antigravity-proxy`` with some arguments until the block ends; ready when it says so.

    If it still runs then, its simulator must have had nothing against what it was sent.
    """
    process = subprocess.Popen(
        [sys.executable, "-m", "antigravity_proxy", *arguments],
        env=command_environment(home, extra),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    running = Running(process)
    ready: Queue[str] = Queue()
    reader = threading.Thread(target=_read, args=(running, ready), daemon=True)
    reader.start()
    try:
        try:
            running.url = ready.get(timeout=START_TIMEOUT_S)
        except Empty:
            raise AssertionError(f"not ready: {running.lines}") from None
        assert running.url, f"ended early: {running.lines}"
        yield running
        if process.poll() is None and SIMULATOR.search("".join(running.lines)) is not None:
            check_complaints(SimulatorControl(running.simulator_url).requests())
    finally:
        if process.poll() is None:
            running.stop()
        reader.join(STOP_TIMEOUT_S)
        assert process.stdout is not None
        process.stdout.close()


def _read(running: Running, ready: Queue[str]) -> None:
    assert running.process.stdout is not None
    for line in running.process.stdout:
        running.lines.append(line)
        if (found := READY.search(line)) is not None:
            ready.put(found[1])
    ready.put("")


def run_once(*arguments: str, home: Path, extra: Mapping[str, str] | None = None) -> Ended:
    """Run ``antigravity-proxy`` to its end."""
    return run_program(sys.executable, "-m", "antigravity_proxy", *arguments, home=home, extra=extra)


def save_account(served: Running, home: Path) -> dict[str, str]:
    """Save an account of a running simulator, as a user does, and give the settings with which it is served."""
    for name in ("client", "accounts"):
        download(f"{served.simulator_url}/simulator/{name}.json", home / f"{name}.downloaded")
    extra = {
        "ANTIGRAVITY_PROXY_BASE_URL": served.simulator_url,
        "ANTIGRAVITY_PROXY_OAUTH_CLIENT_FILE": str(home / "client.downloaded"),
    }
    imported = run_once("accounts", "import", str(home / "accounts.downloaded"), home=home, extra=extra)
    assert imported.returncode == 0, imported.stderr
    return extra


def run_program(*command: str, home: Path, extra: Mapping[str, str] | None = None) -> Ended:
    """Run any program to its end, in the environment in which the command runs."""
    return subprocess.run(
        command,
        env=command_environment(home, extra),
        capture_output=True,
        text=True,
        timeout=PROGRAM_TIMEOUT_S,
        check=False,
    )
