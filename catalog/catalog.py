"""Which models exist, by id."""

from __future__ import annotations

from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import TYPE_CHECKING

from ..errors import UnknownModelError
from .builtin import BUILT_IN_IDS, FAMILY_EFFORTS, FAMILY_INPUTS, MODELS, UNKNOWN_CONTEXT
from .discovery import LiveCatalog, LiveModel, find_live_fallback, split_id
from .media import inputs_of
from .model import Effort, Model, Runtime
from .routing import builtin_runtime, route_over

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from .model import Route

NEAREST = 3
MAX_ID_LENGTH = 100
"""As much of an unknown id is compared and shown."""

BUILT_IN = "built-in"


@dataclass(frozen=True, slots=True)
class Catalog:
    """The models a client may ask for.

    Attributes:
        models: in the order they are listed.
        source: whose catalogue it is: the label of an account, or ``built-in``.
        live: what Google said.
        runtimes: runtime id → what Google takes for it.
    """

    models: tuple[Model, ...] = MODELS
    source: str = BUILT_IN
    live: LiveCatalog = field(default_factory=LiveCatalog)
    runtimes: Mapping[str, Runtime] = field(default_factory=dict[str, Runtime])

    def find(self, model_id: str) -> Model:
        """The model with this public id, or the runtime id as a model of its own.

        A public id of the built-in table is found even where Google does not list it: Google's own answer decides.

        Raises:
            UnknownModelError: there is none; the message names the nearest ids.
        """
        if (listed := _with_id(model_id, self.models)) is not None:
            return listed
        runtime_id = self.current_id(model_id)
        if runtime_id in self.runtimes:
            row = next(row for row in self.live.models if row.runtime_id == runtime_id)
            return to_model(row, model_id, self.runtimes[runtime_id])
        if (unlisted := _with_id(model_id, MODELS)) is not None:
            return unlisted
        if model_id in BUILT_IN_IDS:
            row = LiveModel(model_id, *split_id(model_id), name=model_id)
            return to_model(row, model_id, builtin_runtime(model_id))
        raise UnknownModelError(
            f"There is no model {model_id[:MAX_ID_LENGTH]!r}. The nearest are {', '.join(self.nearest(model_id))}; "
            "GET /v1/models lists all.",
            param="model",
        )

    def current_id(self, runtime_id: str) -> str:
        """The runtime id itself, or the one that takes its place when Google says so and serves that one."""
        current, seen = runtime_id, {runtime_id}
        while (current := self.live.renamed.get(current, "")) and current not in seen:
            if current in self.runtimes:
                return current
            seen.add(current)
        return runtime_id

    def nearest(self, model_id: str) -> list[str]:
        """The listed ids that resemble an id most."""
        others = [model.id for model in self.models if model.id != model_id]
        return get_close_matches(model_id[:MAX_ID_LENGTH], others, n=NEAREST, cutoff=0.0)

    def fallback(self, route: Route, tried: Collection[str]) -> Route | None:
        """The route to another runtime id of the same model, as Google lists it, that has not been tried."""
        runtime_id = find_live_fallback(self.live, route, tried)
        if runtime_id is None:
            return None
        return route_over(route.model_id, self.runtimes.get(runtime_id) or builtin_runtime(runtime_id), route.effort)


BUILT_IN_CATALOG = Catalog()
"""What is known of models when Google has not been asked."""


def _with_id(model_id: str, models: Iterable[Model]) -> Model | None:
    return next((model for model in models if model.id == model_id), None)


def to_model(row: LiveModel, model_id: str, runtime: Runtime) -> Model:
    """A model that one runtime id serves alone; without an effort it thinks as much as its id says."""
    efforts = () if runtime.thinking is None else FAMILY_EFFORTS[runtime.family]
    return Model(
        id=model_id,
        name=row.name,
        family=runtime.family,
        context_tokens=row.context_tokens or UNKNOWN_CONTEXT,
        max_output_tokens=runtime.max_output_tokens,
        inputs=FAMILY_INPUTS[runtime.family] if row.media_types is None else inputs_of(row.media_types),
        efforts=efforts,
        runtimes=dict.fromkeys(Effort, runtime),
        own_effort=row.level if efforts else None,
    )
