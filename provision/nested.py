"""Plain data inside of plain data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

from ..translate.json_text import is_object

if TYPE_CHECKING:
    from collections.abc import Mapping

Keys: TypeAlias = "tuple[str, ...]"
"""Keys of nested mappings, from the outermost to the innermost."""

NOTHING: tuple[Any, ...] = (None, "", [], {})
"""Values that say nothing."""


def value_at(data: Mapping[str, Any], keys: Keys) -> Any:
    """What stands in nested mappings; None where they end too early."""
    value: Any = data
    for key in keys:
        if not is_object(value) or key not in value:
            return None
        value = value[key]
    return value


def has_keys(data: Any, wanted: Mapping[str, Any]) -> bool:
    """Whether data has all of these keys, and those of the mappings in them."""
    return is_object(data) and all(
        key in data and (not is_object(value) or has_keys(data[key], value)) for key, value in wanted.items()
    )


def with_value(data: Mapping[str, Any], keys: Keys, value: Any) -> dict[str, Any]:
    """The data with a value in nested mappings."""
    first, *rest = keys
    return {**data, first: with_value(data.get(first, {}), tuple(rest), value) if rest else value}


def merged(data: Mapping[str, Any], other: Mapping[str, Any]) -> dict[str, Any]:
    """The data with that of another one in it, which holds where both say something."""
    result = dict(data)
    for key, value in other.items():
        known = result.get(key)
        result[key] = merged(known, value) if is_object(known) and is_object(value) else value
    return result
