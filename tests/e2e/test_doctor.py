"""Tests of ``doctor`` as a process of its own, with a simulator for Google."""

from __future__ import annotations

import json
import zipfile
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest

from antigravity_proxy import __version__

from .process import run_once, save_account

if TYPE_CHECKING:
    from pathlib import Path

    from .process import Running


@pytest.mark.refused("missing a valid license")
def test_sound_accounts_are_told_so(tmp_path: Path, served: Running) -> None:
    """Every step of every account is good, the exit code says so, and no token is in the report."""
    extra = {**save_account(served, tmp_path), "ANTIGRAVITY_PROXY_PORT": "0"}
    bundle = tmp_path / "report.zip"
    ended = run_once("doctor", "--bundle", str(bundle), home=tmp_path, extra=extra)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert "this machine" in ended.stdout
    assert "answer: gemini-3.8-flash-low answers." in ended.stdout
    listed = json.loads(run_once("doctor", "--json", home=tmp_path, extra=extra).stdout)
    assert len(listed["findings"]) == 4
    with zipfile.ZipFile(bundle) as archive:
        text = archive.read("doctor.json").decode()
    accounts = json.loads((tmp_path / "accounts.downloaded").read_text())["accounts"].values()
    for secret in (account[name] for account in accounts for name in ("access", "refresh", "email")):
        assert secret not in text
        assert secret not in ended.stdout


@pytest.mark.refused("missing a valid license")
def test_running_server_is_no_fault(tmp_path: Path, served: Running) -> None:
    """While the server runs the doctor finds nothing wrong, and says that it does."""
    port = str(urlsplit(served.url).port)
    extra = {**save_account(served, tmp_path), "ANTIGRAVITY_PROXY_PORT": port}
    ended = run_once("doctor", home=tmp_path, extra=extra)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert f"antigravity-proxy {__version__} runs at 127.0.0.1:{port}." in ended.stdout


def test_damaged_file_is_told(tmp_path: Path, served: Running) -> None:
    """A damaged file is said, and the exit code is 1."""
    (tmp_path / "accounts.json").write_text("{")
    ended = run_once("doctor", home=tmp_path, extra={"ANTIGRAVITY_PROXY_BASE_URL": served.simulator_url})
    assert ended.returncode == 1
    assert "is damaged" in ended.stdout
