"""Tests of ``antigravity-proxy serve``."""

from __future__ import annotations

import asyncio
import json
import re
import socket
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pytest

from antigravity_proxy.cli.running import Ready
from antigravity_proxy.cli.serve import announce, is_simulated
from antigravity_proxy.errors import ServeError, SettingsError
from antigravity_proxy.proxy.settings import load_settings
from antigravity_proxy.simulator.config import SimulatorConfig
from antigravity_proxy.simulator.server import Simulator

from .conftest import chat_request, http_get, talk

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from .conftest import Command, WhileServing

KEY = "key-canary-41"
URL = "http://127.0.0.1:51122/v1"


@contextmanager
def simulator_thread() -> Iterator[Simulator]:
    """A simulator in a loop and thread of its own."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    simulator = Simulator(SimulatorConfig(pace_s=0))
    try:
        asyncio.run_coroutine_threadsafe(simulator.start(), loop).result(5)
        yield simulator
        asyncio.run_coroutine_threadsafe(simulator.stop(), loop).result(5)
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


def save_account(home: Path) -> None:
    """Save an account of a simulator that does not run."""
    home.mkdir(exist_ok=True)
    record = {"access": "a", "refresh": "r", "expires": 1_900_000_000_000, "email": "ada@example.com"}
    (home / "accounts.json").write_text(json.dumps({"version": 2, "accounts": {"google:1": record}}))


@pytest.mark.parametrize(
    ("accounts", "base_url", "expected"),
    [
        ("none", None, True),
        ("none", "http://127.0.0.1:1", False),
        ("one", None, False),
        ("one", "http://127.0.0.1:1", False),
        ("damaged", None, False),
        ("newer", None, False),
    ],
)
def test_simulator_stands_in_only_for_a_newcomer(
    home: Path, accounts: str, base_url: str | None, *, expected: bool
) -> None:
    """The simulator answers unasked when no account is saved, no upstream was chosen and the file is readable."""
    if accounts == "one":
        save_account(home)
    elif accounts != "none":
        home.mkdir()
        (home / "accounts.json").write_text("{" if accounts == "damaged" else '{"version": 9}')
    assert is_simulated(load_settings(base_url=base_url)) is expected


def test_newcomer_is_served_by_the_simulator(command: Command, while_serving: WhileServing, home: Path) -> None:
    """Without any set-up the server answers from the simulator, says so, and leaves the home untouched."""
    results: list[Any] = []

    def serve(port: int) -> None:
        results.append(command("serve", "--port", str(port), "--pace", "0"))

    (answer,) = while_serving(serve, lambda port: talk(port, chat_request("Hello")))
    assert b"You said: Hello" in answer
    result = results[0]
    assert (result.exit_code, result.stdout) == (0, "")
    assert "No account is saved, so the built-in simulator answers" in result.stderr
    assert "made up by a program" in result.stderr
    assert not home.exists()


@pytest.mark.parametrize("flag", ["--simulate", "--no-simulate"])
def test_flag_decides_who_answers(command: Command, while_serving: WhileServing, home: Path, flag: str) -> None:
    """With an account the simulator answers only if asked for; without one it can be refused."""
    if flag == "--simulate":
        save_account(home)
    before = sorted(home.rglob("*")) if home.exists() else []
    results: list[Any] = []

    def serve(port: int) -> None:
        results.append(command("serve", flag, "--port", str(port), "--pace", "0"))

    (answer,) = while_serving(serve, lambda port: talk(port, chat_request("Hello")))
    assert results[0].exit_code == 0
    if flag == "--simulate":
        assert b"You said: Hello" in answer
        assert "No account is saved" not in results[0].stderr
        assert "leave --simulate out" in results[0].stderr
    else:
        assert b'"code":"no_account"' in answer
        assert "Serving the subscription of the account that is imported next." in results[0].stderr
    assert (sorted(home.rglob("*")) if home.exists() else []) == before


def test_saved_account_is_served(command: Command, while_serving: WhileServing, home: Path) -> None:
    """With an account saved, requests are sent with it to the upstream that was chosen."""
    results: list[Any] = []

    def serve(port: int) -> None:
        results.append(command("serve", "--port", str(port)))

    with simulator_thread() as simulator:
        home.mkdir()
        (home / "accounts.json").write_text(json.dumps(simulator.accounts_document("ben@example.com")))
        (home / "client.json").write_text(json.dumps(simulator.client_document()))
        (home / "config.toml").write_text(
            f'base_url = "{simulator.base_url}"\noauth_client_file = "{home / "client.json"}"\n'
        )
        (answer,) = while_serving(serve, lambda port: talk(port, chat_request("Hello")))
        assert b"You said: Hello" in answer
        assert {entry["account"] for entry in simulator.requests()} == {"ben@example.com"}
    assert "Serving the subscription of b***n@example.com." in results[0].stderr
    assert "imulator" not in results[0].stderr


@pytest.mark.parametrize("flag", ["--simulate", "--no-simulate"])
def test_taken_port_is_a_failure(command: Command, flag: str) -> None:
    """A port that is in use ends the command with one sentence, whoever was to answer."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        result = command("serve", flag, "--port", str(port))
    assert isinstance(result.exception, ServeError)
    assert str(result.exception).startswith(f"127.0.0.1:{port} is in use")
    assert result.output == ""


def test_wrong_host_is_a_failure(command: Command) -> None:
    """Listening to other machines without a key is refused before anything starts."""
    result = command("serve", "--host", "0.0.0.0")  # noqa: S104 -- refused
    assert isinstance(result.exception, SettingsError)
    assert "set ANTIGRAVITY_PROXY_API_KEY" in str(result.exception)


def test_status_is_that_of_the_made_up_account(command: Command, while_serving: WhileServing) -> None:
    """While the simulator answers, the page shows its account."""
    (status,) = while_serving(
        lambda port: command("serve", "--simulate", "--port", str(port)), lambda port: http_get(port, "/api/status")
    )
    assert [entry["account"] for entry in status["accounts"]] == ["a***a@example.com"]


def program_in(shown: str) -> str:
    """The program of an announcement, as it would be copied."""
    return shown.partition("the package openai:\n\n")[2].partition("\n\n")[0]


def test_announcement_can_be_pasted(capsys: pytest.CaptureFixture[str]) -> None:
    """What is printed is a call, a program and the URL; the last line says that the server is ready."""
    announce(Ready(URL, has_key=False, account="a***a@example.com"))
    captured = capsys.readouterr()
    assert captured.out == ""
    lines = captured.err.splitlines()
    assert lines[0] == "Serving the subscription of a***a@example.com."
    assert lines[-1] == f"antigravity-proxy is ready at {URL}"
    compile(program_in(captured.err), "program", "exec")
    assert f'OpenAI(base_url="{URL}", api_key="local")' in program_in(captured.err)
    (body,) = re.findall(r"-d '(.*)'", captured.err)
    assert json.loads(body)["stream"] is True
    assert "Authorization" not in captured.err


def test_announcement_names_the_key_by_its_variable(capsys: pytest.CaptureFixture[str]) -> None:
    """With a key set the call and the program take it from where it is, and do not show what it is."""
    announce(Ready(URL, has_key=True))
    shown = capsys.readouterr().err
    compile(program_in(shown), "program", "exec")
    assert program_in(shown).startswith("import os\n")
    assert f'OpenAI(base_url="{URL}", api_key=os.environ["ANTIGRAVITY_PROXY_API_KEY"])' in shown
    assert '-H "Authorization: Bearer $ANTIGRAVITY_PROXY_API_KEY"' in shown
    assert "Serving the subscription of the account that is imported next." in shown


def test_announcement_tells_of_a_warning(capsys: pytest.CaptureFixture[str]) -> None:
    """What is wrong with the saved accounts comes first."""
    announce(Ready(URL, has_key=False, warning="accounts.json is damaged."))
    assert capsys.readouterr().err.startswith("accounts.json is damaged.\n")


@pytest.mark.parametrize("is_asked_for", [False, True])
def test_announcement_says_who_answers(capsys: pytest.CaptureFixture[str], *, is_asked_for: bool) -> None:
    """When the simulator answers, it is said why, where it is and how to change that."""
    announce(Ready(URL, has_key=False, simulator_url="http://127.0.0.1:1"), is_asked_for=is_asked_for)
    shown = capsys.readouterr().err
    assert "\nSimulator: http://127.0.0.1:1\n" in shown
    assert "made up by a program, not by a model" in shown
    assert ("No account is saved" in shown) is not is_asked_for
    assert ("antigravity-proxy login" in shown) is not is_asked_for


def test_key_is_never_printed(command: Command, while_serving: WhileServing, monkeypatch: pytest.MonkeyPatch) -> None:
    """A server with a key asks for it, and prints it nowhere, however much it logs."""
    monkeypatch.setenv("ANTIGRAVITY_PROXY_API_KEY", KEY)
    results: list[Any] = []

    def serve(port: int) -> None:
        results.append(command("--debug", "serve", "--simulate", "--port", str(port)))

    request = chat_request("Hello").replace(b"Host:", b"x-api-key: %s\r\nHost:" % KEY.encode())
    (answers,) = while_serving(serve, lambda port: (talk(port, request), talk(port, chat_request("Hello"))))
    assert answers[0].startswith(b"HTTP/1.1 200 ")
    assert answers[1].startswith(b"HTTP/1.1 401 ")
    assert KEY not in results[0].output
    assert "POST /v1/chat/completions 200" in results[0].output
