"""A login from the question to the saved account.

Source:
    SPEC.md, "Login".
"""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

from ..accounts.account import Account, Caller, Tokens, account_id, is_line
from ..errors import LoginError, LoginRequiredError, OtherClientError, ProxyError
from ..oauth.grants import read_grant
from ..oauth.login import denied, exchange_form, read_paste, to_login_request
from ..translate.json_text import as_object
from .callback_listener import CallbackListener
from .project_id import find_plan

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..accounts.pool import Pool
    from ..accounts.store import AccountStore
    from ..oauth.client import ClientIdentity
    from ..oauth.login import Callback, LoginRequest
    from .project import Project, ProjectFinder
    from .upstream import Upstream

log = logging.getLogger(__name__)

LOGIN_TIMEOUT_S = 300.0
"""How long a login waits for its user."""

MAX_ANSWERS = 8
"""So many answers wait at most while Google is asked about one."""

CODE_REFUSED = "login_code_refused"
ANONYMOUS_LENGTH = 32


@dataclass(frozen=True, slots=True)
class LoggedIn:
    """What a login has brought.

    Attributes:
        account: as it is saved.
        plan: what its owner pays for, in Google's words; None when Google does not say.
        project: what its calls are booked on; None when Google could not be asked.
        warning: what went wrong although the login is good; None when nothing did.
    """

    account: Account
    plan: str | None = None
    project: Project | None = None
    warning: str | None = None


class Login:
    """One login that waits for its user, as an async context manager.

    The browser and whoever pastes are waited for at the same time; the first good answer wins.

    Args:
        service: what it is done with.
        request: the question.

    Attributes:
        request: the question.
        complaint: what was wrong with the last code that came without its state; None when nothing was.
    """

    def __init__(self, service: LoginService, request: LoginRequest) -> None:
        self.request = request
        self.complaint: str | None = None
        self._service = service
        self._answers: asyncio.Queue[Callback] = asyncio.Queue(MAX_ANSWERS)
        self._listener = CallbackListener(request, self._take)

    @property
    def is_listening(self) -> bool:
        """Whether the browser can come back by itself; else its address must be pasted."""
        return self._listener.is_listening

    async def __aenter__(self) -> Self:
        await self._listener.__aenter__()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._listener.__aexit__()

    def paste(self, text: str) -> None:
        """Take what somebody pasted.

        Raises:
            LoginError: it is of no use; the login goes on.
        """
        self._take(read_paste(text, self.request.state))

    def _take(self, callback: Callback) -> None:
        with suppress(asyncio.QueueFull):
            self._answers.put_nowait(callback)

    async def finish(self) -> LoggedIn:
        """Wait for the user, and save the account.

        Raises:
            LoginError: nobody came in time, the user refused, or Google does not accept the code.
            ProxyError: Google could not be asked for the tokens, or they cannot be saved.
        """
        deadline_s = asyncio.get_running_loop().time() + LOGIN_TIMEOUT_S
        while True:
            callback = await self._next_answer(deadline_s)
            if callback.error:
                raise denied(callback.error)
            try:
                return await self._service.complete(self.request, callback.code)
            except LoginError as error:
                if callback.is_ours or error.code != CODE_REFUSED:
                    raise
                # Whoever typed it may have had another one in mind, and the browser may still come.
                self.complaint = str(error)
                log.warning("%s This login goes on.", error)

    async def _next_answer(self, deadline_s: float) -> Callback:
        try:
            async with asyncio.timeout_at(deadline_s):
                return await self._answers.get()
        except TimeoutError as exc:
            raise LoginError(
                f"Nobody logged in within {LOGIN_TIMEOUT_S / 60:g} minutes. Start the login again.",
                code="login_timed_out",
            ) from exc


class LoginService:
    """Logs accounts in for one server or command.

    Args:
        identity: the OAuth client.
        upstream: the HTTP client.
        store: where accounts are kept.
        projects: finds the account's project.
        new_secret: makes 43 to 128 characters that nobody can guess.
        new_id: makes hexadecimal characters for an account whose owner is not known.
        clock: Unix time in seconds.
    """

    def __init__(
        self,
        identity: ClientIdentity,
        upstream: Upstream,
        store: AccountStore,
        projects: ProjectFinder,
        *,
        new_secret: Callable[[], str],
        new_id: Callable[[], str],
        clock: Callable[[], float],
    ) -> None:
        self._identity = identity
        self._upstream = upstream
        self._store = store
        self._projects = projects
        self._new_secret = new_secret
        self._new_id = new_id
        self._clock = clock

    async def begin(self, port: int | None = None) -> Login:
        """A new login.

        Args:
            port: where the browser comes back to; None for the OAuth client's own.
        """
        return Login(self, await asyncio.to_thread(to_login_request, self._identity, port, self._new_secret))

    async def complete(self, request: LoginRequest, code: str) -> LoggedIn:
        """Exchange a code for tokens, and save the account.

        Raises:
            LoginError: Google does not accept the code, or gives no tokens that last.
            ProxyError: Google could not be asked, or the account cannot be saved.
        """
        tokens = await self._exchange(request, code)
        owner = await self._owner(tokens.access)
        account = Account(
            id=account_id(google_id=owner.get("id"), email=owner.get("email")) if owner else self._anonymous_id(),
            tokens=tokens,
            email=owner.get("email"),
            created_ms=(now_ms := int(self._clock() * 1000)),
            signed_in_ms=now_ms,
        )

        def change(pool: Pool) -> Pool:
            renewed = pool.with_account(account)
            return renewed.chosen(renewed.active_id or account.id, now_ms)

        pool = await asyncio.to_thread(self._store.update, change)
        return await self._described(pool.active or account)

    async def _exchange(self, request: LoginRequest, code: str) -> Tokens:
        form = exchange_form(self._identity, request, code)
        status, body = await self._upstream.post_form(self._identity.token_uri, form)
        try:
            grant = read_grant(status, body, int(self._clock() * 1000), secrets=form.values())
        except OtherClientError:
            raise
        except LoginRequiredError as exc:
            raise LoginError(
                "Google does not accept the login code: it is too old, was used before, or is from another login. "
                "Start the login again.",
                code=CODE_REFUSED,
            ) from exc
        if grant.refresh is None:
            raise LoginError(
                "Google gave no refresh token, so the login would end within an hour. Take the access of Antigravity "
                "back at https://myaccount.google.com/connections, and start the login again.",
                code="login_incomplete",
            )
        return Tokens(grant.access, grant.refresh, grant.expires_ms)

    async def _owner(self, token: str) -> dict[str, str]:
        """Whose account it is: ``id`` and ``email``, as far as Google says."""
        try:
            document = as_object(await self._upstream.get_json(self._identity.userinfo_uri, Caller(token)))
        except ProxyError as exc:
            log.warning("Google did not say whose account this is: %s", exc)
            return {}
        return {name: value for name in ("id", "email") if is_line(value := document.get(name))}

    def _anonymous_id(self) -> str:
        return f"anonymous:{self._new_id()[:ANONYMOUS_LENGTH]}"

    async def _described(self, account: Account) -> LoggedIn:
        """The account with what else is worth telling; failures here do not undo the login."""
        try:
            project = await self._projects.project_of(account)
            loaded: Any = await self._upstream.call_any(
                "loadCodeAssist", account.caller, {"metadata": {"ideType": "ANTIGRAVITY"}}
            )
        except ProxyError as exc:
            return LoggedIn(account, warning=str(exc))
        warning = None if project.failure is None else str(project.failure)
        return LoggedIn(account, find_plan(loaded), project, warning)
