"""JSON text to values and back, with the limits of this program."""

from __future__ import annotations

import json
import re
from typing import Any, TypeGuard

import orjson

MAX_JSON_DEPTH = 80
"""How deep JSON may be nested; Google refuses requests above 100 levels, a few of which are ours."""

LONE_SURROGATE = re.compile("[\ud800-\udfff]")

OBJECT: type[Any] = dict
LIST: type[Any] = list
"""For ``isinstance`` where every value passes, which the calls of ``is_object`` and ``is_list`` would slow down."""


def parse_json(text: bytes | str) -> Any:
    """Parse JSON; half characters, which some clients cut out of emoji, become U+FFFD.

    Raises:
        ValueError: it is not JSON, or nested deeper than the parser goes.
    """
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError:
        return orjson.loads(mend(text))


def mend(text: bytes | str) -> bytes:
    """JSON text with U+FFFD in place of half characters.

    Raises:
        ValueError: it is not JSON in any other way.
    """
    try:
        decoded = text.decode("utf-8", "surrogatepass") if isinstance(text, bytes) else text
        value = json.loads(decoded.removeprefix("\ufeff"))
    except RecursionError as exc:
        raise ValueError("nested too deep") from exc
    return LONE_SURROGATE.sub("\ufffd", json.dumps(value, ensure_ascii=False)).encode()


def to_json(value: Any) -> str:
    """Encode a value as compact JSON text.

    Raises:
        ValueError: it holds something JSON cannot say, or is nested too deep.
    """
    try:
        return orjson.dumps(value).decode()
    except TypeError as exc:
        if is_deeper_than(value, MAX_JSON_DEPTH):
            raise ValueError(str(exc)) from exc
    return _with_large_numbers(value)


def _with_large_numbers(value: Any) -> str:
    """The same of a value with numbers beyond 64 bits, which orjson does not write."""
    try:
        text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    except TypeError as exc:
        raise ValueError(str(exc)) from exc
    text.encode()  # half characters, which orjson does not write either, are a ValueError here
    return text


def is_deeper_than(value: Any, limit: int) -> bool:
    """Whether lists and objects are nested in each other more than ``limit`` times."""
    level: list[Any] = [value] if isinstance(value, (OBJECT, LIST)) else []
    for _ in range(limit + 1):
        level = [
            inner
            for item in level
            for inner in (item.values() if isinstance(item, OBJECT) else item)
            if isinstance(inner, (OBJECT, LIST))
        ]
        if not level:
            return False
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
