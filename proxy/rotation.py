"""Which account serves one request, and which one after it when it cannot.

Source:
    SPEC.md, "Failover".
"""

from __future__ import annotations

import asyncio
import logging
import sys
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ..accounts.choose import Strategy, active_account, least_used, next_account, require_chosen
from ..accounts.exclusion import Exclusion, Reason, exclusion_after, refusal_of
from ..accounts.pool import Pool
from ..accounts.quota import QUOTA_POOL_NAMES, quota_pool_of
from ..errors import (
    AccountError,
    EmptyAnswerError,
    NoAccountError,
    ProxyError,
    QuotaExhaustedError,
    RateLimitedError,
    StoreError,
    UpstreamUnauthorizedError,
)
from .conversations import Conversations

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from ..accounts.account import Account
    from ..accounts.quota import QuotaPool, Reading
    from ..accounts.store import AccountStore
    from .standings import Standings

    LeftOf = Callable[[str, QuotaPool], Reading]
    """What an account is known to have left of a quota pool; empty when nobody has looked."""

log = logging.getLogger(__name__)

ACCOUNT_FAULTS = (AccountError, QuotaExhaustedError, UpstreamUnauthorizedError)
"""Errors after which every other account is worth a call."""

MAX_OTHERS: tuple[tuple[type[ProxyError], int], ...] = ((EmptyAnswerError, 2), (RateLimitedError, 1))
"""Errors that may be about the account or not → how many others are asked at most."""

NO_QUOTA = "Google says that no quota is left."

NOBODY = Pool()

MOVING = (*ACCOUNT_FAULTS, *(kind for kind, _ in MAX_OTHERS))
"""All errors after which another account may be asked."""


@dataclass(frozen=True, slots=True)
class Rotations:
    """What choosing an account takes, for one server.

    Attributes:
        store: the accounts.
        standings: which of them are out.
        left_of: what is known of their quota.
        clock: Unix time in seconds.
        strategy: ``sticky`` lets the active account serve all; ``spread`` the least used one for each conversation.
        reload: learns anew what is held against accounts; gives whether that is something else than before.
        conversations: which account serves which, under ``spread``.
        doubt: told of an account whose quota is not what it was known to be.
    """

    store: AccountStore
    standings: Standings
    left_of: LeftOf
    clock: Callable[[], float]
    doubt: Callable[[str], None]
    reload: Callable[[], Awaitable[bool]]
    strategy: Strategy = Strategy.STICKY
    conversations: Conversations = field(default_factory=Conversations)

    def open(self, family: str, only: str | None = None) -> Rotation:
        """The accounts for one request.

        Args:
            family: of the model that is asked.
            only: id of the one account that may serve, whatever is held against it.
        """
        return Rotation(self, quota_pool_of(family), only)

    def may_move(self, pool: Pool) -> bool:
        """Whether accounts stand in for each other."""
        return pool.auto_failover or self.strategy is Strategy.SPREAD

    def claim_probes(self, family: str) -> list[Account]:
        """The accounts to be asked now whether they serve again; none where no other account may be asked."""
        if not self.standings.has_exclusions:
            return []
        pool = self.store.read()
        if not self.may_move(pool):
            return []
        claimed = (pool.get(exclusion.account_id) for exclusion in self.standings.claim_probes(quota_pool_of(family)))
        return [account for account in claimed if account is not None]

    def read(self) -> Pool:
        """The accounts as they are now; one that somebody has chosen since is held nothing against any more.

        Raises:
            StoreError: there are none because their file cannot be read.
        """
        pool = self.store.read()
        if not pool.accounts and self.store.warning is not None:
            raise StoreError(self.store.warning, path=self.store.path)
        if self.standings.note_choice(pool.active_id, pool.chosen_ms) and pool.active_id is not None:
            self.doubt(pool.active_id)
        return pool

    async def activate(self, account_id: str, *, instead_of: Pool) -> None:
        """Make an account the active one, unless somebody has chosen one meanwhile.

        Args:
            account_id: the account.
            instead_of: the pool whose active account it takes the place of.

        Raises:
            StoreError: the file cannot be written.
        """
        seen = instead_of.active_id, instead_of.chosen_ms

        def change(pool: Pool) -> Pool:
            return pool.activated(account_id) if (pool.active_id, pool.chosen_ms) == seen else pool

        await asyncio.to_thread(self.store.update, change)


class Rotation:
    """The accounts one request goes through.

    Invariant: an account is given out once at most.

    Args:
        rotations: what all rotations of the server share.
        quota_pool: of the model that is asked.
        only: id of the one account that may serve.
    """

    def __init__(self, rotations: Rotations, quota_pool: QuotaPool, only: str | None) -> None:
        self._rotations = rotations
        self._quota_pool = quota_pool
        self._only = only
        self._conversation = ""
        self._tried: list[Account] = []
        self._pool = NOBODY
        self._first_error: ProxyError | None = None
        self._others = 0

    def first(self, conversation: str) -> Account:
        """The account that serves when nothing goes wrong.

        Args:
            conversation: tells conversations apart.

        Raises:
            ProxyError: there is no account, or all of them are out.
        """
        pool = self._pool = self._rotations.read()
        self._conversation = conversation
        account = self._choose(pool)
        self._tried.append(account)
        return account

    def _choose(self, pool: Pool) -> Account:
        if self._only is not None:
            if (account := pool.get(self._only)) is None:
                raise NoAccountError("This account has been removed. Choose another one.")
            return account
        active = active_account(pool)
        if not self._may_move(pool):
            require_chosen(pool)
            return active
        account = self._assigned(pool) if self._is_spread else active
        if account is not None and self._exclusion_of(account) is None:
            return account
        if (other := next_account(pool, active.id, self._exclusion_of)) is not None:
            return other
        held = [exclusion for each in pool.accounts if (exclusion := self._exclusion_of(each)) is not None]
        if (refusal := refusal_of(held, QUOTA_POOL_NAMES[self._quota_pool], self._rotations.clock())) is not None:
            raise refusal
        return active  # nobody knows when any of them serves again, other than by asking

    @property
    def _is_spread(self) -> bool:
        return self._rotations.strategy is Strategy.SPREAD

    def _may_move(self, pool: Pool) -> bool:
        return self._only is None and self._rotations.may_move(pool)

    def _assigned(self, pool: Pool) -> Account | None:
        """The account of the conversation, or for a new one the account that serves the fewest."""
        conversations = self._rotations.conversations
        known = conversations.account_of(self._conversation)
        account = None if known is None else pool.get(known)
        if account is None or self._exclusion_of(account) is not None:
            account = least_used(pool, conversations.uses_of, self._exclusion_of)
        if account is not None:
            conversations.assign(self._conversation, account.id)
        return account

    def _exclusion_of(self, account: Account) -> Exclusion | None:
        exclusion = self._rotations.standings.exclusion_of(account.id, self._quota_pool)
        if exclusion is not None and exclusion.since_s * 1000 >= (account.signed_in_ms or 0):
            return exclusion
        left, now_s = self._rotations.left_of(account.id, self._quota_pool), self._rotations.clock()
        if left.remaining != 0:
            return None
        return Exclusion(account.id, self._quota_pool, Reason.QUOTA, NO_QUOTA, now_s, left.resets_at_s, now_s)

    def next_after(self, error: ProxyError) -> Account | None:
        """Hold an error against the account that failed, as far as it is its fault.

        Returns:
            The account that is asked next; None when the error is what the client gets.
        """
        if not self._tried:
            return None
        failed = self._tried[-1]
        exclusion = exclusion_after(error, failed.id, self._quota_pool, self._rotations.clock())
        if exclusion is not None:
            self._rotations.standings.exclude(exclusion)
            self._rotations.doubt(failed.id)
        pool = self._rotations.store.read()
        if not self._may_move(pool) or self._others >= _max_others(error, is_out=exclusion is not None):
            return None
        self._first_error = self._first_error or error
        account = self._stand_in(pool, failed)
        if account is not None:
            why, failing, next_one = (error.code or "").replace("_", " "), pool.name_of(failed), pool.name_of(account)
            log.warning("%s cannot serve (%s), so %s is asked", failing, why, next_one)
            self._others += 1
            self._tried.append(account)
        return account

    def _stand_in(self, pool: Pool, failed: Account) -> Account | None:
        tried = {account.id for account in self._tried}
        if self._is_spread:
            return least_used(pool, self._rotations.conversations.uses_of, self._exclusion_of, tried=tried)
        return next_account(pool, failed.id, self._exclusion_of, tried=tried)

    def succeeded(self) -> Pool | None:
        """Take note that the account answers.

        Returns:
            The pool whose active account it takes the place of; None when it does not.
        """
        account = self._tried[-1]
        self._rotations.standings.readmit(account.id, self._quota_pool)
        if len(self._tried) == 1 or not isinstance(self._first_error, ACCOUNT_FAULTS):
            return None
        if self._is_spread:
            self._rotations.conversations.assign(self._conversation, account.id)
            return None
        return self._pool if self._tried[0].id == self._pool.active_id else None

    def told(self, error: ProxyError) -> ProxyError:
        """What the client is told: whose account failed, and what can be done about it."""
        if self._first_error is not None and isinstance(error, MOVING):
            error, failed = self._first_error, self._tried[0]
        elif self._tried:
            failed = self._tried[-1]
        else:
            return error
        if isinstance(error, AccountError | QuotaExhaustedError | RateLimitedError):
            error.account = self._pool.name_of(failed)
        if isinstance(error, QuotaExhaustedError):
            error.message = self._quota_told(error, failed)
        elif isinstance(error, RateLimitedError) and self._has_headroom(error, failed):
            error.message += (
                " The account has quota left, so it may be this one request: wait, or change its text or tools."
            )
        return error

    def _has_headroom(self, error: RateLimitedError, account: Account) -> bool:
        remaining = self._rotations.left_of(account.id, self._quota_pool).remaining
        return error.retry_after_s is None and remaining is not None and remaining > 0

    def _quota_told(self, error: QuotaExhaustedError, failed: Account) -> str:
        models = QUOTA_POOL_NAMES[self._quota_pool]
        pool = self._rotations.store.read()
        who = f"{pool.name_of(failed)} has used up its quota for {models}"
        if self._may_move(pool) and len(pool.accounts) > 1:
            who = f"{who}, and {len(pool.accounts) - 1} more cannot serve either"
        when = f"it resets at {error.resets_at}" if error.resets_at else "Google does not say when it resets"
        said = f" Google says: {error.body}" if error.body else ""
        return f"Quota reached: {who}; {when}.{self._advice()}{said}"

    def _advice(self) -> str:
        pool = self._rotations.store.read()
        if self._only is not None or self._may_move(pool):
            return ""
        if len(pool.accounts) > 1:
            return " Another account answers in its place after `antigravity-proxy accounts failover on`."
        return (
            " With a second account, `antigravity-proxy login` and `antigravity-proxy accounts failover on` let that "
            "one answer in its place."
        )


def _max_others(error: ProxyError, *, is_out: bool) -> int:
    if is_out or isinstance(error, ACCOUNT_FAULTS):
        return sys.maxsize
    return next((limit for kind, limit in MAX_OTHERS if isinstance(error, kind)), 0)
