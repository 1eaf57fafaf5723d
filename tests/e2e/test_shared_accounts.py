"""Servers and commands that share one account file, all of them processes of their own."""

from __future__ import annotations

import json
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

import pytest

from antigravity_proxy.proxy.services import open_store

from .clients import download, post
from .process import run_command, run_once

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from .process import Ended, Running
    from .simulator_control import SimulatorControl

ADA, BEN = "ada@example.com", "ben@example.com"
TIMEOUT_S = 30.0
QUESTION = json.dumps({"model": "gemini-3.8-flash", "messages": [{"role": "user", "content": "Hi"}]}).encode()


@dataclass
class Home:
    """A home folder whose accounts the simulator knows, and the settings to serve them with."""

    folder: Path
    simulator: SimulatorControl
    extra: dict[str, str] = field(default_factory=dict)

    def accounts(self, *arguments: str) -> Ended:
        """Run ``antigravity-proxy accounts`` to its end."""
        return run_once("accounts", *arguments, home=self.folder, extra=self.extra)

    def document_of(self, email: str) -> dict[str, Any]:
        """An account as a file to import holds it."""
        file = download(f"{self.simulator.base_url}/simulator/accounts.json?email={email}", self.folder / "one.json")
        document: dict[str, Any] = json.loads(file.read_bytes())
        return document

    def save(self, *emails: str, expires_ms: int | None = None) -> None:
        """Import accounts; the first becomes the active one."""
        documents = [self.document_of(email) for email in emails]
        accounts = {key: entry for document in documents for key, entry in document["accounts"].items()}
        for entry in accounts.values():
            entry["expires"] = entry["expires"] if expires_ms is None else expires_ms
        file = self.folder / "all.json"
        file.write_text(json.dumps({**documents[0], "accounts": accounts}))
        imported = self.accounts("import", str(file))
        assert imported.returncode == 0, imported.stderr

    def asks(self, server: Running) -> tuple[int, str | None]:
        """Ask a server something: the status, and who asked the simulator for it."""
        before = len(self.simulator.requests("streamGenerateContent"))
        status, _ = post(f"{server.url}/chat/completions", QUESTION)
        callers = [entry["account"] for entry in self.simulator.requests("streamGenerateContent")[before:]]
        return status, (callers or [None])[-1]


@pytest.fixture
def home(tmp_path: Path, served: Running, simulator: SimulatorControl) -> Home:
    """An empty home folder beside the simulator."""
    client = download(f"{served.simulator_url}/simulator/client.json", tmp_path / "client.json")
    extra = {
        "ANTIGRAVITY_PROXY_BASE_URL": served.simulator_url,
        "ANTIGRAVITY_PROXY_OAUTH_CLIENT_FILE": str(client),
    }
    return Home(tmp_path, simulator, extra)


def test_running_servers_see_what_commands_do(home: Home) -> None:
    """From the next request on two servers use the account that a command activates, and none that one removed."""
    home.save(ADA, BEN)
    with (
        run_command("serve", "--port", "0", home=home.folder, extra=home.extra) as one,
        run_command("serve", "--port", "0", home=home.folder, extra=home.extra) as two,
    ):
        assert [home.asks(server) for server in (one, two)] == [(200, ADA)] * 2
        assert home.accounts("activate", "ben@").returncode == 0
        assert [home.asks(server) for server in (one, two)] == [(200, BEN)] * 2
        assert home.accounts("remove", "ben@", "--yes").returncode == 0
        assert [home.asks(server) for server in (one, two)] == [(200, ADA)] * 2
        assert home.accounts("remove", "ada@", "--yes").returncode == 0
        assert [home.asks(server) for server in (one, two)] == [(401, None)] * 2
        home.save(BEN)
        assert [home.asks(server) for server in (one, two)] == [(200, BEN)] * 2


class _SlowTokens(ThreadingHTTPServer):
    """A token address that answers when it is told to."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _SlowHandler)
        self.asked, self.go = threading.Event(), threading.Event()


class _SlowHandler(BaseHTTPRequestHandler):
    server: _SlowTokens

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        self.server.asked.set()
        self.server.go.wait(TIMEOUT_S)
        tokens = {"access_token": "late-token", "refresh_token": "late-refresh", "expires_in": 3600}
        body = json.dumps(tokens).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 -- the name of the library
        """Tests are quiet."""


@contextmanager
def slow_tokens(home: Home) -> Iterator[_SlowTokens]:
    """Make the home's servers ask a token address that waits."""
    with _SlowTokens() as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        client = json.loads((home.folder / "client.json").read_bytes())
        client["installed"]["token_uri"] = f"http://127.0.0.1:{server.server_port}/token"
        (home.folder / "client.json").write_text(json.dumps(client))
        try:
            yield server
        finally:
            server.go.set()
            server.shutdown()


def test_late_refresh_does_not_bring_a_removed_account_back(home: Home) -> None:
    """An account that is removed while its token is asked for stays away; the next request is another one's."""
    home.save(BEN)
    home.save(ADA, expires_ms=1)
    with (
        slow_tokens(home) as tokens,
        run_command("serve", "--port", "0", home=home.folder, extra=home.extra) as server,
        ThreadPoolExecutor(1) as pool,
    ):
        answer = pool.submit(home.asks, server)
        assert tokens.asked.wait(TIMEOUT_S)
        assert home.accounts("remove", "ada@", "--yes").returncode == 0
        tokens.go.set()
        assert answer.result(TIMEOUT_S) == (401, None)
        assert home.asks(server) == (200, BEN)
    assert [account.email for account in open_store(home.folder).read().accounts] == [BEN]


def test_commands_at_once_lose_nothing(home: Home) -> None:
    """Commands that import, remove and choose at the same time all have their effect."""
    home.save(ADA, BEN)
    files: dict[str, str] = {}
    for name in ("cyd", "dan"):
        file = home.folder / f"{name}.json"
        file.write_text(json.dumps(home.document_of(f"{name}@example.com")))
        files[name] = str(file)
    commands = [
        ("import", files["cyd"]),
        ("import", files["dan"]),
        ("remove", "ben@", "--yes"),
        ("failover", "on"),
        ("set-proxy", "ada@", "http://own.example"),
    ]
    with ThreadPoolExecutor(len(commands)) as pool:
        ended = list(pool.map(lambda command: home.accounts(*command), commands))
    assert [(end.returncode, end.stderr) for end in ended] == [(0, "")] * len(commands)
    left = open_store(home.folder).read()
    assert {account.email for account in left.accounts} == {ADA, "cyd@example.com", "dan@example.com"}
    assert [account.proxy for account in left.accounts if account.email == ADA] == ["http://own.example"]
    assert left.auto_failover
