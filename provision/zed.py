"""Zed: ``language_models.openai_compatible.antigravity`` in ``settings.json``.

The key is never in the file: Zed reads it from the variable named after the provider, or asks for it.

Source:
    https://zed.dev/docs/ai/llm-providers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .provider import ModelRows, Provider
from .route import ID
from .syntax import JSONC

if TYPE_CHECKING:
    from ..catalog.model import Model
    from .route import Route


def _row(model: Model) -> dict[str, Any]:
    return {
        "display_name": model.name,
        # Zed calls the context so.
        "max_tokens": model.context_tokens,
        "max_output_tokens": model.max_output_tokens,
        "capabilities": {
            "tools": True,
            "images": "image" in model.inputs,
            "parallel_tool_calls": True,
            "prompt_cache_key": False,
        },
    }


def _owned(_route: Route) -> dict[str, Any]:
    return {}


CONFIG = Provider(
    syntax=JSONC,
    path=("language_models", "openai_compatible", ID),
    owned=_owned,
    urls=(("api_url",),),
    models=ModelRows("available_models", _row, name="name"),
)
