"""Continue: a model each in ``models`` of ``config.yaml``.

Source:
    https://docs.continue.dev/reference, and Continue's command line 1.5, which this was tried with.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .rows import Rows
from .syntax import YAML

if TYPE_CHECKING:
    from ..catalog.model import Model
    from .route import Route

FRESH = "name: My models\nversion: 1.0.0\nschema: v1\n"
"""Without these lines Continue refuses the file."""

MARK = " (Antigravity)"


def _name(model: Model) -> str:
    return f"{model.name}{MARK}"


def _is_old_one(name: str, _existing: dict[str, Any]) -> bool:
    return name.endswith(MARK)


def _row(model: Model) -> dict[str, Any]:
    return {
        "provider": "openai",
        "model": model.id,
        "roles": ["chat", "edit", "apply"],
        "capabilities": ["tool_use", *(["image_input"] if "image" in model.inputs else [])],
        "defaultCompletionOptions": {
            "contextLength": model.context_tokens,
            "maxTokens": model.max_output_tokens,
        },
    }


def _owned(_route: Route) -> dict[str, Any]:
    return {"provider": "openai"}


CONFIG = Rows(
    syntax=YAML,
    path=("models",),
    row=_row,
    name_of=_name,
    name="name",
    model=("model",),
    url=("apiBase",),
    key=("apiKey",),
    owned=_owned,
    is_old_one=_is_old_one,
    fresh=FRESH,
)
