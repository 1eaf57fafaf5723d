"""Tests of ``antigravity-proxy simulate``."""

from __future__ import annotations

import re
import socket
import urllib.request
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import pytest

from antigravity_proxy.cli import running
from antigravity_proxy.cli.loop import run
from antigravity_proxy.cli.simulate import DEFAULT_PORT, say_ready
from antigravity_proxy.errors import ServeError
from antigravity_proxy.proxy.settings import DEFAULT_PORT as SERVE_PORT
from antigravity_proxy.proxy.settings import load_settings
from antigravity_proxy.simulator.config import SimulatorConfig
from antigravity_proxy.simulator.server import Simulator

from .conftest import http_get

if TYPE_CHECKING:
    from .conftest import Command, WhileServing

EXPORT = re.compile(r"(ANTIGRAVITY_PROXY_\w+)=(\S+)")
CURL = re.compile(r"curl -s (\S+) > (\S+)")


def test_simulator_answers_until_it_is_stopped(command: Command, while_serving: WhileServing) -> None:
    """The simulator runs alone on the port it was given, and ends with 0."""
    results: list[Any] = []

    def serve(port: int) -> None:
        results.append((port, command("simulate", "--port", str(port), "--pace", "0")))

    (state,) = while_serving(serve, lambda port: http_get(port, "/simulator/state"))
    assert state["accounts"][0]["email"] == "ada@example.com"
    port, result = results[0]
    assert (result.exit_code, result.stdout) == (0, "")
    assert result.stderr.startswith(f"The simulator is ready at http://127.0.0.1:{port}\n")


def test_instructions_put_it_in_googles_place(
    command: Command,
    while_serving: WhileServing,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    home: Path,
) -> None:
    """Whoever follows the instructions has a proxy for the simulator, and nothing of it in his own home."""
    scratch = tmp_path / "scratch"
    scratch.mkdir()

    def follow(port: int) -> str:
        say_ready(f"http://127.0.0.1:{port}")
        lines = capsys.readouterr().err.replace("$(mktemp -d)", str(scratch))
        lines = lines.replace("$ANTIGRAVITY_PROXY_HOME", str(scratch))
        for name, value in EXPORT.findall(lines):
            monkeypatch.setenv(name, value)
        for url, file in CURL.findall(lines):
            with urllib.request.urlopen(url) as response:  # noqa: S310 -- the simulator of this test
                Path(file).write_bytes(response.read())
        last_but_one, last = [line.split() for line in lines.splitlines()][-2:]
        assert last == ["antigravity-proxy", "serve"]
        assert last_but_one[0] == "antigravity-proxy"
        return command(*last_but_one[1:]).stdout

    (said,) = while_serving(lambda port: run(running.simulate(port, 0, lambda _: None)), follow)
    assert "Saved a***a@example.com" in said
    settings = load_settings()
    assert settings.home == scratch
    assert str(settings.base_url).startswith("http://127.0.0.1:")
    assert settings.oauth_client_file == scratch / "client.json"
    assert not home.exists()


def test_taken_port_is_a_failure(command: Command) -> None:
    """A port that is in use is one sentence, as for the server."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        result = command("simulate", "--port", str(port))
    assert isinstance(result.exception, ServeError)
    assert str(result.exception).startswith(f"127.0.0.1:{port} is in use")


async def test_port_of_another_simulator_is_told() -> None:
    """Where a simulator has the port already, that is said, as it can be used instead."""
    async with Simulator(SimulatorConfig()) as simulator:
        port = urlsplit(simulator.base_url).port or 0
        with pytest.raises(ServeError, match="a simulator runs there already"):
            await running.simulate(port, 0, lambda _: None)


def test_ports_differ() -> None:
    """The simulator and the server can run side by side without any flag."""
    assert DEFAULT_PORT != SERVE_PORT


@pytest.mark.parametrize("port", ["-1", "65536", "x"])
def test_port_must_be_one(command: Command, port: str) -> None:
    """What is no port is a usage error."""
    assert command("simulate", "--port", port).exit_code == 2
