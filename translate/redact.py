"""Secrets taken out of text."""

from __future__ import annotations

import re

PATTERNS = (re.compile(r"ya29\.[A-Za-z0-9_-]+"),)


def redact(text: str) -> str:
    """The text without secrets."""
    for pattern in PATTERNS:
        text = pattern.sub("[redacted]", text)
    return text
