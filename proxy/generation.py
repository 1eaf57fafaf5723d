"""One generation from start to end, in no dialect's words: account, project, attempts, answer.

Source:
    SPEC.md, "Attempts" and "Time limits".
"""

from __future__ import annotations

import asyncio
import logging
import math
import random
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Protocol

from ..catalog.routing import fallback_route, without_thinking
from ..errors import (
    BudgetSpentError,
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
    from collections.abc import AsyncGenerator, Awaitable, Callable

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

    def to_request(self, route: Route) -> Request:
        """The inner request for a route."""
        ...

    def refuse_signatures(self, route: Route) -> None:
        """Leave out of the next request what thought signatures there are now, as Google has refused one."""
        ...

    def new_reader(self, route: Route) -> Reader:
        """A reader for one answer to it."""
        ...


@dataclass(slots=True)
class _Run:
    """How far one generation has come.

    Invariant: token and project belong to the account that is asked, and the request to the route.

    Attributes:
        is_token_refused: whether Google has refused the account's token, and no other one has come since.
        deadline: when the time for the first content is over, by the clock of the event loop.
        failure: of the last attempt.
    """

    prompt: Prompt
    route: Route
    whole: bool
    rotation: Rotation
    tried: list[str] = field(default_factory=list[str])
    ladder: Ladder = field(default_factory=Ladder)
    account: Account | None = None
    is_token_refused: bool = False
    request: Request | None = None
    project: Project | None = None
    deadline: float = math.inf
    failure: ProxyError | None = None


class Generator:
    """Generates for one server.

    Args:
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

    Attributes:
        stopping: ends what is being generated when the server stops.
    """

    def __init__(  # noqa: PLR0913 -- a generation needs every one of these parts
        self,
        settings: Settings,
        upstream: Upstream,
        rotations: Rotations,
        tokens: TokenRefresher,
        projects: ProjectFinder,
        background: Background,
        live_models: LiveModels,
        *,
        new_request_id: Callable[[], str],
        pause: Callable[[float], Awaitable[None]] = asyncio.sleep,
        chance: Callable[[], float] = random.random,
    ) -> None:
        self._settings = settings
        self._upstream = upstream
        self._rotations = rotations
        self._tokens = tokens
        self._projects = projects
        self._background = background
        self._live_models = live_models
        self.stopping = Stopping()
        self._new_request_id = new_request_id
        self._pause = pause
        self._chance = chance

    def new_budget(self) -> Budget:
        """The time that a request which begins now has until its first content."""
        return Budget(self._settings.first_byte_timeout)

    @asynccontextmanager
    async def preparing(self, budget: Budget) -> AsyncGenerator[None]:
        """Run what comes before a generation; it ends with the budget and with the server.

        Raises:
            BudgetSpentError: the time for the first content is over.
            ServerStoppingError: the server stops.
        """
        async with self.stopping.bound(), budget.bound():
            yield

    @asynccontextmanager
    async def open(
        self,
        prompt: Prompt,
        route: Route,
        *,
        whole: bool,
        account_id: str | None = None,
        budget: Budget | None = None,
    ) -> AsyncGenerator[Answer]:
        """Generate, and hand out the answer when its first content is there; closing it ends the call to Google.

        Args:
            prompt: what to generate.
            route: where to go first.
            whole: wait for the whole answer, so that even one that is empty after its thoughts is tried again.
            account_id: the one account that is asked, whatever is held against it; None goes by the rules.
            budget: what is left of the time for the first content; None begins a new one.

        Raises:
            ProxyError: no attempt led to an answer.
        """
        if account_id is None:
            self._start_probes(route)
        budget = budget or self.new_budget()
        run = _Run(prompt, route, whole, self._rotations.open(route.family, account_id), [route.runtime_id])
        async with self.stopping.bound(), AsyncExitStack() as stack:
            try:
                async with budget.bound() as limit:
                    answer = await self._climb(run, stack, limit)
            except BudgetSpentError as error:
                if run.failure is not None:
                    error.message += f" The attempt before the last one failed: {run.failure}"
                raise
            yield answer

    async def _climb(self, run: _Run, stack: AsyncExitStack, limit: asyncio.Timeout) -> Answer:
        deadline = limit.when()
        run.deadline = math.inf if deadline is None else deadline
        while True:
            try:
                async with AsyncExitStack() as attempt:
                    answer = await self._attempt(run, attempt)
                    if run.whole:
                        await answer.collect(lambda: limit.reschedule(None))
                    else:
                        await answer.prime()
                    stack.push_async_exit(attempt.pop_all())
                    self._settle(run)
                    return answer
            except ProxyError as error:
                # A whole answer may break after the limit for its first content, which is off by then.
                if asyncio.get_running_loop().time() >= run.deadline or limit.expired():
                    raise
                limit.reschedule(deadline)
                run.failure = error
                await self._take_step(error, run)

    def _settle(self, run: _Run) -> None:
        """Take note of who answers; an account that took over from the active one becomes the active one."""
        run.request = None  # it is not sent again, and may be megabytes
        self._live_models.keep_fresh(_known(run))
        replaced = run.rotation.succeeded()
        if replaced is not None:
            change = self._rotations.activate(_known(run).id, instead_of=replaced)
            self._background.start(change, "activating another account")

    def _start_probes(self, route: Route) -> None:
        for account in self._rotations.claim_probes(route.family):
            self._background.start(self._probe(account, route), f"asking {account.label}, which is out,")

    async def _probe(self, account: Account, route: Route) -> None:
        """Ask an account whether it serves again; what it answers changes what is held against it.

        Raises:
            ProxyError: it does not.
        """
        probe = Probe(now_s=self._rotations.clock())
        async with self.open(probe, without_thinking(route), whole=False, account_id=account.id):
            log.info("%s was out and serves again", account.label)

    async def _attempt(self, run: _Run, attempt: AsyncExitStack) -> Answer:
        # The request comes before the account: one that cannot be sent is the client's fault, whoever is logged in.
        request = run.request = run.request or run.prompt.to_request(run.route)
        session = session_id(request["contents"])
        run.account = run.account or await self._first(run.rotation, session)
        renewed = self._tokens.forced if run.is_token_refused else self._tokens.fresh
        run.account = account = await renewed(run.account)
        run.is_token_refused = False
        run.project = project = await self._projects.project_of(account)
        runtime_id = run.route.runtime_id
        envelope = to_envelope(
            request, session, project=project.id, runtime_id=runtime_id, request_id=self._new_request_id()
        )
        upstream = await attempt.enter_async_context(self._upstream.generate(account.caller, envelope))
        return Answer(
            upstream,
            run.prompt.new_reader(run.route),
            Source(runtime_id, account.label),
            idle_timeout_s=self._settings.idle_timeout,
        )

    async def _first(self, rotation: Rotation, session: str) -> Account:
        try:
            return rotation.first(session)
        except (QuotaExhaustedError, RateLimitedError):
            # Another program, such as the doctor, may have seen an account serve, and has written that down.
            if not await self._rotations.reload():
                raise
            return rotation.first(session)

    async def _take_step(self, error: ProxyError, run: _Run) -> None:
        """Prepare the next attempt, or raise the error when there is none."""
        left_s = run.deadline - asyncio.get_running_loop().time()
        decision = decide(error, run.ladder, left_s=left_s, jitter_s=JITTER_S * self._chance())
        run.ladder = decision.ladder
        log.info("%s: %s, then %s", run.route.runtime_id, type(error).__name__, decision.step.name)
        match decision.step:
            case Step.AGAIN:
                await self._pause(decision.wait_s)
            case Step.STATIC_FALLBACK:
                await self._reroute(fallback_route(run.route), error, run)
            case Step.LIVE_FALLBACK:
                catalog = await self._live_models.refreshed(_known(run), max_age_s=BURST_S)
                await self._reroute(catalog.fallback(run.route, run.tried), error, run)
            case Step.WITHOUT_SIGNATURES:
                run.prompt.refuse_signatures(run.route)
                run.request = None
            case Step.NEW_TOKEN:
                run.is_token_refused = True
            case Step.NEW_PROJECT:
                await self._projects.forget(_known(run))
                run.account = replace(_known(run), project_id=None)
            case Step.GIVE_UP:
                self._move_on(error, run)

    def _move_on(self, error: ProxyError, run: _Run) -> None:
        """Let another account answer, or raise the error when there is none."""
        account = run.rotation.next_after(error)
        if account is None:
            if isinstance(error, ModelGoneError):
                catalog = self._live_models.catalog_of(run.account)
                nearest = ", ".join(catalog.nearest(run.route.model_id))
                error.message = f"Google does not serve {run.route.model_id} now. The nearest are {nearest}."
            told = run.rotation.told(_told(error, run.project))
            told.is_exhausted = told.is_exhausted or is_exhausted(told, run.ladder)
            raise told
        run.account, run.is_token_refused, run.project = account, False, None
        run.ladder = for_other_account(run.ladder)

    async def _reroute(self, route: Route | None, error: ProxyError, run: _Run) -> None:
        if route is None or route.runtime_id in run.tried:
            await self._take_step(error, run)
            return
        run.request = None
        run.route = route
        run.tried.append(route.runtime_id)


def _told(error: ProxyError, project: Project | None) -> ProxyError:
    """What the client is told: a refused fallback says nothing when Google could not be asked for the project."""
    if isinstance(error, ProjectError) and project is not None and project.failure is not None:
        return project.failure
    return error


def _known(run: _Run) -> Account:
    if run.account is None:
        raise RuntimeError("upstream answered before an account was chosen")
    return run.account
