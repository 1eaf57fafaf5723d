"""llm: a model each in ``extra-openai-models.yaml``, and the proxy's key in ``keys.json`` if it wants one.

Source:
    https://llm.datasette.io/en/stable/other-models.html, and llm 0.36, which this was tried with.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .removal import withdraw
from .route import ID
from .rows import Rows
from .splice import put
from .syntax import JSONC, YAML

if TYPE_CHECKING:
    from ..catalog.model import Model
    from .route import Route
    from .syntax import Syntax


def _name(model: Model) -> str:
    return f"{ID}/{model.id}"


def _is_old_one(name: str, _existing: dict[str, Any]) -> bool:
    return name.startswith(f"{ID}/")


def _row(model: Model) -> dict[str, Any]:
    return {
        "model_name": model.id,
        "vision": "image" in model.inputs,
        "audio": "audio" in model.inputs,
        "reasoning": bool(model.efforts),
        "supports_tools": True,
        "supports_schema": True,
        "can_stream": True,
    }


def _owned(route: Route) -> dict[str, Any]:
    # Without the name of a key llm sends a made-up one, and asks for none.
    return {} if route.key is None else {"api_key_name": ID}


MODELS = Rows(
    syntax=YAML,
    path=(),
    row=_row,
    name_of=_name,
    name="model_id",
    model=("model_name",),
    url=("api_base",),
    owned=_owned,
    is_old_one=_is_old_one,
)


@dataclass(frozen=True, slots=True)
class KeyFile:
    """The file with llm's keys, of which the one under our name is ours, whatever it is.

    Attributes:
        fresh: the file before anything of ours.
        syntax: how the file is written.
    """

    fresh: str = ""
    syntax: Syntax = JSONC

    def provisioned(self, text: str, route: Route, *, add_models: bool) -> str:
        """See ``Document``."""
        return text if route.key is None else put(text, (ID,), route.key, self.syntax)

    def withdrawn(self, text: str, before: str, route: Route) -> str:
        """See ``Document``."""
        return withdraw(text, (ID,), self.syntax, before)


KEYS = KeyFile()
