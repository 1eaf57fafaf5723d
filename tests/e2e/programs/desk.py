"""A program with a fresh home, ready to be asked."""

from __future__ import annotations

import os
import subprocess
from dataclasses import dataclass
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from ..process import run_once, save_account

if TYPE_CHECKING:
    from ..process import Ended, Running
    from .table import Program

SCRIPTS = Path(__file__).parent / "scripts"
ASK_TIMEOUT_S = 180.0
WORD = "xyzzy-4711"
"""Stands in the note, and nowhere else."""


@dataclass(frozen=True, slots=True)
class Desk:
    """Where one program is asked.

    Attributes:
        program: the program.
        commands: the folder of its commands.
        home: its home folder, in which nothing is but what ``provision`` wrote.
        folder: its working folder, with a note in it.
        served: the proxy.
    """

    program: Program
    commands: Path
    home: Path
    folder: Path
    served: Running

    @property
    def url(self) -> str:
        """The proxy, with ``/v1``."""
        return self.served.url

    @property
    def note(self) -> Path:
        """A file that holds the word."""
        return self.folder / "note.txt"

    @property
    def environment(self) -> dict[str, str]:
        """What the program runs in; nothing of the developer's own but the path."""
        own = {name: self._filled(value) for name, value in self.program.variables.items()}
        path = f"{self.commands}{os.pathsep}{os.environ['PATH']}"
        return {"HOME": str(self.home), "PATH": path, "LANG": "C.UTF-8", "DO_NOT_TRACK": "1", **own}

    def set_up(self) -> None:
        """Write the note and the user's files, and provision the program."""
        for folder in (self.home, self.folder):
            folder.mkdir()
        self.note.write_text(f"{WORD}\n", encoding="utf-8")
        for name, text in self.program.files.items():
            (self.home / name).write_text(self._filled(text), encoding="utf-8")
        if self.program.prepare:
            prepared = self.run(*self.program.prepare)
            assert prepared.returncode == 0, prepared.stderr
        if self.program.provision:
            self.provision(*self.program.provision)

    def provision(self, *words: str) -> str:
        """Point the program at the proxy, as somebody does who has signed in; what that prints is given back."""
        account = save_account(self.served, self.home)
        port = {"ANTIGRAVITY_PROXY_PORT": str(urlsplit(self.url).port)}
        ended = run_once("provision", *words, home=self.home, extra={**self.environment, **account, **port})
        assert ended.returncode == 0, ended.stderr
        return ended.stdout

    def ask(self, prompt: str, *more: str) -> Ended:
        """Let the program ask one prompt, with all its tools allowed and some more arguments."""
        arguments = [self._filled(argument, prompt) for argument in self.program.ask]
        return self.run(*arguments, *more, stdin=self._filled(self.program.stdin, prompt))

    def ask_for_the_note(self) -> Ended:
        """Have the model call the program's tool with the note."""
        assert self.program.tool is not None
        arguments = self._filled(self.program.tool.arguments)
        return self.ask(f"Look. [[simulate call function={self.program.tool.function} args='{arguments}']]")

    def run(self, *command: str, stdin: str = "") -> Ended:
        """Run one of the program's commands to its end."""
        return subprocess.run(
            (str(self.commands / command[0]), *command[1:]),
            cwd=self.folder,
            env=self.environment,
            input=stdin,
            capture_output=True,
            text=True,
            timeout=ASK_TIMEOUT_S,
            check=False,
        )

    def _filled(self, text: str, prompt: str = "") -> str:
        return Template(text).substitute(prompt=prompt, home=self.home, url=self.url, note=self.note, scripts=SCRIPTS)
