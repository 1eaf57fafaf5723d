"""What a change must leave as it is: the meaning of every other place of a file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn

from ..errors import ProvisionError
from ..translate.json_text import is_object
from .tree import Kind, Row, aliases_in, child, data_of, find, place, shape

if TYPE_CHECKING:
    from collections.abc import Collection

    from .syntax import Syntax
    from .tree import Node, Path


def checked(before: str, after: str, changed: Collection[Path], gone: Collection[Path], syntax: Syntax) -> str:
    """The changed text, when all but the changed places means the same as before.

    Args:
        before: the text before.
        after: the changed text.
        changed: places that mean something else now.
        gone: places that are not there any more.
        syntax: how both are written.

    Raises:
        ProvisionError: something else would mean something else.
    """
    root = syntax.parse(before)
    try:
        is_same = shape(syntax.parse(after), changed) == shape(root, (*changed, *gone))
    except ProvisionError:
        is_same = False
    if not is_same:
        refuse(before, root, next(iter((*changed, *gone))), "is written in a way that cannot be changed safely")
    return after


def refuse_shared(text: str, root: Node | None, path: Path, *, is_replaced: bool) -> None:
    """Refuse to change what aliases elsewhere stand for too.

    Args:
        text: the document.
        root: its tree.
        path: the place that is changed.
        is_replaced: whether what stands there goes, and does not only get more entries.

    Raises:
        ProvisionError: an alias stands for it; says where.
    """
    nodes = [node for length in range(len(path) + 1) if (node := find(root, path[:length])) is not None]
    if not nodes:
        return
    last = nodes[-1]
    span = range(last.start, last.end) if is_replaced else range(0)
    pending = [last] if is_replaced else []
    for node in pending:
        nodes.append(node)
        pending += [entry.value for entry in node.entries]
    touched, names = {id(node) for node in nodes}, {node.anchor for node in nodes}
    for alias in aliases_in(root):
        # One without a target stands inside of what it stands for.
        is_touched = alias.anchor in names if alias.target is None else id(alias.target) in touched
        if is_touched and alias.start not in span:
            raise ProvisionError(
                f"{place(text, alias.start)}: *{alias.anchor} stands for what is in {words(path)}, and would mean "
                "something else too. Put what it stands for in its place, and try again."
            )


def is_there(text: str, node: Node, rest: Path, value: Any) -> bool:
    """Whether a value stands at a path already, also by way of aliases and merge keys.

    Args:
        text: the document.
        node: what is there on the way.
        rest: the further way, of which nothing is written out.
        value: what is wanted.

    Raises:
        ProvisionError: something else comes that way which cannot be left or written over; says where.
    """
    if not rest:
        found = data_of(node)
        return holds(found, value) if node.kind is Kind.ALIAS else bool(found == value)
    source = (
        node if node.kind is Kind.ALIAS else next((entry.value for entry in node.entries if entry.is_merge), None)
    )
    data, step = data_of(node), rest[0]
    if source is None or not is_object(data) or not isinstance(step, str) or step not in data:
        return False
    found, is_right = data[step], holds(data[step], nested_in(rest[1:], value))
    if not is_right and (is_object(found) or len(rest) > 1):
        raise ProvisionError(
            f"{place(text, source.start)}: {words(rest[:1])} comes from here, and what it comes from is not changed. "
            "Write it into the entry itself, and try again."
        )
    return is_right


def nested_in(path: Path, value: Any) -> Any:
    """A value inside of all that a path names."""
    for step in reversed(path):
        value = [{step.key: step.value, **value}] if isinstance(step, Row) else {step: value}
    return value


def holds(data: Any, wanted: Any) -> bool:
    """Whether data has all that is wanted, and perhaps more."""
    if not is_object(wanted):
        return bool(data == wanted)
    return is_object(data) and all(key in data and holds(data[key], value) for key, value in wanted.items())


def refuse(text: str, root: Node | None, path: Path, reason: str) -> NoReturn:
    """Say what is wrong with a place, and where the last part of it that exists is.

    Raises:
        ProvisionError: always.
    """
    offset, node = None, root
    for step in path:
        entry = child(node, step) if node is not None else None
        if entry is None:
            break
        offset, node = entry.start, entry.value
    where = "" if offset is None else f"{place(text, offset)}: "
    raise ProvisionError(f"{where}{words(path)} {reason}. Change it by hand.")


def in_the_way(path: Path) -> ProvisionError:
    """What is said of a place that holds something of another kind than is to be written there."""
    return ProvisionError(f"{words(path)} holds something else. Correct it and try again.")


def words(path: Path) -> str:
    """A path for people: ``providers.antigravity``."""
    names = (step.value if isinstance(step, Row) else str(step) for step in path)
    return ".".join(names) or "the file"
