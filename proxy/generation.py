"""One generation from start to end, in no dialect's words: account, project, attempts, answer.

Source:
    SPEC.md, "Attempts" and "Time limits".
"""

from __future__ import annotations

import asyncio
import logging
import random
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Protocol

from ..catalog.routing import fallback_route, without_thinking
from ..errors import (
    ModelGoneError,
    ProjectError,
    ProxyError,
    QuotaExhaustedError,
    RateLimitedError,
)
from ..translate.envelope import session_id, to_envelope
from .answer import Answer, Source
from .budget import Budget
from .live_models import BURST_S
from .probe import Probe
from .retry import Ladder, Step, decide, for_other_account, is_exhausted
from .stopping import Stopping

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from ..accounts.account import Account
    from ..catalog.model import Route
    from ..oauth.refresh import TokenRefresher
    from ..translate.cloud_wire import Request
    from .answer import Reader
    from .background import Background
    from .live_models import LiveModels
    from .project import Project, ProjectFinder
    from .rotation import Rotation, Rotations
    from .settings import Settings
    from .upstream import Upstream

log = logging.getLogger(__name__)

JITTER_S = 0.5
"""At most so much is added to a wait that Google states."""


class Prompt(Protocol):
    """What is to be generated: a dialect's request, written for whichever route it takes."""

    async def to_request(self, route: Route) -> Request:
        """The inner request for a route."""
        ...

    async def refuse_signatures(self, route: Route) -> None:
        """Leave out of the next request what thought signatures there are now, as Google has refused one."""
        ...

    def new_reader(self, route: Route) -> Reader:
        """A reader for one answer to it."""
        ...


@dataclass(frozen=True, slots=True)
class Generator:
    """Generates for one server.

    Attributes:
        settings: time limits.
        upstream: the HTTP client.
        rotations: choose who serves.
        tokens: keeps access tokens fresh.
        projects: finds the account's project.
        background: for what must not hold up an answer.
        live_models: what Google serves.
        new_request_id: makes an id that no other request has.
        pause: sleeps some seconds between attempts.
        chance: a number from 0 to 1, another one each time.
        stopping: ends what is being generated when the server stops.
    """

    settings: Settings
    upstream: Upstream
    rotations: Rotations
    tokens: TokenRefresher
    projects: ProjectFinder
    background: Background
    live_models: LiveModels
    new_request_id: Callable[[], str]
    pause: Callable[[float], Awaitable[None]] = asyncio.sleep
    chance: Callable[[], float] = random.random
    stopping: Stopping = field(default_factory=Stopping)

    def new_budget(self) -> Budget:
        """The time that a request which begins now has until its first content."""
        return Budget(self.stopping, self.settings.first_byte_timeout)

    def open(
        self, prompt: Prompt, route: Route, budget: Budget, *, whole: bool, account_id: str | None = None
    ) -> Generation:
        """Generate: an async context manager that gives the answer, and ends the call to Google when it is left.

        Args:
            prompt: what to generate.
            route: where to go first.
            budget: the time for the first content; it must have been entered.
            whole: wait for the whole answer, so that even one that is empty after its thoughts is tried again.
            account_id: the one account that is asked, whatever is held against it; None goes by the rules.
        """
        if account_id is None:
            self._start_probes(route)
        rotation = self.rotations.open(route.family, account_id)
        return Generation(self, prompt, route, rotation, budget, whole=whole)

    def _start_probes(self, route: Route) -> None:
        for account in self.rotations.claim_probes(route.family):
            self.background.start(self._probe(account, route), f"asking {account.label}, which is out,")

    async def _probe(self, account: Account, route: Route) -> None:
        """Ask an account whether it serves again; what it answers changes what is held against it.

        Raises:
            ProxyError: it does not.
        """
        probe = Probe(now_s=self.rotations.clock())
        async with (
            self.new_budget() as budget,
            self.open(probe, without_thinking(route), budget, whole=False, account_id=account.id),
        ):
            log.info("%s was out and serves again", account.label)


class Generation:
    """One generation, as an async context manager: it gives the answer when its first content is there.

    Invariant: token and project belong to the account that is asked, and the request to the route.

    Args:
        generator: what a generation takes.
        prompt: what to generate.
        route: where to go first.
        rotation: the accounts that may be asked.
        budget: the time for the first content.
        whole: whether to wait for the whole answer.

    Raises:
        ProxyError: no attempt led to an answer.
    """

    def __init__(
        self, generator: Generator, prompt: Prompt, route: Route, rotation: Rotation, budget: Budget, *, whole: bool
    ) -> None:
        self._generator = generator
        self._prompt = prompt
        self._route = route
        self._rotation = rotation
        self._budget = budget
        self._whole = whole
        self._tried = [route.runtime_id]
        self._ladder = Ladder()
        self._account: Account | None = None
        self._is_token_refused = False  # and no other one has come since
        self._request: Request | None = None
        self._project: Project | None = None
        self._answer: Answer | None = None

    async def __aenter__(self) -> Answer:
        try:
            answer = await self._climb()
        except BaseException:
            self._close_answer()
            raise
        self._budget.lift()
        return answer

    async def __aexit__(self, *_: object) -> None:
        self._close_answer()

    async def _climb(self) -> Answer:
        while True:
            try:
                answer = self._answer = await self._attempt()
                await (answer.collect(self._budget.lift) if self._whole else answer.prime())
            except ProxyError as error:
                self._close_answer()
                # A whole answer may break after the limit for its first content, which is off by then.
                if self._budget.left_s <= 0:
                    raise
                self._budget.restore()
                self._budget.failure = error
                await self._take_step(error)
            else:
                self._settle()
                return answer

    def _close_answer(self) -> None:
        if self._answer is not None:
            self._answer.close()
            self._answer = None

    def _settle(self) -> None:
        """Take note of who answers; an account that took over from the active one becomes the active one."""
        generator, account = self._generator, self._known()
        self._request = None  # it is not sent again, and may be megabytes
        generator.live_models.keep_fresh(account)
        replaced = self._rotation.succeeded()
        if replaced is not None:
            change = generator.rotations.activate(account.id, instead_of=replaced)
            generator.background.start(change, "activating another account")

    async def _attempt(self) -> Answer:
        generator, route = self._generator, self._route
        # The request comes before the account: one that cannot be sent is the client's fault, whoever is logged in.
        request = self._request = self._request or await self._prompt.to_request(route)
        session = session_id(request["contents"])
        account = self._account or await self._first(session)
        renewed = generator.tokens.forced if self._is_token_refused else generator.tokens.fresh
        self._account = account = await renewed(account)
        self._is_token_refused = False
        self._project = project = await generator.projects.project_of(account)
        envelope = to_envelope(
            request, session, project=project.id, runtime_id=route.runtime_id, request_id=generator.new_request_id()
        )
        upstream = await generator.upstream.generate(account.caller, envelope)
        source = Source(route.runtime_id, account.label)
        return Answer(
            upstream, self._prompt.new_reader(route), source, idle_timeout_s=generator.settings.idle_timeout
        )

    async def _first(self, session: str) -> Account:
        try:
            return self._rotation.first(session)
        except (QuotaExhaustedError, RateLimitedError):
            # Another program, such as the doctor, may have seen an account serve, and has written that down.
            if not await self._generator.rotations.reload():
                raise
            return self._rotation.first(session)

    async def _take_step(self, error: ProxyError) -> None:
        """Prepare the next attempt, or raise the error when there is none."""
        jitter_s = JITTER_S * self._generator.chance()
        decision = decide(error, self._ladder, left_s=self._budget.left_s, jitter_s=jitter_s)
        self._ladder = decision.ladder
        log.info("%s: %s, then %s", self._route.runtime_id, type(error).__name__, decision.step.name)
        match decision.step:
            case Step.AGAIN:
                await self._generator.pause(decision.wait_s)
            case Step.STATIC_FALLBACK:
                await self._reroute(fallback_route(self._route), error)
            case Step.LIVE_FALLBACK:
                catalog = await self._generator.live_models.refreshed(self._known(), max_age_s=BURST_S)
                await self._reroute(catalog.fallback(self._route, self._tried), error)
            case Step.WITHOUT_SIGNATURES:
                await self._prompt.refuse_signatures(self._route)
                self._request = None
            case Step.NEW_TOKEN:
                self._is_token_refused = True
            case Step.NEW_PROJECT:
                await self._generator.projects.forget(self._known())
                self._account = replace(self._known(), project_id=None)
            case Step.GIVE_UP:
                self._move_on(error)

    def _move_on(self, error: ProxyError) -> None:
        """Let another account answer, or raise the error when there is none."""
        account = self._rotation.next_after(error)
        if account is None:
            if isinstance(error, ModelGoneError):
                catalog = self._generator.live_models.catalog_of(self._account)
                nearest = ", ".join(catalog.nearest(self._route.model_id))
                error.message = f"Google does not serve {self._route.model_id} now. The nearest are {nearest}."
            told = self._rotation.told(_told(error, self._project))
            told.is_exhausted = told.is_exhausted or is_exhausted(told, self._ladder)
            raise told
        self._account, self._is_token_refused, self._project = account, False, None
        self._ladder = for_other_account(self._ladder)

    async def _reroute(self, route: Route | None, error: ProxyError) -> None:
        if route is None or route.runtime_id in self._tried:
            await self._take_step(error)
            return
        self._request = None
        self._route = route
        self._tried.append(route.runtime_id)

    def _known(self) -> Account:
        if self._account is None:
            raise RuntimeError("upstream answered before an account was chosen")
        return self._account


def _told(error: ProxyError, project: Project | None) -> ProxyError:
    """What the client is told: a refused fallback says nothing when Google could not be asked for the project."""
    if isinstance(error, ProjectError) and project is not None and project.failure is not None:
        return project.failure
    return error
