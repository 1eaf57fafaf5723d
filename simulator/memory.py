"""What the simulator remembers of earlier requests: the signatures it issued, and the prompts of each session.

Everything is bounded, so that a simulator that runs for weeks does not grow.

A signature is good for the account and the family it was issued to and, when it signs a function call, for that call
only: the same name and the same arguments. The prompts tell how much of the next one a cache would have had.
"""

from __future__ import annotations

import base64
import hashlib
from collections import OrderedDict
from typing import TYPE_CHECKING, Any, TypeVar

import orjson

from .answer import count_tokens
from .fields import is_integer, is_list, is_object

if TYPE_CHECKING:
    from collections.abc import Callable

    from .models import Family

SIGNATURE_BYTES = 60
PURPOSE_BYTES = 16
TURN_BYTES = 8
"""Bytes of the digest of what a signature is for, and of one turn."""

MAX_TURNS = 1_000
"""How many turns of a session are compared."""

Call = dict[str, Any]
"""A ``functionCall`` as it goes over the wire; its id is not looked at."""

Key = TypeVar("Key")
Value = TypeVar("Value")


class Newest(OrderedDict[Key, Value]):
    """Forgets its oldest entry when one more than ``capacity`` is put in; setting an entry makes it the newest.

    Args:
        capacity: how many entries are kept.
    """

    def __init__(self, capacity: int) -> None:
        super().__init__()
        self._capacity = capacity

    def __setitem__(self, key: Key, value: Value) -> None:
        super().__setitem__(key, value)
        self.move_to_end(key)
        if len(self) > self._capacity:
            self.popitem(last=False)


class SignatureLedger:
    """Issues signatures and remembers the newest ones.

    Args:
        random_bytes: gives as many random bytes as asked for.
        capacity: how many signatures are remembered; older ones count as never issued.
    """

    def __init__(self, random_bytes: Callable[[int], bytes], capacity: int) -> None:
        self._random_bytes = random_bytes
        self._purposes: Newest[bytes, bytes] = Newest(capacity)

    def issue(self, account: str, family: Family, call: Call | None = None) -> str:
        """Give a new signature in standard base64.

        Args:
            account: e-mail of the account that is answered.
            family: the family of the model that answers.
            call: what is signed; None for a text.
        """
        raw = self._random_bytes(SIGNATURE_BYTES)
        self._purposes[raw] = _purpose_digest(account, family, call)
        return base64.b64encode(raw).decode()

    def is_genuine(self, account: str, raw: bytes, family: Family, call: Call | None) -> bool:
        """Say whether a signature was issued to this account and family for this call, or for a text."""
        return self._purposes.get(raw) == _purpose_digest(account, family, call)


def _purpose_digest(account: str, family: Family, call: Call | None) -> bytes:
    signed = None if call is None else [call["name"], _as_struct(call.get("args", {}))]
    purpose = orjson.dumps([account, family, signed], option=orjson.OPT_SORT_KEYS)
    return hashlib.blake2b(purpose, digest_size=PURPOSE_BYTES).digest()


def _as_struct(value: Any) -> Any:
    """Give a JSON value as a protobuf ``Struct`` holds it: every number is a double, so 1 and 1.0 are the same."""
    if is_object(value):
        return {name: _as_struct(member) for name, member in value.items()}
    if is_list(value):
        return [_as_struct(member) for member in value]
    return float(value) if is_integer(value) else value


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
        digests = tuple(_turn_digest(content) for content in contents[:MAX_TURNS])
        before = self._sessions.get(session, ())
        self._sessions[session] = digests
        pairs = zip(before, digests, strict=False)
        return next((index for index, (old, new) in enumerate(pairs) if old != new), min(len(before), len(digests)))


def _turn_digest(content: dict[str, Any]) -> bytes:
    return hashlib.blake2b(orjson.dumps(content), digest_size=TURN_BYTES).digest()
