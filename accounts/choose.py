"""Which account serves a request, and which one after it.

Source:
    SPEC.md, "Failover".
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

from ..errors import AccountError, NoAccountError
from .account import show_id

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from .account import Account
    from .exclusion import Exclusion
    from .pool import Pool, Unreadable

    ExclusionOf = Callable[[Account], Exclusion | None]
    """What keeps an account from serving; None when nothing does."""


NO_ACCOUNT = "No account is saved. Add one: antigravity-proxy login"
"""What is said wherever an account is needed."""


class Strategy(StrEnum):
    """How accounts are chosen: one for all, or one for each conversation."""

    STICKY = "sticky"
    SPREAD = "spread"


def active_account(pool: Pool) -> Account:
    """The account that serves when nothing speaks against it.

    Raises:
        NoAccountError: the pool has no usable account; the message says how to add one.
    """
    if pool.active is not None:
        return pool.active
    if pool.unreadable:
        reasons = " ".join(dict.fromkeys(entry.reason for entry in pool.unreadable))
        raise NoAccountError(f"None of the Google accounts in the account file can be used. {reasons}")
    raise NoAccountError(NO_ACCOUNT)


def require_chosen(pool: Pool) -> None:
    """Let no other account take the place of one that was chosen, and cannot be read, without being asked to.

    Raises:
        AccountError: the chosen account cannot be read; the message says why, and how to choose another.
    """
    entry = next((entry for entry in pool.unreadable if entry.id == pool.absent_id), None)
    if entry is not None:
        raise AccountError(
            f"{pool.name_of(entry)}, the active account, cannot be used. {entry.reason} Or choose another one with "
            "`antigravity-proxy accounts activate ACCOUNT`.",
            account=entry.label,
        )


def find_entry(pool: Pool, words: str) -> Account | Unreadable:
    """The account a user means.

    Args:
        pool: the accounts.
        words: its number in the list, from 1; its id, its e-mail address, the address as it is shown, or the
            beginning of one of them.

    Raises:
        AccountError: there is none, or more than one; says which there are.
    """
    entries = pool.entries
    wanted = words.strip().lower()
    if wanted.isdecimal() and 0 < int(wanted[:9]) <= len(entries):
        return entries[int(wanted[:9]) - 1]
    named = [
        (entry, show_id(entry.id).lower(), (entry.email or "").lower(), entry.label.lower()) for entry in entries
    ]
    exact = [entry for entry, *names in named if wanted and wanted in names]
    found = exact or [entry for entry, *names in named if wanted and any(name.startswith(wanted) for name in names)]
    if len(found) == 1:
        return found[0]
    if found:
        raise AccountError(f"{len(found)} accounts begin with {words!r}: {', '.join(map(_named, found))}. Say more.")
    if not entries:
        raise NoAccountError(NO_ACCOUNT)
    raise AccountError(f"There is no account {words[:100]!r}. There are {', '.join(map(_named, entries))}.")


def _named(entry: Account | Unreadable) -> str:
    return f"{entry.label} ({show_id(entry.id)})"


def ring(pool: Pool, account_id: str) -> tuple[Account, ...]:
    """All accounts in the order they stand in for one: those behind it, then those before it, itself last."""
    after = tuple(account for account in pool.accounts if account.id > account_id)
    return (*after, *(account for account in pool.accounts if account not in after))


def next_account(
    pool: Pool, after_id: str, exclusion_of: ExclusionOf, *, tried: Collection[str] = ()
) -> Account | None:
    """The account that stands in for one that cannot serve.

    An account that was made the active one meanwhile comes first, as somebody chose it.

    Args:
        pool: the accounts as they are now.
        after_id: the account whose place is taken.
        exclusion_of: what keeps an account from serving.
        tried: accounts that are not asked again.
    """
    active = () if pool.active is None else (pool.active,)
    return next(
        (
            account
            for account in (*active, *ring(pool, after_id))
            if account.id not in tried and exclusion_of(account) is None
        ),
        None,
    )


def least_used(
    pool: Pool, uses: Callable[[str], int], exclusion_of: ExclusionOf, *, tried: Collection[str] = ()
) -> Account | None:
    """The account with the fewest conversations of those that can serve.

    Args:
        pool: the accounts as they are now.
        uses: how many conversations an account has.
        exclusion_of: what keeps an account from serving.
        tried: accounts that are not asked again.
    """
    usable = (account for account in pool.accounts if account.id not in tried and exclusion_of(account) is None)
    return min(usable, key=lambda account: uses(account.id), default=None)
