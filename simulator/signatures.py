"""The signatures the simulator has issued, so that it knows its own when they come back."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING

from .newest import Newest

if TYPE_CHECKING:
    from collections.abc import Callable

    from .models import Family

SIGNATURE_BYTES = 60


class SignatureLedger:
    """Issues signatures and remembers the newest ones.

    Args:
        random_bytes: gives as many random bytes as asked for.
        capacity: how many signatures are remembered; older ones count as never issued.
    """

    def __init__(self, random_bytes: Callable[[int], bytes], capacity: int) -> None:
        self._random_bytes = random_bytes
        self._families: Newest[bytes, Family] = Newest(capacity)

    def issue(self, family: Family) -> str:
        """Give a new signature in standard base64."""
        raw = self._random_bytes(SIGNATURE_BYTES)
        self._families[raw] = family
        return base64.b64encode(raw).decode()

    def family_of(self, raw: bytes) -> Family | None:
        """Give the family a signature was issued to, or None when it is not known."""
        return self._families.get(raw)
