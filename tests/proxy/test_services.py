"""Tests of the parts of a server and how they are wired."""

from __future__ import annotations

import asyncio
import json
import threading
from contextlib import AsyncExitStack
from typing import TYPE_CHECKING

import pytest
from filelock import FileLock

from antigravity_proxy.accounts.account import Account, Caller, Tokens
from antigravity_proxy.accounts.keyring_entry import KeyPlace
from antigravity_proxy.catalog.routing import route_to
from antigravity_proxy.errors import SettingsError, UpstreamUnreachableError
from antigravity_proxy.oauth import refresh as refresh_module
from antigravity_proxy.oauth.builtin_client import builtin_client
from antigravity_proxy.proxy import app as app_module
from antigravity_proxy.proxy import services as services_module
from antigravity_proxy.proxy.probe import Probe
from antigravity_proxy.proxy.services import identity_of, open_services, open_store
from antigravity_proxy.proxy.settings import Settings

from ..accounts.memory_keyring import memory_keyring
from .conftest import eventually
from .raw_server import raw_server, reply

if TYPE_CHECKING:
    from pathlib import Path

    from .conftest import OpenLab

CLIENT = {"installed": {"client_id": "file-id", "client_secret": "file-secret", "token_uri": "http://127.0.0.1:1/t"}}


def test_store_lies_in_the_home_folder(tmp_path: Path) -> None:
    """Accounts are kept in ``accounts.json`` of the home folder; looking creates nothing."""
    store = open_store(tmp_path / "home")
    assert store.path == tmp_path / "home" / "accounts.json"
    assert store.read().accounts == ()
    assert list(tmp_path.iterdir()) == []


def test_identity_is_built_in_by_default(tmp_path: Path) -> None:
    """Without a setting the built-in client is used with Google's own addresses."""
    identity = identity_of(Settings(home=tmp_path))
    assert (identity.client_id, identity.client_secret) == builtin_client()
    assert identity.token_uri == "https://oauth2.googleapis.com/token"


def test_identity_comes_from_the_file_and_overrides(tmp_path: Path) -> None:
    """The client file gives all of it; id and secret can be set by themselves."""
    file = tmp_path / "client.json"
    file.write_text(json.dumps(CLIENT))
    identity = identity_of(Settings(home=tmp_path, oauth_client_file=file))
    assert (identity.client_id, identity.client_secret, identity.token_uri) == (
        "file-id",
        "file-secret",
        "http://127.0.0.1:1/t",
    )
    settings = Settings(home=tmp_path, oauth_client_file=file, oauth_client_secret="set-secret")  # type: ignore[arg-type]
    assert identity_of(settings).client_secret == "set-secret"
    assert identity_of(settings).client_id == "file-id"


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (None, "cannot be read: No such file or directory"),
        (b"\xff\xfe secret-canary", "cannot be read: it is not UTF-8"),
        (b"{ secret-canary", "is not JSON"),
        (b'{"installed": {"client_id": "a", "token_uri": "https://evil.example/secret-canary"}}', "evil.example"),
    ],
    ids=["missing", "bytes", "text", "elsewhere"],
)
async def test_unusable_client_file_is_explained(tmp_path: Path, content: bytes | None, words: str) -> None:
    """A client file that cannot be used stops the start with a sentence that shows nothing of it."""
    file = tmp_path / "client.json"
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(SettingsError, match=words) as caught:
        async with open_services(Settings(home=tmp_path, oauth_client_file=file)):
            """Never reached."""
    assert "secret-canary" not in str(caught.value)


async def test_refresh_outlives_its_client_and_the_stop(open_lab: OpenLab) -> None:
    """A refresh token that Google rotated is kept, though the client left and the server was stopped meanwhile."""
    async with open_lab() as lab:
        before = lab.save("bob@example.com", expired=True, rotate_refresh_token=True).tokens.refresh
        lab.plan("stall", method="token", seconds=0.2, after=0)
        asking = asyncio.create_task(lab.chat())
        await eventually(lambda: bool(lab.simulator.requests()))
        asking.cancel()
        store = lab.services.store
    (kept,) = (account for account in store.read().accounts if account.email == "bob@example.com")
    assert kept.tokens.refresh != before


@pytest.mark.parametrize("is_held", [False, True], ids=["silent-google", "held-file"])
async def test_one_time_holds_for_the_end_of_all_work(
    open_lab: OpenLab, monkeypatch: pytest.MonkeyPatch, *, is_held: bool
) -> None:
    """Whatever refreshes, work beside and changes of the file wait for, one limit ends them all."""
    monkeypatch.setattr(app_module, "GRACE_S", 0)
    monkeypatch.setattr(services_module, "BACKGROUND_GRACE_S", 0.02)
    monkeypatch.setattr(services_module, "CLOSE_S", 0.04)
    monkeypatch.setattr(refresh_module, "CLOSE_TIMEOUT_S", 3_600)
    async with AsyncExitStack() as held, asyncio.timeout(20):
        async with open_lab() as lab:
            account = lab.save("bob@example.com", expired=True)
            if is_held:
                lab.services.store._lock_timeout_s = 3_600
                held.enter_context(FileLock(f"{lab.services.store.path}.lock"))
            else:
                lab.plan("silence", method="token")
            lab.services.live_models.keep_fresh(account)
            asking = asyncio.create_task(lab.chat())
            await eventually(lambda: bool(lab.requests("token")))
            asking.cancel()
        await asyncio.get_running_loop().shutdown_default_executor()


async def test_keyring_is_asked_beside_the_event_loop(tmp_path: Path) -> None:
    """A keyring that asks its user for a password when a server starts holds up nothing else."""
    with memory_keyring() as keyring:
        store = open_store(tmp_path)
        store.move_key(KeyPlace.KEYRING)
        store.update(lambda pool: pool.with_account(Account("google:1", Tokens("a", "r", 1))))
        keyring.threads.clear()
        async with open_services(Settings(home=tmp_path)) as services:
            assert [account.tokens.refresh for account in services.store.read().accounts] == ["r"]
        assert keyring.threads
        assert threading.main_thread() not in keyring.threads


async def test_ids_are_random_and_short(tmp_path: Path) -> None:
    """Ids are hexadecimal, of a length that leaves room for a prefix, and never the same."""
    async with open_services(Settings(home=tmp_path)) as services:
        ids = {services.new_id() for _ in range(1000)}
        assert len(ids) == 1000
        assert all(len(found) == 24 and int(found, 16) >= 0 for found in ids)
        assert services.clock() > 1_700_000_000


async def test_client_is_closed_with_the_services(tmp_path: Path) -> None:
    """When a server ends its connections to Google are closed."""
    async with (
        raw_server([reply(b"{}")], is_kept_open=True) as server,
        open_services(Settings(home=tmp_path)) as services,
    ):
        http = services.upstream._http
        assert await services.upstream.call(server.url, "loadCodeAssist", Caller("token"), {}) == {}
        assert http.connections == (1, 1)
    assert http.connections == (0, 0)


@pytest.mark.parametrize(
    ("expires_ms", "hosts"),
    [
        (0, ["oauth2"]),
        (
            9_000_000_000_000,
            ["cloudcode-pa", "daily-cloudcode-pa", "daily-cloudcode-pa.sandbox", "daily-cloudcode-pa"],
        ),
    ],
    ids=["refresh", "search-and-generation"],
)
async def test_all_calls_of_an_account_go_through_its_own_proxy(
    tmp_path: Path, expires_ms: int, hosts: list[str]
) -> None:
    """Token refresh, project search and generation of an account with a proxy of its own are all asked for there."""
    async with raw_server([reply(b"", status=403)]) as proxy:
        account = Account("google:1", Tokens("access-canary", "refresh-canary", expires_ms), proxy=proxy.url)
        open_store(tmp_path).update(lambda pool: pool.with_account(account))
        async with open_services(Settings(home=tmp_path), pause=lambda _: asyncio.sleep(0)) as services:
            prompt, route = Probe(now_s=0), route_to("gemini-3.8-flash", None)
            with pytest.raises(UpstreamUnreachableError, match="the account's own proxy"):
                async with (
                    services.generator.new_budget() as budget,
                    services.generator.open(prompt, route, budget, whole=True),
                ):
                    pass
    asked = [request.split()[1].decode() for request in proxy.requests]
    assert asked[: len(hosts)] == [f"{host}.googleapis.com:443" for host in hosts]
    assert not any(b"canary" in request for request in proxy.requests)
