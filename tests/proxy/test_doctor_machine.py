"""Tests of what is found about this machine."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING

import pytest

from antigravity_proxy.proxy.doctor_machine import MAX_SKEW_S, examine_machine

if TYPE_CHECKING:
    from pathlib import Path

    from antigravity_proxy.proxy.doctor import Finding

    from .conftest import Lab, OpenLab


async def look(lab: Lab, **environment: str) -> dict[str, Finding]:
    """What is found, by its name."""
    return {finding.step: finding for finding in await examine_machine(lab.services, environment)}


async def test_sound_machine(lab: Lab) -> None:
    """A free port, a right clock, no proxies and private files are good."""
    found = await look(lab)
    assert [finding.is_good for finding in found.values()] == [True] * 4, found
    assert found["proxies"].detail == "No variable names an HTTP proxy."


async def test_port_in_use_is_named(open_lab: OpenLab) -> None:
    """A port that somebody has is told with what to do."""
    async with open_lab() as lab:
        taken = lab.services.settings.model_copy(update={"port": lab.port})
        object.__setattr__(lab.services, "settings", taken)
        finding = (await look(lab))["port"]
    assert not finding.is_good
    assert "--port" in finding.detail


@pytest.mark.parametrize(("ahead_s", "words"), [(900, "900 s ahead of"), (-900, "900 s behind")])
async def test_wrong_clock_is_named(open_lab: OpenLab, ahead_s: float, words: str) -> None:
    """A clock that Google's disagrees with is told with how much."""
    assert abs(ahead_s) > MAX_SKEW_S
    async with open_lab(clock=lambda: float(round(time.time())) + ahead_s) as lab:
        finding = (await look(lab))["clock"]
    assert not finding.is_good
    assert words.split(" s ")[1] in finding.detail


async def test_clock_cannot_be_compared_without_google(open_lab: OpenLab) -> None:
    """Without a connection the clock is not known to be right."""
    async with open_lab() as lab:
        await lab.simulator.stop()
        finding = (await look(lab))["clock"]
    assert not finding.is_good
    assert "Google's time is not known" in finding.detail


async def test_proxy_of_another_kind_is_named(lab: Lab) -> None:
    """Variables are named without their values, which may hold a login; one that cannot be used is bad."""
    found = await look(lab, https_proxy="http://user:word@proxy.example:3128", NO_PROXY="*")
    assert found["proxies"].detail == "Set are NO_PROXY, https_proxy."
    found = await look(lab, ALL_PROXY="socks5://127.0.0.1:1080")
    assert (found["proxies"].is_good, "ALL_PROXY" in found["proxies"].detail) == (False, True)


async def test_file_that_others_can_read_is_named(lab: Lab, tmp_path: Path) -> None:
    """A file that is not private is told with the command that mends it."""
    os.chmod(tmp_path / "accounts.json", 0o644)  # noqa: PTH101 -- what is to be found
    finding = (await look(lab))["files"]
    assert not finding.is_good
    assert "accounts.json" in finding.detail
    assert "chmod" in finding.detail
