"""One variable of a ``.env`` file.

Programs read such files in different ways: python-dotenv (Hermes) undoes backslashes in quotes and puts the values of
variables in the place of ``${NAME}``, Node (DSH) does neither, and takes ``#`` for a comment where there are no
quotes. A key is written so that all read it the same.

Source:
    https://github.com/theskumar/python-dotenv and https://nodejs.org/api/util.html#utilparseenvcontent.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from io import StringIO
from typing import TYPE_CHECKING

from dotenv.parser import parse_stream

from ..errors import ProvisionError
from .lines import newline_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .route import Route

_LINE = re.compile(
    r"""(?P<head>(?:export[^\S\r\n]+)?[^=\#\s]+(?P<sign>[^\S\r\n]*=[^\S\r\n]*)?)"""
    r"""(?:'(?:\\'|[^'])*'|"(?:\\"|[^"])*"|[^\r\n]*?)(?P<behind>(?:[^\S\r\n]+\#[^\r\n]*|[^\S\r\n]*)(?:\r\n|[\r\n])?)"""
)
"""What stands before and behind the value of a variable."""

_PLAIN = re.compile(r"[A-Za-z0-9_.:/+=-]+")
_BARE = re.compile(r"[^\s'\"`#][^\r\n#]*")
"""A value that may stand without quotes, and hold some."""


@dataclass(frozen=True, slots=True)
class DotEnv:
    """The variable that holds the proxy's key.

    Attributes:
        name: of the variable.
        is_for_accounts: whether it is set only while somebody is logged in.
        fresh: the file before anything of ours.
        syntax: none.
    """

    name: str
    is_for_accounts: bool = True
    fresh: str = ""
    syntax: None = None

    def provisioned(self, text: str, route: Route, *, add_models: bool) -> str:
        """See ``Document``; a variable for accounts goes when there is none."""
        if self.is_for_accounts and not route.has_account:
            return self.withdrawn(text, "", route)
        lines = list(self._lines(text))
        if lines and lines[-1][2] == route.written_key:
            return text
        value = _quoted(route.written_key)
        if lines:
            start, end, _ = lines[-1]
            known = _LINE.fullmatch(text, start, end)
            assert known is not None
            new = f"{known['head']}{'' if known['sign'] else '='}{value}{known['behind']}"
            return text[:start] + new + text[end:]
        new, newline = f"{self.name}={value}", newline_of(text)
        if text and not text.endswith("\n"):
            return f"{text}{newline}{new}"
        return f"{text}{new}{newline}"

    def withdrawn(self, text: str, before: str, route: Route) -> str:
        """See ``Document``."""
        for start, end, _ in reversed(list(self._lines(text))):
            if end == len(text) and not text.endswith("\n"):
                text = text[:start].removesuffix(newline_of(text))
            else:
                text = text[:start] + text[end:]
        return text

    def _lines(self, text: str) -> Iterator[tuple[int, int, str | None]]:
        """Where the variable is set: start, end and value."""
        offset = len(text) - len(text.removeprefix("\ufeff"))
        for binding in parse_stream(StringIO(text, newline="")):
            end = offset + len(binding.original.string)
            if binding.key == self.name and not binding.error:
                leading = len(binding.original.string) - len(binding.original.string.lstrip())
                yield offset + leading, end, binding.value
            offset = end


def _quoted(value: str) -> str:
    """The value as all programs read it.

    Raises:
        ProvisionError: there is no such way of writing it.
    """
    has_lines, has_variable = len(value.splitlines()) > 1, "${" in value
    if not has_lines and not has_variable:
        if _PLAIN.fullmatch(value):
            return value
        if "'" not in value and "\\\\" not in value and not value.endswith("\\"):
            return f"'{value}'"
        if '"' not in value and "\\" not in value:
            return f'"{value}"'
        if _BARE.fullmatch(value):
            return value
    raise ProvisionError(
        "the proxy's API key has quotes, backslashes, # or ${ that programs read differently in this file. Choose "
        "another API key, of letters and digits."
    )
