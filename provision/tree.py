"""Where everything stands in a configuration file, whatever its syntax.

A tree keeps positions and not formatting: text is changed by splicing, so what a change does not name stays byte
for byte as its owner wrote it.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Any, TypeAlias

from ..errors import ProvisionError
from ..translate.json_text import as_object, is_list

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator


class Kind(Enum):
    """What a node is."""

    MAPPING = "mapping"
    LIST = "list"
    SCALAR = "scalar"
    ALIAS = "alias"


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry of a mapping, or one item of a list.

    Attributes:
        start: where it begins: its key, or the dash of an item in a YAML block.
        key: the key of a mapping's entry; None for an item, and for a key that is not plain text.
        key_shape: what the key is, for comparison.
        value: what it holds.
        is_merge: whether it is YAML's ``<<``, which has the entries of other mappings stand here too.
    """

    start: int
    key: str | None
    key_shape: object
    value: Node
    is_merge: bool = False


@dataclass(frozen=True, slots=True)
class Node:
    """A value and its place, ``text[start:end]``.

    Attributes:
        kind: what it is.
        start: its first character.
        end: behind its last character; behind the last line for a YAML block scalar.
        value: what a scalar means: text, number, boolean or None.
        entries: of a mapping or a list.
        is_flow: whether it stands in brackets.
        tag: of YAML, where one is written.
        anchor: the name that aliases give it; of an alias the name it stands for.
        detail: how a scalar is written, as far as its meaning depends on it.
        target: what an alias stands for; None when it stands inside of that itself.
    """

    kind: Kind
    start: int
    end: int
    value: Any = None
    entries: tuple[Entry, ...] = ()
    is_flow: bool = False
    tag: str | None = None
    anchor: str | None = None
    detail: object = None
    target: Node | None = None

    @property
    def is_null(self) -> bool:
        """Whether nothing stands here."""
        return self.kind is Kind.SCALAR and self.value is None

    @property
    def is_empty(self) -> bool:
        """Whether it holds nothing: null, or a mapping or a list without entries."""
        return self.is_null or (self.kind in {Kind.MAPPING, Kind.LIST} and not self.entries)


@dataclass(frozen=True, slots=True)
class Row:
    """The item of a list whose ``key`` has this value.

    Attributes:
        key: what names items of the list, such as ``id``.
        value: the name.
    """

    key: str
    value: str


Step: TypeAlias = "str | int | Row"
Path: TypeAlias = "tuple[Step, ...]"
"""Keys of mappings, numbers of items, and named items, from the outermost to the innermost."""


def child(node: Node, step: Step) -> Entry | None:
    """The entry one step further.

    Raises:
        ProvisionError: there are two of the name, so nobody knows which one holds.
    """
    if isinstance(step, int):
        return node.entries[step] if node.kind is Kind.LIST and step < len(node.entries) else None
    if isinstance(step, str):
        wanted = Kind.MAPPING
        found = [entry for entry in node.entries if entry.key == step]
    else:
        wanted = Kind.LIST
        found = [entry for entry in node.entries if _is_row(entry.value, step)]
    if node.kind is not wanted:
        return None
    if len(found) > 1:
        name = step if isinstance(step, str) else step.value
        raise ProvisionError(f"{name!r} stands there twice. Remove the one that is not wanted and try again.")
    return found[0] if found else None


def _is_row(node: Node, row: Row) -> bool:
    return node.kind is Kind.MAPPING and any(
        entry.key == row.key and _resolved(entry.value).value == row.value for entry in node.entries
    )


def _resolved(node: Node) -> Node:
    return node.target or node


def find(root: Node | None, path: Path) -> Node | None:
    """The node at the end of a path; None where there is none.

    Raises:
        ProvisionError: a name of the path stands there twice.
    """
    node = root
    for step in path:
        if node is None or (entry := child(node, step)) is None:
            return None
        node = entry.value
    return node


def data_of(node: Node | None) -> Any:
    """The value as plain data, aliases and merge keys followed; keys that are not plain text are left out."""
    return None if node is None else _data_of(node, {})


def _data_of(node: Node, known: dict[int, Any]) -> Any:
    # What is named once and used many times is the same object each time, however deep such names are nested.
    if node.kind is Kind.ALIAS:
        return None if node.target is None else _data_of(node.target, known)
    if id(node) not in known:
        if node.kind is Kind.MAPPING:
            own = {entry.key: _data_of(entry.value, known) for entry in node.entries if entry.key is not None}
            known[id(node)] = _merged_into(node, known) | own
        elif node.kind is Kind.LIST:
            known[id(node)] = [_data_of(entry.value, known) for entry in node.entries]
        else:
            known[id(node)] = node.value
    return known[id(node)]


def _merged_into(node: Node, known: dict[int, Any]) -> dict[str, Any]:
    """The entries that merge keys bring; of several mappings the first one that has a key holds."""
    merged: dict[str, Any] = {}
    for entry in node.entries:
        if entry.is_merge:
            value = _data_of(entry.value, known)
            for mapping in reversed(value if is_list(value) else [value]):
                merged |= as_object(mapping)
    return merged


def shape(node: Node | None, without: Collection[Path] = ()) -> object:
    """Everything a node means, for comparison, as if the ends of some paths were not there.

    Args:
        node: the node; None for a file without content.
        without: the paths to leave out.
    """
    if node is None or () in without:
        return None
    inner: dict[int, list[Path]] = {}
    for step, *rest in without:
        if (entry := child(node, step)) is not None:
            inner.setdefault(id(entry), []).append(tuple(rest))
    return (
        node.kind,
        (node.tag, node.anchor, node.detail),
        node.value,
        tuple(
            (entry.key_shape, shape(entry.value, inner.get(id(entry), ())))
            for entry in node.entries
            if () not in inner.get(id(entry), ())
        ),
    )


def aliases_in(node: Node | None) -> Iterator[Node]:
    """All aliases, in their order."""
    pending = [] if node is None else [node]
    while pending:
        node = pending.pop()
        if node.kind is Kind.ALIAS:
            yield node
        pending += [entry.value for entry in reversed(node.entries)]


def broken(text: str, offset: int, reason: str) -> ProvisionError:
    """What is said of a text that cannot be read: where that is, and why."""
    return ProvisionError(f"{place(text, offset)}: {reason}. Correct it and try again.")


def place(text: str, offset: int) -> str:
    """An offset in words, counted from 1: ``line 3, column 5``."""
    before = text[:offset]
    return f"line {before.count(chr(10)) + 1}, column {offset - (before.rfind(chr(10)) + 1) + 1}"
