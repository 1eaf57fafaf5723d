"""Models as ``GET /v1/models`` shows them.

Source:
    https://platform.openai.com/docs/api-reference/models/list, and SPEC.md, "Model list", for the fields beyond it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, cast

from .builtin import GEMINI_INPUTS, MODELS, UNKNOWN_CONTEXT, UNKNOWN_OUTPUT_CAP
from .discovery import SENDABLE
from .model import Effort, Model
from .routing import family_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from .wire import ModelList, ModelRow

MAX_TEXT = 100
"""Longer ids and names are not taken from a list."""


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


def read_listing(document: Any) -> tuple[tuple[Model, ...], str]:
    """The models that a server of this program lists, and whose they are; none when it is no such list.

    What a row does not say, or says in another shape, is as in the built-in table; of a model that is not there only
    the least is taken for granted. Names are told apart, as some harnesses know their models by them.

    Args:
        document: the answer to ``GET /v1/models``.
    """
    rows = [cast("dict[str, Any]", row) for row in _items(document, "data") if isinstance(row, dict)]
    models: dict[str, Model] = {}
    for model in filter(None, map(_read_row, rows)):
        is_taken = any(model.name == other.name for other in models.values())
        models.setdefault(model.id, replace(model, name=model.id) if is_taken else model)
    sources = [source for row in rows if (source := _text(row.get("source"))) is not None]
    return tuple(models.values()), sources[0] if sources else ""


def _read_row(row: dict[str, Any]) -> Model | None:
    model_id = _text(row.get("id"))
    if model_id is None or not SENDABLE.fullmatch(model_id):
        return None
    known = next((model for model in MODELS if model.id == model_id), None) or Model(
        id=model_id,
        name=model_id,
        family=family_of(model_id),
        context_tokens=UNKNOWN_CONTEXT,
        max_output_tokens=UNKNOWN_OUTPUT_CAP,
        inputs=("text",),
        efforts=(),
    )
    inputs, efforts = _items(row, "input_modalities"), _items(row, "reasoning_efforts")
    return replace(
        known,
        name=_text(row.get("name")) or known.name,
        context_tokens=_size(row.get("context_length")) or known.context_tokens,
        max_output_tokens=_size(row.get("max_output_tokens")) or known.max_output_tokens,
        inputs=tuple(kind for kind in GEMINI_INPUTS if kind in inputs) or known.inputs,
        efforts=tuple(effort for effort in Effort if effort in efforts)
        if isinstance(row.get("reasoning_efforts"), list)
        else known.efforts,
    )


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) and 0 < len(value) <= MAX_TEXT and value.isprintable() else None


def _size(value: Any) -> int | None:
    return value if type(value) is int and value > 0 else None


def _items(document: Any, key: str) -> Sequence[Any]:
    value = cast("dict[str, Any]", document).get(key) if isinstance(document, dict) else None
    return cast("Sequence[Any]", value) if isinstance(value, list) else []
