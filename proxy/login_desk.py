"""Logins that a page begins and asks about: one at a time.

Source:
    SPEC.md, "Login".
"""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..errors import LoginError, ProxyError

if TYPE_CHECKING:
    from collections.abc import Callable

    from .login import Login, LoginService

log = logging.getLogger(__name__)

CANCELLED = {"status": "cancelled"}
BROKEN = {"status": "failed", "message": "Something went wrong that nobody thought of. The log says what; try again."}


@dataclass(slots=True)
class _Case:
    id: str
    login: Login
    work: asyncio.Task[None] | None = None
    outcome: dict[str, Any] | None = None

    def document(self) -> dict[str, Any]:
        return {
            "login_id": self.id,
            "auth_url": self.login.request.url,
            "redirect_uri": self.login.request.redirect_uri,
            "is_listening": self.login.is_listening,
            **(self.outcome or {"status": "pending", "message": self.login.complaint}),
        }


class LoginDesk:
    """Keeps the newest login of one server, and how it ended.

    Args:
        service: logs accounts in.
        new_id: makes an id that no other login has.

    Attributes:
        service: for logins that nobody asks about.
    """

    def __init__(self, service: LoginService, new_id: Callable[[], str]) -> None:
        self.service = service
        self._new_id = new_id
        self._case: _Case | None = None
        self._beginning = asyncio.Lock()

    async def begin(self) -> dict[str, Any]:
        """Begin a login, or come back to the one that is under way, as after a page was reloaded.

        Returns:
            ``{"login_id", "auth_url", "redirect_uri", "is_listening", "status"}``
        """
        async with self._beginning:
            if self._case is not None and self._case.outcome is None:
                if self._case.login.is_listening:
                    return self._case.document()
                await self.cancel(self._case.id)  # its port may be free by now
            case = _Case(self._new_id(), await self.service.begin())
            await case.login.__aenter__()
            case.work = asyncio.create_task(self._finish(case))
            self._case = case
        return case.document()

    def look_at(self, login_id: str) -> dict[str, Any]:
        """How a login stands.

        ``status`` is pending (``message`` tells of a code that was of no use), succeeded with ``account``, ``plan``
        and ``message`` (what could not be found out), failed with ``message`` and ``code``, or cancelled.

        Raises:
            LoginError: there is no such login.
        """
        return self._known(login_id).document()

    def paste(self, login_id: str, text: str) -> dict[str, Any]:
        """Take a pasted address.

        Raises:
            LoginError: it is of no use, or the login is over.
        """
        case = self._known(login_id)
        if case.outcome is not None:
            raise LoginError("This login is over. Begin another one.", code="login_not_pending")
        case.login.paste(text)
        return case.document()

    async def cancel(self, login_id: str) -> dict[str, Any]:
        """End a login that is under way.

        Raises:
            LoginError: there is no such login.
        """
        case = self._known(login_id)
        if case.work is not None and case.outcome is None:
            case.work.cancel()
            await asyncio.wait((case.work,))
            if case.outcome is None:  # it had not even begun to wait, so nothing of it has run
                case.outcome = CANCELLED
                await case.login.__aexit__()
        return case.document()

    async def close(self) -> None:
        """End what is under way."""
        if self._case is not None:
            await self.cancel(self._case.id)

    def _known(self, login_id: str) -> _Case:
        if self._case is None or self._case.id != login_id:
            raise LoginError("There is no such login any more. Begin another one.", code="login_not_found")
        return self._case

    async def _finish(self, case: _Case) -> None:
        try:
            done = await case.login.finish()
            case.outcome = {
                "status": "succeeded",
                "account": done.account.label,
                "plan": done.plan,
                "message": done.warning,
            }
        except ProxyError as error:
            case.outcome = {"status": "failed", "message": str(error), "code": error.code}
        except asyncio.CancelledError:
            case.outcome = CANCELLED
            raise
        except Exception:
            case.outcome = BROKEN
            log.exception("the login failed")
        finally:
            await case.login.__aexit__()
