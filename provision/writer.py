"""The one module that reads and writes harnesses' files."""

from __future__ import annotations

import os
import re
import stat
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass, replace
from difflib import unified_diff
from pathlib import Path
from typing import TYPE_CHECKING

from filelock import SoftFileLock, Timeout

from ..accounts.disk import FILE_MODE, create_file, make_folder, read_file, replace_file
from ..errors import ProvisionError, StoreError
from .document import remembering
from .masking import MASK, masked
from .tree import broken

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator

    from .document import Document
    from .harness import Target
    from .route import Route

BACKUP_SUFFIX = ".before-antigravity-proxy"
"""Behind the name of the copy of a file as it was before it was written for the first time."""

LOCK_TIMEOUT_S = 2.0
_HUNK = re.compile(r"@@ -(\d+)[\d,]* \+(\d+)")
_LINE = re.compile(r"[^\n]*\n|[^\n]+")


@dataclass(frozen=True, slots=True)
class Change:
    """What is to happen to one file.

    Attributes:
        target: the file.
        before: its text; None when there is none.
        after: its new text; None when it is to go.
        is_from_before_us: whether ``before`` holds nothing of ours, and is to be kept beside the file.
    """

    target: Target
    before: str | None
    after: str | None
    is_from_before_us: bool = False

    @property
    def is_needed(self) -> bool:
        """Whether anything is to be done."""
        return self.after != self.before

    def diff(self, secrets: Iterable[str]) -> str:
        """The change for people, without the secrets, and without what looks like one of somebody else's."""
        path, document = str(self.target.path), self.target.document
        texts = (self.before or "", self.after or "")
        before, after = map(_LINE.findall, texts)
        header, names, *lines = unified_diff(
            before,
            after,
            path if self.before is not None else "/dev/null",
            path if self.after is not None else "/dev/null",
        )
        shown = (masked(text, document.syntax, has_keys=self.target.has_keys) for text in texts)
        parts = [header, names, *_shown_instead(lines, *map(_LINE.findall, shown))]
        text = "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in parts)
        for secret in secrets:
            text = text.replace(secret, MASK)
        return text


def _shown_instead(lines: list[str], old: list[str], new: list[str]) -> Iterator[str]:
    """The lines of a diff, written as those of two other texts of as many lines are."""
    before, after = iter(old), iter(new)
    for line in lines:
        if (hunk := _HUNK.match(line)) is not None:
            before, after = (
                iter(shown[max(int(start) - 1, 0) :]) for shown, start in zip((old, new), hunk.groups(), strict=True)
            )
            yield line
        elif line.startswith("+"):
            yield f"+{next(after)}"
        else:
            yield f"{line[0]}{next(before)}"
            if line.startswith(" "):
                next(after)


def plan(target: Target, route: Route, *, add_models: bool) -> Change:
    """What writing the route changes in a file.

    Raises:
        ProvisionError: the file cannot be read or parsed, or its place is taken.
    """
    before = read_text(target.path)
    document = remembering(target.document)
    target = replace(target, document=document)
    text = document.fresh if before is None else before
    try:
        after = document.provisioned(text, route, add_models=add_models)
        if after and after == before:
            return Change(target, before, after)
        holds_ours = document.withdrawn(text, document.fresh, route) != text
    except ProvisionError as exc:
        raise _in_file(target.path, exc) from exc
    is_from_before_us = before is not None and not holds_ours
    is_nothing = after == text if before is None else holds_ours and not after and not backup_of(target.path).exists()
    return Change(target, before, None if is_nothing else after, is_from_before_us)


def plan_removal(target: Target, route: Route) -> Change:
    """What taking the route away changes in a file; one that holds nothing else goes.

    Raises:
        ProvisionError: as ``plan``.
    """
    text = read_text(target.path)
    if text is None:
        return Change(target, None, None)
    former = read_text(backup_of(target.path))
    document = remembering(target.document)
    target = replace(target, document=document)
    fresh = document.fresh
    try:
        if former is not None and _is_written_into(former, text, document, route):
            after = former
        else:
            after = document.withdrawn(text, fresh if former is None else former, route)
    except ProvisionError as exc:
        raise _in_file(target.path, exc) from exc
    is_empty = after.strip() == fresh.strip() if former is None else not after.strip() and after != former
    return Change(target, text, None if is_empty and after != text else after)


def _is_written_into(former: str, text: str, document: Document, route: Route) -> bool:
    """Whether a file is what is written into its copy, and nothing else."""
    with suppress(ProvisionError):
        return document.provisioned(former, route, add_models=False) == text
    return False


def carry_out(change: Change, *, new_tag: Callable[[], str]) -> None:
    """Write a change: the old text is kept once, the new one is there at once or not at all.

    Args:
        change: what is to happen.
        new_tag: gives unique words for names of unfinished files.

    Raises:
        ProvisionError: the file is read-only or locked, is not as it was when the change was planned, or the disk
            refuses.
    """
    path = Path(os.path.realpath(change.target.path))
    try:
        with _locked(path) if change.target.has_lock else nullcontext():
            _write(path, change, new_tag)
    except OSError as exc:
        raise ProvisionError(
            f"{path} cannot be written: {exc.strerror or exc}. Check the disk space and the permissions of the file "
            "and its folder."
        ) from exc


def _write(path: Path, change: Change, new_tag: Callable[[], str]) -> None:
    mode = FILE_MODE
    now = read_text(path)
    if now == change.after:
        # Another run was quicker, such as that of DSH's bundle.
        return
    if now != change.before:
        raise ProvisionError(f"{path} was changed meanwhile, so nothing was written. Run it again.")
    if change.before is None:
        make_folder(path.parent)
    else:
        mode = stat.S_IMODE(path.stat().st_mode)
        if not mode & 0o222 or not os.access(path, os.W_OK):
            raise ProvisionError(f"{path} is read-only. Make it writable and try again.")
    if change.after is None:
        path.unlink(missing_ok=True)
        if change.target.has_own_folder:
            with suppress(OSError):
                path.parent.rmdir()
        return
    backup = backup_of(path)
    is_back = change.before is not None and change.after == read_text(backup)
    if change.before is not None and change.is_from_before_us and not is_back:
        create_file(backup, change.before.encode(), tag=new_tag())
    replace_file(path, change.after.encode(), tag=new_tag(), mode=mode)
    if is_back:
        backup.unlink(missing_ok=True)


def is_exposed(change: Change, key: str | None) -> bool:
    """Whether a file that was written holds the proxy's key and can be read by other users of this machine."""
    if key is None or change.after is None or key not in change.after or os.name == "nt":
        return False
    return bool(change.target.path.stat().st_mode & 0o044)


def backup_of(path: Path) -> Path:
    """Where a file's copy is, beside the file that a symbolic link leads to."""
    target = Path(os.path.realpath(path))
    return target.with_name(f"{target.name}{BACKUP_SUFFIX}")


def read_text(path: Path) -> str | None:
    """A file with its line ends as they are; None when there is none.

    Raises:
        ProvisionError: it cannot be read, is no file, or is not UTF-8.
    """
    try:
        data, _ = read_file(path)
    except FileNotFoundError:
        return None
    except StoreError as exc:
        raise ProvisionError(exc.message) from exc
    except OSError as exc:
        raise ProvisionError(f"{path} cannot be read: {exc.strerror or exc}. Check its permissions.") from exc
    try:
        return data.decode()
    except UnicodeDecodeError as exc:
        raise _in_file(path, broken(data[: exc.start].decode(), exc.start, "this is not UTF-8")) from exc


@contextmanager
def _locked(path: Path) -> Generator[None]:
    lock = SoftFileLock(f"{path}.lock", timeout=LOCK_TIMEOUT_S)
    try:
        lock.acquire()
    except Timeout as exc:
        raise ProvisionError(f"Another program is writing {path}. Try again in a moment.") from exc
    try:
        yield
    finally:
        with suppress(OSError):
            lock.release()


def _in_file(path: Path, error: ProvisionError) -> ProvisionError:
    separator = ", " if error.message.startswith("line ") else ": "
    return ProvisionError(f"{path}{separator}{error.message} Nothing was changed.")
