"""The commands inside the test, with a home of their own, and clients for the servers they run."""

from __future__ import annotations

import json
import logging
import os
import signal
import socket
import threading
import time
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

import pytest
from typer.testing import CliRunner

from antigravity_proxy.cli.main import app
from antigravity_proxy.proxy import neighbour

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from typer.testing import Result

OWN_VARIABLES = ("ANTIGRAVITY_PROXY_", "DSH_ANTIGRAVITY_")
HARNESS_VARIABLES = (
    "CONFIG_FILE_PATH", "CONFIG_PATH", "CONTINUE_GLOBAL_DIR", "DSH_HOME", "GOOSE_PATH_ROOT", "HERMES_HOME",
    "HERMES_MANAGED", "LLM_USER_PATH", "OPENCODE_CONFIG", "PI_CODING_AGENT_DIR", "XDG_CONFIG_HOME",
)  # fmt: skip
PROXY_VARIABLES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY")
START_TIMEOUT_S = 10.0
JOIN_TIMEOUT_S = 10.0

T = TypeVar("T")
Command: TypeAlias = "Callable[..., Result]"
WhileServing: TypeAlias = "Callable[..., list[Any]]"


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty home folder that does not exist yet; nothing of the developer's own settings reaches a test."""
    for name in tuple(os.environ):
        if name.startswith(OWN_VARIABLES) or name in HARNESS_VARIABLES or name.upper() in PROXY_VARIABLES:
            monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path / "user"))
    folder = tmp_path / "home"
    monkeypatch.setenv("ANTIGRAVITY_PROXY_HOME", str(folder))
    return folder


@pytest.fixture(autouse=True)
def _own_logging(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """What a command does to the log ends with the test."""
    root = logging.getLogger()
    level = root.level
    monkeypatch.setattr(root, "handlers", [])
    root.setLevel(logging.WARNING)
    yield
    root.setLevel(level)


@pytest.fixture(autouse=True)
def _own_signals() -> Iterator[None]:
    """Signal handlers that a command leaves behind end with the test."""
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.fixture
def nobody_serves(monkeypatch: pytest.MonkeyPatch) -> None:
    """No proxy runs, not even one of the developer's own at the usual port."""

    async def ask_nobody(_base_url: str, _key: str | None) -> None:
        pass

    monkeypatch.setattr(neighbour, "ask_models", ask_nobody)


@pytest.fixture
def command() -> Command:
    """Runs one command, with something typed into it, and gives what it wrote and its exit code."""

    def run(*arguments: str, typed: str = "") -> Result:
        forget_logging()
        return CliRunner().invoke(app, arguments, input=typed)

    return run


@pytest.fixture
def while_serving(unused_tcp_port: int) -> WhileServing:
    """Runs something that serves on a port, and meanwhile an action on it; then asks it to stop.

    The action and the stop happen in a thread; what the action returns is the only element of the result.
    """

    def run(serve: Callable[[int], Any], action: Callable[[int], T], *, stop: int = signal.SIGTERM) -> list[T]:
        results: list[T] = []

        def act() -> None:
            try:
                wait_for_port(unused_tcp_port)
                results.append(action(unused_tcp_port))
            finally:
                os.kill(os.getpid(), stop)

        thread = threading.Thread(target=act)
        thread.start()
        try:
            serve(unused_tcp_port)
        finally:
            thread.join(JOIN_TIMEOUT_S)
        assert results, "the action failed"
        return results

    return run


def forget_logging() -> None:
    """Leave the log as it is in a process that has just begun, for a command to set it up."""
    logging.getLogger().handlers.clear()


def wait_for_port(port: int) -> None:
    """Wait until somebody listens."""
    deadline = time.monotonic() + START_TIMEOUT_S
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except OSError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.01)
        else:
            return


def http_get(port: int, path: str) -> Any:
    """The parsed answer to a GET."""
    return json.loads(
        talk(port, f"GET {path} HTTP/1.0\r\nHost: localhost\r\n\r\n".encode()).partition(b"\r\n\r\n")[2]
    )


def chat_request(text: str, **options: Any) -> bytes:
    """A chat request as bytes."""
    message = {"role": "user", "content": text}
    body = json.dumps({"model": "gemini-3.8-flash", "messages": [message], **options}).encode()
    head = (
        "POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body


def talk(port: int, request: bytes, *, at: bytes | None = None, then: Callable[[], None] | None = None) -> bytes:
    """Everything that comes back for a request; when a mark has come, something is done before reading on."""
    received = b""
    with socket.create_connection(("127.0.0.1", port), timeout=JOIN_TIMEOUT_S) as client:
        client.sendall(request)
        while data := client.recv(65_536):
            received += data
            if at is not None and then is not None and at in received:
                then()
                at = None
    return received
