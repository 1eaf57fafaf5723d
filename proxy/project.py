"""Which Google project an account's calls are booked on.

Source:
    SPEC.md, "Projects".
"""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..errors import ModelGoneError, StoreError, UpstreamError
from ..oauth.single_flight import SingleFlight
from ..translate.json_text import as_list, as_object
from .project_id import fallback_project_id, find_project_id
from .upstream import ONBOARD_TIMEOUT_S, may_walk_on

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from ..accounts.account import Account, Caller
    from ..accounts.pool import Pool
    from ..accounts.store import AccountStore
    from .upstream import Upstream

METADATA = {"ideType": "ANTIGRAVITY"}
FREE_TIER = "free-tier"
ONBOARD_POLLS = 5
ONBOARD_PAUSE_S = 2.0
"""How often, and how far apart, Google is asked whether it has made a project."""

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Project:
    """The project that an account's calls are booked on.

    Attributes:
        id: what is sent.
        failure: why Google could not be asked for it, when the id is a fallback for that reason.
    """

    id: str
    failure: UpstreamError | None = None


class ProjectFinder:
    """Finds an account's project and keeps it on the account.

    A project that was found is stored; that none was found is not remembered, so the next request looks again. A
    store that cannot be written costs a search for each request, and no more.

    Args:
        upstream: the HTTP client.
        store: where accounts are kept.
        fallback: the user's own project, for an account whose project cannot be found.
        pause: sleeps some seconds between polls.
    """

    def __init__(
        self,
        upstream: Upstream,
        store: AccountStore,
        *,
        fallback: str | None = None,
        pause: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._upstream = upstream
        self._store = store
        self._fallback = fallback
        self._pause = pause
        self._flights: SingleFlight[str, Project] = SingleFlight()
        self._unusable: dict[str, str | None] = {}

    async def project_of(self, account: Account) -> Project:
        """The project to send with the account's calls; concurrent callers share one search.

        Raises:
            ProxyError: Google refuses the account itself.
        """
        if account.project_id is not None:
            return Project(account.project_id)
        return await self._flights.run(account.id, lambda: self._find(account))

    async def forget(self, account: Account) -> None:
        """Drop the account's project, as Google says that it cannot be used; one found since stays."""
        self._unusable[account.id] = account.project_id
        await self._keep(account, None)

    async def _find(self, account: Account) -> Project:
        stored = (await asyncio.to_thread(self._store.read)).get(account.id)
        if stored is not None and stored.project_id not in (None, self._unusable.get(account.id)):
            return Project(stored.project_id)  # another request was faster
        found, failure = await self._search(account.caller)
        if found is None:
            return Project(self._fallback or fallback_project_id(account.email or account.id), failure)
        await self._keep(account, found)
        return Project(found)

    async def _keep(self, account: Account, project_id: str | None) -> None:
        def change(pool: Pool) -> Pool:
            stored = pool.get(account.id)
            is_unchanged = stored is not None and stored.project_id == account.project_id
            return pool.with_project(account.id, project_id) if is_unchanged else pool

        try:
            await asyncio.to_thread(self._store.update, change)
        except StoreError as exc:
            log.warning("the project of %s cannot be remembered: %s", account.label, exc)

    async def _search(self, caller: Caller) -> tuple[str | None, UpstreamError | None]:
        """The project that Google names, and the last failure when some question went unanswered."""
        loaded: dict[str, Any] = {}
        failure: UpstreamError | None = None
        for host in self._upstream.control_hosts:
            try:
                loaded = as_object(await self._upstream.call(host, "loadCodeAssist", caller, {"metadata": METADATA}))
                found = find_project_id(loaded)
                if found is None:
                    listed = await self._upstream.call(host, "listCloudAICompanionProjects", caller, {})
                    found = find_project_id(listed)
            except UpstreamError as exc:
                if not may_walk_on(exc):
                    raise
                log.info("project search on %s failed: %s", host, exc)
                failure = _as_failure_of_search(exc)
                continue
            if found is not None:
                return found, None
        if not loaded:
            return None, failure
        try:
            return await self._onboard(caller, loaded), failure
        except UpstreamError as exc:
            log.info("Google could not set the account up: %s", exc)
            return None, _as_failure_of_search(exc)

    async def _onboard(self, caller: Caller, loaded: dict[str, Any]) -> str | None:
        """Ask Google to set the account up, as it does for one that has never been used; None when it does not.

        Raises:
            UpstreamError: it cannot.
        """
        body = {"tierId": _tier_of(loaded), "metadata": METADATA}
        for poll in range(ONBOARD_POLLS):
            if poll:
                await self._pause(ONBOARD_PAUSE_S)
            host = self._upstream.generation_host
            answer = await self._upstream.call(host, "onboardUser", caller, body, timeout_s=ONBOARD_TIMEOUT_S)
            if as_object(answer).get("done") is True:
                return find_project_id(as_object(answer).get("response"))
        return None


def _as_failure_of_search(error: UpstreamError) -> UpstreamError:
    # A 404 here is about a method, and not about the model that somebody asked for.
    if not isinstance(error, ModelGoneError):
        return error
    return UpstreamError("Google does not answer the search for this account's project. Send the request again.")


def _tier_of(loaded: dict[str, Any]) -> str:
    for tier in map(as_object, as_list(loaded.get("allowedTiers"))):
        if tier.get("isDefault") is True and isinstance(tier.get("id"), str):
            return str(tier["id"])
    current = as_object(loaded.get("currentTier")).get("id")
    return current if isinstance(current, str) else FREE_TIER
