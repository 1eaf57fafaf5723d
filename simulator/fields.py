"""Checks a JSON body against a table of messages, and complains the way Google's JSON front end does.

A table describes each message like a ``.proto`` file would: which fields it has and of what kind. Every field
that is not in the table and every value of the wrong kind becomes one violation; the answer lists them all.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any, TypeGuard

import orjson

from .google_reply import ApiError, bad_request

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

MAX_DEPTH = 100
"""Nesting of objects and arrays the front end reads; deeper bodies are refused.

Source: the default recursion limit of protocol buffer parsers.
"""

INT32_MIN, INT32_MAX = -(2**31), 2**31 - 1
INT64_MIN, INT64_MAX = -(2**63), 2**63 - 1

_NAMESPACE = "type.googleapis.com/google.internal.cloud.code.v1internal."
_CAMEL_HUMP = re.compile(r"(?<=[a-z0-9])([A-Z])")


class Kind(StrEnum):
    """What a field may hold."""

    STRING = "TYPE_STRING"
    BYTES = "TYPE_BYTES"
    BOOL = "TYPE_BOOL"
    INT32 = "TYPE_INT32"
    INT64 = "TYPE_INT64"
    NUMBER = "TYPE_DOUBLE"
    ENUM = "enum"
    MESSAGE = "message"
    STRUCT = "struct"
    VALUE = "value"


@dataclass(frozen=True, slots=True)
class Field:
    """One field of a message.

    Attributes:
        kind: what it holds.
        type_name: for a message its name in the table; for an enum the name printed in complaints.
        members: the values of an enum.
        is_repeated: whether it is a list of such values.
        is_map: whether it is an object whose values are such values and whose keys are free.
    """

    kind: Kind
    type_name: str = ""
    members: frozenset[str] = frozenset()
    is_repeated: bool = False
    is_map: bool = False


Messages = dict[str, dict[str, Field]]
"""Message name to field name to field."""


@dataclass(frozen=True, slots=True)
class Violation:
    """One complaint: the path of the message or value at fault and the sentence about it."""

    path: str
    description: str


def is_object(value: object) -> TypeGuard[dict[str, Any]]:
    """Say whether a JSON value is an object."""
    return isinstance(value, dict)


def is_list(value: object) -> TypeGuard[list[Any]]:
    """Say whether a JSON value is an array."""
    return isinstance(value, list)


def is_integer(value: object) -> TypeGuard[int]:
    """Say whether a JSON value is a whole number; ``true`` is none."""
    return isinstance(value, int) and not isinstance(value, bool)


def is_int64(value: object) -> bool:
    """Say whether a value is a signed 64-bit number, or one in canonical decimal text as protobuf prints it."""
    if isinstance(value, str):
        return re.fullmatch(r"0|-?[1-9]\d{0,18}", value) is not None and is_int64(int(value))
    return is_integer(value) and INT64_MIN <= value <= INT64_MAX


def snake_case(name: str) -> str:
    """Give a lowerCamelCase field name as Google prints it in paths."""
    return _CAMEL_HUMP.sub(lambda hump: "_" + hump[1].lower(), name)


def join_path(path: str, name: str) -> str:
    """Give the printed path of a field of the message at ``path``; the root's path is empty."""
    return f"{path}.{snake_case(name)}" if path else snake_case(name)


def parse_object(body: bytes) -> dict[str, Any]:
    """Give the JSON object a request body holds.

    Raises:
        ApiError: 400 when the body is not JSON, not an object, or nested too deep.
    """
    try:
        value: object = orjson.loads(body)
    except orjson.JSONDecodeError as error:
        raise _malformed(f"Invalid JSON payload received. {error}") from error
    if not is_object(value):
        raise _malformed("Invalid JSON payload received. Root element must be a message.")
    if _is_too_deep(value):
        raise _malformed("Message too deep. Max recursion depth reached.")
    return value


def check_message(value: dict[str, Any], name: str, messages: Messages) -> None:
    """Check a body against the message ``name`` of a table.

    Raises:
        ApiError: 400 naming every unknown field and every value of the wrong kind.
    """
    violations = list(_violations_in_message(value, messages[name], "", messages))
    if violations:
        raise ApiError(
            400,
            "\n".join(violation.description for violation in violations),
            details=[bad_request([(violation.path, violation.description) for violation in violations])],
        )


def _malformed(message: str) -> ApiError:
    return ApiError(400, message, details=[bad_request([("", message)])])


def _is_too_deep(value: object) -> bool:
    level: list[object] = [value]
    for _ in range(MAX_DEPTH):
        level = [child for parent in level for child in _children(parent)]
        if not level:
            return False
    return True


def _children(value: object) -> Iterator[object]:
    members = value.values() if is_object(value) else value if is_list(value) else ()
    return (member for member in members if is_object(member) or is_list(member))


def _violations_in_message(
    value: dict[str, Any], fields: Mapping[str, Field], path: str, messages: Messages
) -> Iterator[Violation]:
    for name, member in value.items():
        field = fields.get(name)
        if field is None:
            where = f" at '{path}'" if path else ""
            yield Violation(path, f'Invalid JSON payload received. Unknown name "{name}"{where}: Cannot find field.')
        else:
            yield from _violations_in_field(member, field, join_path(path, name), messages)


def _violations_in_field(value: object, field: Field, path: str, messages: Messages) -> Iterator[Violation]:
    if field.is_repeated:
        if is_list(value):
            for index, member in enumerate(value):
                yield from _violations_in_value(member, field, f"{path}[{index}]", messages)
        else:
            yield _wrong_value(value, field, path)
    elif field.is_map:
        if is_object(value):
            # Google prints the entries of a map as a list of key and value pairs.
            for index, member in enumerate(value.values()):
                yield from _violations_in_value(member, field, f"{path}[{index}].value", messages)
        else:
            yield _wrong_value(value, field, path)
    else:
        yield from _violations_in_value(value, field, path, messages)


def _violations_in_value(value: object, field: Field, path: str, messages: Messages) -> Iterator[Violation]:
    if is_list(value) and field.kind is not Kind.VALUE:
        parent, _, leaf = path.rpartition(".")
        sentence = f"Invalid JSON payload received. Unknown name \"{leaf}\" at '{parent}'"
        yield Violation(path, f"{sentence}: Proto field is not repeating, cannot start list.")
    elif field.kind is Kind.MESSAGE and is_object(value):
        yield from _violations_in_message(value, messages[field.type_name], path, messages)
    elif not _KIND_TESTS[field.kind](value) or (field.members and value not in field.members):
        yield _wrong_value(value, field, path)


def _wrong_value(value: object, field: Field, path: str) -> Violation:
    shown = field.kind.value if field.kind.value.startswith("TYPE_") else _NAMESPACE + field.type_name
    printed = orjson.dumps(value).decode()
    return Violation(path, f"Invalid value at '{path}' ({shown}), {printed[:100]}")


_KIND_TESTS: dict[Kind, Callable[[object], bool]] = {
    Kind.STRING: lambda value: isinstance(value, str),
    Kind.BYTES: lambda value: isinstance(value, str),
    Kind.BOOL: lambda value: isinstance(value, bool),
    Kind.INT32: lambda value: is_integer(value) and INT32_MIN <= value <= INT32_MAX,
    Kind.INT64: is_int64,
    Kind.NUMBER: lambda value: isinstance(value, float) or is_integer(value),
    Kind.ENUM: lambda value: isinstance(value, str),
    Kind.MESSAGE: is_object,
    Kind.STRUCT: is_object,
    Kind.VALUE: lambda _: True,
}
"""What a value of each kind looks like in JSON; the members of an enum are looked at on their own."""
