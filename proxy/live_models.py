"""The models that Google serves to each account, kept fresh beside the requests.

Source:
    SPEC.md, "Live catalogue".
"""

from __future__ import annotations

import logging
from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

from ..catalog.catalog import BUILT_IN_CATALOG, Catalog
from ..catalog.discovery import read_catalog
from ..catalog.merge import merge
from ..errors import (
    ModelGoneError,
    ProxyError,
    UnknownModelError,
    UpstreamError,
    UpstreamGarbledError,
    UpstreamUnauthorizedError,
)
from ..oauth.single_flight import SingleFlight
from ..translate.json_text import as_object

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..accounts.account import Account
    from ..accounts.store import AccountStore
    from ..oauth.refresh import TokenRefresher
    from .background import Background
    from .project import ProjectFinder
    from .upstream import Upstream

T = TypeVar("T")

log = logging.getLogger(__name__)

FRESH_S = 300.0
"""A catalogue is read again after this time, when somebody uses it."""

RETRY_S = 30.0
"""So long after an attempt nothing is read in the background."""

BURST_S = 2.0
"""A catalogue that is not older answers all those who find at the same time that a model is gone."""

MAX_READS, WINDOW_S = 6, 60.0
"""An account's catalogue is read at most so often within such a time, whoever asks for it."""


@dataclass(slots=True)
class _Known:
    """What is known of one account's models.

    Attributes:
        catalog: the last good one.
        read_at: when it was asked for; None while there is none.
        attempts: when Google was asked last, oldest first.
        failure: why the last reading brought none; None when it did.
    """

    catalog: Catalog = BUILT_IN_CATALOG
    read_at: float | None = None
    attempts: deque[float] = field(default_factory=lambda: deque[float](maxlen=MAX_READS))
    failure: ProxyError | None = None


class LiveModels:
    """Knows the models of every account of one server; an account that was never asked has the built-in ones.

    The last good catalogue is kept over failures, and a failure does not make it look newer.

    Args:
        upstream: the HTTP client.
        store: the accounts.
        tokens: keeps access tokens fresh.
        projects: finds the account's project.
        background: for reading beside the requests.
        clock: Unix time in seconds.
    """

    def __init__(
        self,
        upstream: Upstream,
        store: AccountStore,
        tokens: TokenRefresher,
        projects: ProjectFinder,
        background: Background,
        clock: Callable[[], float],
    ) -> None:
        self._upstream = upstream
        self._store = store
        self._tokens = tokens
        self._projects = projects
        self._background = background
        self._clock = clock
        self._known: dict[str, _Known] = {}
        self._flights: SingleFlight[str, Catalog] = SingleFlight()

    def catalog_of(self, account: Account | None) -> Catalog:
        """The models of an account, as they are known now."""
        known = None if account is None else self._known.get(account.id)
        return BUILT_IN_CATALOG if known is None else known.catalog

    def current(self) -> Catalog:
        """The models of the active account, as they are known now; they are read again beside, when they are old."""
        account = self._store.read().active
        if account is not None:
            self.keep_fresh(account)
        return self.catalog_of(account)

    def keep_fresh(self, account: Account) -> None:
        """Read an account's catalogue in the background, when it is old and nobody has tried lately."""
        known, now_s = self._of(account), self._clock()
        is_fresh = known.read_at is not None and now_s - known.read_at < FRESH_S
        if not is_fresh and not (known.attempts and now_s - known.attempts[-1] < RETRY_S):
            known.attempts.append(now_s)
            self._background.start(self._read_beside(account), "reading the live catalogue")

    async def resolve(self, use: Callable[[Catalog], T]) -> T:
        """What becomes of the active account's models; when one is unknown, of those Google has at this moment.

        Args:
            use: is called a second time after ``UnknownModelError``.

        Raises:
            ProxyError: whatever ``use`` raises, or why Google could not be asked for an unknown model.
        """
        try:
            return use(self.catalog_of(self._store.latest.active))  # whoever chooses the account reads the file anew
        except UnknownModelError:
            account = self._store.read().active
            if account is None:
                raise
        catalog = await self.refreshed(account)
        try:
            return use(catalog)
        except UnknownModelError as unknown:
            failure = self._of(account).failure
            if failure is None:
                raise
            raise _unasked(failure) from unknown

    async def refreshed(self, account: Account, *, max_age_s: float = 0.0) -> Catalog:
        """The models of an account, read from Google now; the last good ones when that fails or was done too often.

        Args:
            account: whose.
            max_age_s: a catalogue that is not older will do.
        """
        known, now_s = self._of(account), self._clock()
        if known.read_at is not None and now_s - known.read_at < max_age_s:
            return known.catalog
        if account.id not in self._flights:
            if len(known.attempts) == MAX_READS and now_s - known.attempts[0] < WINDOW_S:
                return known.catalog
            known.attempts.append(now_s)
        try:
            return await self.read(account)
        except ProxyError as exc:
            log.warning("the live catalogue cannot be read: %s", exc)
            return known.catalog

    async def read(self, account: Account) -> Catalog:
        """Ask Google for the models of an account; concurrent callers share one call.

        Raises:
            ProxyError: Google gave none.
        """
        return await self._flights.run(account.id, lambda: self._noted(account))

    async def _noted(self, account: Account) -> Catalog:
        known = self._of(account)
        try:
            catalog = await self._read(account)
        except ProxyError as failure:
            known.failure = failure
            raise
        known.failure = None
        return catalog

    async def _read_beside(self, account: Account) -> None:
        await self.read(account)

    async def _read(self, account: Account) -> Catalog:
        known, began_s = self._of(account), self._clock()
        account = await self._tokens.fresh(account)
        try:
            document = await self._ask(account)
        except UpstreamUnauthorizedError:
            document = await self._ask(await self._tokens.forced(account))
        live = read_catalog(document)
        if not live.models:
            raise UpstreamGarbledError("Google's catalogue names no model. Try again later.")
        known.catalog, known.read_at = merge(live, account.label), began_s
        return known.catalog

    async def _ask(self, account: Account) -> Any:
        project = await self._projects.project_of(account)
        body = {"project": project.id}
        return await self._upstream.call_any("fetchAvailableModels", account.caller, body, is_good=_names_models)

    def _of(self, account: Account) -> _Known:
        known = self._known.get(account.id)
        if known is None:
            known = self._known[account.id] = _Known()
        return known


def _names_models(document: Any) -> bool:
    return bool(as_object(as_object(document).get("models")))


def _unasked(failure: ProxyError) -> ProxyError:
    """What to say of an unknown model when Google could not be asked for it."""
    # A copy, as others are told of it too. That there is no catalogue does not mean that there is no such model.
    kind = UpstreamError if isinstance(failure, ModelGoneError) else type(failure)
    told = kind.__new__(kind)
    told.__dict__.update(failure.__dict__)
    told.message = f"This model is not known here, and Google could not be asked for it. {failure.message}"
    return told
