"""Installs a program into a folder of its own, from its registry."""

from __future__ import annotations

import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from .table import Program

INSTALL_TIMEOUT_S = 1_800
LACKING = ("No matching distribution found", "npm error code E404", "npm error code ETARGET")
"""What pip and npm say of a package or version that the registry does not have."""


class UnavailableError(Exception):
    """The program cannot be had here; the message says why."""


def install_or_skip(program: Program, folder: Path) -> Path:
    """Give the folder of the program's commands; skip the test when it cannot be had."""
    try:
        return install(program, folder)
    except UnavailableError as exc:
        pytest.skip(f"{program.name}: {exc}")


def install(program: Program, folder: Path) -> Path:
    """Give the folder of the program's commands, after installing it unless that was done before.

    Args:
        program: what to install.
        folder: holds a folder for each program.

    Raises:
        UnavailableError: the registry lacks it, or its installer is not there.
    """
    own = folder / program.packages[0].replace("/", "-").lstrip("@")
    commands = own / ("node_modules/.bin" if program.registry == "npm" else "bin")
    finished = own / ".installed"
    if not finished.exists():
        shutil.rmtree(own, ignore_errors=True)
        own.mkdir(parents=True)
        if program.registry == "npm":
            _install_from_npm(program, own)
        else:
            _run(sys.executable, "-m", "venv", str(own))
            _run(str(commands / "pip"), "install", "--quiet", "--disable-pip-version-check", *program.packages)
        finished.touch()
    return commands


def _install_from_npm(program: Program, own: Path) -> None:
    if (npm := shutil.which("npm")) is None:
        raise UnavailableError("npm is not installed")
    _run(npm, "install", "--no-audit", "--no-fund", "--loglevel=error", "--prefix", str(own), *program.packages)


def _run(*command: str) -> None:
    ended = subprocess.run(command, capture_output=True, text=True, timeout=INSTALL_TIMEOUT_S, check=False)
    for line in ended.stderr.splitlines():
        if any(words in line for words in LACKING):
            raise UnavailableError(f"its registry does not have it: {line}")
    assert ended.returncode == 0, f"{command} failed: {ended.stderr[-2000:]}"
