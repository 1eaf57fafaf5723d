"""pi: ``providers.antigravity`` in ``models.json``, which both of its generations read.

The key is written as it is: the older pi takes ``NAME`` for a variable and ``$NAME`` for a key, the newer one the
other way round. A level that is null is hidden, one that is absent is offered.

Source:
    https://github.com/badlogic/pi-mono, and pi 0.73 and 1.6, which this was tried with.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .provider import ModelRows, Provider
from .route import ID
from .syntax import JSONC

if TYPE_CHECKING:
    from ..catalog.model import Model
    from .route import Route

INPUTS = ("text", "image")
"""All that pi can send."""

LEVELS = ("minimal", "low", "medium", "high", "xhigh", "max")
"""What pi offers besides off, which sends nothing; the older one does not know the last."""

FREE = {"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0}


def _row(model: Model) -> dict[str, Any]:
    row: dict[str, Any] = {"name": model.name, "reasoning": bool(model.efforts)}
    if model.efforts:
        row["thinkingLevelMap"] = {level: level if level in model.efforts else None for level in LEVELS}
    return row | {
        "input": [kind for kind in INPUTS if kind in model.inputs],
        "contextWindow": model.context_tokens,
        "maxTokens": model.max_output_tokens,
        "cost": FREE,
    }


def _owned(_route: Route) -> dict[str, Any]:
    return {"api": "openai-completions"}


CONFIG = Provider(
    syntax=JSONC,
    path=("providers", ID),
    owned=_owned,
    urls=(("baseUrl",),),
    keys=(("apiKey",),),
    models=ModelRows("models", _row, name="id"),
)
