"""The bundle inside the real DSH."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest

import antigravity_proxy

from .autostart import process_at, proxy_down
from .install import install_or_skip
from .table import DSH, PNPM

if TYPE_CHECKING:
    from collections.abc import Callable

    from .desk import Desk
    from .table import Program

pytestmark = pytest.mark.programs
BUNDLE = Path(antigravity_proxy.__file__).parent / "plugin" / "dsh"
MISSING = "antigravity-proxy is not installed. Install it: pipx install FOLDER, with the folder of its repository"
PROMPT = "Hello from a bundle [[simulate slow pace=0.5]]"


@pytest.fixture
def desk(open_desk: Callable[[Program], Desk], programs_folder: Path, own_command: Path) -> Desk:
    """DSH with the bundle installed."""
    pnpm = install_or_skip(PNPM, programs_folder)
    made = open_desk(DSH)
    variables = {
        **DSH.variables,
        "PATH": os.pathsep.join((str(own_command), str(pnpm), os.environ["PATH"])),
        "ANTIGRAVITY_PROXY_HOME": str(made.home),
        "ANTIGRAVITY_PROXY_PORT": str(urlsplit(made.url).port),
    }
    made = replace(made, program=replace(DSH, variables=variables))
    added = made.run("dsh", "plugin", "--profile", "headless", "add", str(BUNDLE))
    assert added.returncode == 0, added
    return made


def test_bundle_repairs_the_route(desk: Desk) -> None:
    """A start of DSH repairs a route that names another key, and nothing is said when all is well."""
    patch = desk.home / ".dsh" / "profiles" / "headless" / "cordis.patch.yml"
    good = patch.read_text(encoding="utf-8")
    patch.write_text(good.replace("apiKeyEnv: ANTIGRAVITY_ACCESS_TOKEN", "apiKeyEnv: HOME"), encoding="utf-8")
    assert patch.read_text(encoding="utf-8") != good
    desk.ask(PROMPT)
    assert patch.read_text(encoding="utf-8") == good
    ended = desk.ask(PROMPT)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert "no Google model was asked" in ended.stdout


def test_bundle_without_the_command_only_says_so(desk: Desk) -> None:
    """DSH answers although ``antigravity-proxy`` is not installed, and says what to do."""
    variables = {**desk.program.variables, "PATH": os.environ["PATH"]}
    ended = replace(desk, program=replace(desk.program, variables=variables)).ask(PROMPT)
    assert ended.returncode == 0
    assert ended.stderr == f"{MISSING}\n"


@pytest.mark.parametrize("may_start", [True, False], ids=["allowed", "not allowed"])
def test_session_without_a_proxy(desk: Desk, unused_tcp_port: int, *, may_start: bool) -> None:
    """A session that finds no proxy starts it if that is allowed, and gets its answer; else it says what to do."""
    with proxy_down(desk, unused_tcp_port, "dsh", may_start=may_start) as alone:
        ended = alone.ask("Hello")
        is_up = process_at(unused_tcp_port) is not None
    assert is_up is may_start
    if may_start:
        assert (ended.returncode, ended.stderr) == (0, "")
        assert "no Google model was asked" in ended.stdout
    else:
        advice, *_ = ended.stderr.splitlines()
        url = f"http://127.0.0.1:{unused_tcp_port}/v1"
        assert advice.startswith(f"No antigravity-proxy runs at {url}. Start it: antigravity-proxy serve"), ended
