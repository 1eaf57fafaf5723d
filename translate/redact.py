"""Secrets taken out of text."""

from __future__ import annotations

import re

PATTERNS = (re.compile(r"ya29\.[\w.~+/=-]+", re.ASCII), re.compile(r"1//[\w.~+/=-]+", re.ASCII))
"""Google's access tokens and refresh tokens."""


def redact(text: str) -> str:
    """The text without secrets."""
    for pattern in PATTERNS:
        text = pattern.sub("[redacted]", text)
    return text
