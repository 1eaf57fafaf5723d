"""Programs at their desks, and the list of what ran."""

from __future__ import annotations

import os
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from .desk import Desk
from .install import install_or_skip

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ..process import Running
    from .table import Program

FOLDER_VARIABLE = "ANTIGRAVITY_TEST_PROGRAMS"
"""Names a folder in which programs stay installed; without it they are gone after the tests."""

COMMAND = "antigravity-proxy"
PROPERTY = "program"
"""Under which a test records what it drives."""


@pytest.fixture(scope="session")
def programs_folder() -> Iterator[Path]:
    """Where programs are installed."""
    if (named := os.environ.get(FOLDER_VARIABLE)) is not None:
        yield Path(named)
        return
    with tempfile.TemporaryDirectory(prefix="antigravity-proxy-programs-") as folder:
        yield Path(folder)


@pytest.fixture
def own_command(tmp_path: Path) -> Path:
    """A folder with ``antigravity-proxy`` in it and nothing else."""
    folder = tmp_path / "own-command"
    folder.mkdir()
    (folder / COMMAND).symlink_to(Path(sys.executable).with_name(COMMAND))
    return folder


@pytest.fixture
def open_desk(
    programs_folder: Path, served: Running, tmp_path: Path, record_property: Callable[[str, object], None]
) -> Callable[[Program], Desk]:
    """Installs a program and gives it a fresh home; skips the test where its registry lacks it."""

    def open_one(program: Program) -> Desk:
        record_property(PROPERTY, f"{program.name}, {program.packages[0]}")
        commands = install_or_skip(program, programs_folder)
        desk = Desk(program, commands, home=tmp_path / "home", folder=tmp_path / "folder", served=served)
        desk.set_up()
        return desk

    return open_one


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """List every program with its version and what became of its tests."""
    rows: dict[str, Counter[str]] = {}
    for outcome in ("passed", "failed", "skipped"):
        for report in terminalreporter.stats.get(outcome, ()):
            test = report.nodeid.rpartition("::")[2].partition("[")[0].removeprefix("test_").replace("_", " ")
            for _, program in (entry for entry in report.user_properties if entry[0] == PROPERTY):
                rows.setdefault(program, Counter())[f"{test} {outcome}"] += 1
    if rows:
        terminalreporter.section("programs")
    for program, outcomes in rows.items():
        words = ", ".join(words if count == 1 else f"{words} ({count})" for words, count in outcomes.items())
        terminalreporter.write_line(f"{program}: {words}")
