"""Tools: declarations, names and choice.

Source:
    SPEC.md, "Tools".
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from .schema import clean_schema
from .target import rules_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from . import cloud_wire as wire
    from .target import Target

NAME_FORBIDDEN = re.compile(r"[^A-Za-z0-9_.:-]")
MAX_NAME_LENGTH = 64


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool a client offers.

    Attributes:
        name: the client's spelling.
        description: None when the client gave none.
        parameters: its JSON Schema as the client sent it, of any shape.
    """

    name: str
    description: str | None
    parameters: Any


class Mode(StrEnum):
    """Whether tools are called, in upstream's words; there is a third one for leaving it to the model, never sent."""

    NONE = "NONE"
    ANY = "ANY"


@dataclass(frozen=True, slots=True)
class ToolChoice:
    """What a client wants to be called.

    Attributes:
        mode: None leaves it to the model.
        names: with ``ANY``: only these, in the client's spelling; empty for any.
    """

    mode: Mode | None = None
    names: tuple[str, ...] = ()


class ToolNames:
    """The clients' names of tools and the names upstream takes, both ways.

    A name upstream refuses is rewritten; two names that become the same are told apart by a number. Names that were
    not declared, as those of tools that are gone, are rewritten too, and get their numbers after the declared ones.
    """

    def __init__(self, declared: Iterable[str]) -> None:
        self._upstream: dict[str, str] = {}
        self._client: dict[str, str] = {}
        self._last_numbers: dict[str, int] = {}
        for name in declared:
            self.to_upstream(name)

    def to_upstream(self, name: str) -> str:
        """The name that is sent."""
        known = self._upstream.get(name)
        if known is None:
            known = self._free(_fit(name))
            self._upstream[name] = known
            self._client[known] = name
        return known

    def to_client(self, name: str) -> str:
        """The client's spelling of a name upstream used; one it made up stays as it is."""
        return self._client.get(name, name)

    def _free(self, name: str) -> str:
        # Counting goes on where it ended, or thousands of long names that begin in the same way would take for ever.
        number, candidate = self._last_numbers.get(name, 1), name
        while candidate in self._client:
            number += 1
            candidate = f"{name[: MAX_NAME_LENGTH - 1 - len(str(number))]}_{number}"
        self._last_numbers[name] = number
        return candidate


def _fit(name: str) -> str:
    fitting = NAME_FORBIDDEN.sub("_", name[:MAX_NAME_LENGTH])
    if not fitting or not (fitting[0].isalpha() or fitting[0] == "_"):
        fitting = f"_{fitting}"
    return fitting[:MAX_NAME_LENGTH]


def without_duplicates(tools: Iterable[Tool]) -> tuple[Tool, ...]:
    """The tools with the first of each name."""
    by_name: dict[str, Tool] = {}
    for tool in tools:
        by_name.setdefault(tool.name, tool)
    return tuple(by_name.values())


def to_declarations(tools: Sequence[Tool], target: Target, names: ToolNames) -> list[wire.Tools]:
    """The ``tools`` of a request that has some: ``[{"functionDeclarations": [...]}]``."""
    return [{"functionDeclarations": [_declaration(tool, target, names) for tool in tools]}]


def _declaration(tool: Tool, target: Target, names: ToolNames) -> wire.FunctionDeclaration:
    declaration: wire.FunctionDeclaration = {"name": names.to_upstream(tool.name)}
    if tool.description is not None:
        declaration["description"] = tool.description
    declaration[rules_of(target).schema_field] = clean_schema(tool.parameters, target.family)
    return declaration


def to_tool_config(choice: ToolChoice, names: ToolNames) -> wire.ToolConfig | None:
    """The ``toolConfig`` of a request that has tools; None leaves it out."""
    if choice.mode is None:
        return None
    config: wire.FunctionCallingConfig = {"mode": choice.mode}
    if choice.names:
        config["allowedFunctionNames"] = [names.to_upstream(name) for name in choice.names]
    return {"functionCallingConfig": config}
