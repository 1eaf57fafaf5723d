"""The processes of a run: each on its core, and stopped while another is measured."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping, Sequence
    from pathlib import Path

PROXY_CORE, HARNESS_CORE = 0, 1
END_S = 5.0

SPINNER = """
import os, sys, time
os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
end_s = time.monotonic() + 900
while time.monotonic() < end_s and os.getppid() == int(sys.argv[1]): pass
"""
"""Keeps a core awake, and gives it to whoever wants it."""


class Processes:
    """All processes of a run, ended with it, as a context manager."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._started: dict[str, subprocess.Popen[bytes]] = {}

    def __enter__(self) -> Self:
        for core in (PROXY_CORE, HARNESS_CORE):
            self.start(f"spinner {core}", [sys.executable, "-S", "-c", SPINNER, str(os.getpid())], core)
            self.stop(f"spinner {core}")
        return self

    def __exit__(self, *_: object) -> None:
        for name in self._started:
            self._signal(name, signal.SIGCONT)
            self._signal(name, signal.SIGTERM)
        end_s = time.monotonic() + END_S
        for name, process in self._started.items():
            try:
                process.wait(max(0.05, end_s - time.monotonic()))
            except subprocess.TimeoutExpired:
                self._signal(name, signal.SIGKILL)
                process.wait()

    def start(
        self, name: str, command: Sequence[str], core: int, environment: Mapping[str, str] | None = None
    ) -> None:
        """Start a process on a core; what it writes goes to a file of its name."""
        with (self._folder / f"{name.replace(' ', '-')}.log").open("wb") as log:
            # A process group of its own, to signal it whole; a session of its own would be scheduled apart, and an
            # idle process only gives way within its own.
            process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                cwd=self._folder,
                env={**os.environ, **(environment or {})},
                process_group=0,
            )
        os.sched_setaffinity(process.pid, {core})
        self._started[name] = process

    def pid(self, name: str) -> int:
        """The id of a process."""
        return self._started[name].pid

    def stop(self, name: str) -> None:
        """Halt a process."""
        self._signal(name, signal.SIGSTOP)

    @contextmanager
    def running(self, *names: str) -> Generator[None]:
        """Let halted processes run for a while."""
        for name in names:
            self._signal(name, signal.SIGCONT)
        try:
            yield
        finally:
            for name in names:
                self.stop(name)

    def _signal(self, name: str, number: signal.Signals) -> None:
        with suppress(ProcessLookupError):
            os.killpg(self._started[name].pid, number)


SPINNERS = (f"spinner {PROXY_CORE}", f"spinner {HARNESS_CORE}")


def free_ports(count: int) -> list[int]:
    """Ports that nobody listens on."""
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [server.getsockname()[1] for server in sockets]
    for server in sockets:
        server.close()
    return ports
