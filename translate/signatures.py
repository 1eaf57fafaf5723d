"""Thought signatures: what the model hands out so that its reasoning can go on in the next turn.

Source:
    https://ai.google.dev/gemini-api/docs/thought-signatures and SPEC.md, "Thought signatures".
"""

from __future__ import annotations

import base64
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

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


@dataclass(frozen=True, slots=True)
class Remembered:
    """A signature that was given out before.

    Attributes:
        family: of the model that gave it; no other takes it back.
        signature: standard base64.
    """

    family: str
    signature: str


def _is_never_refused(_signature: str) -> bool:
    return False


@dataclass(frozen=True, slots=True)
class KnownSignatures:
    """What is known of the signatures of one conversation.

    Attributes:
        remembered: those of calls, by the ids that the calls were given.
        is_refused: whether Google has refused a signature.
    """

    remembered: Mapping[str, Remembered] = field(default_factory=dict[str, Remembered])
    is_refused: Callable[[str], bool] = _is_never_refused

    def of_text(self, copy: str | None) -> str | None:
        """The signature to send with a text: the client's copy, unless Google has refused it."""
        return None if copy is None or self.is_refused(copy) else copy

    def of_call(self, copy: str | None, call_id: str | None, family: str) -> str | None:
        """The signature to send with a call: the client's copy, else ours of the same family; None for neither."""
        if (signature := self.of_text(copy)) is not None:
            return signature
        known = None if call_id is None else self.remembered.get(call_id)
        return None if known is None or known.family != family else self.of_text(known.signature)


NOTHING_KNOWN = KnownSignatures()
