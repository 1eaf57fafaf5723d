"""The signatures the simulator has issued, so that it knows its own when they come back.

A signature is good for the account and the family it was issued to and, when it signs a function call, for that call
only: the same name and the same arguments.
"""

from __future__ import annotations

import base64
import hashlib
from typing import TYPE_CHECKING, Any

import orjson

from .fields import is_integer, is_list, is_object
from .newest import Newest

if TYPE_CHECKING:
    from collections.abc import Callable

    from .models import Family

SIGNATURE_BYTES = 60
DIGEST_BYTES = 16

Call = dict[str, Any]
"""A ``functionCall`` as it goes over the wire; its id is not looked at."""


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
        self._purposes[raw] = _digest(account, family, call)
        return base64.b64encode(raw).decode()

    def is_genuine(self, account: str, raw: bytes, family: Family, call: Call | None) -> bool:
        """Say whether a signature was issued to this account and family for this call, or for a text."""
        return self._purposes.get(raw) == _digest(account, family, call)


def _digest(account: str, family: Family, call: Call | None) -> bytes:
    signed = None if call is None else [call["name"], _as_struct(call.get("args", {}))]
    purpose = orjson.dumps([account, family, signed], option=orjson.OPT_SORT_KEYS)
    return hashlib.blake2b(purpose, digest_size=DIGEST_BYTES).digest()


def _as_struct(value: Any) -> Any:
    """Give a JSON value as a protobuf ``Struct`` holds it: every number is a double, so 1 and 1.0 are the same."""
    if is_object(value):
        return {name: _as_struct(member) for name, member in value.items()}
    if is_list(value):
        return [_as_struct(member) for member in value]
    return float(value) if is_integer(value) else value
