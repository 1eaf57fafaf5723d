"""The plugin inside the real Hermes: installed from a repository, and as an entry point of a package."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest

import antigravity_proxy

from .autostart import process_at, proxy_down
from .table import HERMES, MODEL

if TYPE_CHECKING:
    from collections.abc import Callable

    from .desk import Desk
    from .table import Program

pytestmark = pytest.mark.programs
ROOT = Path(antigravity_proxy.__file__).parent
NAME = "antigravity-proxy"
ANSWERED = "no Google model was asked"
NOBODY = "1"
"""A port on which nothing listens."""


@pytest.fixture
def desk(open_desk: Callable[[Program], Desk], own_command: Path) -> Desk:
    """Hermes, with the proxy as its default provider and the command ``antigravity-proxy`` on its path."""
    made = open_desk(replace(HERMES, variables={"PATH": f"{own_command}{os.pathsep}{os.environ['PATH']}"}))
    for key, value in (("provider", "antigravity"), ("default", MODEL)):
        succeed(made, "config", "set", f"model.{key}", value)
    return made


def succeed(desk: Desk, *words: str, port: str | int = NOBODY) -> str:
    """Run Hermes, with the proxy on a port, and give what it wrote."""
    variables = {**desk.program.variables, "ANTIGRAVITY_PROXY_PORT": str(port)}
    asked = replace(desk, program=replace(desk.program, variables=variables))
    ended = asked.run("hermes", *words)
    assert ended.returncode == 0, ended
    return ended.stdout


def git(*words: str, folder: Path) -> None:
    """Run git as somebody."""
    somebody = ("-c", "user.name=A", "-c", "user.email=a@example.com")
    subprocess.run(["git", *somebody, *words], cwd=folder, check=True, capture_output=True)  # noqa: S607


def copy_repository(folder: Path) -> Path:
    """A repository with our files as they are now, under the name it is published by."""
    target = folder / NAME
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True)  # noqa: S607
    for name in listed.stdout.splitlines():
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, target / name)
    git("init", "--quiet", folder=target)
    git("add", "--all", folder=target)
    git("commit", "--quiet", "--message", "Publish", folder=target)
    return target


def check_plugin(desk: Desk) -> None:
    """The command works, and a session that starts looks whether the proxy runs."""
    told = succeed(desk, "antigravity", "status", port=urlsplit(desk.url).port or 0)
    assert f"runs at {desk.url} as process {desk.served.process.pid}." in told
    # An answer that takes a moment: Hermes does not wait for the look when it ends.
    succeed(desk, "chat", "-q", "Hello [[simulate slow pace=0.3]]")
    log = (desk.home / ".hermes" / "logs" / "agent.log").read_text(encoding="utf-8")
    assert f"No antigravity-proxy runs at http://127.0.0.1:{NOBODY}/v1." in log


def test_plugin_from_repository(desk: Desk, tmp_path: Path) -> None:
    """``hermes plugins install`` takes the repository and enables it."""
    repository = copy_repository(tmp_path)
    assert "enabled" in succeed(desk, "plugins", "install", "--enable", repository.as_uri())
    check_plugin(desk)


def test_plugin_from_package(desk: Desk, tmp_path: Path) -> None:
    """An installed package is found by its entry point, once it is enabled."""
    packages = tmp_path / "packages"
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps"]
    subprocess.run([*command, "--no-build-isolation", "--target", packages, copy_repository(tmp_path)], check=True)
    with_package = replace(
        desk, program=replace(desk.program, variables={**desk.program.variables, "PYTHONPATH": str(packages)})
    )
    succeed(with_package, "plugins", "enable", NAME)
    check_plugin(with_package)


@pytest.mark.parametrize("may_start", [True, False], ids=["allowed", "not allowed"])
def test_session_without_a_proxy(desk: Desk, tmp_path: Path, unused_tcp_port: int, *, may_start: bool) -> None:
    """A session that finds no proxy starts it if that is allowed, and gets its answer; else it says what to do."""
    succeed(desk, "plugins", "install", "--enable", copy_repository(tmp_path).as_uri())
    with proxy_down(desk, unused_tcp_port, "hermes", may_start=may_start) as alone:
        ended = alone.run("hermes", "chat", "-q", "Hello")
        is_up = process_at(unused_tcp_port) is not None
    assert is_up is may_start
    if may_start:
        assert ANSWERED in " ".join(ended.stdout.split()), ended
        assert ended.stderr == ""
    else:
        url = f"http://127.0.0.1:{unused_tcp_port}/v1"
        assert (
            f"antigravity-proxy: No antigravity-proxy runs at {url}. Start it: antigravity-proxy serve"
            in ended.stderr
        )
        assert len(ended.stderr.splitlines()) == 1
