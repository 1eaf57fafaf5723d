"""Cline's command line: the one provider ``openai-compatible`` in ``providers.json``.

Its extension for VS Code keeps its settings inside VS Code, where nothing can be written.

Source:
    https://docs.cline.bot, and Cline's command line 3.0, which this was tried with.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .provider import Provider
from .syntax import JSONC

if TYPE_CHECKING:
    from .route import Route

NAME = "openai-compatible"
FRESH = f"""\
{{
  "version": 1,
  "lastUsedProvider": "{NAME}",
  "modes": {{}},
  "providers": {{}}
}}
"""


def _owned(_route: Route) -> dict[str, Any]:
    return {"settings": {"provider": NAME}}


def _initial(route: Route) -> dict[str, Any]:
    return {"settings": {"model": route.models[0].id}}


def _defaults(route: Route) -> dict[str, Any]:
    return {"updatedAt": route.written_at, "tokenSource": "manual"}


CONFIG = Provider(
    syntax=JSONC,
    path=("providers", NAME),
    owned=_owned,
    urls=(("settings", "baseUrl"),),
    keys=(("settings", "apiKey"),),
    initial=_initial,
    defaults=_defaults,
    shared_model=("settings", "model"),
    fresh=FRESH,
)
