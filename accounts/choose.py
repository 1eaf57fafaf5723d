"""Which account serves a request."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..errors import NoAccountError

if TYPE_CHECKING:
    from .account import Account
    from .pool import Pool


def choose(pool: Pool) -> Account:
    """The account that serves now: the active one.

    Raises:
        NoAccountError: the pool has no usable account; the message says how to add one.
    """
    if pool.active is not None:
        return pool.active
    if pool.unreadable:
        reasons = " ".join(dict.fromkeys(entry.reason for entry in pool.unreadable))
        raise NoAccountError(f"None of the Google accounts in the account file can be used. {reasons}")
    raise NoAccountError(
        "No Google account has been added yet. Add one with `antigravity-proxy accounts import FILE`."
    )
