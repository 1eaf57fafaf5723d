"""Thought signatures: what the model hands out so that its reasoning can go on in the next turn.

Source:
    https://ai.google.dev/gemini-api/docs/thought-signatures and SPEC.md, "Thought signatures".
"""

from __future__ import annotations

import base64

SENTINEL = "skip_thought_signature_validator"
"""What Gemini takes on a replayed call in place of a signature that is lost."""


def standard_signature(value: object) -> str | None:
    """A client's copy of a signature in standard base64; None when it cannot be one.

    Clients re-encode: the URL-safe alphabet and missing padding are mended, the bytes stay the same.
    """
    if not isinstance(value, str) or (text := value.strip()) == SENTINEL:
        return None
    mended = text.replace("-", "+").replace("_", "/").rstrip("=")
    mended += "=" * (-len(mended) % 4)
    try:
        base64.b64decode(mended, validate=True)
    except ValueError:
        return None
    return mended or None
