"""Remembers what each session has sent, to tell how much of the next prompt a cache would have had."""

from __future__ import annotations

import hashlib
from typing import Any

import orjson

from .answer import count_tokens
from .newest import Newest

MAX_TURNS = 1_000
"""How many turns of a session are compared."""

DIGEST_BYTES = 8


class PromptMemory:
    """The prompts of the newest sessions, as digests.

    Args:
        capacity: how many sessions are remembered.
    """

    def __init__(self, capacity: int) -> None:
        self._sessions: Newest[str, tuple[bytes, ...]] = Newest(capacity)

    def count_tokens(self, request: dict[str, Any]) -> tuple[int, int]:
        """Give the tokens of a prompt and how many of them the session's last prompt began with, and remember it."""
        contents: list[dict[str, Any]] = request["contents"]
        turns = [count_tokens(content["parts"]) for content in contents]
        rest = count_tokens([request.get("systemInstruction", []), request.get("tools", [])])
        session: str | None = request.get("sessionId")
        cached = 0 if session is None else sum(turns[: self._common_turns(session, contents)])
        return rest + sum(turns), cached

    def _common_turns(self, session: str, contents: list[dict[str, Any]]) -> int:
        digests = tuple(_digest(content) for content in contents[:MAX_TURNS])
        before = self._sessions.get(session, ())
        self._sessions[session] = digests
        pairs = zip(before, digests, strict=False)
        return next((index for index, (old, new) in enumerate(pairs) if old != new), min(len(before), len(digests)))


def _digest(content: dict[str, Any]) -> bytes:
    return hashlib.blake2b(orjson.dumps(content), digest_size=DIGEST_BYTES).digest()
