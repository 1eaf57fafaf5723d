"""One variable of a ``.env`` file."""

from __future__ import annotations

from dataclasses import dataclass
from io import StringIO
from typing import TYPE_CHECKING

from dotenv.parser import parse_stream

from .lines import newline_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .route import Route


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
        new = f"{self.name}={_quoted(route.written_key)}"
        if lines:
            start, end, _ = lines[-1]
            behind = text[start:end]
            return text[:start] + new + behind[len(behind.rstrip("\r\n")) :] + text[end:]
        newline = newline_of(text)
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
    is_safe = value.isascii() and all(character.isalnum() or character in "-_.:/+=" for character in value)
    return value if is_safe else f"'{value}'"
