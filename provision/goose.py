"""Goose: a file of its own, ``custom_providers/antigravity.json``, which cannot hold the key.

Source:
    https://block.github.io/goose/docs/getting-started/providers, and Goose's source.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .provider import ModelRows, Provider
from .route import ID, KEY_VARIABLE, TITLE
from .syntax import JSONC

if TYPE_CHECKING:
    from ..catalog.model import Model
    from .route import Route


def _row(model: Model) -> dict[str, Any]:
    return {"context_limit": model.context_tokens}


def _owned(route: Route) -> dict[str, Any]:
    return {
        "name": ID,
        "engine": "openai",
        "api_key_env": KEY_VARIABLE,
        "requires_auth": route.key is not None,
    }


def _initial(_route: Route) -> dict[str, Any]:
    return {"display_name": TITLE}


def _defaults(_route: Route) -> dict[str, Any]:
    return {
        "description": "The models of a Google AI subscription, through antigravity-proxy.",
        "supports_streaming": True,
    }


CONFIG = Provider(
    syntax=JSONC,
    path=(),
    owned=_owned,
    urls=(("base_url",),),
    url_path="/chat/completions",
    initial=_initial,
    defaults=_defaults,
    models=ModelRows("models", _row, name="name"),
)
