"""Where the server of a home runs, for commands that find none at the address of their settings.

Source:
    SPEC.md, "Files".
"""

from __future__ import annotations

import json
import os
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from ..accounts.disk import read_file, replace_file
from ..errors import StoreError
from ..translate.json_text import as_object, parse_json
from .neighbour import find_neighbour_at

if TYPE_CHECKING:
    from collections.abc import Generator
    from pathlib import Path

    from .neighbour import Neighbour

RUN_FILE = "running.json"
"""In the home: ``{"url": "http://127.0.0.1:4000/v1", "process": 7}``. The server that started last has it."""


@contextmanager
def said_to_run(home: Path, url: str) -> Generator[None]:
    """Have the home say, as long as the block runs, that this process serves there.

    It is no more than a hint: a home that does not exist or cannot be written is left as it is.

    Args:
        home: folder of the accounts.
        url: base URL for clients on this machine.
    """
    file, process = home / RUN_FILE, os.getpid()
    if home.is_dir():
        with suppress(OSError):
            replace_file(file, json.dumps({"url": url, "process": process}).encode(), tag=str(process))
    try:
        yield
    finally:
        if _read(file) == (url, process):
            with suppress(OSError):
                file.unlink()


async def find_running(home: Path) -> tuple[str, Neighbour] | None:
    """The base URL of the server that the home says to run, and that server; None when it does not run any more."""
    said = _read(home / RUN_FILE)
    if said is None:
        return None
    url, process = said
    found = await find_neighbour_at(url)
    return (url, found) if found is not None and found.process == process else None


def _read(file: Path) -> tuple[str, int] | None:
    try:
        said = as_object(parse_json(read_file(file)[0]))
    except (OSError, StoreError, ValueError):
        return None
    url, process = said.get("url"), said.get("process")
    return (url, process) if isinstance(url, str) and type(process) is int else None
