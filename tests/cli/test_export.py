"""Tests of ``antigravity-proxy accounts export``, most of them in a terminal of their own."""

from __future__ import annotations

import json
import os
import pty
import stat
import subprocess
import sys
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from antigravity_proxy.accounts.account import Account, Tokens
from antigravity_proxy.accounts.pool import Pool, Unreadable
from antigravity_proxy.errors import CommandError
from antigravity_proxy.proxy.services import open_store

if TYPE_CHECKING:
    from pathlib import Path

    from .conftest import Command

TIMEOUT_S = 30.0
ADA = Account(
    "google:1",
    Tokens("access-canary-1", "refresh-canary-1", 1_900_000_000_000),
    email="ada@example.com",
    project_id="ada-project",
    created_ms=1_756_000_000_000,
    proxy="http://user:word@own.example:3128",
    extra={"note": "mine"},
)
BEN = Account("google:2", Tokens("access-canary-2", "refresh-canary-2", 1), email="ben@example.com")
CYD = "cyd@example.com"
LOST = Unreadable("google:3", {"access": "enc:v9:x", "email": CYD}, "Its lid is shut.", email=CYD)
SAVED = Pool(
    (ADA, BEN), active_id=BEN.id, auto_failover=True, foreign={"other": {"key": "foreign-canary"}}, unreadable=(LOST,)
)


@pytest.fixture
def saved(home: Path) -> Path:
    """A home with two accounts, an entry that cannot be read, and somebody else's credentials."""
    open_store(home).update(lambda _: SAVED)
    return home


def in_terminal(*arguments: str, typed: str, shows: bool = False) -> subprocess.CompletedProcess[bytes]:
    """Run a command with a terminal to type in; ``shows`` makes it the place for what is written too."""
    mine, theirs = pty.openpty()
    try:
        os.write(mine, typed.encode())
        return subprocess.run(
            [sys.executable, "-m", "antigravity_proxy", "accounts", *arguments],
            stdin=theirs,
            stdout=theirs if shows else subprocess.PIPE,
            stderr=subprocess.PIPE,
            timeout=TIMEOUT_S,
            check=False,
        )
    finally:
        os.close(mine)
        os.close(theirs)


def test_export_can_be_imported_elsewhere(
    saved: Path, command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A confirmed export is a private file that brings the same accounts, proxies and active one to another home."""
    file = tmp_path / "out.json"
    ended = in_terminal("export", "--output", str(file), typed="export\n")
    said = ended.stderr.decode()
    assert (ended.returncode, ended.stdout) == (0, b""), said
    assert "b***n@example.com, a***a@example.com holds their tokens IN CLEAR" in said
    assert "c***d@example.com cannot be used." in said
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert "canary" not in said
    monkeypatch.setenv("ANTIGRAVITY_PROXY_HOME", str(tmp_path / "other"))
    assert command("accounts", "import", str(file)).exit_code == 0
    brought = open_store(tmp_path / "other").read()
    assert brought.active_id == BEN.id
    ada, ben = (replace(account, signed_in_ms=None) for account in brought.accounts)
    assert (ada, replace(ben, created_ms=None)) == (ADA, BEN)
    assert all(account.signed_in_ms for account in brought.accounts)


def test_export_is_plain_version_2(saved: Path, tmp_path: Path) -> None:
    """A pipe gets the document with plain tokens, and nothing in it is anybody else's."""
    ended = in_terminal("export", "--output", "-", typed="export\n")
    document = json.loads(ended.stdout)
    assert list(document) == ["version", "activeAccountId", "autoFailover", "accounts", "foreignCredentials"]
    assert document["foreignCredentials"] == {}
    assert document["accounts"] == {
        "google:1": {
            "type": "oauth",
            "access": "access-canary-1",
            "refresh": "refresh-canary-1",
            "expires": 1_900_000_000_000,
            "projectId": "ada-project",
            "email": "ada@example.com",
            "createdAt": 1_756_000_000_000,
            "proxy": "http://user:word@own.example:3128",
            "note": "mine",
        },
        "google:2": {
            "type": "oauth",
            "access": "access-canary-2",
            "refresh": "refresh-canary-2",
            "expires": 1,
            "email": "ben@example.com",
        },
    }


@pytest.mark.parametrize("typed", ["yes\n", "EXPORT\n", "\x04"], ids=["yes", "loud", "end"])
def test_export_that_is_not_confirmed_writes_nothing(saved: Path, tmp_path: Path, typed: str) -> None:
    """Anything else than the word leaves no file."""
    ended = in_terminal("export", "-o", str(tmp_path / "out.json"), typed=typed)
    assert (ended.returncode, ended.stdout) == (1, b"")
    assert ended.stderr.decode().endswith("Nothing has changed.\n")
    assert not (tmp_path / "out.json").exists()


def test_export_needs_a_person(saved: Path, command: Command, tmp_path: Path) -> None:
    """Without a terminal to confirm in nothing is exported, whatever comes in its place."""
    result = command("accounts", "export", "-o", str(tmp_path / "out.json"), typed="export\n")
    assert (result.exit_code, result.stdout) == (1, "")
    assert isinstance(result.exception, CommandError)
    assert "somebody must confirm it: run it in a terminal." in str(result.exception)
    assert not (tmp_path / "out.json").exists()


def test_export_is_not_shown_in_a_terminal(saved: Path) -> None:
    """Tokens do not end in what a terminal remembers."""
    ended = in_terminal("export", "-o", "-", typed="export\n", shows=True)
    assert ended.returncode == 1
    assert "is not shown in a terminal. Name a file with --output FILE." in ended.stderr.decode()


def test_export_replaces_no_file(saved: Path, tmp_path: Path) -> None:
    """A file that exists stays as it is; a folder that does not is named."""
    file = tmp_path / "out.json"
    file.write_text("mine")
    ended = in_terminal("export", "-o", str(file), typed="export\n")
    assert (ended.returncode, f"{file} exists already" in ended.stderr.decode()) == (1, True)
    assert file.read_text() == "mine"
    ended = in_terminal("export", "-o", str(tmp_path / "no" / "out.json"), typed="export\n")
    assert (ended.returncode, "cannot be written: No such file" in ended.stderr.decode()) == (1, True)


def test_export_of_nothing_says_so(command: Command) -> None:
    """Without an account there is nothing to export."""
    result = command("accounts", "export")
    assert (result.exit_code, "No account is saved. Add one:" in str(result.exception)) == (1, True)
