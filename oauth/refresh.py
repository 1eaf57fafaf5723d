"""Access tokens that are always usable: refreshed in time, once per account, and never against the store."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol

from ..accounts.account import Tokens
from ..accounts.refresh_lock import refresh_lock
from ..errors import AccountError, LoginRequiredError, NoAccountError, StoreError
from .grants import read_grant, refresh_form
from .single_flight import SingleFlight

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ..accounts.account import Account
    from ..accounts.pool import Pool
    from ..accounts.store import AccountStore
    from .client import ClientIdentity
    from .grants import Grant

CLOSE_TIMEOUT_S = 2.0
"""How long a server that stops waits for refreshes, and then for the store."""

OFFER_LOCK_TIMEOUT_S = 0.5
"""How long an offer of tokens waits for another process that holds the store."""

LAST_OFFER_TIMEOUT_S = 0.1
"""How long it waits at least for another process that changes the store just then."""

REFRESH_AGAIN_MS = 10_000
"""So long after it was given an access token is not replaced, whoever refuses it or says that it has run out."""

STORE_AGAIN_MS = 10_000
"""How long a token that could not be stored waits until it is offered again."""

log = logging.getLogger(__name__)


class PostForm(Protocol):
    """Sends a form to a URL and gives the status and the content of the answer.

    It raises UpstreamUnreachableError or UpstreamTimeoutError when there is no answer.
    """

    async def __call__(self, url: str, form: Mapping[str, str], *, proxy: str | None = None) -> tuple[int, bytes]:
        """Send it, through the account's own HTTP proxy if it has one."""
        ...


@dataclass(frozen=True, slots=True)
class _Unstored:
    """Tokens that the store could not take, and those it has instead."""

    stored: Tokens
    tokens: Tokens


class TokenRefresher:
    """Gives accounts whose access token is good for a request.

    Accounts refresh independently of each other; all requests of one account share one refresh. A refresh token
    that Google has refused is not sent again: until the account logs in anew, everybody gets the same error. No
    other failure is remembered.

    Processes that share the store refresh an account one after the other. A token that the store cannot take is kept
    in memory, as asking for one with every request would be worse, and is offered to the store again later. It holds
    as long as the store has the tokens it had then.

    Args:
        store: where the accounts are; it has the last word on which tokens an account has.
        identity: the OAuth client that the accounts logged in with.
        post_form: sends a form.
        now_ms: the time, in milliseconds since 1970.

    Source: SPEC.md, "Tokens".
    """

    def __init__(
        self,
        store: AccountStore,
        identity: ClientIdentity,
        post_form: PostForm,
        now_ms: Callable[[], int],
    ) -> None:
        self._store = store
        self._identity = identity
        self._post_form = post_form
        self._now_ms = now_ms
        # Google may rotate the refresh token when it answers: a refresh that was begun is seen to its end, or the new
        # token would be lost with the last client that waited for it.
        self._flights = SingleFlight[str, "Account"](runs_on=True)
        self._refused: dict[str, tuple[str, str]] = {}
        self._given: dict[str, tuple[str, int]] = {}
        self._unstored: dict[str, _Unstored] = {}
        self._storing = asyncio.Lock()
        self._offers: set[asyncio.Task[None]] = set()
        self._offer_at_ms = 0

    async def fresh(self, account: Account) -> Account:
        """The account with an access token that does not expire within the margin; refreshed first where it would.

        Raises:
            LoginRequiredError: Google does not accept the refresh token any more.
            NoAccountError: the account was removed meanwhile.
            UpstreamError: Google gave no token for another reason; nothing has changed.
        """
        account = self._with_unstored(account)
        if not account.needs_refresh(self._now_ms()):
            return account
        return await self._shared(account)

    async def forced(self, account: Account) -> Account:
        """The account with another access token than this one, which Google has refused.

        When the store has another one already, because somebody else was faster, that is the answer. One that Google
        has only just given comes back as it is: the next would fare no better, and each is written to the disk.

        Raises:
            AccountError: as for ``fresh``.
            UpstreamError: as for ``fresh``.
        """
        renewed = await self._shared(account)
        if renewed.tokens.access != account.tokens.access or self._is_new(renewed):
            return renewed
        # This joined the work of a caller who still had an older token, for whom the refused one was new.
        return await self._shared(account)

    async def close(self, timeout_s: float = CLOSE_TIMEOUT_S) -> None:
        """Let refreshes that were begun end, and store what could not be: it may be the only valid refresh token.

        What waits for another process that holds the store waits no more, and is offered to the store at the end.

        Args:
            timeout_s: how long to wait for all of this, in seconds.
        """
        until_s = asyncio.get_running_loop().time() + timeout_s
        self._store.end_waits()
        await self._flights.drain(timeout_s)
        await asyncio.gather(*self._offers)
        if self._unstored:
            await self._offer(max(until_s - asyncio.get_running_loop().time(), LAST_OFFER_TIMEOUT_S))

    async def _shared(self, account: Account) -> Account:
        return await self._flights.run(account.id, lambda: self._locked(account))

    async def _locked(self, account: Account) -> Account:
        async with refresh_lock(self._store.path, account.id):
            return await self._renewed(account)

    async def _renewed(self, account: Account) -> Account:
        while True:
            stored = await self._stored(account)
            is_other = stored.tokens.access != account.tokens.access and not stored.needs_refresh(self._now_ms())
            if is_other or self._is_new(stored):
                return stored
            self._check_refused(stored)
            try:
                grant = await self._ask(stored)
            except LoginRequiredError as error:
                # The next turn raises this, unless the account has logged in anew in the meantime.
                self._refused[stored.id] = (stored.tokens.refresh, error.message)
                continue
            kept = await self._keep(stored, grant)
            if kept is not None:
                self._given[kept.id] = kept.tokens.access, self._now_ms()
                return kept

    def _is_new(self, account: Account) -> bool:
        """Whether Google has given the account's access token, to this process, a moment ago."""
        access, given_ms = self._given.get(account.id, ("", 0))
        return access == account.tokens.access and 0 <= self._now_ms() - given_ms < REFRESH_AGAIN_MS

    async def _stored(self, account: Account) -> Account:
        pool = await asyncio.to_thread(self._store.read)
        stored = pool.get(account.id)
        if stored is None:
            if (reason := _reason_against(pool, account.id)) is not None:
                raise AccountError(f"{account.label} cannot be used. {reason}", account=account.label)
            raise NoAccountError(
                f"The account {account.label} was removed. Send the request again to use the active one.",
                account=account.label,
            )
        unstored = self._unstored.get(account.id)
        if unstored is not None and stored.tokens != unstored.stored:
            del self._unstored[account.id]  # it has logged in anew
        return self._with_unstored(stored)

    def _with_unstored(self, account: Account) -> Account:
        """An account as the store has it, with the tokens that the store could not take."""
        unstored = self._unstored.get(account.id)
        if unstored is None or account.tokens != unstored.stored:
            return account
        if self._now_ms() >= self._offer_at_ms:
            self._offer_at_ms = self._now_ms() + STORE_AGAIN_MS
            task = asyncio.create_task(self._offer())
            self._offers.add(task)
            task.add_done_callback(self._offers.discard)
        return replace(account, tokens=unstored.tokens)

    async def _offer(self, lock_timeout_s: float = OFFER_LOCK_TIMEOUT_S) -> None:
        """Offer the store all tokens that it could not take."""
        async with self._storing:
            offered = dict(self._unstored)

            def change(pool: Pool) -> Pool:
                for account_id, unstored in offered.items():
                    pool = pool.with_tokens(account_id, unstored.tokens, started_from=unstored.stored.refresh)
                return pool

            try:
                pool = await asyncio.to_thread(self._store.update, change, lock_timeout_s=lock_timeout_s)
            except StoreError as error:
                log.info("new access tokens can still not be stored: %s", error)
                return
            for account_id, unstored in offered.items():
                is_as_offered = self._unstored.get(account_id) == unstored
                if is_as_offered and _reason_against(pool, account_id) is None:
                    del self._unstored[account_id]

    def _check_refused(self, account: Account) -> None:
        refresh, message = self._refused.get(account.id, ("", ""))
        if refresh == account.tokens.refresh:
            raise LoginRequiredError(message, account=account.label)
        self._refused.pop(account.id, None)

    async def _ask(self, account: Account) -> Grant:
        tokens = account.tokens
        form = refresh_form(self._identity, tokens.refresh)
        status, body = await self._post_form(self._identity.token_uri, form, proxy=account.proxy)
        return read_grant(
            status,
            body,
            self._now_ms(),
            account=account.label,
            secrets=(tokens.refresh, tokens.access, self._identity.client_secret),
        )

    async def _keep(self, account: Account, grant: Grant) -> Account | None:
        """The account with its new tokens; None when it has logged in anew meanwhile."""
        tokens = Tokens(grant.access, grant.refresh or account.tokens.refresh, grant.expires_ms)
        async with self._storing:
            unstored = self._unstored.get(account.id)
            stored = account.tokens if unstored is None else unstored.stored

            def change(pool: Pool) -> Pool:
                if (reason := _reason_against(pool, account.id)) is not None:
                    raise StoreError(reason, path=self._store.path)
                return pool.with_tokens(account.id, tokens, started_from=stored.refresh)

            try:
                pool = await asyncio.to_thread(self._store.update, change)
            except StoreError as error:
                if unstored is None:
                    log.warning("the new access token of %s is only kept in memory: %s", account.label, error)
                self._unstored[account.id] = _Unstored(stored, tokens)
                self._offer_at_ms = self._now_ms() + STORE_AGAIN_MS
                return replace(account, tokens=tokens)
            self._unstored.pop(account.id, None)
        kept = pool.get(account.id)
        return kept if kept is not None and kept.tokens == tokens else None


def _reason_against(pool: Pool, account_id: str) -> str | None:
    """Why the store has an account and cannot read it, as when its key is away; None when that is not so."""
    return next((entry.reason for entry in pool.unreadable if entry.id == account_id), None)
