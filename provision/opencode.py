"""OpenCode: ``provider.antigravity`` in ``opencode.json`` or ``opencode.jsonc``.

A model without both limits makes OpenCode refuse the whole file, and one without its modalities gets text alone.

Source:
    https://opencode.ai/docs/providers, and OpenCode 1.18, which this was tried with.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .provider import ModelRows, Provider
from .route import ID, TITLE
from .syntax import JSONC

if TYPE_CHECKING:
    from ..catalog.model import Model
    from .route import Route

PACKAGE = "@ai-sdk/openai-compatible"
"""What OpenCode talks to the proxy with; it comes with OpenCode."""


def _row(model: Model) -> dict[str, Any]:
    row: dict[str, Any] = {
        "name": model.name,
        "attachment": len(model.inputs) > 1,
        "reasoning": bool(model.efforts),
        "tool_call": True,
        "temperature": True,
        "limit": {"context": model.context_tokens, "output": model.max_output_tokens},
        "modalities": {"input": list(model.inputs), "output": ["text"]},
    }
    if model.efforts:
        row["interleaved"] = {"field": "reasoning_content"}
        row["variants"] = {str(effort): {"reasoningEffort": str(effort)} for effort in model.efforts}
    return row


def _owned(_route: Route) -> dict[str, Any]:
    return {"npm": PACKAGE}


def _initial(_route: Route) -> dict[str, Any]:
    return {"name": TITLE}


CONFIG = Provider(
    syntax=JSONC,
    path=("provider", ID),
    owned=_owned,
    urls=(("options", "baseURL"),),
    keys=(("options", "apiKey"),),
    initial=_initial,
    models=ModelRows("models", _row),
)
