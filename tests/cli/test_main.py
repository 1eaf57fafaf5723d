"""Tests of the command line as a whole, and of how failures end it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from antigravity_proxy import __version__
from antigravity_proxy.cli import main as cli_main
from antigravity_proxy.errors import StoreError

from .conftest import forget_logging

if TYPE_CHECKING:
    from .conftest import Command

COMMAND = (sys.executable, "-m", "antigravity_proxy")
HEAVY = ("aiohttp", "pydantic", "cryptography", "rich.table", "uvloop", "prometheus_client")


def run_main(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> int:
    """Run the command line as the installed command does, and give its exit code."""
    forget_logging()
    monkeypatch.setattr(sys, "argv", ["antigravity-proxy", *arguments])
    with pytest.raises(SystemExit) as caught:
        cli_main.main()
    return caught.value.code if isinstance(caught.value.code, int) else 0


def test_version_is_printed(command: Command) -> None:
    """``--version`` prints the version alone."""
    result = command("--version")
    assert (result.exit_code, result.stdout) == (0, f"{__version__}\n")


@pytest.mark.parametrize("flag", ["-h", "--help"])
def test_help_lists_the_commands(command: Command, flag: str) -> None:
    """The help names every command with a sentence."""
    result = command(flag)
    assert result.exit_code == 0
    for name in ("serve", "models", "simulate", "accounts"):
        assert f"\n  {name} " in result.stdout


@pytest.mark.parametrize("name", ["serve", "models", "simulate", "accounts list", "accounts import"])
def test_every_command_has_help(command: Command, name: str) -> None:
    """Each command explains itself and each of its options."""
    result = command(*name.split(), "-h")
    assert result.exit_code == 0
    assert result.stdout.count("\n") > 5


@pytest.mark.parametrize(
    "arguments", [(), ("dance",), ("serve", "--port", "99999"), ("serve", "--pace", "-1"), ("models", "x")]
)
def test_wrong_usage_is_exit_code_two(command: Command, arguments: tuple[str, ...]) -> None:
    """What is no command of ours, or no value for one, is a usage error."""
    assert command(*arguments).exit_code == 2


def test_success_is_exit_code_zero(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """A command that does its work ends with 0."""
    assert run_main(monkeypatch, "models") == 0
    assert "gemini" in capsys.readouterr().out


def test_failure_is_one_sentence(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """An error of ours is its sentence on stderr, and exit code 1."""
    file = tmp_path / "missing.json"
    assert run_main(monkeypatch, "accounts", "import", str(file)) == 1
    captured = capsys.readouterr()
    assert captured.out == ""
    assert (
        captured.err == f"antigravity-proxy: {file} cannot be read: No such file or directory. Name another file.\n"
    )


def test_wrong_setting_is_one_sentence(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], home: Path
) -> None:
    """A setting that does not exist is named with the nearest one."""
    home.mkdir()
    (home / "config.toml").write_text("prot = 1\n")
    assert run_main(monkeypatch, "serve") == 1
    assert capsys.readouterr().err == (
        f"antigravity-proxy: {home}/config.toml sets prot, which does not exist. Did you mean port?\n"
    )


def test_unexpected_failure_is_one_sentence_too(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], home: Path
) -> None:
    """A fault nobody thought of says how to learn more, and shows no traceback unasked."""
    monkeypatch.setitem(sys.modules, "antigravity_proxy.catalog.catalog", None)
    assert run_main(monkeypatch, "models") == 1
    captured = capsys.readouterr()
    assert captured.err.startswith("antigravity-proxy: It failed in a way nobody thought of (ModuleNotFoundError).")
    assert "--debug" in captured.err
    assert "Traceback" not in captured.err


def test_debug_shows_where_it_failed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """With ``--debug`` the error comes out with its traceback."""
    forget_logging()
    monkeypatch.setattr(
        sys, "argv", ["antigravity-proxy", "--debug", "accounts", "import", str(tmp_path / "missing")]
    )
    with pytest.raises(StoreError, match="cannot be read"):
        cli_main.main()


def test_help_imports_nothing_heavy() -> None:
    """The help answers at once, as commands import what they need when they run."""
    code = f"import antigravity_proxy.cli.main, sys; print([m for m in {HEAVY!r} if m in sys.modules])"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout == "[]\n"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no device that is always full")
@pytest.mark.parametrize("environment", [{}, {"PYTHONUNBUFFERED": "1"}], ids=["buffered", "unbuffered"])
@pytest.mark.parametrize("arguments", ["models", "models --json", "--help", "--version"])
def test_full_output_is_named(arguments: str, environment: dict[str, str]) -> None:
    """Output that cannot be written is said to be so, and why."""
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [*COMMAND, *arguments.split()],
            check=False,
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            env={**{name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}, **environment},
        )
    assert (done.returncode, done.stderr) == (
        1,
        "antigravity-proxy: Standard output cannot be written: No space left on device. Send it somewhere else.\n",
    )


INTERRUPTING = """
import os, signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)

class Interrupter:
    def find_spec(self, name, path=None, target=None):
        if name == {module!r}:
            os.kill(os.getpid(), signal.SIGINT)

from antigravity_proxy.__main__ import main
sys.meta_path.insert(0, Interrupter())
sys.argv = ["antigravity-proxy", "serve", "--port", "0"]
main()
"""


@pytest.mark.parametrize(
    "module",
    [
        "antigravity_proxy.cli.main",
        "typer",
        "antigravity_proxy.cli.serve",
        "antigravity_proxy.proxy.settings",
        "antigravity_proxy.cli.running",
        "aiohttp",
        "uvloop",
    ],
)
def test_interrupted_start_is_silent(module: str) -> None:
    """Ctrl-C ends a command at any moment of its start, even before it has loaded its modules."""
    code = INTERRUPTING.format(module=module)
    done = subprocess.run([sys.executable, "-c", code], check=False, capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "")
