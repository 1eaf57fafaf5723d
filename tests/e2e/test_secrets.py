"""A whole run, from the login to the report for others, in which no secret may show."""

from __future__ import annotations

import json
import re
import time
import urllib.error
import urllib.request
import zipfile
from dataclasses import dataclass, field
from http.client import IncompleteRead
from typing import TYPE_CHECKING, Any

import pytest

from antigravity_proxy.proxy.services import open_store

from .clients import DIRECT, TIMEOUT_S, download
from .process import run_command, run_once
from .simulator_control import EMAIL
from .test_login import landing_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from .process import Running
    from .simulator_control import SimulatorControl

KEY = "key-canary-91c2d4"
WRONG_KEY = "key-canary-of-somebody-else"
PROMPT = "prompt-canary-3e7f and nothing else"
COMMANDS = (
    ("accounts", "list"),
    ("accounts", "list", "--json"),
    ("models",),
    ("quota", "--json"),
    ("doctor", "--json"),
)
PAGES = ("/", "/health", "/metrics", "/api/status", "/api/quota", "/v1/models", f"/v1/models?key={KEY}")


@dataclass
class Run:
    """A home folder, its server, and what has been secret and what has been shown so far.

    Attributes:
        home: where accounts and state are.
        server: the proxy.
        simulator: behind it.
        secrets: what must not show.
        shown: what programs and other people may see, by where it was.
        extra: the settings.
    """

    home: Path
    server: Running
    simulator: SimulatorControl
    secrets: set[str] = field(default_factory=set[str])
    shown: dict[str, str] = field(default_factory=dict[str, str])
    extra: dict[str, str] = field(default_factory=dict[str, str])

    def ask(self, method: str, path: str, body: Any = None, *, key: str = KEY) -> Any:
        """Ask the server something, show what it says, and give it parsed, if it can be."""
        data = None if body is None else json.dumps(body).encode()
        headers = {"Content-Type": "application/json", "Authorization": f"Bearer {key}"}
        url = f"{self.server.url.removesuffix('/v1')}{path}"
        request = urllib.request.Request(url, data, headers, method=method)  # noqa: S310 -- loopback
        try:
            with DIRECT.open(request, timeout=TIMEOUT_S) as response:
                said = response.read()
        except urllib.error.HTTPError as error:
            with error:
                said = error.read()
        except IncompleteRead as error:  # a stream that broke off, as it should
            said = error.partial
        text = said.decode()
        self.shown[f"{method} {path} {len(self.shown)}"] = text
        return json.loads(text) if text.startswith("{") else text

    def chat(self, *, key: str = KEY) -> None:
        """Ask for an answer, whole and in pieces; then take note of the tokens there are."""
        body = {"model": "gemini-3.8-flash", "messages": [{"role": "user", "content": PROMPT}]}
        for stream in (False, True):
            self.ask("POST", "/v1/chat/completions", {**body, "stream": stream}, key=key)
        self.take_tokens()

    def take_tokens(self) -> None:
        """Take note of the tokens that are saved now."""
        for account in open_store(self.home).read().accounts:
            self.secrets |= {account.tokens.access, account.tokens.refresh}

    def log_in(self) -> None:
        """Add an account as the page does, with what the browser ended on pasted."""
        begun = self.ask("POST", "/api/login", {})
        url = landing_of(begun["auth_url"])
        self.secrets.add(re.findall(r"[?&]code=([^&]+)", url)[0])
        path = f"/api/login/{begun['login_id']}"
        self.ask("POST", f"{path}/paste", {"url": url.replace("state=", "state=x")})
        self.ask("POST", f"{path}/paste", {"url": url})
        deadline_s = time.monotonic() + TIMEOUT_S
        while self.ask("GET", path).get("status") == "pending":
            assert time.monotonic() < deadline_s, "the login does not end"
            time.sleep(0.05)  # it goes on in another process
        self.take_tokens()

    def fail(self) -> None:
        """Have everything go wrong in ways that could show a secret."""
        (account,) = open_store(self.home).read().accounts
        access, refresh = account.tokens.access, account.tokens.refresh
        self.simulator.plan({"name": "bad-token"})
        self.chat()
        for scenario in (
            {"name": "status", "status": 500, "message": f"what is {access}?", "times": 2},
            {
                "name": "status",
                "status": 400,
                "body": "text",
                "message": f"Authorization: Bearer {access}",
                "times": 2,
            },
            {"name": "in-stream-error", "after": 1, "message": f"what is {access}?", "times": 2},
            {"name": "garbage", "after": 1, "times": 4},
            {"name": "quota", "times": 2},
        ):
            self.simulator.plan(scenario)
            self.chat()
        self.simulator.plan({"name": "bad-token"})
        self.simulator.plan({"name": "oauth-error", "method": "token", "error": f"no {refresh}", "status": 400})
        self.chat()
        self.chat(key=WRONG_KEY)
        self.ask("POST", "/v1/chat/completions", [KEY])

    def look(self) -> None:
        """Look at all there is to see."""
        for page in PAGES:
            self.ask("GET", page)
        bundle = self.home / "report.zip"
        for command in (*COMMANDS, ("doctor", "--bundle", str(bundle))):
            ended = run_once("--debug", *command, home=self.home, extra=self.extra)
            self.shown[" ".join(command)] = ended.stdout + ended.stderr
        with zipfile.ZipFile(bundle) as archive:
            self.shown["bundle"] = "".join(archive.read(name).decode() for name in archive.namelist())


@pytest.fixture
def run(served: Running, simulator: SimulatorControl, tmp_path: Path, unused_tcp_port: int) -> Iterator[Run]:
    """A server that says all it can."""
    client = download(f"{served.simulator_url}/simulator/client.json", tmp_path / "client.downloaded")
    # The login's own port may be in use, by a login of the developer's too.
    client.write_text(client.read_text().replace(":51121/", f":{unused_tcp_port}/"))
    extra = {
        "ANTIGRAVITY_PROXY_BASE_URL": served.simulator_url,
        "ANTIGRAVITY_PROXY_OAUTH_CLIENT_FILE": str(client),
        "ANTIGRAVITY_PROXY_API_KEY": KEY,
    }
    secret = json.loads(client.read_bytes())["installed"]["client_secret"]
    home = tmp_path / "home"
    with run_command("--debug", "serve", "--port", "0", home=home, extra=extra) as server:
        yield Run(home, server, simulator, {KEY, secret}, extra=extra)


def test_no_secret_shows_in_a_whole_run(run: Run) -> None:
    """No token, code, key or whole address is in an answer, a log, a report, a file or the output of a command."""
    run.log_in()
    run.chat()
    run.fail()
    run.look()
    run.server.stop()
    run.shown["log"] = "".join(run.server.lines)
    for name, text in run.shown.items():
        assert [secret for secret in run.secrets if secret in text] == [], name
        assert EMAIL not in text, name
        assert PROMPT not in text or name.startswith("POST /v1/chat"), name
    files = {file.name: file for file in run.home.iterdir()}
    assert files.keys() >= {"accounts.json", "accounts.key", "state.db", "report.zip"}
    for name, file in files.items():
        data = file.read_bytes()
        assert [secret for secret in (*run.secrets, PROMPT) if secret.encode() in data] == [], name
        assert file.stat().st_mode & 0o077 == 0, name
    assert len(run.secrets) == 6
