"""What the routes work with, wired once per server."""

from __future__ import annotations

import asyncio
import secrets
import time
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from aiohttp import web

from ..accounts.exclusion import Standing
from ..accounts.store import AccountStore
from ..errors import SettingsError
from ..oauth.client import resolve_identity
from ..oauth.refresh import TokenRefresher
from .background import Background
from .exclusion_table import ExclusionTable, load_standing
from .generation import Generator
from .large_work import LargeWork
from .live_models import LiveModels
from .login import LoginService
from .login_desk import LoginDesk
from .metrics import Metrics
from .project import ProjectFinder
from .quota import QuotaBook
from .remote_media import RemoteMedia, open_remote_media
from .rotation import Rotations
from .signature_memory import SignatureMemory
from .standings import Standings
from .state import STATE_FILE, StateFile
from .upstream import Upstream, open_upstream

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Awaitable, Callable
    from pathlib import Path

    from ..oauth.client import ClientIdentity
    from .settings import Settings

ACCOUNTS_FILE = "accounts.json"
ID_BYTES = 12
SECRET_BYTES = 32
"""Of each secret of a login; as text they are 43 characters."""

CLOSE_S = 2.0
"""How long a server that has ended its answers waits for refreshes, and for the account file."""

BACKGROUND_GRACE_S = 1.0
"""How much of that it waits for what goes on beside its requests."""


def _new_id() -> str:
    return secrets.token_hex(ID_BYTES)


@dataclass(frozen=True, slots=True)
class Services:
    """One server's parts.

    Attributes:
        settings: what was set.
        store: the accounts.
        live_models: the models.
        upstream: the HTTP client.
        rotations: choose who serves.
        tokens: keeps access tokens fresh.
        projects: finds an account's project.
        quota: knows how much accounts have left.
        generator: makes answers.
        remote_media: fetches what requests name by address; None where that is not allowed.
        desk: logs accounts in.
        background: what goes on beside the requests.
        signatures: remembers the thought signatures of answers.
        large_work: done beside the event loop.
        metrics: counts.
        clock: Unix time in seconds.
        new_id: random part of ids, hexadecimal.
    """

    settings: Settings
    store: AccountStore
    live_models: LiveModels
    upstream: Upstream
    rotations: Rotations
    tokens: TokenRefresher
    projects: ProjectFinder
    quota: QuotaBook
    generator: Generator
    remote_media: RemoteMedia | None
    desk: LoginDesk
    background: Background
    signatures: SignatureMemory
    large_work: LargeWork
    metrics: Metrics
    clock: Callable[[], float]
    new_id: Callable[[], str] = _new_id


SERVICES = web.AppKey("services", Services)


def _new_request_id() -> str:
    return f"agent-{secrets.token_hex(16)}"


def open_store(home: Path) -> AccountStore:
    """The accounts kept in a folder."""
    return AccountStore(home / ACCOUNTS_FILE)


def identity_of(settings: Settings) -> ClientIdentity:
    """The OAuth client the settings name.

    Raises:
        SettingsError: its file cannot be read, or sends tokens elsewhere; says nothing of what is in it.
    """
    secret, file = settings.oauth_client_secret, settings.oauth_client_file
    text: str | None = None
    if file is not None:
        try:
            text = file.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as exc:
            reason = exc.strerror if isinstance(exc, OSError) else "it is not UTF-8"
            raise SettingsError(
                f"The OAuth client file {file} cannot be read: {reason}. Correct the file, or the setting that names "
                "it: ANTIGRAVITY_PROXY_OAUTH_CLIENT_FILE."
            ) from exc
    return resolve_identity(
        client_id=settings.oauth_client_id,
        client_secret=None if secret is None else secret.get_secret_value(),
        client_file=text,
    )


@asynccontextmanager
async def open_services(
    settings: Settings,
    *,
    pause: Callable[[float], Awaitable[None]] = asyncio.sleep,
    clock: Callable[[], float] = time.time,
) -> AsyncGenerator[Services]:
    """All parts of a server, closed with it; what ``build_app`` is given.

    Raises:
        SettingsError: the OAuth client is unusable.
    """
    identity = await asyncio.to_thread(identity_of, settings)
    store = open_store(settings.home)
    await asyncio.to_thread(store.read)  # a keyring may have to ask its user
    async with AsyncExitStack() as closing:
        outside = await _open_outside(settings, clock, closing)
        upstream, state = outside.upstream, outside.state
        keepers = _open_keepers(settings, store, identity, upstream, pause, clock)
        closing.push_async_callback(keepers.close)
        rotations = await _open_rotations(settings, store, state, keepers.quota, clock)
        generator = Generator(
            settings,
            upstream,
            rotations,
            keepers.tokens,
            keepers.projects,
            keepers.background,
            keepers.live_models,
            _new_request_id,
            pause,
        )
        large_work = LargeWork()
        closing.callback(large_work.close)
        desk = LoginDesk(_open_logins(identity, upstream, store, keepers.projects, clock), _new_id)
        closing.push_async_callback(desk.close)
        yield Services(
            settings=settings,
            store=store,
            live_models=keepers.live_models,
            upstream=upstream,
            rotations=rotations,
            tokens=keepers.tokens,
            projects=keepers.projects,
            quota=keepers.quota,
            generator=generator,
            remote_media=outside.remote_media,
            desk=desk,
            background=keepers.background,
            signatures=SignatureMemory(state, clock=clock),
            large_work=large_work,
            metrics=Metrics(),
            clock=clock,
        )


class _Outside(NamedTuple):
    """What reaches beyond the process."""

    upstream: Upstream
    remote_media: RemoteMedia | None
    state: StateFile


async def _open_outside(settings: Settings, clock: Callable[[], float], closing: AsyncExitStack) -> _Outside:
    upstream = await closing.enter_async_context(
        open_upstream(user_agent=settings.user_agent, base_url=settings.base_url, clock=clock)
    )
    remote_media = await closing.enter_async_context(open_remote_media(is_enabled=settings.fetch_media))
    state = StateFile(settings.home / STATE_FILE, clock=clock)
    closing.push_async_callback(state.close)
    return _Outside(upstream, remote_media, state)


class _Keepers(NamedTuple):
    """What keeps up with each account at Google's, and where that is done beside the requests."""

    tokens: TokenRefresher
    projects: ProjectFinder
    background: Background
    quota: QuotaBook
    live_models: LiveModels

    async def close(self) -> None:
        """End what they do beside the answers, within one time for all; refreshes have it all, as they run on."""
        loop = asyncio.get_running_loop()
        until_s = loop.time() + CLOSE_S
        await self.background.close(BACKGROUND_GRACE_S)
        await self.quota.close()
        await self.tokens.close(until_s - loop.time())


def _open_keepers(
    settings: Settings,
    store: AccountStore,
    identity: ClientIdentity,
    upstream: Upstream,
    pause: Callable[[float], Awaitable[None]],
    clock: Callable[[], float],
) -> _Keepers:
    tokens = TokenRefresher(store, identity, upstream.post_form, now_ms=lambda: int(clock() * 1000))
    projects = ProjectFinder(upstream, store, fallback=settings.project_id, pause=pause)
    background = Background()
    quota = QuotaBook(upstream, tokens, projects, background, clock=clock)
    live_models = LiveModels(upstream, store, tokens, projects, background, clock)
    return _Keepers(tokens, projects, background, quota, live_models)


async def _open_standings(state: StateFile, clock: Callable[[], float], chosen_ms: int | None) -> Standings:
    standing = await load_standing(state) or Standing()
    return Standings(standing, ExclusionTable(state, standing).keep, clock=clock, chosen_ms=chosen_ms)


def _open_logins(
    identity: ClientIdentity,
    upstream: Upstream,
    store: AccountStore,
    projects: ProjectFinder,
    clock: Callable[[], float],
) -> LoginService:
    return LoginService(
        identity,
        upstream,
        store,
        projects,
        new_secret=lambda: secrets.token_urlsafe(SECRET_BYTES),
        new_id=lambda: secrets.token_hex(SECRET_BYTES),
        clock=clock,
    )


async def _open_rotations(
    settings: Settings, store: AccountStore, state: StateFile, quota: QuotaBook, clock: Callable[[], float]
) -> Rotations:
    standings = await _open_standings(state, clock, store.read().chosen_ms)

    async def reload() -> bool:
        await state.flush()
        standing = await load_standing(state)
        return standing is not None and standings.adopt(standing)

    return Rotations(store, standings, quota.left, clock, quota.doubt, reload, settings.strategy)
