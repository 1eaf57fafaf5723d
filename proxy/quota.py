"""Asks Google how much quota accounts have left, and remembers what it said.

Source:
    SPEC.md, "Quota".
"""

from __future__ import annotations

import asyncio
import textwrap
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar

from ..accounts.quota import AccountQuota, QuotaPool, Reading, Window, scarcest
from ..accounts.quota_format import filled, read_rows, read_summary
from ..catalog.discovery import is_visible
from ..errors import LicenceError, ProxyError, UpstreamError, UpstreamUnauthorizedError
from ..oauth.single_flight import SingleFlight
from .upstream import may_walk_on

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from ..accounts.account import Account
    from ..oauth.refresh import TokenRefresher
    from .background import Background
    from .project import ProjectFinder
    from .upstream import Upstream

K = TypeVar("K", str, tuple[QuotaPool, Window])

AT_ONCE = 2
"""So many accounts are asked about at a time."""

MAX_REASON_CHARACTERS = 200
TRUSTED_S = 3_600.0
"""What was read longer ago does not decide who serves."""

FRESH_S = 300.0
"""What was read is good enough for a list for this time."""

RETRY_S = 30.0
"""So long after an attempt nobody is asked in the background."""

NOTHING_TOLD = "Google says nothing about it."
NO_SUBSCRIPTION = "Google tells no limits of an account without a subscription."
ALL_LIMITS = frozenset((quota_pool, window) for quota_pool in QuotaPool for window in Window)


@dataclass(frozen=True, slots=True)
class QuotaEntry:
    """What is known of one account's quota.

    Attributes:
        quota: the last reading that brought something.
        error: why the last question brought nothing, at most 200 characters.
        is_stale: whether Google has shown since that it is not true any more.
    """

    quota: AccountQuota | None = None
    error: str | None = None
    is_stale: bool = False


class QuotaBook:
    """What is known of all accounts' quota, for one server; nothing is asked unless somebody looks.

    Args:
        upstream: the HTTP client.
        tokens: gives access tokens that work.
        projects: finds the projects that are asked under.
        background: for asking beside the requests.
        clock: Unix time in seconds.
    """

    def __init__(
        self,
        upstream: Upstream,
        tokens: TokenRefresher,
        projects: ProjectFinder,
        background: Background,
        *,
        clock: Callable[[], float],
    ) -> None:
        self._upstream = upstream
        self._tokens = tokens
        self._projects = projects
        self._background = background
        self._clock = clock
        self._entries: dict[str, QuotaEntry] = {}
        self._tried_at: dict[str, float] = {}
        self._flights: SingleFlight[str, QuotaEntry] = SingleFlight()
        self._turns = asyncio.Semaphore(AT_ONCE)

    def known(self, account_id: str) -> AccountQuota | None:
        """The last reading of an account; nobody is asked."""
        entry = self._entries.get(account_id)
        return None if entry is None else entry.quota

    def left(self, account_id: str, quota_pool: QuotaPool) -> Reading:
        """What an account is known to have left of a quota pool now, and when all of it is back; nobody is asked."""
        entry, now_s = self._entries.get(account_id), self._clock()
        if entry is None or entry.quota is None or entry.is_stale or now_s - entry.quota.read_at_s > TRUSTED_S:
            return Reading()
        return scarcest(entry.quota, quota_pool, now_s)

    def keep_fresh(self, account: Account) -> None:
        """Ask about an account in the background, when nothing newer is known and nobody has tried lately."""
        entry, now_s = self._entries.get(account.id), self._clock()
        quota = None if entry is None or entry.is_stale else entry.quota
        is_fresh = quota is not None and now_s - quota.read_at_s < FRESH_S
        if not is_fresh and now_s - self._tried_at.get(account.id, -RETRY_S) >= RETRY_S:
            self._tried_at[account.id] = now_s
            self._background.start(self._look_beside(account), "reading the quota")

    def doubt(self, account_id: str) -> None:
        """Have the account asked about anew when somebody looks next, as Google has just set it a limit."""
        if (entry := self._entries.get(account_id)) is not None:
            self._entries[account_id] = replace(entry, is_stale=True)

    async def look(self, accounts: Iterable[Account], *, refresh: bool = False) -> list[QuotaEntry]:
        """What is known of some accounts, in their order; those nobody has looked at are asked about.

        Args:
            accounts: which ones.
            refresh: whether to ask about all of them, whatever is known.
        """
        return list(await asyncio.gather(*(self._look(account, refresh=refresh) for account in accounts)))

    async def _look_beside(self, account: Account) -> None:
        await self.look([account], refresh=True)

    async def close(self) -> None:
        """Ask no more."""
        await self._flights.drain(0)

    async def _look(self, account: Account, *, refresh: bool) -> QuotaEntry:
        entry = self._entries.get(account.id)
        if entry is not None and not refresh and not self._is_outdated(account.id, entry):
            return entry
        return await self._flights.run(account.id, lambda: self._ask_in_turn(account))

    def _is_outdated(self, account_id: str, entry: QuotaEntry) -> bool:
        has_failed_lately = self._clock() - self._tried_at.get(account_id, -RETRY_S) < RETRY_S
        return entry.is_stale if entry.error is None else not has_failed_lately

    async def _ask_in_turn(self, account: Account) -> QuotaEntry:
        self._tried_at[account.id] = self._clock()
        async with self._turns:
            entry = await self._asked(account)
        self._entries[account.id] = entry
        return entry

    async def _asked(self, account: Account) -> QuotaEntry:
        before = self._entries.get(account.id, QuotaEntry())
        try:
            quota = await self._read(await self._tokens.fresh(account))
        except ProxyError as exc:
            return replace(before, error=_reason(exc))
        if quota.summary_unavailable and quota.models_unavailable:
            return replace(before, error=quota.models_unavailable)
        return QuotaEntry(quota)

    async def _read(self, account: Account) -> AccountQuota:
        try:
            return await self._read_with(account)
        except UpstreamUnauthorizedError:
            return await self._read_with(await self._tokens.forced(account))

    async def _read_with(self, account: Account) -> AccountQuota:
        """Ask for the summary and the rows; that one of them fails does not hide the other.

        Raises:
            UpstreamUnauthorizedError: Google refuses the token.
        """
        body = await self._body(account)
        read_at_s = self._clock()
        limits, no_limits = await self._gather(
            "retrieveUserQuotaSummary",
            account,
            body,
            lambda answer, _: read_summary(answer),
            lambda found: found.keys() >= ALL_LIMITS,
        )
        rows, no_rows = await self._gather(
            "fetchAvailableModels",
            account,
            body,
            lambda answer, asked_at_s: read_rows(answer, asked_at_s, is_visible),
            lambda found: bool(found) and all(entry.is_complete for entry in found.values()),
        )
        return AccountQuota(read_at_s, limits, rows, no_limits, no_rows)

    async def _body(self, account: Account) -> dict[str, Any]:
        try:
            return {"project": (await self._projects.project_of(account)).id}
        except UpstreamUnauthorizedError:
            raise
        except ProxyError:
            return {}  # quota is told without one too

    async def _gather(
        self,
        method: str,
        account: Account,
        body: Mapping[str, Any],
        read: Callable[[Any, float], dict[K, Reading]],
        is_enough: Callable[[dict[K, Reading]], bool],
    ) -> tuple[dict[K, Reading], str | None]:
        """Ask one host after the other until nothing is missing.

        Returns:
            The readings, sorted, and why there are none.

        Raises:
            UpstreamUnauthorizedError: Google refuses the token.
        """
        found: dict[K, Reading] = {}
        failure: str | None = None
        for host in self._hosts:
            asked_at_s = self._clock()
            try:
                answer = await self._upstream.call(host, method, account.caller, body)
            except UpstreamUnauthorizedError:
                raise
            except ProxyError as exc:
                failure = failure or _reason(exc)
                if not _may_go_on(exc):
                    break
                continue
            found = filled(found, read(answer, asked_at_s))
            if is_enough(found):
                break
        return {key: found[key] for key in sorted(found)}, None if found else failure or NOTHING_TOLD

    @property
    def _hosts(self) -> list[str]:
        """The host that generates first, as only that one knows what consumers have used; others fill gaps."""
        return list(dict.fromkeys((self._upstream.generation_host, *self._upstream.control_hosts)))


def _may_go_on(error: ProxyError) -> bool:
    return isinstance(error, UpstreamError) and may_walk_on(error)


def _reason(error: ProxyError) -> str:
    if isinstance(error, LicenceError):  # what it says of the way out is about answers, and the account may give some
        return NO_SUBSCRIPTION
    return textwrap.shorten(str(error), MAX_REASON_CHARACTERS, placeholder=" …")
