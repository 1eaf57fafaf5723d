"""Private files that are whole or absent: created 0600, complete on disk before they get their name."""

from __future__ import annotations

import os
import stat
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from ..errors import StoreError

if TYPE_CHECKING:
    from collections.abc import Callable, Generator
    from pathlib import Path

FILE_MODE = 0o600
FOLDER_MODE = 0o700

WITHOUT_WAITING = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
"""How a file is opened for reading; a pipe that has come into its place meanwhile is not waited for."""

_UNNAMED = "new-"


def make_folder(folder: Path) -> None:
    """Create the folder, readable by its owner alone; one that exists is left as it is.

    Raises:
        OSError: it cannot be created.
    """
    folder.mkdir(mode=FOLDER_MODE, parents=True, exist_ok=True)


def check_file(path: Path) -> None:
    """Make sure that what is there is a file: to open a pipe or a device may take for ever, or do something.

    Raises:
        StoreError: it is something else.
        OSError: there is nothing, or it cannot be looked at.
    """
    mode = path.stat().st_mode
    if not stat.S_ISREG(mode):
        kind = "a folder" if stat.S_ISDIR(mode) else "a pipe, a socket or a device"
        raise StoreError(f"{path} is {kind}, where a file should be. Move it away, and try again.", path=path)


def read_file(path: Path) -> tuple[bytes, os.stat_result]:
    """The content of a file, and what the system knows about it.

    Raises:
        StoreError: it is no file.
        OSError: it cannot be read.
    """
    check_file(path)
    with os.fdopen(os.open(path, WITHOUT_WAITING), "rb") as file:
        status = os.fstat(file.fileno())
        return file.read(), status


def replace_file(path: Path, data: bytes, *, tag: str, mode: int = FILE_MODE) -> None:
    """Give the file new content in one step, so that a reader or a crash sees the old or the new one.

    Args:
        path: the file; not a symbolic link, which would be replaced itself.
        data: its new content.
        tag: makes the name of the unfinished file unique.
        mode: its permissions; by default those of a private file.

    Raises:
        OSError: it cannot be written; the old content is still there.
    """
    with _unfinished(path, data, tag) as unfinished:
        if mode != FILE_MODE:
            unfinished.chmod(mode)
        unfinished.replace(path)
    _sync_folder(path.parent)


def create_file(path: Path, data: bytes, *, tag: str, link: Callable[[Path, Path], None] = os.link) -> bool:
    """Create the file with this content unless it exists; of several processes exactly one succeeds.

    Args:
        path: the file.
        data: its content.
        tag: makes the name of the unfinished file unique.
        link: gives a file a second name.

    Returns:
        Whether this call created it.

    Raises:
        OSError: it cannot be written.
    """
    try:
        with _unfinished(path, data, tag) as unfinished:
            _name(unfinished, path, data, link)
    except FileExistsError:
        return False
    _sync_folder(path.parent)
    return True


def remove_unfinished(path: Path) -> None:
    """Remove what processes that died while writing this file have left beside it.

    Only for the holder of the file's lock: nobody else is writing then, so whatever is unfinished is dead.
    """
    with suppress(OSError):
        for entry in list(path.parent.iterdir()):
            if entry.name.startswith(f"{path.name}.{_UNNAMED}"):
                with suppress(OSError):
                    entry.unlink()


@contextmanager
def _unfinished(path: Path, data: bytes, tag: str) -> Generator[Path]:
    unfinished = path.with_name(f"{path.name}.{_UNNAMED}{tag}")
    try:
        _write_new(unfinished, data)
        yield unfinished
    finally:
        with suppress(OSError):
            unfinished.unlink(missing_ok=True)


def _name(unfinished: Path, path: Path, data: bytes, link: Callable[[Path, Path], None]) -> None:
    try:
        link(unfinished, path)
    except FileExistsError:
        raise
    except OSError:
        # Some file systems have no hard links. Exclusive creation keeps the promise that one process wins, but a
        # crash in the middle can leave a short file.
        _write_new(path, data)


def _write_new(path: Path, data: bytes) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, FILE_MODE)
    with os.fdopen(descriptor, "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def _sync_folder(folder: Path) -> None:
    # Not every system lets a folder be opened or flushed; the file itself is already safe.
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
