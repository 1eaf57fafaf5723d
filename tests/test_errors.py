"""Tests of the error tree."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from antigravity_proxy import errors
from antigravity_proxy.errors import ProxyError, StoreError

if TYPE_CHECKING:
    from collections.abc import Iterator

COMMAND_LINE_ONLY = {"SettingsError", "ServeError", "CommandError", "ProvisionError"}


def tree(base: type[ProxyError] = ProxyError) -> Iterator[type[ProxyError]]:
    """The class and all below it, that ``errors`` itself defines."""
    if base.__module__ == errors.__name__:
        yield base
    for below in base.__subclasses__():
        yield from tree(below)


NAMES = {name for kind in tree() for name in (kind.type, kind.code)}
CLASSES = sorted(set(tree()), key=lambda kind: kind.__name__)


def test_every_class_is_in_the_tree() -> None:
    """No exception of the module stands outside the tree."""
    defined = {value for value in vars(errors).values() if isinstance(value, type) and issubclass(value, Exception)}
    assert defined == set(CLASSES)


@pytest.mark.parametrize("kind", CLASSES, ids=lambda kind: kind.__name__)
def test_tree_in_the_docstring_is_right(kind: type[ProxyError]) -> None:
    """Every class ends in Error and is drawn in the module's docstring, with its status and its type or code."""
    assert kind.__name__.endswith("Error")
    drawn = re.search(rf"─ {kind.__name__} +(.*)|^    {kind.__name__} +(.*)", str(errors.__doc__), re.MULTILINE)
    assert drawn is not None
    said = (drawn[1] or drawn[2]).split()
    if kind.__name__ in COMMAND_LINE_ONLY:
        assert said[:3] == ["(command", "line", "only)"]
        return
    assert said[0] == str(kind.status)
    if said[1:] and said[1] in NAMES:
        assert said[1] in (kind.type, kind.code)


def test_error_is_its_message() -> None:
    """An error prints as its message and can carry a code and a place of its own."""
    error = ProxyError("What happened. What to do.", param="messages[0]", code="special")
    assert (str(error), error.param, error.code) == ("What happened. What to do.", "messages[0]", "special")
    assert ProxyError.code is None


def test_store_error_names_its_file() -> None:
    """A storage error carries the path."""
    assert StoreError("Gone.", path=Path("accounts.json")).path == Path("accounts.json")
