"""Hermes Agent: ``providers.antigravity`` in ``config.yaml``.

Source:
    https://hermes-agent.nousresearch.com/docs, and Hermes 0.19, which this was tried with.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .provider import ModelRows, Provider
from .route import ID, TITLE
from .syntax import YAML

if TYPE_CHECKING:
    from ..catalog.model import Model
    from .route import Route


def _row(model: Model) -> dict[str, Any]:
    return {"context_length": model.context_tokens, "supports_vision": "image" in model.inputs}


def _owned(_route: Route) -> dict[str, Any]:
    return {"api_mode": "chat_completions"}


def _initial(_route: Route) -> dict[str, Any]:
    return {"name": TITLE}


def _defaults(route: Route) -> dict[str, Any]:
    return {"default_model": route.models[0].id, "discover_models": True}


CONFIG = Provider(
    syntax=YAML,
    path=("providers", ID),
    owned=_owned,
    urls=(("base_url",), ("url",), ("api",)),
    keys=(("api_key",),),
    key_references=("key_env", "api_key_env"),
    initial=_initial,
    defaults=_defaults,
    models=ModelRows("models", _row),
)
