"""Tests of how much a command says of what it does."""

from __future__ import annotations

import logging
import warnings
from typing import TYPE_CHECKING

import aiohttp.multipart
import pytest

from antigravity_proxy.cli.logs import log_to_stderr

from .conftest import forget_logging

if TYPE_CHECKING:
    from .conftest import Command


@pytest.mark.parametrize(
    ("flags", "level"),
    [((), logging.WARNING), (("-v",), logging.INFO), (("--verbose",), logging.INFO), (("--debug",), logging.DEBUG)],
)
def test_log_is_as_loud_as_asked_for(command: Command, flags: tuple[str, ...], level: int) -> None:
    """Only warnings are logged, unless more is asked for."""
    assert command(*flags, "models").exit_code == 0
    assert logging.getLogger().level == level


@pytest.mark.parametrize("before", [False, True])
@pytest.mark.parametrize("after", [False, True])
def test_log_is_as_loud_as_either_place_says(*, before: bool, after: bool) -> None:
    """The options mean the same before and after the name of the command."""
    forget_logging()
    log_to_stderr(debug=False, verbose=before)
    log_to_stderr(debug=False, verbose=after)
    assert logging.getLogger().level == (logging.INFO if before or after else logging.WARNING)
    assert len(logging.getLogger().handlers) == 1


def test_warnings_that_quote_clients_are_not_shown() -> None:
    """What aiohttp has against a form is not written anywhere, as it would be in the client's words."""
    forget_logging()
    log_to_stderr(debug=True, verbose=False)
    aiohttp.multipart.parse_content_disposition("form-data; my secret")
    with pytest.raises(RuntimeWarning):
        warnings.warn("another one", RuntimeWarning, stacklevel=1)


@pytest.mark.parametrize("name", ["serve", "simulate"])
def test_servers_take_the_options_after_their_name(command: Command, name: str) -> None:
    """The commands that log anything worth reading have the options themselves."""
    shown = command(name, "--help").stdout
    assert "--verbose" in shown
    assert "--debug" in shown
