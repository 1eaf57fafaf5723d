"""What Google says it serves at the moment, read from ``fetchAvailableModels``.

Source:
    SPEC.md, "Live catalogue".
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast

from .builtin import MODELS
from .model import Effort, Route

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

SERVED_PREFIXES = ("gemini-", "claude-", "gpt-oss-")
HIDDEN_WORDS = ("image",)
SUFFIX_LEVELS: Mapping[str, Effort | None] = {
    "extra-low": Effort.LOW,
    "extra-high": Effort.XHIGH,
    "thinking": Effort.HIGH,
    "minimal": Effort.MINIMAL,
    "low": Effort.LOW,
    "medium": Effort.MEDIUM,
    "high": Effort.HIGH,
    "tiered": None,
}
"""End of a runtime id → the level it stands for; None serves every level. Longer ends come first."""

FALLBACK_LEVELS: Mapping[Effort, tuple[Effort, ...]] = {
    Effort.NONE: (Effort.MINIMAL, Effort.LOW),
    Effort.MINIMAL: (Effort.MINIMAL, Effort.LOW),
    Effort.LOW: (Effort.LOW,),
    Effort.MEDIUM: (Effort.MEDIUM,),
    Effort.HIGH: (Effort.HIGH, Effort.XHIGH),
    Effort.XHIGH: (Effort.XHIGH, Effort.HIGH),
}
"""Effort that was asked for → the levels that serve it."""

LABEL_LEVEL = re.compile(r"^(?P<base>.*?)\s*\((?P<level>[^()]+)\)\s*$")


@dataclass(frozen=True, slots=True)
class LiveModel:
    """One runtime id that Google serves.

    Attributes:
        runtime_id: the id that is requested.
        base: name without level, lower case, words joined by one hyphen: ``gemini-3.8-flash``.
        level: how much it thinks; None when it serves every level or does not say.
    """

    runtime_id: str
    base: str
    level: Effort | None


@dataclass(frozen=True, slots=True)
class LiveCatalog:
    """All that Google serves to one account.

    Attributes:
        models: in Google's order.
        renamed: runtime id that is going away → the one that takes its place.
    """

    models: tuple[LiveModel, ...] = ()
    renamed: Mapping[str, str] = field(default_factory=dict[str, str])


def read_catalog(document: Any) -> LiveCatalog:
    """Read the answer of ``fetchAvailableModels``; whatever has another shape counts as absent.

    The keys of ``models`` are the ids; the nested ``model`` is an enum that cannot be requested.
    """
    rows, renamed = _objects(document, "models"), _objects(document, "deprecatedModelIds")
    return LiveCatalog(
        models=tuple(_live_model(runtime_id, row) for runtime_id, row in rows.items() if is_visible(runtime_id, row)),
        renamed={
            old: new for old, target in renamed.items() if isinstance(new := target.get("newModelId"), str) and new
        },
    )


def _objects(document: Any, key: str) -> dict[str, dict[str, Any]]:
    """The named objects under a key of a document that may have any shape."""
    entries = _object(_object(document).get(key))
    return {name: _object(entry) for name, entry in entries.items()}


def _object(value: Any) -> dict[str, Any]:
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def is_visible(runtime_id: str, row: Mapping[str, Any]) -> bool:
    """Whether a row of the catalogue is a chat model that may be requested."""
    lowered = runtime_id.lower()
    return (
        row.get("isInternal") is not True
        and lowered.startswith(SERVED_PREFIXES)
        and not any(word in lowered for word in HIDDEN_WORDS)
        and not any(character.isspace() for character in runtime_id)
    )


def find_live_fallback(live: LiveCatalog, route: Route, tried: Collection[str]) -> str | None:
    """A runtime id that serves the route's model and has not been tried.

    Google's own renaming comes first, then the model's other ids: the level that was asked for, one that serves every
    level, then any; among equals the first of Google's list.
    """
    for runtime_id in tried:
        if (target := live.renamed.get(runtime_id)) is not None and target not in tried:
            return target
    names = _names_of(route.model_id)
    matches = [row for row in live.models if row.base in names and row.runtime_id not in tried]
    levels = (*FALLBACK_LEVELS[route.effort or Effort.NONE], None)
    ranks = {level: rank for rank, level in enumerate(levels)}
    nearest = min(matches, key=lambda row: ranks.get(row.level, len(ranks)), default=None)
    return None if nearest is None else nearest.runtime_id


def _names_of(model_id: str) -> set[str]:
    return {_hyphenate(model_id)} | {_hyphenate(model.name) for model in MODELS if model.id == model_id}


def _live_model(runtime_id: str, row: Mapping[str, Any]) -> LiveModel:
    base, level = _split_id(runtime_id.lower())
    label = row.get("displayName")
    if isinstance(label, str) and (found := LABEL_LEVEL.match(label)) is not None:
        # An id may say one level and its label another; people choose by the label.
        base = _hyphenate(found["base"])
        level = SUFFIX_LEVELS.get(_hyphenate(found["level"]), level)
    return LiveModel(runtime_id, base, level)


def _split_id(runtime_id: str) -> tuple[str, Effort | None]:
    for suffix, level in SUFFIX_LEVELS.items():
        if runtime_id.endswith(f"-{suffix}"):
            return runtime_id.removesuffix(f"-{suffix}"), level
    return runtime_id, None


def _hyphenate(name: str) -> str:
    return "-".join(re.split(r"[\s\-]+", name.strip().lower()))
