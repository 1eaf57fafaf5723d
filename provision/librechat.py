"""LibreChat: the custom endpoint ``Antigravity`` in ``librechat.yaml``.

Source:
    https://www.librechat.ai/docs/configuration/librechat_yaml/object_structure/custom_endpoint.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .provider import Provider
from .route import TITLE
from .syntax import YAML
from .tree import Row

if TYPE_CHECKING:
    from .route import Route


def _owned(_route: Route) -> dict[str, Any]:
    return {}


def _initial(route: Route) -> dict[str, Any]:
    return {"models": {"default": [model.id for model in route.models], "fetch": True}}


def _defaults(route: Route) -> dict[str, Any]:
    return {"titleConvo": True, "titleModel": route.models[0].id, "modelDisplayLabel": TITLE}


CONFIG = Provider(
    syntax=YAML,
    path=("endpoints", "custom", Row("name", TITLE)),
    owned=_owned,
    urls=(("baseURL",),),
    keys=(("apiKey",),),
    initial=_initial,
    defaults=_defaults,
    listed_models=("models", "default"),
    fresh="version: 1.2.1\n",
)
