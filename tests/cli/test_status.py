"""Tests of ``antigravity-proxy status``."""

from __future__ import annotations

import subprocess
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import TYPE_CHECKING, Any

import pytest

from antigravity_proxy import __version__
from antigravity_proxy.cli import status
from antigravity_proxy.errors import SettingsError

from .conftest import wait_for_port

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from .conftest import Command

STOP_TIMEOUT_S = 15.0


@pytest.fixture
def port(monkeypatch: pytest.MonkeyPatch, unused_tcp_port: int) -> int:
    """Where the settings say that the server is."""
    monkeypatch.setenv("ANTIGRAVITY_PROXY_PORT", str(unused_tcp_port))
    return unused_tcp_port


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[subprocess.Popen[bytes]]]:
    """The processes that a command starts and leaves running; they end with the test."""
    processes: list[subprocess.Popen[bytes]] = []

    class Kept(subprocess.Popen[bytes]):
        def __init__(self, *args: Any, **options: Any) -> None:
            super().__init__(*args, **options)
            processes.append(self)

    monkeypatch.setattr(subprocess, "Popen", Kept)
    yield processes
    for process in processes:
        process.terminate()
        process.wait(STOP_TIMEOUT_S)


@pytest.mark.parametrize(("option", "setting"), [((), "true"), (("--autostart",), "false")], ids=["asked", "allowed"])
def test_nobody_runs(
    command: Command, monkeypatch: pytest.MonkeyPatch, port: int, home: Path, option: tuple[str, ...], setting: str
) -> None:
    """Without a server the exit code is 1; none is started unless that is asked for and allowed, which is told."""
    monkeypatch.setenv("ANTIGRAVITY_PROXY_AUTOSTART", setting)
    result = command("status", *option)
    assert (result.exit_code, result.stdout) == (1, "")
    how = f" (or set autostart = true in {home}/config.toml, and it is started for you)" if option else ""
    assert result.stderr == (
        f"No antigravity-proxy runs at http://127.0.0.1:{port}/v1. Start it: antigravity-proxy serve{how}\n"
    )


def test_server_is_started_once(
    command: Command, monkeypatch: pytest.MonkeyPatch, port: int, started: list[subprocess.Popen[bytes]]
) -> None:
    """A server is started in the background, without the simulator, and found the next time."""
    monkeypatch.setenv("ANTIGRAVITY_PROXY_AUTOSTART", "true")
    results = [command("status", "--autostart") for _ in range(2)]
    (process,) = started
    assert process.args == [*process.args[:3], "serve", "--no-simulate", "--port", str(port)]  # type: ignore[index]
    for result in results:
        assert (result.exit_code, result.stderr) == (0, "")
        assert result.stdout == (
            f"antigravity-proxy {__version__} runs at http://127.0.0.1:{port}/v1 as process {process.pid}.\n"
        )


def test_server_that_cannot_start_is_not_waited_for(
    command: Command, monkeypatch: pytest.MonkeyPatch, port: int, started: list[subprocess.Popen[bytes]]
) -> None:
    """A server that finds its port taken by another program ends, and with it the wait."""
    monkeypatch.setenv("ANTIGRAVITY_PROXY_AUTOSTART", "true")
    with HTTPServer(("127.0.0.1", port), BaseHTTPRequestHandler) as other:
        threading.Thread(target=other.serve_forever, daemon=True).start()
        result = command("status", "--autostart")
        other.shutdown()
    assert (result.exit_code, result.stdout) == (1, "")
    assert [process.poll() for process in started] == [1]


def test_server_that_was_started_meanwhile_is_found(
    command: Command, monkeypatch: pytest.MonkeyPatch, port: int, started: list[subprocess.Popen[bytes]]
) -> None:
    """When two commands start a server at the same moment, both find the one that has the port."""
    monkeypatch.setenv("ANTIGRAVITY_PROXY_AUTOSTART", "true")
    start = status.start_server

    def start_late(port: int) -> subprocess.Popen[bytes]:
        start(port)
        wait_for_port(port)
        late = start(port)
        late.wait(STOP_TIMEOUT_S)
        return late

    monkeypatch.setattr(status, "start_server", start_late)
    result = command("status", "--autostart")
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout.endswith(f"as process {started[0].pid}.\n")


def test_port_that_changes_is_refused(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    """A server on a port that is picked anew each time cannot be found."""
    monkeypatch.setenv("ANTIGRAVITY_PROXY_PORT", "0")
    assert isinstance(command("status").exception, SettingsError)


def test_port_can_be_named(command: Command, unused_tcp_port: int) -> None:
    """A server is looked for at the named port, and the advice names it."""
    result = command("status", "--port", str(unused_tcp_port))
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr == (
        f"No antigravity-proxy runs at http://127.0.0.1:{unused_tcp_port}/v1. "
        f"Start it: antigravity-proxy serve --port {unused_tcp_port}\n"
    )
