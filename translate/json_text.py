"""JSON text to values and back, with the limits of this program."""

from __future__ import annotations

import json
import re
from typing import Any, TypeGuard

import orjson

MAX_DEPTH = 200
"""How deep JSON of a client may be nested; the encoder gives up a little above it."""

LONE_SURROGATE = re.compile("[\ud800-\udfff]")


def parse_json(text: bytes | str) -> Any:
    """Parse JSON; half characters, which some clients cut out of emoji, become U+FFFD.

    Raises:
        ValueError: it is not JSON, or nested deeper than the parser goes.
    """
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError:
        return orjson.loads(_mend_surrogates(text))


def _mend_surrogates(text: bytes | str) -> str:
    try:
        decoded = text.decode("utf-8", "surrogatepass") if isinstance(text, bytes) else text
        value = json.loads(decoded.removeprefix("\ufeff"))
    except RecursionError as exc:
        raise ValueError("nested too deep") from exc
    return LONE_SURROGATE.sub("\ufffd", json.dumps(value, ensure_ascii=False))


def to_json(value: Any) -> str:
    """Encode a value as compact JSON text.

    Raises:
        ValueError: it holds something JSON cannot say, or is nested too deep.
    """
    try:
        return orjson.dumps(value).decode()
    except TypeError as exc:
        raise ValueError(str(exc)) from exc


def is_deeper_than(value: Any, limit: int) -> bool:
    """Whether lists and objects are nested in each other more than ``limit`` times."""
    level = [value]
    for _ in range(limit + 1):
        inner: list[Any] = []
        for item in level:
            if is_object(item):
                inner.extend(item.values())
            elif is_list(item):
                inner.extend(item)
        if not inner:
            return False
        level = inner
    return True


def is_object(value: Any) -> TypeGuard[dict[str, Any]]:
    """Whether a JSON value is an object."""
    return isinstance(value, dict)


def is_list(value: Any) -> TypeGuard[list[Any]]:
    """Whether a JSON value is a list."""
    return isinstance(value, list)


def as_object(value: Any) -> dict[str, Any]:
    """The value if it is an object, else an empty one: for what other programs send in any shape."""
    return value if is_object(value) else {}


def as_list(value: Any) -> list[Any]:
    """The value if it is a list, else an empty one."""
    return value if is_list(value) else []
