"""Tests of ``antigravity-proxy doctor``."""

from __future__ import annotations

import json
import stat
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from antigravity_proxy.cli.doctor import to_document, write_bundle
from antigravity_proxy.errors import StoreError
from antigravity_proxy.proxy.doctor import Finding
from antigravity_proxy.proxy.settings import Settings

if TYPE_CHECKING:
    from .conftest import Command


def test_machine_without_accounts_and_network_is_told(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is wrong is listed with what to do, and the exit code says that something is."""
    monkeypatch.setenv("ANTIGRAVITY_PROXY_BASE_URL", "http://127.0.0.1:9")
    monkeypatch.setenv("ANTIGRAVITY_PROXY_PORT", "0")
    result = command("doctor")
    assert result.exit_code == 1
    lines = result.stdout.splitlines()
    assert lines[0] == "this machine"
    assert any("accounts: No account is saved. Add one: antigravity-proxy login" in line for line in lines)
    document = json.loads(command("doctor", "--json").stdout)
    assert [finding["step"] for finding in document["findings"]["this machine"]] == [
        "port",
        "clock",
        "proxies",
        "files",
        "accounts",
    ]


@pytest.mark.parametrize(
    "folder", ["/home/ada", "C:\\Users\\Ada", "/home/\u00e4da"], ids=["posix", "windows", "umlaut"]
)
def test_bundle_is_private_and_shows_no_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, folder: str) -> None:
    """The report can be read by nobody else, and has the home folder as ``~``; a file that exists stays."""
    monkeypatch.setattr(Path, "home", lambda: folder)
    found = {"this machine": [Finding("files", is_good=True, detail=f"The files in {folder}/x are yours alone.")]}
    bundle = tmp_path / "report.zip"
    write_bundle(bundle, to_document(found, Settings()))
    assert stat.S_IMODE(bundle.stat().st_mode) == 0o600
    with zipfile.ZipFile(bundle) as archive:
        document = json.loads(archive.read("doctor.json"))
    assert document["findings"]["this machine"] == [
        {"step": "files", "is_good": True, "detail": "The files in ~/x are yours alone.", "link": None}
    ]
    with pytest.raises(StoreError, match="File exists"):
        write_bundle(bundle, {})


def test_report_shows_no_address_and_no_verification(tmp_path: Path) -> None:
    """Addresses in Google's own words are masked, and a report's links do not say whose they are."""
    link = "https://accounts.google.com/signin/continue?plt=canary"
    finding = Finding("answer", is_good=False, detail="Google says: user ada@example.com must verify.", link=link)
    bundle = tmp_path / "report.zip"
    document = to_document({"1. a***a@example.com": [finding]}, Settings())
    write_bundle(bundle, document)
    assert document["findings"]["1. a***a@example.com"][0]["link"] == link
    with zipfile.ZipFile(bundle) as archive:
        text = archive.read("doctor.json").decode()
    assert "user a***a@example.com must verify" in text
    assert '"link": "https://accounts.google.com/signin/continue"' in text
    assert "canary" not in text
