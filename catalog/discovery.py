"""What Google says it serves at the moment, read from ``fetchAvailableModels``.

Source:
    SPEC.md, "Live catalogue".
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast

from .builtin import LABELS
from .media import read_media_types
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
    Effort.NONE: (Effort.NONE, Effort.MINIMAL, Effort.LOW),
    Effort.MINIMAL: (Effort.MINIMAL, Effort.LOW),
    Effort.LOW: (Effort.LOW,),
    Effort.MEDIUM: (Effort.MEDIUM,),
    Effort.HIGH: (Effort.HIGH, Effort.XHIGH),
    Effort.XHIGH: (Effort.XHIGH, Effort.HIGH),
}
"""Effort that was asked for → the levels that serve it."""

SENDABLE = re.compile(r"[!-~]+")
"""What can stand in a header, where clients are told who answered."""

LABEL_LEVEL = re.compile(r"^(?P<base>.*?)\s*\((?P<level>[^()]+)\)\s*$")


@dataclass(frozen=True, slots=True)
class LiveModel:
    """One runtime id that Google serves, and what its row says; None where it says nothing.

    Attributes:
        runtime_id: the id that is requested.
        base: name without level, lower case, words joined by one hyphen: ``gemini-3.8-flash``.
        level: how much it thinks; None when it serves every level or does not say.
        name: for people, without level.
        context_tokens: size of the context window.
        max_output_tokens: largest answer.
        thinks: whether it can think.
        budget: ``thinkingBudget`` of its level; -1 lets the model decide.
        min_budget: the smallest budget above 0.
        media_types: the mime types it takes, by the names that are sent.
    """

    runtime_id: str
    base: str
    level: Effort | None
    name: str = ""
    context_tokens: int | None = None
    max_output_tokens: int | None = None
    thinks: bool | None = None
    budget: int | None = None
    min_budget: int | None = None
    media_types: frozenset[str] | None = None

    @property
    def key(self) -> str:
        """The same for all ids of one model, which write ``4.6`` or ``4-6``."""
        return to_key(self.base)


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
        and SENDABLE.fullmatch(runtime_id) is not None
    )


def find_live_fallback(live: LiveCatalog, route: Route, tried: Collection[str]) -> str | None:
    """A runtime id that serves the route's model and has not been tried.

    Google's own renaming comes first, then the model's other ids: the level that was asked for, one that serves every
    level, then any; among equals the first of Google's list.
    """
    for runtime_id in tried:
        if (target := live.renamed.get(runtime_id)) is not None and target not in tried:
            return target
    keys = {to_key(route.model_id), to_key(split_id(route.model_id)[0])}
    matches = [row for row in live.models if row.key in keys and row.runtime_id not in tried]
    nearest = min(matches, key=lambda row: level_rank(row.level, route.effort), default=None)
    return None if nearest is None else nearest.runtime_id


def level_rank(level: Effort | None, effort: Effort | None) -> int:
    """How well a level serves an effort; the smallest is best: that level, then every level, then the nearest."""
    wanted = effort or Effort.NONE
    levels = (*FALLBACK_LEVELS[wanted], None)
    if level in levels:
        return levels.index(level)
    order = list(Effort)
    # Not to think at all is the last way to serve somebody who wants thoughts.
    distance = len(order) if level is Effort.NONE else abs(order.index(level or wanted) - order.index(wanted))
    return len(levels) + distance


def to_key(name: str) -> str:
    """A name as it compares: lower case, words and numbers joined by hyphens."""
    return _hyphenate(name).replace(".", "-")


def split_id(runtime_id: str) -> tuple[str, Effort | None]:
    """The model and the level in a runtime id; no level when it serves every one or does not say."""
    lowered = runtime_id.lower()
    if lowered in LABELS:
        return LABELS[lowered]
    for suffix, level in SUFFIX_LEVELS.items():
        if lowered.endswith(f"-{suffix}"):
            return lowered.removesuffix(f"-{suffix}"), level
    return lowered, None


def _live_model(runtime_id: str, row: Mapping[str, Any]) -> LiveModel:
    base, level = split_id(runtime_id)
    label = row.get("displayName")
    name = label.strip() if isinstance(label, str) else ""
    found = LABEL_LEVEL.match(name)
    if found is not None and (word := _hyphenate(found["level"])) in SUFFIX_LEVELS:
        # An id may say one level and its label another; people choose by the label.
        name, level = found["base"], SUFFIX_LEVELS[word]
        if (labelled := _hyphenate(name)).startswith(SERVED_PREFIXES):
            base = labelled
    thinks = row.get("supportsThinking")
    media_types = read_media_types(row.get("supportedMimeTypes"))
    if media_types is None and row.get("supportsImages") is False:
        media_types = frozenset[str]()
    return LiveModel(
        runtime_id,
        base,
        Effort.NONE if thinks is False and level is None else level,
        name or base,
        context_tokens=_positive(row.get("maxTokens")),
        max_output_tokens=_positive(row.get("maxOutputTokens")),
        thinks=thinks if isinstance(thinks, bool) else None,
        budget=-1 if row.get("thinkingBudget") == -1 else _positive(row.get("thinkingBudget")),
        min_budget=_positive(row.get("minThinkingBudget")),
        media_types=media_types,
    )


def _positive(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else None


def _hyphenate(name: str) -> str:
    return "-".join(re.split(r"[\s\-]+", name.strip().lower()))
