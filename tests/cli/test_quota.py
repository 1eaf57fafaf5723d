"""Tests of ``antigravity-proxy quota``."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from antigravity_proxy.accounts.quota import AccountQuota, QuotaPool, Reading, Window
from antigravity_proxy.cli.quota import bar, format_age, format_share, format_wait, rows_of
from antigravity_proxy.errors import NoAccountError, StoreError

if TYPE_CHECKING:
    from pathlib import Path

    from .conftest import Command

NOW_S = 1_000_000.0


@pytest.mark.parametrize(
    ("left_s", "words"),
    [
        (-5, "now"),
        (0, "now"),
        (20, "1m"),
        (300, "5m"),
        (3 * 3600 + 65, "3h 1m"),
        (2 * 86_400 + 3 * 3600 + 59, "2d 3h"),
        (None, "unknown"),
    ],
)
def test_waits_are_short(left_s: float | None, words: str) -> None:
    """A wait has two units at most."""
    assert format_wait(None if left_s is None else NOW_S + left_s, NOW_S) == words


@pytest.mark.parametrize(
    ("age_s", "words"), [(0, "just now"), (59, "just now"), (61, "1m ago"), (7_300, "2h 1m ago")]
)
def test_ages_are_short(age_s: float, words: str) -> None:
    """An age is told in the units of waits."""
    assert format_age(age_s) == words


@pytest.mark.parametrize(
    ("share", "drawn", "words"),
    [(0.0, "░" * 20, "0%"), (0.625, "█" * 12 + "░" * 8, "62.5%"), (1.0, "█" * 20, "100%"), (None, "", "unknown")],
)
def test_shares_are_drawn(share: float | None, drawn: str, words: str) -> None:
    """A share is a bar and a number."""
    assert (bar(share), format_share(share)) == (drawn, words)


def test_models_that_say_nothing_new_are_left_out() -> None:
    """A model is shown when its figures are not those of a limit of its quota pool, and there are any."""
    limit = Reading(0.5, NOW_S)
    rows = {"claude-a": limit, "gemini-a": limit, "gemini-b": Reading(0.1, NOW_S), "gemini-c": Reading()}
    quota = AccountQuota(NOW_S, {(QuotaPool.GEMINI, Window.FIVE_HOURS): limit}, rows)
    assert list(rows_of(quota)) == [
        ("Gemini models, 5h", limit),
        ("claude-a", limit),
        ("gemini-b", Reading(0.1, NOW_S)),
    ]


def test_nobody_logged_in_is_one_sentence(command: Command, home: Path) -> None:
    """Without an account the command says what to do next, and creates nothing."""
    result = command("quota")
    assert (result.exit_code, result.stdout) == (1, "")
    assert isinstance(result.exception, NoAccountError)
    assert str(result.exception) == "No account is saved. Add one: antigravity-proxy login"
    assert not home.exists()


def test_damaged_account_file_is_named(command: Command, home: Path) -> None:
    """A file that cannot be read is not called an empty one."""
    home.mkdir()
    (home / "accounts.json").write_text("{")
    result = command("quota")
    assert (result.exit_code, isinstance(result.exception, StoreError)) == (1, True)
    assert "is damaged" in str(result.exception)


def test_entry_that_cannot_be_used_is_named(command: Command, home: Path, tmp_path: Path) -> None:
    """An account whose key is lost cannot be asked about."""
    record = {"type": "oauth", "access": "a", "refresh": "r", "expires": 1, "email": "ada@example.com"}
    file = tmp_path / "one.json"
    file.write_text(json.dumps({"version": 2, "accounts": {"google:1": record}}))
    assert command("accounts", "import", str(file)).exit_code == 0
    (home / "accounts.key").unlink()
    assert "cannot be used" in str(command("quota", "1").exception)


def test_accounts_that_look_alike_are_told_apart(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Quota and doctor go through the accounts in the order they were added, and say with the id which is which."""
    record = {"type": "oauth", "access": "a", "refresh": "r", "expires": 4_000_000_000_000}
    accounts = {
        "google:1": {**record, "email": "anna@example.com", "createdAt": 2},
        "google:2": {**record, "email": "ada@example.com", "createdAt": 1},
    }
    file = tmp_path / "two.json"
    file.write_text(json.dumps({"version": 2, "accounts": accounts}))
    assert command("accounts", "import", str(file)).exit_code == 0
    monkeypatch.setenv("HTTPS_PROXY", "http://host:notaport")
    monkeypatch.setenv("ANTIGRAVITY_PROXY_PORT", "0")
    told = [line for line in command("quota").stderr.splitlines() if line.startswith("a***a")]
    assert [line.partition(": ")[0] for line in told] == [
        "a***a@example.com (google:2)",
        "a***a@example.com (google:1)",
    ]
    found = list(json.loads(command("doctor", "--json").stdout)["findings"])
    assert found[1:] == ["1. a***a@example.com (google:2)", "2. a***a@example.com (google:1)"]


@pytest.mark.parametrize("value", ["http://[::1", "http://host:notaport"])
def test_proxy_variable_that_names_none_is_told(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, value: str
) -> None:
    """A variable that is written wrongly is named with what to do, by the commands that ask Google."""
    record = {
        "type": "oauth",
        "access": "a",
        "refresh": "r",
        "expires": 4_000_000_000_000,
        "email": "ada@example.com",
    }
    file = tmp_path / "one.json"
    file.write_text(json.dumps({"version": 2, "accounts": {"google:1": record}}))
    assert command("accounts", "import", str(file)).exit_code == 0
    monkeypatch.setenv("HTTPS_PROXY", value)
    monkeypatch.setenv("ANTIGRAVITY_PROXY_PORT", "0")
    told = command("quota")
    assert (told.exit_code, "a***a@example.com: HTTPS_PROXY, or this" in told.stderr) == (1, True)
    found = command("doctor")
    assert (found.exit_code, "proxies: HTTPS_PROXY: no HTTP proxy that can be used." in found.stdout) == (1, True)
