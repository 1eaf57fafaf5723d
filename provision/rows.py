"""One entry for each model, where a harness has no providers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..errors import ProvisionError
from ..translate.json_text import is_object
from .meaning import in_the_way
from .nested import has_keys, merged, value_at, with_value
from .removal import withdraw_all
from .route import host_of, is_reference
from .splice import leaves, put_all
from .tree import Kind, Row, data_of, find

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ..catalog.model import Model
    from .nested import Keys
    from .route import Route
    from .syntax import Syntax
    from .tree import Node, Path, Step


@dataclass(frozen=True, slots=True)
class Rows:
    """The models as entries of a mapping, by their name, or of a list.

    Attributes:
        syntax: how the file is written.
        path: where the mapping or the list is.
        row: a model as the harness wants it, without its name.
        name_of: what an entry is called.
        name: what holds the name in an item; None in a mapping.
        model: where an item says which model it is; empty when its name does.
        url: where an entry has the base URL; empty when the harness has it elsewhere.
        key: where an entry has the API key; empty as well.
        owned: what else must be as it is here in entries of ours.
        is_old_one: whether an entry may be ours by its name and its form, though its model is not among those that
            are written now.
        fresh: the file before anything of ours, where there is none yet.
    """

    syntax: Syntax
    path: Path
    row: Callable[[Model], dict[str, Any]]
    name_of: Callable[[Model], str]
    name: str | None = None
    model: Keys = ()
    url: Keys = ()
    key: Keys = ()
    owned: Callable[[Route], dict[str, Any]] = lambda _: {}
    is_old_one: Callable[[str, dict[str, Any]], bool] = lambda _name, _row: False
    fresh: str = ""

    def provisioned(self, text: str, route: Route, *, add_models: bool) -> str:
        """See ``Document``."""
        node = find(self.syntax.parse(text), self.path)
        self._check(node, route)
        ours = self._ours(node, route)
        wanted: list[tuple[Path, Any]] = []
        for step, existing in ours:
            wanted += leaves((*self.path, step), self._owned(existing, route))
        known = {self._model_of(step, existing) for step, existing in ours}
        for model in () if ours and not add_models else route.models:
            row = self._full(model, route)
            step = Row(self.name, self.name_of(model)) if self.name is not None else self.name_of(model)
            if self._model_of(step, row) not in known:
                wanted.append(((*self.path, step), row))
        return put_all(text, wanted, self.syntax)

    def withdrawn(self, text: str, before: str, route: Route) -> str:
        """See ``Document``."""
        ours = self._ours(find(self.syntax.parse(text), self.path), route)
        return withdraw_all(text, self.path, [step for step, _ in ours], self.syntax, before)

    def other_url(self, text: str, route: Route) -> str | None:
        """Where an entry of ours leads that does not lead to where the proxy is; None when there is none.

        Raises:
            ProvisionError: the text cannot be parsed.
        """
        ours = self._ours(find(self.syntax.parse(text), self.path), route)
        urls = (value_at(existing, self.url) for _, existing in ours if self.url)
        return next((url for url in urls if url != route.base_url), None)

    def _check(self, node: Node | None, route: Route) -> None:
        """Make sure that nothing of somebody else's is in the way.

        Raises:
            ProvisionError: somebody else's entry has a name of ours, or the place holds something else.
        """
        if node is not None and not node.is_empty and node.kind is not self._kind:
            raise in_the_way(self.path)
        names = {self.name_of(model) for model in route.models}
        for _, name, existing in self._entries(node):
            if name in names and not self._is_ours(name, existing, route):
                host = host_of(value_at(existing, self.url))
                raise ProvisionError(f"{name!r} leads to {host}, not to this proxy. Rename that entry and try again.")

    def _ours(self, node: Node | None, route: Route) -> list[tuple[Step, dict[str, Any]]]:
        """The entries that lead to the proxy, in their order."""
        return [(step, entry) for step, name, entry in self._entries(node) if self._is_ours(name, entry, route)]

    @property
    def _kind(self) -> Kind:
        return Kind.MAPPING if self.name is None else Kind.LIST

    def _entries(self, node: Node | None) -> Iterator[tuple[Step, Any, dict[str, Any]]]:
        """Where each entry is, what it is called, and what it holds."""
        for number, entry in enumerate(node.entries if node is not None and node.kind is self._kind else ()):
            existing = data_of(entry.value)
            if is_object(existing):
                step = number if self.name is not None or entry.key is None else entry.key
                yield step, entry.key if self.name is None else existing.get(self.name), existing

    def _is_ours(self, name: Any, existing: dict[str, Any], route: Route) -> bool:
        is_named = any(name == self.name_of(model) for model in route.models)
        if is_named or (isinstance(name, str) and self.is_old_one(name, existing)):
            return not self.url or _leads_here(value_at(existing, self.url), route)
        return self._is_renamed(existing, route)

    def _is_renamed(self, existing: dict[str, Any], route: Route) -> bool:
        """Whether an entry of another name was written by us, wherever the proxy was then."""
        if not self.url:
            return False
        url, key, model_id = (value_at(existing, keys) for keys in (self.url, self.key, self.model))
        if url == route.base_url or route.has_written(url, key if self.key else None, model_id):
            return True
        models = (model for model in route.models if value_at(self.row(model), self.model) == model_id)
        return _leads_here(url, route) and any(has_keys(existing, self.row(model)) for model in models)

    def _owned(self, existing: dict[str, Any], route: Route) -> dict[str, Any]:
        owned = dict(self.owned(route))
        if self.url:
            owned = with_value(owned, self.url, route.base_url)
        if self.key and not is_reference(value_at(existing, self.key)):
            owned = with_value(owned, self.key, route.literal_key)
        return owned

    def _full(self, model: Model, route: Route) -> dict[str, Any]:
        return merged(self.row(model), self._owned({}, route))

    def _model_of(self, step: Step, row: dict[str, Any]) -> Any:
        if self.model:
            return value_at(row, self.model)
        if isinstance(step, Row):
            return step.value
        return step if self.name is None else row.get(self.name)


def _leads_here(url: Any, route: Route) -> bool:
    return isinstance(url, str) and route.is_ours(url)
