"""The plugin of Hermes: ``hermes antigravity ...``, and a look at the proxy whenever a session starts.

All it does is run the command ``antigravity-proxy``, in a process of its own: Hermes installs no packages for its
plugins, so nothing the proxy needs can be imported here.

Source:
    SPEC.md, "Plugins".
"""

from __future__ import annotations

import argparse
import logging
import shutil
import subprocess
import sys
import threading
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable

COMMAND = "antigravity-proxy"
ACTIONS = ("login", "status", "quota", "provision")
WITHOUT_PROGRAM = frozenset({"--list", "--all-found", "--help", "-h"})
"""Options of ``provision`` that stand without the name of a program."""

CHECK_TIMEOUT_S = 30.0

log = logging.getLogger(__name__)


class Host(Protocol):
    """What Hermes hands to ``register``, as far as it is used."""

    def register_cli_command(
        self,
        name: str,
        help: str,  # noqa: A002 -- the name in Hermes
        setup_fn: Callable[[argparse.ArgumentParser], None],
        handler_fn: Callable[[argparse.Namespace], None],
    ) -> None:
        """Add ``hermes NAME``."""

    def register_hook(self, name: str, callback: Callable[..., None]) -> None:
        """Have something called when something happens."""


def register(host: Host) -> None:
    """Add the command and the hook; what a host has no place for is a line on stderr, and no reason to stop it."""
    offers: dict[str, Callable[[], None]] = {
        "the command `antigravity`": lambda: host.register_cli_command(
            "antigravity", "Use your Antigravity subscription", add_arguments, run_action
        ),
        "the look at the proxy when a session starts": lambda: host.register_hook(
            "on_session_start", check_in_background
        ),
    }
    for what, add in offers.items():
        try:
            add()
        except Exception as exc:  # noqa: BLE001 -- whatever another version of the host raises, it shall start
            reason = " ".join(f"{type(exc).__name__}: {exc}".split())
            say(f"{what} cannot be added to this version of the host ({reason}). Use {COMMAND} itself.")


def say(words: str) -> None:
    """Write a line to stderr, if there is one and it takes it."""
    with suppress(AttributeError, OSError, ValueError):
        sys.stderr.write(f"{COMMAND}: {words}\n")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Take an action, and whatever options ``antigravity-proxy`` has for it."""
    parser.add_argument("action", choices=ACTIONS, help=f"as in {COMMAND} ACTION")
    parser.add_argument("rest", nargs=argparse.REMAINDER, help=f"see {COMMAND} ACTION --help", metavar="...")


def run_action(arguments: argparse.Namespace) -> None:
    """Run ``antigravity-proxy`` in this terminal.

    Raises:
        SystemExit: it failed, or is not installed.
    """
    command = find_command()
    if command is None:
        sys.exit(how_to_install())
    rest = ["hermes", *arguments.rest] if _is_about_hermes(arguments) else arguments.rest
    try:
        code = subprocess.run([command, arguments.action, *rest], check=False).returncode
    except OSError as exc:
        sys.exit(f"{command} cannot be run: {exc.strerror}. Install it again: pipx install --force {_folder()}")
    if code != 0:
        sys.exit(code)


def _is_about_hermes(arguments: argparse.Namespace) -> bool:
    """Whether these are words of ``provision`` that name no program, and are not about all."""
    words: list[str] = arguments.rest
    return arguments.action == "provision" and all(
        word.startswith("-") and word not in WITHOUT_PROGRAM for word in words
    )


def check_in_background(**_session: Any) -> None:
    """Look after the proxy without holding up the session."""
    try:
        threading.Thread(target=check, name=COMMAND, daemon=True).start()
    except RuntimeError as exc:
        warn(f"Whether {COMMAND} runs is not known: {exc}")


def check() -> None:
    """Warn when the proxy does not run; it is started if the user's settings allow that."""
    command = find_command()
    if command is None:
        warn(how_to_install())
        return
    try:
        ended = subprocess.run(
            [command, "status", "--autostart"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            timeout=CHECK_TIMEOUT_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as exc:
        warn(f"Whether {COMMAND} runs is not known: {exc}")
        return
    if ended.returncode != 0:
        warn(ended.stderr.strip() or f"{COMMAND} status ended with {ended.returncode}, and said nothing.")


def warn(words: str) -> None:
    """Put words into the host's log, and onto stderr, where the user of the session sees them."""
    log.warning("%s", words)
    say(words)


def find_command() -> str | None:
    """The path of ``antigravity-proxy``: in Hermes' own environment, else where commands are searched."""
    return shutil.which(COMMAND, path=str(Path(sys.executable).parent)) or shutil.which(COMMAND)


def how_to_install() -> str:
    """What to do when the command is not there."""
    return f"{COMMAND} is not installed. Install it: pipx install {_folder()}"


def _folder() -> str:
    return subprocess.list2cmdline([str(Path(__file__).parents[1])])
