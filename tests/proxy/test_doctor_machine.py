"""Tests of what is found about this machine."""

from __future__ import annotations

import asyncio
import re
import socket
import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from antigravity_proxy import __version__
from antigravity_proxy.proxy.doctor_machine import MAX_SKEW_S, examine_machine

from .test_way import UNUSABLE

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from antigravity_proxy.proxy.doctor import Finding

    from .conftest import Lab, OpenLab


async def look(lab: Lab, environment: Mapping[str, str] | None = None, **options: Any) -> dict[str, Finding]:
    """What is found with these variables and settings, by its name."""
    services = replace(lab.services, settings=lab.services.settings.model_copy(update=options))
    return {finding.step: finding for finding in await examine_machine(services, environment or {})}


async def test_sound_machine(lab: Lab) -> None:
    """A free port, a right clock, no proxies and private files are good."""
    found = await look(lab)
    assert [finding.is_good for finding in found.values()] == [True] * 4, found
    assert found["proxies"].detail == "No variable names an HTTP proxy."


async def test_port_in_use_is_named(lab: Lab) -> None:
    """A port that another program has is told with what to do."""
    with socket.create_server(("127.0.0.1", 0)) as other:
        finding = (await look(lab, port=other.getsockname()[1]))["port"]
    assert not finding.is_good
    assert "Address already in use. No antigravity-proxy answers there; choose another with --port." in finding.detail


@pytest.mark.parametrize("host", ["127.0.0.1", "0.0.0.0"])  # noqa: S104 -- it is not listened on
async def test_running_server_is_no_fault(lab: Lab, host: str) -> None:
    """A port that is in use by this program is as it should be."""
    finding = (await look(lab, port=lab.port, host=host))["port"]
    assert finding.is_good
    assert finding.detail == f"antigravity-proxy {__version__} runs at {host}:{lab.port}."


@pytest.mark.parametrize(("ahead_s", "words"), [(900, "ahead of"), (-900, "behind")])
async def test_wrong_clock_is_named(open_lab: OpenLab, ahead_s: float, words: str) -> None:
    """A clock that Google's disagrees with is told with how much."""
    assert abs(ahead_s) > MAX_SKEW_S
    async with open_lab(clock=lambda: float(round(time.time())) + ahead_s) as lab:
        finding = (await look(lab))["clock"]
    assert not finding.is_good
    # The header says whole seconds, and the test may run over the end of one.
    assert re.search(rf"\b(899|900|901) s {words} Google's", finding.detail), finding.detail


async def test_clock_cannot_be_compared_without_google(open_lab: OpenLab) -> None:
    """Without a connection the clock is not known to be right."""
    async with open_lab() as lab:
        await lab.simulator.stop()
        finding = (await look(lab))["clock"]
    assert not finding.is_good
    assert "Google's time is not known" in finding.detail


async def test_proxy_of_another_kind_is_named(lab: Lab) -> None:
    """Variables are named without their values, which may hold a login; one that cannot be used is bad."""
    found = await look(lab, {"https_proxy": "http://user:word@proxy.example:3128", "NO_PROXY": "*"})
    assert found["proxies"].detail == "Set are NO_PROXY, https_proxy."
    for value in ("socks5://user:word@127.0.0.1:1080", *UNUSABLE):
        found = await look(lab, {"ALL_PROXY": value, "HTTP_PROXY": "proxy.example:1"})
        assert not found["proxies"].is_good
        assert found["proxies"].detail.startswith(
            "ALL_PROXY: no HTTP proxy that can be used. Set it to a URL such as"
        )
        assert "word" not in found["proxies"].detail


async def test_file_that_others_can_get_at_is_named(lab: Lab, tmp_path: Path) -> None:
    """Any file that others can read is told with the command that mends it, also with a blank in the path."""
    home = tmp_path / "my own; home"
    home.mkdir()
    for name in ("config.toml", "accounts.json.corrupt-20260101T000000.000000Z", "accounts.key", "state.db-journal"):
        file = home / name
        file.touch(0o600)
        home.chmod(0o755)
        assert (await look(lab, home=home))["files"].is_good
        file.chmod(0o644)
        finding = (await look(lab, home=home))["files"]
        assert not finding.is_good
        assert f"Others can get at {name} in {home}." in finding.detail
        command = finding.detail.partition("Run: ")[2]
        assert await (await asyncio.create_subprocess_shell(command)).wait() == 0
        assert (await look(lab, home=home))["files"].is_good
        file.unlink()


@pytest.mark.parametrize(
    ("folder", "file", "named"),
    [
        (0o755, 0o600, ""),
        (0o700, 0o644, ""),
        (0o711, 0o604, "accounts.json"),
        (0o710, 0o604, ""),
        (0o710, 0o640, "accounts.json"),
        (0o755, 0o602, "accounts.json"),
        (0o777, 0o600, "the folder itself"),
        (0o733, 0o640, "the folder itself, accounts.json"),
    ],
)
async def test_only_what_others_can_reach_counts(
    lab: Lab, tmp_path: Path, folder: int, file: int, named: str
) -> None:
    """A file is open to others when they can pass through its folder too; a folder that they can write to is bad."""
    home = tmp_path / "home"
    home.mkdir()
    (home / "accounts.json").touch()
    (home / "accounts.json").chmod(file)
    home.chmod(folder)
    finding = (await look(lab, home=home))["files"]
    assert finding.is_good is not bool(named)
    assert not named or f"get at {named} in" in finding.detail


async def test_home_that_is_missing_or_closed_is_told(lab: Lab, tmp_path: Path) -> None:
    """A home that is not there yet is private, and a file in its place is told."""
    assert (await look(lab, home=tmp_path / "none"))["files"].is_good
    (tmp_path / "file").touch()
    finding = (await look(lab, home=tmp_path / "file"))["files"]
    assert (finding.is_good, "cannot be looked at: Not a directory" in finding.detail) == (False, True)


async def test_file_that_goes_away_meanwhile_is_no_fault(
    lab: Lab, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A server that runs may put files away while they are looked at."""
    home = tmp_path / "home"
    home.mkdir()
    home.chmod(0o755)
    (home / "state.db-journal").touch(0o644)
    monkeypatch.setattr(type(home), "is_file", lambda path: path.unlink() is None)
    assert (await look(lab, home=home))["files"].is_good


async def test_no_privacy_is_claimed_where_modes_say_nothing(lab: Lab) -> None:
    """Where the modes of files do not say who reads them, that is said."""
    found = {each.step: each for each in await examine_machine(lab.services, {}, has_modes=False)}
    assert found["files"].is_good
    assert found["files"].detail.endswith("is up to this system, and was not looked at.")
