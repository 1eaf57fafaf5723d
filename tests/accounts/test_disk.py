"""Tests of private files that are whole or absent."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from antigravity_proxy.accounts.disk import (
    check_file,
    create_file,
    make_folder,
    read_file,
    remove_unfinished,
    replace_file,
)
from antigravity_proxy.errors import StoreError

from .not_files import NOT_FILES

if TYPE_CHECKING:
    from collections.abc import Callable


def mode_of(path: Path) -> int:
    """The permission bits of a file or folder."""
    return path.stat().st_mode & 0o777


def no_link(source: Path, target: Path) -> None:
    """Behave like a file system without hard links."""
    raise OSError(errno.EPERM, os.strerror(errno.EPERM), str(source), None, str(target))


def test_file_is_read_with_what_is_known_about_it(tmp_path: Path) -> None:
    """A file, also one behind a link, gives its content and its status."""
    (tmp_path / "a").write_bytes(b"text")
    (tmp_path / "b").symlink_to(tmp_path / "a")
    for name in ("a", "b"):
        data, status = read_file(tmp_path / name)
        assert (data, status.st_size) == (b"text", 4)
    with pytest.raises(FileNotFoundError):
        read_file(tmp_path / "c")


@pytest.mark.parametrize("put", NOT_FILES.values(), ids=NOT_FILES)
def test_what_is_no_file_is_not_opened(tmp_path: Path, put: Callable[[Path], object]) -> None:
    """A pipe, which would be waited for, and whatever else is no file, is refused with its path."""
    put(tmp_path / "a")
    for refuse in (check_file, read_file):
        with pytest.raises(StoreError, match=r"/a is a .*, where a file should be\. Move it away") as caught:
            refuse(tmp_path / "a")
        assert caught.value.path == tmp_path / "a"


def test_make_folder_creates_private_folder(tmp_path: Path) -> None:
    """A new folder is for its owner alone."""
    make_folder(tmp_path / "a" / "b")
    assert mode_of(tmp_path / "a" / "b") == 0o700


def test_make_folder_leaves_existing_folder(tmp_path: Path) -> None:
    """The permissions of a folder that exists are its owner's business."""
    folder = tmp_path / "a"
    folder.mkdir(mode=0o755)
    make_folder(folder)
    assert mode_of(folder) == 0o755


def test_replace_file_gives_private_file(tmp_path: Path) -> None:
    """The new content is in a file for its owner alone, whatever the old one allowed."""
    path = tmp_path / "a.json"
    path.write_bytes(b"old")
    path.chmod(0o644)
    replace_file(path, b"new", tag="1")
    assert path.read_bytes() == b"new"
    assert mode_of(path) == 0o600
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("write", [replace_file, create_file])
def test_file_is_on_disk_before_it_has_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, write: Callable[..., object]
) -> None:
    """What a power cut leaves is whole: content is flushed before the file gets its name, and then the name is."""
    done: list[str] = []
    fsync, replace, link = os.fsync, Path.replace, os.link

    def note_fsync(descriptor: int) -> None:
        status = os.fstat(descriptor)
        done.append("folder" if stat.S_ISDIR(status.st_mode) else f"{status.st_size} bytes")
        fsync(descriptor)

    def note_replace(source: Path, target: Path) -> Path:
        done.append("name")
        return replace(source, target)

    def note_link(source: Path, target: Path) -> None:
        done.append("name")
        link(source, target)

    monkeypatch.setattr(os, "fsync", note_fsync)
    monkeypatch.setattr(Path, "replace", note_replace)
    write(tmp_path / "a.json", b"12345", tag="1", **({"link": note_link} if write is create_file else {}))
    assert done == ["5 bytes", "name", "folder"]


def test_replace_file_gives_the_mode_that_is_wanted(tmp_path: Path) -> None:
    """A file that others may read stays one that they may."""
    path = tmp_path / "a.json"
    replace_file(path, b"new", tag="1", mode=0o644)
    assert mode_of(path) == 0o644


def test_replace_file_leaves_nothing_behind_when_refused(tmp_path: Path) -> None:
    """A failed replacement keeps what was there and removes what it had begun."""
    path = tmp_path / "a.json"
    path.mkdir()
    (path / "full").touch()
    with pytest.raises(OSError, match=r"a\.json"):
        replace_file(path, b"new", tag="1")
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("link", [os.link, no_link], ids=["with links", "without links"])
def test_create_file_succeeds_once(tmp_path: Path, link: object) -> None:
    """The first call creates the file, the second leaves it alone."""
    assert callable(link)
    path = tmp_path / "a.key"
    assert create_file(path, b"one", tag="1", link=link)
    assert not create_file(path, b"two", tag="2", link=link)
    assert path.read_bytes() == b"one"
    assert mode_of(path) == 0o600
    assert list(tmp_path.iterdir()) == [path]


def test_remove_unfinished_spares_other_files(tmp_path: Path) -> None:
    """Only unfinished files of the named file go, as far as they can be removed."""
    path = tmp_path / "a.json"
    for name in ("a.json", "a.json.new-1", "a.json.new-2", "a.json.lock", "b.json.new-1"):
        (tmp_path / name).touch()
    (tmp_path / "a.json.new-folder").mkdir()
    remove_unfinished(path)
    assert sorted(entry.name for entry in tmp_path.iterdir()) == [
        "a.json",
        "a.json.lock",
        "a.json.new-folder",
        "b.json.new-1",
    ]


def test_remove_unfinished_accepts_missing_folder(tmp_path: Path) -> None:
    """Where there is no folder there is nothing to remove."""
    remove_unfinished(tmp_path / "gone" / "a.json")
    assert list(tmp_path.iterdir()) == []


def test_remove_unfinished_takes_name_literally(tmp_path: Path) -> None:
    """Characters that mean something in a pattern mean themselves."""
    (tmp_path / "a1.json.new-1").touch()
    (tmp_path / "a[1].json.new-1").touch()
    remove_unfinished(tmp_path / "a[1].json")
    assert [entry.name for entry in tmp_path.iterdir()] == ["a1.json.new-1"]
