"""The two syntaxes of configuration files: how they are read, and how something new is written in them."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from ..translate.json_text import is_list, is_object
from .jsonc_tree import parse_jsonc
from .yaml_tree import parse_yaml

if TYPE_CHECKING:
    from collections.abc import Callable

    from .tree import Node

MAX_ONE_LINE = 80
"""Of a mapping of scalars that is written on one line."""

_PLAIN = re.compile(r"[A-Za-z/][\w./@+() -]*(?::(?! )[\w./@+() -]*)*(?<! )")
_NOT_TEXT = frozenset({"true", "false", "yes", "no", "on", "off", "y", "n", "null"})
"""Words that are no text in some version of YAML."""


@dataclass(frozen=True, slots=True)
class Syntax:
    """How a configuration file is written.

    Attributes:
        parse: text → tree.
        comment: what comments in brackets look like.
        has_blocks: whether indents make a structure too, and not brackets alone.
    """

    parse: Callable[[str], Node | None]
    comment: re.Pattern[str]
    has_blocks: bool = False

    def remembering(self) -> Syntax:
        """The same, with a parser that keeps the last trees, so that each text of one run is parsed once."""
        return replace(self, parse=lru_cache(REMEMBERED)(self.parse))


REMEMBERED = 8
"""Trees that are kept: more than the texts that one change goes through."""

YAML = Syntax(parse_yaml, re.compile(r"(?<![^\s,\[\]{}])#[^\r\n]*"), has_blocks=True)
JSONC = Syntax(parse_jsonc, re.compile(r"//[^\r\n]*|/\*.*?\*/", re.DOTALL))


def is_plain(value: Any) -> bool:
    """Whether a value is written on one line: a scalar, a list of scalars, or nothing."""
    if is_list(value):
        return not any(isinstance(item, list | dict) for item in value)
    return not is_object(value) or not value


def to_json(value: Any, indent: str, unit: str | None, newline: str) -> str:
    """A value as JSON.

    Args:
        value: plain data.
        indent: what stands before the line of its closing bracket.
        unit: one more level; None writes everything on one line.
        newline: how lines end.
    """
    one_line = json.dumps(value, ensure_ascii=False)
    if unit is None or is_plain(value):
        return one_line
    if is_object(value) and all(map(is_plain, value.values())) and len(one_line) <= MAX_ONE_LINE:
        return one_line
    inner = indent + unit
    if is_object(value):
        rows = [entry_to_json(key, row, inner, unit, newline) for key, row in value.items()]
        opening, closing = "{}"
    else:
        rows = [to_json(row, inner, unit, newline) for row in value]
        opening, closing = "[]"
    body = f",{newline}".join(inner + row for row in rows)
    return f"{opening}{newline}{body}{newline}{indent}{closing}"


def entry_to_json(key: str | None, value: Any, indent: str, unit: str | None, newline: str) -> str:
    """An entry of a mapping as JSON, or an item of a list, which has no key.

    Args:
        key: its key.
        value: plain data.
        indent: what stands before its line.
        unit: one more level; None writes everything on one line.
        newline: how lines end.
    """
    name = "" if key is None else f"{json.dumps(key, ensure_ascii=False)}: "
    return name + to_json(value, indent, unit, newline)


def to_yaml_lines(value: Any, unit: str) -> list[str]:
    """A mapping or a list that is not empty as the lines of a block; a scalar as one line."""
    if is_plain(value):
        return [_yaml_text(value)]
    lines: list[str] = []
    if is_object(value):
        for key, row in value.items():
            lines += yaml_entry_lines(key, row, unit)
    else:
        for row in value:
            lines += yaml_item_lines(row, unit)
    return lines


def yaml_entry_lines(key: str, value: Any, unit: str) -> list[str]:
    """One entry of a mapping as lines of a block."""
    if is_plain(value):
        return [f"{_yaml_text(key)}: {_yaml_text(value)}"]
    return [f"{_yaml_text(key)}:", *(unit + line for line in to_yaml_lines(value, unit))]


def yaml_item_lines(value: Any, unit: str) -> list[str]:
    """One item of a list as lines of a block."""
    first, *others = to_yaml_lines(value, unit)
    return [f"- {first}", *(f"  {line}" for line in others)]


def _yaml_text(value: Any) -> str:
    if isinstance(value, str):
        is_safe = _PLAIN.fullmatch(value) is not None and value.lower() not in _NOT_TEXT
        return value if is_safe else json.dumps(value, ensure_ascii=False)
    if is_list(value):
        return f"[{', '.join(map(_yaml_text, value))}]"
    return json.dumps(value)
