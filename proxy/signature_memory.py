"""Thought signatures by the ids of the calls they came with, for clients that do not send them back.

Source:
    SPEC.md, "Thought signatures".
"""

from __future__ import annotations

import asyncio
import base64
import hashlib
from collections import OrderedDict
from contextlib import suppress
from typing import TYPE_CHECKING

from ..translate.signatures import KnownSignatures, Remembered, standard_signature

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from .state import StateFile

MAX_IN_MEMORY = 2_000
"""As many calls are at hand, among them those that are known to have no signature."""

MAX_REFUSED = 20_000
"""As many refused signatures are known."""

MAX_LENGTH = 16 * 1024
"""A longer signature is not remembered."""

LOOKUP_TIMEOUT_S = 0.5
"""A request waits so long for the file, and then goes without."""

INSERT = "INSERT OR REPLACE INTO signatures (call_id, family, signature, at_s) VALUES (?, ?, ?, ?)"
PIECE = 500
"""As many ids are looked up at once."""


class SignatureMemory:
    """Remembers the signatures of one server's answers.

    The newest are at hand; older ones, and those of an earlier run, are looked up in the state file.

    Args:
        state: where they are written down.
        clock: Unix time in seconds.
    """

    def __init__(self, state: StateFile, *, clock: Callable[[], float]) -> None:
        self._state = state
        self._clock = clock
        self._newest: OrderedDict[str, Remembered | None] = OrderedDict()
        self._refused: OrderedDict[bytes, None] = OrderedDict()

    def remember(self, call_id: str, family: str, signature: str) -> None:
        """Keep the signature of a call; it does not wait for the disk."""
        if len(signature) > MAX_LENGTH:
            return
        self._put(call_id, Remembered(family, signature))
        self._state.write(INSERT, [(call_id, family, signature, int(self._clock()))])

    async def recall(self, call_ids: Iterable[str]) -> KnownSignatures:
        """What is known of the signatures of a conversation.

        Args:
            call_ids: of the calls whose signature the client did not send.
        """
        wanted = tuple(dict.fromkeys(call_ids))
        found = {call_id: known for call_id in wanted if (known := self._newest.get(call_id)) is not None}
        if missing := [call_id for call_id in wanted if call_id not in self._newest]:
            with suppress(TimeoutError):
                async with asyncio.timeout(LOOKUP_TIMEOUT_S):
                    await self._look_up(missing, found)
        return KnownSignatures(found, self._is_refused)

    async def _look_up(self, call_ids: list[str], found: dict[str, Remembered]) -> None:
        for start in range(0, len(call_ids), PIECE):
            piece = call_ids[start : start + PIECE]
            marks = ",".join("?" * len(piece))
            query = f"SELECT call_id, family, signature FROM signatures WHERE call_id IN ({marks})"  # noqa: S608 -- marks
            rows = await self._state.read(query, piece)
            if rows is None:
                return
            for call_id, family, signature in rows:
                if (usable := standard_signature(signature)) is not None:
                    found[call_id] = Remembered(family, usable)
            for call_id in piece:
                self._put(call_id, found.get(call_id))

    def _put(self, call_id: str, known: Remembered | None) -> None:
        self._newest[call_id] = known
        if len(self._newest) > MAX_IN_MEMORY:
            self._newest.popitem(last=False)

    def refuse(self, signatures: Iterable[str]) -> None:
        """Not send these again, as Google has refused a request with them."""
        for signature in signatures:
            self._refused[_digest(signature)] = None
        while len(self._refused) > MAX_REFUSED:
            self._refused.popitem(last=False)

    def _is_refused(self, signature: str) -> bool:
        return bool(self._refused) and _digest(signature) in self._refused


def _digest(signature: str) -> bytes:
    standard = standard_signature(signature)
    raw = signature.encode() if standard is None else base64.b64decode(standard)
    return hashlib.blake2b(raw, digest_size=16).digest()
