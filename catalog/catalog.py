"""Which models exist, by id."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches
from typing import TYPE_CHECKING

from ..errors import UnknownModelError
from .builtin import MODELS

if TYPE_CHECKING:
    from .model import Model

NEAREST = 3
MAX_ID_LENGTH = 100
"""As much of an unknown id is compared and shown."""


@dataclass(frozen=True, slots=True)
class Catalog:
    """The models a client may ask for.

    Attributes:
        models: in the order they are listed.
    """

    models: tuple[Model, ...] = MODELS

    def find(self, model_id: str) -> Model:
        """The model with this public id.

        Raises:
            UnknownModelError: there is none; the message names the nearest ids.
        """
        for model in self.models:
            if model.id == model_id:
                return model
        wanted = model_id[:MAX_ID_LENGTH]
        nearest = get_close_matches(wanted, [model.id for model in self.models], n=NEAREST, cutoff=0.0)
        raise UnknownModelError(
            f"There is no model {wanted!r}. The nearest are {', '.join(nearest)}; GET /v1/models lists all.",
            param="model",
        )
