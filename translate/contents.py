"""Turns in Cloud Code's words: the ``contents`` of a request.

Source:
    SPEC.md, "Requests", "Families" and "Thought signatures".
"""

from __future__ import annotations

import re
from collections import deque
from typing import TYPE_CHECKING

from .events import Media, Text, Thought, ToolCall
from .signatures import NOTHING_KNOWN, SENTINEL
from .target import rules_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from . import cloud_wire as wire
    from .events import Part, ToolResult, Turn
    from .signatures import KnownSignatures
    from .target import Target
    from .tools import ToolNames

ID_FORBIDDEN = re.compile(r"[^A-Za-z0-9_-]")
MAX_ID_LENGTH = 64


def to_contents(
    turns: Sequence[Turn], target: Target, names: ToolNames, signatures: KnownSignatures = NOTHING_KNOWN
) -> list[wire.Content]:
    """The turns of a repaired conversation for one family of models.

    Args:
        turns: what ``history.repair`` gave back.
        target: where the request goes.
        names: how the tools are called upstream.
        signatures: what is known of the signatures of this conversation.

    Returns:
        The ``contents``; a turn of which the family takes no part is left out.
    """
    renderer = _Renderer(target, names, signatures)
    contents: list[wire.Content] = []
    for turn in turns:
        if parts := renderer.parts_of(turn):
            if contents and contents[-1]["role"] == turn.role:
                contents[-1]["parts"].extend(parts)
            else:
                contents.append({"role": turn.role, "parts": parts})
    return contents


def signatures_in(contents: Sequence[wire.Content]) -> set[str]:
    """The signatures that some contents carry, without the sentinel."""
    carried = (part.get("thoughtSignature") for content in contents for part in content["parts"])
    return {signature for signature in carried if signature is not None and signature != SENTINEL}


class _Renderer:
    """Writes parts for one family.

    Invariant: ``_open_ids`` holds the ids of the calls whose results come next, in order; a repaired conversation
    answers every call directly after its turn.
    """

    def __init__(self, target: Target, names: ToolNames, signatures: KnownSignatures) -> None:
        self._family = target.family
        self._rules = rules_of(target)
        self._names = names
        self._signatures = signatures
        self._used_ids: set[str] = set()
        self._last_numbers: dict[str, int] = {}
        self._open_ids: deque[str] = deque()

    def parts_of(self, turn: Turn) -> list[wire.Part]:
        rendered = (self._part(part) for part in turn.parts)
        parts = [part for part in rendered if part is not None]
        return [] if all("thought" in part for part in parts) else parts

    def _part(self, part: Part) -> wire.Part | None:
        if isinstance(part, Text):
            return self._text(part)
        if isinstance(part, Thought):
            # Clients have no signature of a thought, and Gemini refuses one without.
            return {"text": part.text, "thought": True, "thoughtSignature": SENTINEL}
        if isinstance(part, Media):
            return {"inlineData": {"mimeType": part.mime_type, "data": part.data}}
        return self._call(part) if isinstance(part, ToolCall) else self._result(part)

    def _text(self, part: Text) -> wire.Part | None:
        signature = self._signatures.of_text(part.signature) if self._rules.is_signed else None
        if signature is not None:
            return {"text": part.text, "thoughtSignature": signature}
        return {"text": part.text} if part.text.strip() else None

    def _call(self, part: ToolCall) -> wire.Part:
        call: wire.FunctionCall = {"name": self._names.to_upstream(part.name), "args": part.arguments}
        if self._rules.has_call_ids:
            call["id"] = self._new_id(part)
            self._open_ids.append(call["id"])
        if not self._rules.is_signed:
            return {"functionCall": call}
        signature = self._signatures.of_call(part.signature, part.id, self._family)
        return {"functionCall": call, "thoughtSignature": signature or SENTINEL}

    def _result(self, part: ToolResult) -> wire.Part:
        response: wire.FunctionResponse = {
            "name": self._names.to_upstream(part.name or ""),
            "response": {"error" if part.is_error else "output": part.output},
        }
        if self._rules.has_call_ids:
            response["id"] = self._open_ids.popleft()
        return {"functionResponse": response}

    def _new_id(self, call: ToolCall) -> str:
        wanted = to_call_id(call.id or call.name)
        # Some clients use one id for every call: counting starts where it ended, or it would take ever longer.
        number, unique = self._last_numbers.get(wanted, 1), wanted
        while unique in self._used_ids:
            number += 1
            unique = f"{wanted[: MAX_ID_LENGTH - 1 - len(str(number))]}_{number}"
        self._last_numbers[wanted] = number
        self._used_ids.add(unique)
        return unique


def to_call_id(call_id: str) -> str:
    """A call's id as upstream takes it; the same conversation gives the same ids."""
    return ID_FORBIDDEN.sub("_", call_id[:MAX_ID_LENGTH])
