"""Tests of servers that run until they are told to stop."""

from __future__ import annotations

import json
import os
import signal
import socket
import tempfile
from typing import TYPE_CHECKING

import pytest

from antigravity_proxy.cli import running
from antigravity_proxy.cli.loop import run
from antigravity_proxy.errors import ServeError
from antigravity_proxy.proxy import app
from antigravity_proxy.proxy.services import identity_of, open_store
from antigravity_proxy.proxy.settings import Settings, load_settings
from antigravity_proxy.simulator.config import SimulatorConfig
from antigravity_proxy.simulator.server import Simulator

from ..e2e.process import run_command
from .conftest import chat_request, talk

if TYPE_CHECKING:
    from pathlib import Path

    from .conftest import WhileServing

STALLING = chat_request("Hello there [[simulate stall after=3 seconds=60]]", stream=True)
FAILING = chat_request(
    "one two three four five [[simulate garbage after=4]] [[simulate slow pace=0.02]]", stream=True
)


class Announcement:
    """Keeps what was announced, and asks the process to stop."""

    def __init__(self, stop: int | None = signal.SIGTERM) -> None:
        self.said = running.Ready("", has_key=False)
        self._stop = stop

    def __call__(self, ready: running.Ready) -> None:
        """Take note."""
        self.said = ready
        if self._stop is not None:
            os.kill(os.getpid(), self._stop)


@pytest.fixture
def temp(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder for temporary files, for this test alone."""
    folder = tmp_path / "temp"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_either_signal_ends_a_server(number: int, home: Path) -> None:
    """Both ways to ask a process to stop end the server in an orderly way."""
    announce = Announcement(number)
    run(running.serve_google(load_settings(port=0), announce))
    assert announce.said.url.startswith("http://127.0.0.1:")
    assert announce.said == running.Ready(announce.said.url, has_key=False)
    assert not home.exists()


def test_server_says_whom_it_serves(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The announcement has the active account, masked, and whether a key is needed."""
    home.mkdir()
    record = {"access": "a", "refresh": "r", "expires": 1_900_000_000_000, "email": "ada@example.com"}
    (home / "accounts.json").write_text(json.dumps({"version": 2, "accounts": {"google:1": record, "google:2": 5}}))
    monkeypatch.setenv("ANTIGRAVITY_PROXY_API_KEY", "key")
    announce = Announcement()
    run(running.serve_google(load_settings(port=0), announce))
    assert (announce.said.account, announce.said.has_key) == ("a***a@example.com", True)
    assert "google:2 cannot be used" in str(announce.said.warning)


def test_simulated_server_leaves_no_trace(home: Path, temp: Path) -> None:
    """The made-up account lives in a temporary folder that is gone afterwards; the user's home is not touched."""
    folders: list[list[str]] = []

    class Looking(Announcement):
        def __call__(self, ready: running.Ready) -> None:
            folders.append([path.name for path in temp.iterdir()])
            super().__call__(ready)

    announce = Looking()
    run(running.serve_simulator(load_settings(port=0), 0, announce))
    assert len(folders[0]) == 1
    assert folders[0][0].startswith("antigravity-proxy-")
    assert list(temp.iterdir()) == []
    assert not home.exists()
    assert str(announce.said.simulator_url).startswith("http://127.0.0.1:")
    assert announce.said.account is None


def test_failing_announcement_leaves_no_trace(temp: Path) -> None:
    """Whatever ends the server, its temporary folder goes with it."""

    def fail(ready: running.Ready) -> None:
        raise BrokenPipeError(ready)

    with pytest.raises(BrokenPipeError):
        run(running.serve_simulator(load_settings(port=0), 0, fail))
    assert list(temp.iterdir()) == []


def test_taken_port_leaves_no_trace(temp: Path, unused_tcp_port: int) -> None:
    """A server that cannot listen leaves no folder behind."""

    async def serve_twice() -> None:
        async with Simulator(SimulatorConfig(port=unused_tcp_port)):
            await running.serve_simulator(load_settings(port=unused_tcp_port), 0, Announcement(None))

    with pytest.raises(ServeError, match="is in use"):
        run(serve_twice())
    assert list(temp.iterdir()) == []


async def test_simulated_settings_keep_what_is_about_clients(tmp_path: Path) -> None:
    """The simulator replaces Google, its login and the account; where and for whom to listen stays."""
    chosen = Settings(
        home=tmp_path / "mine",
        port=4711,
        api_key="key",  # type: ignore[arg-type]
        base_url="https://cloudcode-pa.googleapis.com",
        oauth_client_id="mine",
        oauth_client_secret="mine",  # type: ignore[arg-type]
        project_id="mine",
        keepalive=3,
    )
    async with Simulator(SimulatorConfig(pace_s=0)) as simulator:
        settings = running.simulated(chosen, simulator, tmp_path)
        kept = {"port", "api_key", "host", "keepalive", "first_byte_timeout", "idle_timeout", "user_agent"}
        assert all(getattr(settings, name) == getattr(chosen, name) for name in kept)
        assert settings.base_url == simulator.base_url
        assert settings.project_id is None
        assert identity_of(settings).token_uri == f"{simulator.base_url}/token"
        assert identity_of(settings).client_id == simulator.config.client_id
        (account,) = open_store(settings.home).read().accounts
        assert account.email == running.DEMO_EMAIL
    assert not (tmp_path / "mine").exists()


def serve_simulated(port: int) -> None:
    """Serve the simulator in the loop that commands run in."""
    run(running.serve_simulator(load_settings(port=port), 0, Announcement(None)))


def test_stop_breaks_a_running_stream(while_serving: WhileServing) -> None:
    """A stream that goes on when the process is told to stop is broken off, and told why."""

    def read(port: int) -> bytes:
        return talk(port, STALLING, at=b"Hello", then=lambda: os.kill(os.getpid(), signal.SIGTERM))

    (received,) = while_serving(serve_simulated, read)
    assert received.startswith(b"HTTP/1.1 200 OK\r\n")
    assert b'"code":"server_stopping"' in received
    assert b"[DONE]" not in received
    assert not received.endswith(b"0\r\n\r\n")


@pytest.mark.parametrize(("request_bytes", "is_whole"), [(FAILING, False), (chat_request("Hi", stream=True), True)])
def test_stream_ends_honestly_in_the_fast_loop(
    while_serving: WhileServing, request_bytes: bytes, *, is_whole: bool
) -> None:
    """In the loop of the real server too, only a whole answer has a proper end."""
    (received,) = while_serving(serve_simulated, lambda port: talk(port, request_bytes))
    assert received.endswith(b"data: [DONE]\n\n\r\n0\r\n\r\n") is is_whole
    assert (b'{"error":' in received) is not is_whole


def test_process_stops_with_zero_while_a_stream_runs(tmp_path: Path) -> None:
    """The real process ends with 0 after SIGTERM, also while it streams, and says nothing more."""
    with run_command("serve", "--simulate", "--port", "0", "--pace", "0", home=tmp_path / "home") as served:
        port = int(served.url.split(":")[2].split("/")[0])
        talk(port, STALLING, at=b"Hello", then=served.process.terminate)
        assert served.process.wait(30) == 0
    assert served.lines[-1] == f"antigravity-proxy is ready at {served.url}\n"
    assert not (tmp_path / "home").exists()


def test_process_stops_with_zero_when_it_is_told_twice(tmp_path: Path) -> None:
    """A second SIGTERM while a server ends changes nothing: the stream has its time, and the exit code is 0."""

    def stop_twice() -> None:
        served.process.terminate()
        served.process.terminate()

    with run_command("serve", "--simulate", "--port", "0", "--pace", "0", home=tmp_path / "home") as served:
        port = int(served.url.split(":")[2].split("/")[0])
        received = talk(port, STALLING, at=b"Hello", then=stop_twice)
        assert b'"code":"server_stopping"' in received
        assert served.process.wait(30) == 0
    assert served.lines[-1] == f"antigravity-proxy is ready at {served.url}\n"


def test_second_ctrl_c_gives_streams_no_more_time(
    while_serving: WhileServing, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ctrl-C while a server ends has it end its streams at once, and tell them why."""
    monkeypatch.setattr(app, "GRACE_S", 3_600)

    def read(port: int) -> bytes:
        return talk(port, STALLING, at=b"Hello", then=lambda: interrupt_twice(port))

    (received,) = while_serving(serve_simulated, read)
    assert b'"code":"server_stopping"' in received


def interrupt_twice(port: int) -> None:
    """Press Ctrl-C, and once more when nobody listens any more, which is the first thing that a stop does."""
    os.kill(os.getpid(), signal.SIGINT)
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except OSError:
            break
    os.kill(os.getpid(), signal.SIGINT)
