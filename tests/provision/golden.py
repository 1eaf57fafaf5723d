"""Files before and after, as they are on disk.

``CASE.before.EXT`` is what a harness has, ``CASE.after.EXT`` what it has afterwards. ``fresh.after.EXT`` begins with
no file at all, and ``CASE.more.EXT`` is what ``--add-models`` makes of ``CASE.before.EXT``.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from antigravity_proxy.catalog.builtin import MODELS
from antigravity_proxy.provision.route import Route

if TYPE_CHECKING:
    from antigravity_proxy.provision.document import Document

FOLDER = Path(__file__).parent / "golden"
CHOICE = (MODELS[0], MODELS[5], MODELS[7])
"""One model of each family."""

ROUTE = Route("http://127.0.0.1:51122/v1", CHOICE, written_at="2026-11-30T08:00:00.000Z")
WITH_KEY = Route("http://127.0.0.1:51122/v1", CHOICE, "key-of-mine", written_at="2026-11-30T08:00:00.000Z")


def read(harness: str, name: str) -> str:
    """A golden file, with its line ends."""
    return (FOLDER / harness / name).read_bytes().decode()


def in_lines_of_windows(text: str) -> str:
    """A text with other line ends; the same where it has them already."""
    return text.replace("\r\n", "\n").replace("\n", "\r\n")


def check_golden(document: Document, harness: str, *, route: Route = ROUTE) -> None:
    """A document does with every file of its folder what the file beside it shows.

    A second time it changes nothing, and when it had nothing of ours before, all is taken back byte for byte. With
    the line ends of Windows it does the same.
    """
    after_fresh = next((FOLDER / harness).glob("fresh.after.*"))
    check(document, document.fresh, read(harness, after_fresh.name), route, is_new=True)
    for file in sorted((FOLDER / harness).glob("*.before.*")):
        case, _, extension = file.name.partition(".before.")
        before = read(harness, file.name)
        after = read(harness, f"{case}.after.{extension}")
        check(document, before, after, route, is_new=not case.startswith("edited"))
        if document.syntax is not None and "\n" in before:
            windows = in_lines_of_windows(before), in_lines_of_windows(after)
            check(document, windows[0], windows[1], route, is_new=not case.startswith("edited"))
        if (FOLDER / harness / f"{case}.more.{extension}").exists():
            more = document.provisioned(before, route, add_models=True)
            assert more == read(harness, f"{case}.more.{extension}")
            assert document.provisioned(more, route, add_models=True) == more


def check(document: Document, before: str, after: str, route: Route, *, is_new: bool) -> None:
    """A document makes one text of the other."""
    assert document.provisioned(before, route, add_models=False) == after
    assert document.provisioned(after, route, add_models=False) == after
    if is_new:
        assert document.withdrawn(after, before, route) == before
