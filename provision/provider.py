"""An entry of a mapping, or a named item of a list, that is a provider with its models."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..errors import ProvisionError
from ..translate.json_text import as_object, is_list, is_object
from .meaning import words
from .nested import NOTHING, has_keys, merged, value_at, with_value
from .removal import withdraw
from .route import host_of, is_reference
from .splice import leaves, put, put_all
from .tree import Row, data_of, find

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..catalog.model import Model
    from .nested import Keys
    from .route import Route
    from .syntax import Syntax
    from .tree import Node, Path


@dataclass(frozen=True, slots=True)
class ModelRows:
    """How the models of an entry are written.

    Attributes:
        key: where they are in the entry.
        row: a model as the harness wants it. In a list it holds the id; a mapping has the id as its key.
        name: what holds the id in a row of a list; None when the models are a mapping.
    """

    key: str
    row: Callable[[Model], dict[str, Any]]
    name: str | None = None

    def to_value(self, models: tuple[Model, ...]) -> Any:
        """All models, as the value of the key."""
        if self.name is None:
            return {model.id: self.row(model) for model in models}
        return [{self.name: model.id, **self.row(model)} for model in models]


@dataclass(frozen=True, slots=True)
class Provider:
    """One provider entry; only its own keys in it are ever changed.

    Attributes:
        syntax: how the file is written.
        path: where the entry is; empty for a file that is all ours.
        owned: what must be as it is here, for the route to work; without the key.
        urls: where the base URL is, under each of its names; the first is the one we write.
        url_path: what the harness wants behind the base URL.
        keys: where the API key is, under each of its names; empty when the harness keeps keys elsewhere.
        key_references: keys that say where the API key is instead; where there is one, it stays.
        initial: names and the like, written where the entry has none, and its owner's from then on.
        defaults: what is written into a new entry alone.
        models: how models are written; None when the entry has none.
        listed_models: where a named item of a list has its models, which it is known by when it was renamed.
        shared_model: where the model is in an entry that has no name of ours, so may be somebody else's connection.
        fresh: the file before anything of ours, where there is none yet.
    """

    syntax: Syntax
    path: Path
    owned: Callable[[Route], dict[str, Any]]
    urls: tuple[Keys, ...]
    url_path: str = ""
    keys: tuple[Keys, ...] = ()
    key_references: tuple[str, ...] = ()
    initial: Callable[[Route], dict[str, Any]] = lambda _: {}
    defaults: Callable[[Route], dict[str, Any]] = lambda _: {}
    models: ModelRows | None = None
    listed_models: Keys = ()
    shared_model: Keys = ()
    fresh: str = ""

    def stands_in(self, text: str) -> bool:
        """Whether there is such an entry, ours or not.

        Raises:
            ProvisionError: the text cannot be parsed.
        """
        return find(self.syntax.parse(text), self.path) is not None

    def other_url(self, text: str, route: Route) -> str | None:
        """Where our entry leads, when that is not where the proxy is; None when there is no such URL.

        Raises:
            ProvisionError: the text cannot be parsed.
        """
        root = self.syntax.parse(text)
        url = _first(as_object(data_of(find(root, self._place_in(root, route)))), self.urls)
        return url if isinstance(url, str) and url != route.base_url + self.url_path else None

    def provisioned(self, text: str, route: Route, *, add_models: bool) -> str:
        """See ``Document``."""
        root = self.syntax.parse(text)
        path = self._place_in(root, route)
        node = find(root, path)
        if (reason := self._objection(node, route)) is not None:
            raise ProvisionError(f"{words(self.path)} {reason}. Rename or remove that entry, and try again.")
        existing = as_object(data_of(node))
        initial = self.initial(route)
        if self.models is not None:
            initial |= {self.models.key: self.models.to_value(route.models)}
        owned = self._owned(existing, route)
        if not existing:
            return put(text, path, _ordered(merged(self.defaults(route), initial), owned), self.syntax)
        wanted = leaves(path, owned)
        wanted += [((*path, *keys), value) for keys, value in _missing(initial, existing, owned)]
        if add_models and self.models is not None and existing.get(self.models.key) not in NOTHING:
            wanted += self._more_models((*path, self.models.key), self.models, existing[self.models.key], route)
        return put_all(text, wanted, self.syntax)

    def withdrawn(self, text: str, before: str, route: Route) -> str:
        """See ``Document``."""
        root = self.syntax.parse(text)
        path = self._place_in(root, route)
        node = find(root, path)
        if node is None or self._objection(node, route) is not None:
            return text
        existing = as_object(data_of(node))
        if self.shared_model and not self._leads_here(existing, route):
            return text
        if self.path:
            return withdraw(text, path, self.syntax, before)
        return self._file_before(text, before, existing, route)

    def _place_in(self, root: Node | None, route: Route) -> Path:
        """Where the entry is, whatever its owner calls it now."""
        items = find(root, self.path[:-1]) if self.listed_models and find(root, self.path) is None else None
        for number, entry in enumerate(items.entries if items is not None else ()):
            if self._is_renamed(as_object(data_of(entry.value)), route):
                return (*self.path[:-1], number)
        return self.path

    def _is_renamed(self, existing: dict[str, Any], route: Route) -> bool:
        """Whether an item of another name was written by us, wherever the proxy was then."""
        models = value_at(existing, self.listed_models)
        model = models[0] if is_list(models) and models else None
        url = _first(existing, self.urls)
        if route.has_written(url, _first(existing, self.keys), model):
            return True
        is_our_model = any(model == known.id for known in route.models)
        is_whole = has_keys(existing, merged(self.defaults(route), self.initial(route)))
        return is_our_model and is_whole and isinstance(url, str) and route.is_ours(url)

    def _file_before(self, text: str, before: str, existing: dict[str, Any], route: Route) -> str:
        """What a whole file was; itself, when there is nothing from before and it is not ours.

        Raises:
            ProvisionError: its owner has changed it since, which would be lost.
        """
        if before.strip():
            if self.provisioned(text, route, add_models=False) == self.provisioned(before, route, add_models=False):
                return before
            raise ProvisionError("it was changed since it was written. Delete it, or put its copy in its place.")
        written: dict[str, Any] = data_of(self.syntax.parse(self.provisioned("", route, add_models=False)))
        is_ours = existing.keys() <= written.keys() and all(
            existing.get(key) == value for key, value in self.defaults(route).items()
        )
        return before if is_ours else text

    def _objection(self, node: Node | None, route: Route) -> str | None:
        """What shows that the entry is somebody else's; None when it may be ours."""
        if node is None or node.is_empty:
            return None
        existing = data_of(node)
        if not is_object(existing):
            return "holds something else"
        url = _first(existing, self.urls)
        if url is not None:
            return None if self._leads_here(existing, route) else f"leads to {host_of(url)}, not to this proxy"
        key = _first(existing, self.keys)
        if key not in (None, route.written_key) and not is_reference(key):
            return "has a key and no URL"
        owned = self.owned(route).items()
        others = (name for name, value in owned if not is_object(value) and existing.get(name) not in (None, value))
        return next((f"has another {name}" for name in others), None)

    def _leads_here(self, existing: dict[str, Any], route: Route) -> bool:
        url = _first(existing, self.urls)
        if self.shared_model:
            return route.has_written(url, _first(existing, self.keys), value_at(existing, self.shared_model))
        return isinstance(url, str) and route.is_ours(url)

    def _owned(self, existing: dict[str, Any], route: Route) -> dict[str, Any]:
        owned = dict(self.owned(route))
        url = next((keys for keys in self.urls if value_at(existing, keys) is not None), self.urls[0])
        owned = with_value(owned, url, route.base_url + self.url_path)
        if not self.keys or any(name in existing for name in self.key_references):
            return owned
        key = next((keys for keys in self.keys if value_at(existing, keys) is not None), self.keys[0])
        return owned if is_reference(value_at(existing, key)) else with_value(owned, key, route.literal_key)

    def _more_models(self, path: Path, rows: ModelRows, known: Any, route: Route) -> list[tuple[Path, Any]]:
        more: list[tuple[Path, Any]] = []
        for model in route.models:
            if rows.name is None and is_object(known) and model.id not in known:
                more.append(((*path, model.id), rows.row(model)))
            elif rows.name is not None and is_list(known) and not _has(known, rows.name, model.id):
                more.append(((*path, Row(rows.name, model.id)), rows.row(model)))
        return more


def _first(existing: dict[str, Any], names: tuple[Keys, ...]) -> Any:
    """What stands under the first of several names that is there."""
    return next((value for keys in names if (value := value_at(existing, keys)) is not None), None)


def _has(rows: list[Any], name: str, model_id: str) -> bool:
    return any(is_object(row) and row.get(name) == model_id for row in rows)


def _missing(initial: dict[str, Any], existing: dict[str, Any], owned: dict[str, Any]) -> list[tuple[Keys, Any]]:
    """What of ``initial`` an entry has nothing for; a mapping that is partly ours is looked into."""
    missing: list[tuple[Keys, Any]] = []
    for key, value in initial.items():
        known = existing.get(key)
        if is_object(owned.get(key)) and is_object(value):
            inner = _missing(value, as_object(known), owned[key])
            missing += [((key, *keys), default) for keys, default in inner]
        elif known in NOTHING:
            missing.append(((key,), value))
    return missing


def _ordered(initial: dict[str, Any], owned: dict[str, Any]) -> dict[str, Any]:
    """A new entry: its name first, its models last."""
    names = {key: value for key, value in initial.items() if not isinstance(value, dict | list)}
    rest = {key: value for key, value in initial.items() if key not in names}
    return merged(merged(names, owned), rest)
