"""The real ``quota`` command, against the simulator in another process."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from .process import run_command, run_once, save_account

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from .process import Running


@pytest.fixture
def google(tmp_path: Path) -> Iterator[Running]:
    """A simulator with a server of its own, from which accounts can be taken."""
    folder = tmp_path / "google"
    folder.mkdir()
    with run_command("serve", "--simulate", "--port", "0", "--pace", "0", home=folder) as running:
        yield running
        running.stop()  # a free account's summary is refused, which is what it is there for


def test_quota_is_shown_as_plain_lines(google: Running, tmp_path: Path) -> None:
    """Each account has its limits, or the reason why Google shows none; nothing of the tokens is shown."""
    extra = save_account(google, tmp_path)
    shown = run_once("quota", home=tmp_path, extra=extra)
    assert (shown.returncode, shown.stderr) == (0, "")
    assert "a***a@example.com, read just now\nQuota" in shown.stdout
    assert "Gemini models, 5h                  100%  4h 59m" in shown.stdout
    assert "█" not in shown.stdout
    one = run_once("quota", "ada@", home=tmp_path, extra=extra)
    assert one.stdout.count("read just now") == 1


def test_quota_is_json(google: Running, tmp_path: Path) -> None:
    """Programs get limits and rows; an account without a subscription has a reason instead of limits."""
    extra = save_account(google, tmp_path)
    shown = run_once("quota", "--json", home=tmp_path, extra=extra)
    accounts = {entry["account"]: entry for entry in json.loads(shown.stdout)["accounts"]}
    assert len(accounts["a***a@example.com"]["pools"]) == 4
    assert accounts["a***a@example.com"]["pools"][0]["remaining"] == 1
    assert accounts["c***o@example.com"]["pools"] == []
    assert "subscription" in accounts["c***o@example.com"]["summary_unavailable"]
    assert [row["id"] for row in accounts["c***o@example.com"]["models"]]


def test_quota_that_cannot_be_read_is_a_failure(google: Running, tmp_path: Path) -> None:
    """When Google cannot be reached each account has its reason, without a traceback."""
    extra = save_account(google, tmp_path)
    google.stop()
    shown = run_once("quota", home=tmp_path, extra=extra)
    assert (shown.returncode, shown.stdout) == (1, "")
    assert "a***a@example.com: There is no connection to" in shown.stderr
    assert "Traceback" not in shown.stderr
