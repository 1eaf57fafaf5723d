"""Thought signatures: what a Gemini model must get back with a function call of its own.

Source: SPEC.md, "Signatures".
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable
from typing import Any

from .google_reply import invalid_argument
from .memory import Call
from .models import Family

IsGenuine = Callable[[bytes, Family, Call | None], bool]
"""Says whether a signature was issued to the account by a family for a call, or for a text when there is no call."""

SENTINEL = "skip_thought_signature_validator"
"""What a client sends for a call whose signature it does not have; it is always accepted."""

MISSING_TEXT = (
    "Function call is missing a thought_signature in functionCall parts. This is required for tools to work "
    "correctly. Additional data, function call `{name}`, position {position}."
)
CORRUPTED_TEXT = "Corrupted thought signature."


def check_signatures(contents: list[dict[str, Any]], family: Family, is_genuine: IsGenuine) -> None:
    """Check the signatures of a conversation with a Gemini model.

    The first call of every model turn must be signed; any signature anywhere must be the sentinel or one that was
    issued for just that. Other families take no signatures at all, which ``part_rules`` sees to.

    Args:
        contents: the conversation, known to be well formed.
        family: the family of the model that is asked.
        is_genuine: knows the signatures of the account that asks.

    Raises:
        ApiError: 400 for the first signature that is missing or not genuine.
    """
    if family is not Family.GEMINI:
        return
    for turn, content in enumerate(contents):
        has_call = False
        for index, part in enumerate(content["parts"]):
            path = f"request.contents[{turn}].parts[{index}]"
            signature = part.get("thoughtSignature")
            if signature is not None and not _is_accepted(part, family, is_genuine):
                raise invalid_argument(
                    f"{path}.thought_signature",
                    "The signature is neither the sentinel nor one issued to this account and family for this part.",
                    message=CORRUPTED_TEXT,
                )
            if "functionCall" in part and not has_call:
                has_call = True
                if signature is None:
                    name = part["functionCall"]["name"]
                    raise invalid_argument(
                        path,
                        "The first function call of a model turn must carry its thoughtSignature.",
                        message=MISSING_TEXT.format(name=name, position=turn + 1),
                    )


def decode_signature(signature: str) -> bytes | None:
    """Give the bytes of a signature in either base64 alphabet, padded or not; None when it is no base64."""
    standard = signature.translate(str.maketrans("-_", "+/")).rstrip("=")
    try:
        return base64.b64decode(standard + "=" * (-len(standard) % 4), validate=True)
    except (binascii.Error, ValueError):
        return None


def _is_accepted(part: dict[str, Any], family: Family, is_genuine: IsGenuine) -> bool:
    signature: str = part["thoughtSignature"]
    if signature == SENTINEL:
        return True
    raw = decode_signature(signature)
    return raw is not None and is_genuine(raw, family, part.get("functionCall"))
