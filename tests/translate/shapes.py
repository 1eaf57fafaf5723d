"""Whether JSON values have the shape a TypedDict says."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NotRequired, get_args, get_origin, get_type_hints, is_typeddict

from antigravity_proxy.translate import events, tools

if TYPE_CHECKING:
    from collections.abc import Iterator

NAMES = {"Role": events.Role, "Mode": tools.Mode}
"""What annotations name that is imported for the type checker alone."""


def misfits(value: Any, shape: Any, place: str = "value") -> Iterator[str]:
    """The places where a value has another shape: a field too many or too few, or a value of another type."""
    if is_typeddict(shape):
        if isinstance(value, dict):
            yield from _misfits_in_fields(value, shape, place)
        else:
            yield f"{place} is no object"
    elif get_origin(shape) is list:
        if isinstance(value, list):
            yield from (found for item in value for found in misfits(item, get_args(shape)[0], f"{place}[]"))
        else:
            yield f"{place} is no list"
    elif get_origin(shape) is Literal:
        if value not in get_args(shape):
            yield f"{place} is {value!r}"
    elif not isinstance(value, _types_of(shape)):
        yield f"{place} is of type {type(value).__name__}"


def _types_of(shape: Any) -> Any:
    if shape is Any:
        return object
    if shape is float:
        return (int, float)
    return dict if get_origin(shape) is dict else shape


def _misfits_in_fields(value: dict[str, Any], shape: Any, place: str) -> Iterator[str]:
    hints = get_type_hints(shape, localns=NAMES, include_extras=True)
    yield from (f"{place} has {name}" for name in value.keys() - hints.keys())
    for name, hint in hints.items():
        is_optional = get_origin(hint) is NotRequired
        if name in value:
            yield from misfits(value[name], get_args(hint)[0] if is_optional else hint, f"{place}.{name}")
        elif not is_optional and shape.__total__:
            yield f"{place} has no {name}"
