"""A made-up token service, and accounts whose tokens it renews."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from antigravity_proxy.accounts.account import Account, Tokens
from antigravity_proxy.oauth.client import ClientIdentity

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from antigravity_proxy.accounts.store import AccountStore

NOW_MS = 1_000_000
FRESH_MS = NOW_MS + (3600 - 300) * 1000
IDENTITY = ClientIdentity("id", "secret", token_uri="https://oauth2.googleapis.com/token")
REVOKED = {"error": "invalid_grant", "error_description": "Token has been expired or revoked."}


def make_account(name: str, expires_ms: int = NOW_MS) -> Account:
    """An account with an expired token, or one that expires when told."""
    return Account(
        id=name,
        tokens=Tokens(access=f"{name}-old", refresh=f"{name}-refresh", expires_ms=expires_ms),
        email=f"{name}@example.com",
    )


@dataclass
class Google:
    """A token service that answers every refresh with the next token, unless it is told otherwise."""

    asked: list[str] = field(default_factory=list)
    urls: set[str] = field(default_factory=set)
    proxies: list[str | None] = field(default_factory=list)
    go: asyncio.Event | None = None
    failure: Exception | None = None
    status: int = 200
    reply: Mapping[str, object] | None = None
    before_answer: Callable[[], object] | None = None

    def rotate(self, access: str, refresh: str) -> None:
        """Answer with these tokens from now on."""
        self.reply = {"access_token": access, "refresh_token": refresh, "expires_in": 3600}

    async def post_form(self, url: str, form: Mapping[str, str], *, proxy: str | None = None) -> tuple[int, bytes]:
        """Answer one token request."""
        self.asked.append(form["refresh_token"])
        self.urls.add(url)
        self.proxies.append(proxy)
        number = len(self.asked)
        await (self.go.wait() if self.go else asyncio.sleep(0))
        if self.before_answer:
            await asyncio.to_thread(self.before_answer)
        if self.failure:
            raise self.failure
        reply = self.reply or {"access_token": f"fresh-{number}", "expires_in": 3600}
        return self.status, json.dumps(reply).encode()


def added(store: AccountStore, account: Account) -> Account:
    """Add the account to the store and return it."""
    store.update(lambda pool: pool.with_account(account))
    return account


def damage(store: AccountStore) -> Callable[[], object]:
    """Make the account file unusable after it was read; what comes back repairs it."""
    sound = store.path.read_bytes()
    store.read()
    store.path.write_text("{", encoding="utf-8")
    return lambda: store.path.write_bytes(sound)


async def until(condition: Callable[[], bool]) -> None:
    """Wait until something in another task or thread has happened."""
    for _ in range(5_000):
        if condition():
            return
        await asyncio.sleep(0.001)
    raise TimeoutError
