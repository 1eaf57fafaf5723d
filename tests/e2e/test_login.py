"""Tests of a login with the real command: in a real browser, and by pasting into a real terminal."""

from __future__ import annotations

import json
import os
import pty
import re
import select
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import sync_playwright

from .browser import CHROMIUM, NO_SANDBOX, needs_browser
from .clients import download
from .process import command_environment, run_once

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from .process import Running

EMAIL = "ada@example.com"
TIMEOUT_S = 30.0
SIGN_IN = re.compile(r"(http://\S+/o/oauth2/v2/auth\?\S+)")


class Terminal:
    """The command in a terminal, as a user has it before them."""

    def __init__(self, home: Path, extra: dict[str, str], *arguments: str) -> None:
        self._master, slave = pty.openpty()
        self.process = subprocess.Popen(
            [sys.executable, "-m", "antigravity_proxy", "login", "--no-browser", *arguments],
            env=command_environment(home, {**extra, "COLUMNS": "1000", "TERM": "xterm"}),
            stdin=slave,
            stdout=slave,
            stderr=slave,
            start_new_session=True,
            # A test run in the background ignores Ctrl-C, and hands that on to what it starts.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # noqa: PLW1509 -- it has no threads
        )
        os.close(slave)
        self.shown = ""

    def wait_for(self, words: str) -> str:
        """Wait until something is shown, and give all that is."""
        self._read(lambda: words in self.shown)
        assert words in self.shown, self.shown
        return self.shown

    def type(self, text: str) -> None:
        """Type a line."""
        os.write(self._master, f"{text}\n".encode())

    def end(self) -> int:
        """Wait for the end of the command, and give its exit code."""
        self._read(lambda: False)
        return self.process.wait(TIMEOUT_S)

    def close(self) -> None:
        """Give the terminal up."""
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        os.close(self._master)

    def _read(self, is_enough: Callable[[], bool]) -> None:
        deadline_s = time.monotonic() + TIMEOUT_S
        while not is_enough() and time.monotonic() < deadline_s:
            if not select.select([self._master], [], [], 0.1)[0]:
                continue
            try:
                data = os.read(self._master, 65_536)
            except OSError:  # the command has ended
                return
            self.shown += data.decode("utf-8", "replace")

    @property
    def sign_in_url(self) -> str:
        """The address that is printed."""
        found = SIGN_IN.search(self.wait_for("press Enter"))
        assert found is not None
        return found[1]


@pytest.fixture
def extra(served: Running, tmp_path: Path) -> dict[str, str]:
    """Settings with which the simulator plays Google."""
    client = download(f"{served.simulator_url}/simulator/client.json", tmp_path / "client.json")
    return {
        "ANTIGRAVITY_PROXY_BASE_URL": served.simulator_url,
        "ANTIGRAVITY_PROXY_OAUTH_CLIENT_FILE": str(client),
    }


@pytest.fixture
def terminal(tmp_path: Path, extra: dict[str, str], unused_tcp_port: int) -> Iterator[Terminal]:
    """A login that waits."""
    opened = Terminal(tmp_path, extra, "--port", str(unused_tcp_port))
    yield opened
    opened.close()


class Landing(urllib.request.HTTPRedirectHandler):
    """Does not follow where a page sends the browser."""

    def redirect_request(self, *_: Any) -> None:
        """Nowhere."""


def landing_of(sign_in_url: str) -> str:
    """The address that a browser on another machine ends on, after its user has allowed the access."""
    url = sign_in_url.replace("/auth?", f"/auth/approve?account={EMAIL}&decision=allow&")
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}), Landing)
    with pytest.raises(urllib.error.HTTPError) as sent:
        opener.open(url, timeout=TIMEOUT_S)
    with sent.value as answer:
        return str(answer.headers["Location"])


def saved(home: Path) -> dict[str, object]:
    """The one account that is saved."""
    listed = json.loads(run_once("accounts", "list", "--json", home=home).stdout)
    (account,) = listed["accounts"]
    return dict(account)


@pytest.mark.parametrize(
    "form",
    [
        lambda url: url,
        lambda url: f"?{urlsplit(url).query}",
        lambda url: urlsplit(url).query,
        lambda url: parse_qs(urlsplit(url).query)["code"][0],
    ],
    ids=["url", "query", "bare-query", "code"],
)
def test_login_by_paste(terminal: Terminal, tmp_path: Path, form: Callable[[str], str]) -> None:
    """What the browser ended on, pasted whole or in part, saves the account; what is of no use is told before."""
    url = landing_of(terminal.sign_in_url)
    assert "Google may limit or close an account" in terminal.shown
    terminal.type("?state=old&code=c")
    terminal.wait_for("belongs to another login")
    terminal.type(form(url))
    assert terminal.end() == 0, terminal.shown
    for words in (
        "The login waits 5 minutes",
        "a***a@example.com is saved",
        "Plan: Google AI Pro",
        "Project: ",
        "Quota: Gemini models",
    ):
        assert words in terminal.shown
    assert saved(tmp_path)["active"] is True


def test_login_with_a_taken_port(tmp_path: Path, extra: dict[str, str], served: Running) -> None:
    """When the browser cannot come back the command says so, and pasting works."""
    opened = Terminal(tmp_path, extra, "--port", str(urlsplit(served.url).port))
    try:
        url = landing_of(opened.sign_in_url)
        assert "is in use or reserved" in opened.shown
        opened.type(url)
        assert opened.end() == 0, opened.shown
    finally:
        opened.close()
    assert saved(tmp_path)["account"] == "a***a@example.com"


def test_interrupted_login_ends_in_one_line(terminal: Terminal, tmp_path: Path) -> None:
    """Ctrl-C ends the login at once, with a sentence and no traceback."""
    assert terminal.sign_in_url
    os.killpg(terminal.process.pid, signal.SIGINT)
    assert terminal.end() == 130
    assert "The login was given up. Nothing has changed." in terminal.shown
    assert "Google may limit or close an account" in terminal.shown
    assert "Traceback" not in terminal.shown
    assert not (tmp_path / "accounts.json").exists()


@needs_browser
@pytest.mark.parametrize("decision", ["Allow", "Deny"])
def test_login_in_a_real_browser(terminal: Terminal, tmp_path: Path, decision: str) -> None:
    """A user who allows the access ends on a page that says so, and the account is saved; one who denies is told."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=[NO_SANDBOX])
        page = browser.new_page()
        page.goto(terminal.sign_in_url)
        page.get_by_label(EMAIL).check()
        page.get_by_role("button", name=decision).click()
        page.wait_for_url("**/oauth-callback?**")
        heading = page.get_by_role("heading").inner_text()
        browser.close()
    code = terminal.end()
    if decision == "Allow":
        assert (heading, code) == ("Thank you", 0), terminal.shown
        assert saved(tmp_path)["account"] == "a***a@example.com"
    else:
        assert (heading, code) == ("No login", 1), terminal.shown
        assert "refused in the browser" in terminal.shown
