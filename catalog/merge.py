"""The built-in table and Google's catalogue as one.

Source:
    SPEC.md, "Live catalogue".
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from .builtin import FAMILY_EFFORTS, FAMILY_INPUTS, MODELS, UNKNOWN_CONTEXT
from .catalog import Catalog
from .discovery import LiveModel, level_rank, split_id, to_key
from .media import inputs_of
from .model import Effort, Family, Model, Runtime
from .routing import builtin_runtime, family_of, resolve_runtime_id

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from .discovery import LiveCatalog

    CurrentId = Callable[[str], str]

BUILT_IN_KEYS: Mapping[str, Model] = {to_key(model.id): model for model in MODELS}


def merge(live: LiveCatalog, source: str) -> Catalog:
    """The models that Google serves: those we know, in our order and as narrow as Google says, and then the others.

    Args:
        live: what Google said.
        source: whose catalogue it is, for people.
    """
    groups: dict[str, list[LiveModel]] = {}
    for row in live.models:
        groups.setdefault(row.key, []).append(row)
    runtimes = {row.runtime_id: _runtime_of(row) for row in live.models}
    catalog = Catalog(source=source, live=live, runtimes=runtimes)
    known = [_narrowed(model, groups[key], catalog) for key, model in BUILT_IN_KEYS.items() if key in groups]
    found = [
        _discovered(rows, catalog)
        for key, rows in groups.items()
        if key not in BUILT_IN_KEYS and any(_is_current(row, catalog) for row in rows)
    ]
    return replace(catalog, models=(*known, *found))


def _is_current(row: LiveModel, catalog: Catalog) -> bool:
    return catalog.current_id(row.runtime_id) == row.runtime_id


def _narrowed(model: Model, rows: Sequence[LiveModel], catalog: Catalog) -> Model:
    """A model of the built-in table: what is known of it, but no more than Google serves."""

    def runtime_for(effort: Effort) -> Runtime:
        runtime_id = catalog.current_id(resolve_runtime_id(model.id, effort))
        return catalog.runtimes.get(runtime_id) or catalog.runtimes[_best(rows, effort, catalog).runtime_id]

    runtimes = {effort: runtime_for(effort) for effort in Effort}
    inputs = _inputs_of(rows, model.inputs)
    return replace(
        model,
        context_tokens=min(model.context_tokens, _largest_context(rows) or model.context_tokens),
        max_output_tokens=min(model.max_output_tokens, _largest_answer(runtimes)),
        inputs=tuple(kind for kind in model.inputs if kind in inputs),
        runtimes=runtimes,
    )


def _discovered(rows: Sequence[LiveModel], catalog: Catalog) -> Model:
    """A model that only Google knows; all its levels are one public id."""
    runtimes = {effort: catalog.runtimes[_best(rows, effort, catalog).runtime_id] for effort in Effort}
    family = family_of(rows[0].runtime_id.lower())
    return Model(
        id=_public_id(rows, catalog),
        name=rows[0].name,
        family=family,
        context_tokens=_largest_context(rows) or UNKNOWN_CONTEXT,
        max_output_tokens=_largest_answer(runtimes),
        inputs=_inputs_of(rows, FAMILY_INPUTS[family]),
        efforts=_efforts_of(rows, family),
        runtimes=runtimes,
    )


def _best(rows: Sequence[LiveModel], effort: Effort, catalog: Catalog) -> LiveModel:
    """The row that serves an effort, rather one that stays."""
    return min(rows, key=lambda row: (not _is_current(row, catalog), level_rank(row.level, effort)))


def _public_id(rows: Sequence[LiveModel], catalog: Catalog) -> str:
    """The name in the runtime ids, else the one in the labels, but never another model's runtime id."""
    own_ids = {row.runtime_id for row in rows}
    names = [split_id(runtime_id)[0] for runtime_id in own_ids]
    wanted = min((name for name in names if to_key(name) == rows[0].key), default=rows[0].base)
    return wanted if wanted in own_ids or wanted not in catalog.runtimes else rows[0].runtime_id


def _largest_context(rows: Sequence[LiveModel]) -> int | None:
    return max((row.context_tokens for row in rows if row.context_tokens is not None), default=None)


def _largest_answer(runtimes: Mapping[Effort, Runtime]) -> int:
    return max(runtime.max_output_tokens for runtime in runtimes.values())


def _inputs_of(rows: Sequence[LiveModel], unknown: tuple[str, ...]) -> tuple[str, ...]:
    named = [row.media_types for row in rows if row.media_types is not None]
    return inputs_of(frozenset[str]().union(*named)) if named else unknown


def _efforts_of(rows: Sequence[LiveModel], family: Family) -> tuple[Effort, ...]:
    levels: set[Effort] = set()
    for row in rows:
        if row.thinks is not False:
            levels.update(FAMILY_EFFORTS[family] if row.level is None else (row.level,))
    return tuple(effort for effort in Effort if effort in levels)


def _runtime_of(row: LiveModel) -> Runtime:
    known = replace(builtin_runtime(row.runtime_id.lower()), id=row.runtime_id)
    model = BUILT_IN_KEYS.get(row.key)
    if model is None:
        cap = row.max_output_tokens or known.max_output_tokens
        thinking = _thinking_of(row, known)
        return replace(known, max_output_tokens=cap, thinking=thinking, media_types=row.media_types)
    cap = min(known.max_output_tokens, row.max_output_tokens or known.max_output_tokens)
    # Types that Google does not list may be taken all the same; only whole kinds that are missing count.
    is_whole = row.media_types is None or set(model.inputs) <= set(inputs_of(row.media_types))
    return replace(known, max_output_tokens=cap, media_types=None if is_whole else row.media_types)


def _thinking_of(row: LiveModel, known: Runtime) -> Mapping[Effort, Mapping[str, Any]] | None:
    """The row's own budget for its level, and what is known of such ids where it says nothing."""
    if row.thinks is False or known.thinking is None:
        return None
    return {effort: _with_budget(config, effort, row, known.family) for effort, config in known.thinking.items()}


def _with_budget(config: Mapping[str, Any], effort: Effort, row: LiveModel, family: Family) -> Mapping[str, Any]:
    if effort is Effort.NONE or "thinkingBudget" not in config:
        return config
    budget: int = config["thinkingBudget"]
    own = None if row.budget == -1 and family is not Family.GEMINI else row.budget
    if own is not None and (row.level is not None or effort in (Effort.HIGH, Effort.XHIGH)):
        budget = own
    return {**config, "thinkingBudget": budget if budget < 0 else max(budget, row.min_budget or 0)}
