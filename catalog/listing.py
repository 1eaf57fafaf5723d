"""Models as ``GET /v1/models`` shows them.

Source:
    https://platform.openai.com/docs/api-reference/models/list, and SPEC.md, "Model list", for the fields beyond it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from .model import Model
    from .wire import ModelList, ModelRow


@dataclass(frozen=True, slots=True)
class Left:
    """How much of a model can still be used.

    Attributes:
        share: of the quota, 0 to 1; None when it is not known.
        resets_at: when all of it is back, such as ``2026-09-08T00:00:00Z``; None when it is not known.
    """

    share: float | None = None
    resets_at: str | None = None


def nothing_known(_model: Model) -> Left:
    """What is left of every model, as long as nobody has looked."""
    return Left()


def to_row(model: Model, source: str, left: Left) -> ModelRow:
    """One model as an OpenAI model object with the fields harnesses read besides.

    ``max_tokens`` is left out on purpose: some harnesses take it for the size of the context.

    Args:
        model: the model.
        source: whose catalogue it is from.
        left: what its owner has left of it.
    """
    return {
        "id": model.id,
        "object": "model",
        "created": 0,
        "owned_by": "antigravity",
        "name": model.name,
        "context_length": model.context_tokens,
        "max_output_tokens": model.max_output_tokens,
        "input_modalities": list(model.inputs),
        "output_modalities": ["text"],
        "reasoning_efforts": list(model.efforts),
        "source": source,
        "quota_remaining": left.share,
        "quota_resets_at": left.resets_at,
    }


def to_listing(models: Iterable[Model], source: str, left_of: Callable[[Model], Left] = nothing_known) -> ModelList:
    """All models as an OpenAI list.

    Args:
        models: in the order they are listed.
        source: whose catalogue they are from.
        left_of: what its owner has left of a model.
    """
    return {"object": "list", "data": [to_row(model, source, left_of(model)) for model in models]}
