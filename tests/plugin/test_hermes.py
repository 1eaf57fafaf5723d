"""Tests of the Hermes plugin, with a command in the place of ``antigravity-proxy``."""

from __future__ import annotations

import argparse
import io
import logging
import os
import shutil
import subprocess
import sys
import threading
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

import antigravity_proxy
from antigravity_proxy.plugin import hermes

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = Path(antigravity_proxy.__file__).parent
LOAD = """
import importlib.util, sys, types
sys.modules["hermes_plugins"] = types.ModuleType("hermes_plugins")
sys.modules["hermes_plugins"].__path__ = []
name, folder = "hermes_plugins.antigravity_proxy", sys.argv[1]
spec = importlib.util.spec_from_file_location(name, folder + "/__init__.py", submodule_search_locations=[folder])
sys.modules[name] = module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)
class Host:
    def register_cli_command(self, name, *others):
        print("command", name)
    def register_hook(self, name, callback):
        print("hook", name)
module.register(Host())
print(sorted(name for name in sys.modules if name.startswith(("hermes_plugins.", "antigravity_proxy"))))
"""
"""Loads a folder as Hermes does."""


@dataclass
class RecordingHost:
    """Keeps what a plugin adds."""

    commands: dict[str, dict[str, Any]] = field(default_factory=dict[str, dict[str, Any]])
    hooks: dict[str, Callable[..., None]] = field(default_factory=dict[str, "Callable[..., None]"])

    def register_cli_command(self, name: str, help: str, setup_fn: Any, handler_fn: Any) -> None:  # noqa: A002
        """Keep a command."""
        self.commands[name] = {"help": help, "setup": setup_fn, "handler": handler_fn}

    def register_hook(self, name: str, callback: Callable[..., None]) -> None:
        """Keep a hook."""
        self.hooks[name] = callback


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The only folder with commands, beside those of the system; empty."""
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    monkeypatch.setenv("PATH", os.pathsep.join((str(tmp_path), "/usr/bin", "/bin")))
    return tmp_path


def write_command(folder: Path, script: str) -> None:
    """Put a command in the place of ``antigravity-proxy``."""
    command = folder / hermes.COMMAND
    command.write_text(script)
    command.chmod(0o700)


def parse(*words: str) -> argparse.Namespace:
    """What follows ``hermes antigravity``."""
    parser = argparse.ArgumentParser()
    hermes.add_arguments(parser)
    return parser.parse_args(words)


def test_plugin_adds_a_command_and_a_hook() -> None:
    """Hermes gets ``hermes antigravity`` and is told of sessions that start."""
    host = RecordingHost()
    antigravity_proxy.register(host)
    assert list(host.commands) == ["antigravity"]
    assert host.hooks == {"on_session_start": hermes.check_in_background}


def test_folder_loads_without_any_package() -> None:
    """Dropped in as a folder under any name, it loads two modules of its own and needs no other package."""
    command = [sys.executable, "-I", "-S", "-c", LOAD, str(ROOT)]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    names = ["antigravity_proxy", "antigravity_proxy.plugin", "antigravity_proxy.plugin.hermes"]
    assert ended.stderr == ""
    assert ended.stdout.splitlines() == [
        "command antigravity",
        "hook on_session_start",
        str([f"hermes_plugins.{name}" for name in names]),
    ]


@pytest.mark.parametrize(
    ("words", "passed"),
    [
        (("login", "--no-browser"), "login --no-browser"),
        (("status",), "status"),
        (("quota", "ada@", "--json"), "quota ada@ --json"),
        (("provision", "--dry-run", "pi"), "provision --dry-run pi"),
        (("provision",), "provision hermes"),
        (("provision", "--dry-run", "--remove"), "provision hermes --dry-run --remove"),
        (("provision", "--list"), "provision --list"),
        (("provision", "--all-found", "--remove"), "provision --all-found --remove"),
        (("provision", "--help"), "provision --help"),
        (("quota", "--help"), "quota --help"),
    ],
)
def test_action_is_passed_on(folder: Path, words: tuple[str, ...], passed: str) -> None:
    """The command gets the action with all its options; ``provision`` without a program is about Hermes."""
    write_command(folder, f'#!/bin/sh\necho "$*" >{folder}/passed\n')
    hermes.run_action(parse(*words))
    assert (folder / "passed").read_text() == f"{passed}\n"


def test_exit_code_is_passed_back(folder: Path) -> None:
    """An action that fails ends Hermes with its exit code."""
    write_command(folder, "#!/bin/sh\nexit 3\n")
    with pytest.raises(SystemExit) as ended:
        hermes.run_action(parse("status"))
    assert ended.value.code == 3


def test_other_actions_are_refused() -> None:
    """Only four actions are offered."""
    with pytest.raises(SystemExit):
        parse("serve")


@pytest.mark.parametrize("lacking", ["register_cli_command", "register_hook"])
@pytest.mark.parametrize("form", ["raises", "is not there"])
def test_host_of_another_kind_starts_all_the_same(
    capsys: pytest.CaptureFixture[str], lacking: str, form: str
) -> None:
    """What a host has no place for is one line, and the rest is added."""

    def refuse(*_words: Any, **_options: Any) -> None:
        raise TypeError("no such\nargument")

    host = RecordingHost()
    methods = {name: getattr(host, name) for name in ("register_cli_command", "register_hook") if name != lacking}
    if form == "raises":
        methods[lacking] = refuse
    antigravity_proxy.register(SimpleNamespace(**methods))
    assert len(host.commands) + len(host.hooks) == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("antigravity-proxy: the ")
    assert ("TypeError: no such argument" if form == "raises" else "AttributeError: ") in line


@pytest.mark.parametrize("stderr", [None, "closed", "ascii"])
def test_line_that_cannot_be_said_is_dropped(monkeypatch: pytest.MonkeyPatch, stderr: str | None) -> None:
    """A host without stderr, or with one that takes no such words, is not disturbed."""
    stream = None if stderr is None else io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    if stream is not None and stderr == "closed":
        stream.close()
    monkeypatch.setattr(sys, "stderr", stream)
    hermes.say("Grüße")


def test_missing_command_says_how_to_install_it(folder: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Without the command, the action and the hook say how to install it from the plugin's own folder."""
    with pytest.raises(SystemExit) as ended:
        hermes.run_action(parse("status"))
    assert ended.value.code == f"antigravity-proxy is not installed. Install it: pipx install {ROOT}"
    hermes.check()
    assert caplog.messages == [ended.value.code]


def test_folder_may_have_any_name(tmp_path: Path) -> None:
    """In a folder with blanks and umlauts, for a user without a home, it loads and says a line that can be pasted."""
    folder = tmp_path / "my plügins" / "antigravity proxy"
    shutil.copytree(ROOT / "plugin", folder / "plugin")
    shutil.copy(ROOT / "__init__.py", folder)
    script = f"{LOAD}\nprint(sys.modules['hermes_plugins.antigravity_proxy.plugin.hermes'].how_to_install())"
    ended = subprocess.run(
        [sys.executable, "-I", "-S", "-X", "utf8", "-c", script, str(folder)],
        env={"PATH": os.defpath},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert ended.stderr == ""
    assert ended.stdout.splitlines()[-1].endswith(f'pipx install "{folder}"')


def test_running_proxy_is_not_mentioned(folder: Path, caplog: pytest.LogCaptureFixture) -> None:
    """When the proxy runs, or could be started, nothing is logged."""
    write_command(folder, f'#!/bin/sh\necho "$*" >{folder}/passed\necho fine\n')
    hermes.check()
    assert (folder / "passed").read_text() == "status --autostart\n"
    assert caplog.messages == []


def test_proxy_that_does_not_run_is_logged(folder: Path, caplog: pytest.LogCaptureFixture) -> None:
    """What the command says of a proxy that does not run is a warning."""
    write_command(folder, "#!/bin/sh\necho 'It does not run.' >&2\nexit 1\n")
    hermes.check()
    assert [(record.levelno, record.message) for record in caplog.records] == [(logging.WARNING, "It does not run.")]


def test_advice_is_seen_in_the_session(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What is wrong is a line on stderr too, whatever bytes the command writes and even if it writes none."""
    write_command(folder, "#!/bin/sh\nprintf 'Gr\\374\\337e\\n' >&2\nexit 1\n")
    hermes.check()
    assert capsys.readouterr().err == "antigravity-proxy: Gr\ufffd\ufffde\n"
    write_command(folder, "#!/bin/sh\nexit 3\n")
    hermes.check()
    assert capsys.readouterr().err == "antigravity-proxy: antigravity-proxy status ended with 3, and said nothing.\n"


def test_broken_command_is_told(folder: Path, caplog: pytest.LogCaptureFixture) -> None:
    """A command that cannot be run fails no session, and is a sentence to who wants it."""
    write_command(folder, "#!/no/such/interpreter\n")
    with pytest.raises(SystemExit) as ended:
        hermes.run_action(parse("status"))
    assert ended.value.code == (
        f"{folder / hermes.COMMAND} cannot be run: No such file or directory. "
        f"Install it again: pipx install --force {ROOT}"
    )
    hermes.check()
    assert caplog.messages[0].startswith("Whether antigravity-proxy runs is not known: ")


def test_session_without_a_thread_goes_on(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    """A host that can start no more threads is told that nobody has looked."""

    def refuse(_thread: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", refuse)
    hermes.check_in_background(session_id="1")
    assert caplog.messages == ["Whether antigravity-proxy runs is not known: can't start new thread"]


def test_session_does_not_wait(folder: Path) -> None:
    """The hook is back while the command still runs."""
    os.mkfifo(folder / "go")
    write_command(folder, f"#!/bin/sh\nread line <{folder}/go\necho done >{folder}/done\n")
    hermes.check_in_background(session_id="1", model="m", platform="cli")
    (thread,) = (thread for thread in threading.enumerate() if thread.name == hermes.COMMAND)
    assert not (folder / "done").exists()
    (folder / "go").write_text("go\n")
    thread.join(hermes.CHECK_TIMEOUT_S)
    assert (folder / "done").exists()
