"""Tests of ``antigravity-proxy login``."""

from __future__ import annotations

import asyncio
import os
import webbrowser

import pytest

from antigravity_proxy.accounts.account import Account, Tokens
from antigravity_proxy.accounts.quota import AccountQuota, QuotaPool, Reading, Window
from antigravity_proxy.cli import login
from antigravity_proxy.proxy.login import LoggedIn
from antigravity_proxy.proxy.project import Project

ACCOUNT = Account("google:1", Tokens("a", "r", 1), email="ada@example.com")


def test_outcome_is_told() -> None:
    """The user reads who is saved, what for, and what comes next."""
    told = login.describe(LoggedIn(ACCOUNT, "Google AI Pro", Project("demo"), None), ACCOUNT.label).splitlines()
    assert told == [
        "a***a@example.com is saved, and serves from the next request on.",
        "Plan: Google AI Pro",
        "Project: demo",
    ]


def test_outcome_with_a_warning_is_told() -> None:
    """What could not be found out is said, and the login still counts."""
    told = login.describe(LoggedIn(ACCOUNT, warning="Verify."), ACCOUNT.label)
    assert "Google could not tell everything about the account: Verify." in told
    assert "Plan" not in told


def test_quota_is_told() -> None:
    """Each limit is a line with what is left and, where Google says it, when all of it is back."""
    quota = AccountQuota(
        0.0,
        {
            (QuotaPool.OTHERS, Window.FIVE_HOURS): Reading(0.8, 7_380.0),
            (QuotaPool.GEMINI, Window.WEEKLY): Reading(1.0),
        },
    )
    assert list(login.quota_lines(quota, 0.0)) == [
        "Quota: Claude and GPT-OSS models, 5h: 80% left, back in 2h 3m",
        "Quota: Gemini models, weekly: 100% left",
    ]


async def test_typed_lines_arrive_whole() -> None:
    """Lines come one by one, also when they come in pieces, and the last one without its end; blanks are nothing."""
    reading, writing = os.pipe()
    lines: list[str] = []
    has_all = asyncio.Event()

    def take(line: str) -> None:
        lines.append(line)
        if len(lines) == 3:
            has_all.set()

    login.read_lines(take, reading)
    for piece in (b"one\ntw", b"o\n\n \n", "thr\u00e9e".encode()):
        os.write(writing, piece)
    os.close(writing)
    async with asyncio.timeout(5):
        await has_all.wait()
    os.close(reading)
    assert lines == ["one", "two", "thr\u00e9e"]


async def test_nothing_to_read_from_is_no_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without standard input, or with one that is closed, nothing can be pasted, and that is all."""
    lines: list[str] = []
    monkeypatch.setattr("sys.stdin", None)
    assert login.read_lines(lines.append) is None
    reading, writing = os.pipe()
    os.close(writing)
    os.close(reading)
    thread = login.read_lines(lines.append, reading)
    assert thread is not None
    await asyncio.to_thread(thread.join, 5.0)
    assert (thread.is_alive(), lines) == (False, [])


@pytest.mark.parametrize(
    ("environment", "platform", "expected"),
    [
        ({}, "linux", False),
        ({"DISPLAY": ":0"}, "linux", True),
        ({"WAYLAND_DISPLAY": "wayland-0"}, "linux", True),
        ({}, "darwin", True),
        ({}, "win32", True),
        ({"SSH_CONNECTION": "1 2 3 4", "DISPLAY": "localhost:10.0"}, "linux", False),
        ({"SSH_CONNECTION": "1 2 3 4"}, "darwin", False),
        ({"BROWSER": "wslview"}, "linux", True),
    ],
)
def test_browser_is_opened_where_the_user_is(environment: dict[str, str], platform: str, *, expected: bool) -> None:
    """Over SSH and without a screen none is opened, unless the user has named one."""
    assert login.has_screen(environment, platform) is expected


def test_browser_that_cannot_be_opened_is_no_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where no browser can be opened the printed address is enough."""

    def refuse(_url: str) -> bool:
        raise webbrowser.Error("no browser")

    monkeypatch.setattr(webbrowser, "open", refuse)
    login._open_browser("https://accounts.google.com")
