"""What translation must know of the model a request goes to."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Protocol

from .media_types import ALL_TYPES, IMAGE_TYPES

if TYPE_CHECKING:
    from collections.abc import Mapping


class Target(Protocol):
    """A resolved model: the catalogue's routes have this shape."""

    @property
    def model_id(self) -> str:
        """Public id."""
        ...

    @property
    def family(self) -> str:
        """A key of FAMILY_RULES."""
        ...

    @property
    def max_output_tokens(self) -> int:
        """Largest answer."""
        ...

    @property
    def thinking(self) -> Mapping[str, Any] | None:
        """Its ``thinkingConfig``."""
        ...


@dataclass(frozen=True, slots=True)
class FamilyRules:
    """How the requests of one family of models differ.

    Attributes:
        schema_field: where a function declaration carries its parameters.
        has_call_ids: whether calls and results carry an id.
        is_signed: whether calls and texts carry thought signatures.
        has_response_schema: whether the service itself can bind the answer to a schema.
        media_types: the mime types it takes; empty for none.
    """

    schema_field: str
    has_call_ids: bool
    is_signed: bool
    has_response_schema: bool
    media_types: frozenset[str]


FAMILY_RULES: Mapping[str, FamilyRules] = MappingProxyType(
    {
        "gemini": FamilyRules(
            schema_field="parametersJsonSchema",
            has_call_ids=False,
            is_signed=True,
            has_response_schema=True,
            media_types=ALL_TYPES,
        ),
        "claude": FamilyRules(
            schema_field="parameters",
            has_call_ids=True,
            is_signed=False,
            has_response_schema=False,
            media_types=IMAGE_TYPES,
        ),
        "gpt-oss": FamilyRules(
            schema_field="parameters",
            has_call_ids=True,
            is_signed=False,
            has_response_schema=False,
            media_types=frozenset(),
        ),
    }
)
"""Source: SPEC.md, "Families"."""


def rules_of(target: Target) -> FamilyRules:
    """The rules of the target's family."""
    return FAMILY_RULES[target.family]
