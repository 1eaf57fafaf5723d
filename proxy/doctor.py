"""Walks an account through everything a request needs, and says which step fails and what helps.

Source:
    SPEC.md, "Doctor".
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from ..accounts.proxy_url import mask_proxy
from ..accounts.quota import QUOTA_POOL_NAMES, scarcest
from ..catalog.builtin import MODELS
from ..catalog.routing import route_model, without_thinking
from ..errors import ProxyError, VerificationRequiredError
from .probe import Probe

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from ..accounts.account import Account
    from .services import Services


@dataclass(frozen=True, slots=True)
class Finding:
    """What one step has shown.

    Attributes:
        step: what was looked at.
        is_good: whether it is as it should be.
        detail: what was found, in a sentence; never a token.
        link: a page of Google's that helps.
    """

    step: str
    is_good: bool
    detail: str
    link: str | None = None

    def document(self) -> dict[str, Any]:
        """As JSON: ``{"step", "is_good", "detail", "link"}``."""
        return asdict(self)


async def examine(services: Services, account: Account, user_info_uri: str) -> list[Finding]:
    """Walk one account through refresh, userinfo, project, catalogue, quota and one short answer.

    A step without which the next ones cannot be tried ends the walk. The answer costs a few tokens of quota.

    Args:
        services: what a server works with.
        account: whose.
        user_info_uri: where an access token is answered with its owner.
    """
    walk = _Walk(services, account, user_info_uri)
    if account.proxy is not None:
        detail = (
            f"Set is {mask_proxy(account.proxy)}, for all calls but those to this machine; whether it works, the "
            "next steps show."
        )
        walk.findings.append(Finding("proxy", is_good=True, detail=detail))
    for step, act, is_needed in (
        ("refresh", walk.refresh, True),
        ("userinfo", walk.userinfo, False),
        ("project", walk.project, False),
        ("catalogue", walk.catalogue, False),
        ("quota", walk.quota, False),
        ("answer", walk.answer, False),
    ):
        if not await walk.take(step, act) and is_needed:
            break
    return walk.findings


class _Walk:
    def __init__(self, services: Services, account: Account, user_info_uri: str) -> None:
        self._services = services
        self._account = account
        self._user_info_uri = user_info_uri
        self.findings: list[Finding] = []

    async def take(self, step: str, act: Callable[[], Awaitable[str]]) -> bool:
        """Take a step, and write down how it went; whether it was good."""
        try:
            finding = Finding(step, is_good=True, detail=await act())
        except ProxyError as error:
            link = error.url if isinstance(error, VerificationRequiredError) else None
            finding = Finding(step, is_good=False, detail=str(error), link=link)
        self.findings.append(finding)
        return finding.is_good

    async def refresh(self) -> str:
        self._account = await self._services.tokens.forced(self._account)
        return "Google gives a new access token."

    async def userinfo(self) -> str:
        await self._services.upstream.get_json(self._user_info_uri, self._account.caller)
        return "Google says whose account it is."

    async def project(self) -> str:
        project = await self._services.projects.project_of(self._account)
        if project.failure is not None:
            raise project.failure
        return f"Calls are booked on the project {project.id}."

    async def catalogue(self) -> str:
        catalog = await self._services.live_models.read(self._account)
        return f"Google serves {len(catalog.models)} models to it."

    async def quota(self) -> str:
        (entry,) = await self._services.quota.look([self._account], refresh=True)
        if entry.quota is None:
            raise ProxyError(entry.error or "Google does not say how much quota is left. Try again later.")
        now_s = self._services.clock()
        shares = {name: scarcest(entry.quota, pool, now_s).remaining for pool, name in QUOTA_POOL_NAMES.items()}
        known = [f"{share:.0%} for {name}" for name, share in shares.items() if share is not None]
        return f"Left are {' and '.join(known)}." if known else "Google does not say how much is left."

    async def answer(self) -> str:
        route = without_thinking(route_model(MODELS[0], None))
        probe = Probe(now_s=self._services.clock())
        generator = self._services.generator
        async with (
            generator.new_budget() as budget,
            generator.open(probe, route, budget, whole=False, account_id=self._account.id) as answer,
        ):
            return f"{answer.source.runtime_id} answers."
