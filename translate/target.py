"""What translation must know of the model a request goes to."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Protocol

from .media_types import ALL_TYPES, IMAGE_TYPES

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .cloud_wire import SchemaField


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

    @property
    def media_types(self) -> frozenset[str] | None:
        """The mime types it takes; None for those of its family."""
        ...


@dataclass(frozen=True, slots=True)
class FamilyRules:
    """How the requests of one family of models differ.

    Attributes:
        schema_field: where a function declaration carries its parameters.
        has_call_ids: whether calls and results carry an id.
        is_signed: whether calls and texts carry thought signatures.
        takes_thoughts: whether thoughts of the history are sent back to it.
        has_response_schema: whether the service itself can bind the answer to a schema.
        has_model_media: whether media may stand in what the model said.
        thinks_when_forced: whether it may think in a turn in which it must call a tool.
        smallest_budget: the smallest ``thinkingBudget`` above 0 that all its models take.
        has_dynamic_budget: whether the budget -1 leaves it to the model.
        media_types: the mime types its models take, unless more is known of one; empty for none.
    """

    schema_field: SchemaField
    has_call_ids: bool
    is_signed: bool
    takes_thoughts: bool
    has_response_schema: bool
    has_model_media: bool
    thinks_when_forced: bool
    smallest_budget: int
    has_dynamic_budget: bool
    media_types: frozenset[str]


FAMILY_RULES: Mapping[str, FamilyRules] = MappingProxyType(
    {
        "gemini": FamilyRules(
            schema_field="parametersJsonSchema",
            has_call_ids=False,
            is_signed=True,
            takes_thoughts=True,
            has_response_schema=True,
            has_model_media=True,
            thinks_when_forced=True,
            smallest_budget=128,
            has_dynamic_budget=True,
            media_types=ALL_TYPES,
        ),
        "claude": FamilyRules(
            schema_field="parameters",
            has_call_ids=True,
            is_signed=False,
            takes_thoughts=False,
            has_response_schema=False,
            has_model_media=False,
            thinks_when_forced=False,
            smallest_budget=1_024,
            has_dynamic_budget=False,
            media_types=IMAGE_TYPES,
        ),
        "gpt-oss": FamilyRules(
            schema_field="parameters",
            has_call_ids=True,
            is_signed=False,
            takes_thoughts=False,
            has_response_schema=False,
            has_model_media=False,
            thinks_when_forced=False,
            smallest_budget=1_024,
            has_dynamic_budget=False,
            media_types=frozenset(),
        ),
    }
)
"""Source: SPEC.md, "Families"."""


def rules_of(target: Target) -> FamilyRules:
    """The rules of the target's family."""
    return FAMILY_RULES[target.family]


def media_types_of(target: Target) -> frozenset[str]:
    """The mime types the target takes."""
    return rules_of(target).media_types if target.media_types is None else target.media_types
