"""Removal of tokens and codes from text that is shown or logged."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from urllib.parse import quote_plus

if TYPE_CHECKING:
    from collections.abc import Iterable

MARK = "***"
"""Stands where something was removed; shorter than any known secret, so removal always comes to an end."""

MIN_SECRET_LENGTH = 8
"""Shorter values are too likely to be part of ordinary text."""

SECRET_KEYS = (
    "access_token",
    "refresh_token",
    "id_token",
    "token",
    "client_secret",
    "code_verifier",
    "code",
    "authorization",
)
"""Names whose values are removed from forms, queries and JSON."""

_KEYS = "|".join(SECRET_KEYS)
_CHARACTERS = r"[\w.~+/=-]+"
_PATTERNS: tuple[tuple[re.Pattern[str], str], ...] = (
    # The scheme before a token would otherwise pass for the value of the name before it.
    (re.compile(r"""(?i)(\b(?:bearer[ \t]+)+)[^\s"',;]+"""), rf"\g<1>{MARK}"),
    (re.compile(r"""(?i)(\bauthorization[ \t]*[:=][ \t]*["']?)[^\r\n"']+"""), rf"\g<1>{MARK}"),
    # "key": "value", also as JSON inside of JSON, and also cut off before the closing quote.
    (re.compile(rf"""(?i)((["'])(?:{_KEYS})\\*\2\s*:\s*\\*\2)(?:\\.|(?!\2)[^\\])+""", re.DOTALL), rf"\g<1>{MARK}"),
    (re.compile(rf"""(?i)(\b(?:{_KEYS})[ \t]*=[ \t]*)(?:"[^"]*"?|'[^']*'?|[^\s&"'<>]+)"""), rf"\g<1>{MARK}"),
    (re.compile(rf"ya29\.{_CHARACTERS}", re.ASCII), MARK),
    (re.compile(rf"1//{_CHARACTERS}", re.ASCII), MARK),
    # An address such as /v1/projects is no token.
    (re.compile(r"(?<!v)1/[\w-]{20,}", re.ASCII), MARK),
)


def redact(text: str, secrets: Iterable[str] = ()) -> str:
    """Return the text without tokens, codes and the given secrets; redacting twice changes nothing more.

    Args:
        text: what is to be shown.
        secrets: known values to remove wherever they are; those shorter than 8 characters are ignored.

    Source: SPEC.md, "Secrets".
    """
    # The longest first: a secret that is part of another one must not leave the rest of it behind.
    long_enough = {secret for secret in secrets if len(secret) >= MIN_SECRET_LENGTH}
    as_in_forms = {quote_plus(secret, errors="replace") for secret in long_enough}
    known = sorted(long_enough | as_in_forms, key=len, reverse=True)
    while (shorter := _redacted_once(text, known)) != text:
        text = shorter
    return text


def _redacted_once(text: str, known: list[str]) -> str:
    for secret in known:
        text = text.replace(secret, MARK)
    for pattern, replacement in _PATTERNS:
        text = pattern.sub(replacement, text)
    return text
