"""Models as ``GET /v1/models`` shows them.

Source:
    https://platform.openai.com/docs/api-reference/models/list, and SPEC.md, "Model list", for the fields beyond it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .model import Model
    from .wire import ModelList, ModelRow


def to_row(model: Model, source: str) -> ModelRow:
    """One model as an OpenAI model object with the fields harnesses read besides.

    ``max_tokens`` is left out on purpose: some harnesses take it for the size of the context.

    Args:
        model: the model.
        source: whose catalogue it is from.
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
    }


def to_listing(models: Iterable[Model], source: str) -> ModelList:
    """All models as an OpenAI list.

    Args:
        models: in the order they are listed.
        source: whose catalogue they are from.
    """
    return {"object": "list", "data": [to_row(model, source) for model in models]}
