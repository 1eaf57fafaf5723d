"""What may stand where a file should."""

from __future__ import annotations

import os
import socket
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


def _make_socket(path: Path) -> None:
    # The name of a socket must be short, whatever folder it is in.
    before = Path.cwd()
    os.chdir(path.parent)
    try:
        with socket.socket(socket.AF_UNIX) as made:
            made.bind(path.name)
    finally:
        os.chdir(before)


NOT_FILES: dict[str, Callable[[Path], object]] = {
    "folder": Path.mkdir,
    "pipe": os.mkfifo,
    "socket": _make_socket,
    "device": lambda path: path.symlink_to("/dev/zero"),
}
"""Name → what puts it at a path."""
