"""Tests of tokens that the store does not take, and that are kept in memory until it does."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest
from cryptography.fernet import Fernet
from filelock import FileLock

from antigravity_proxy.accounts.account import Tokens
from antigravity_proxy.accounts.store import AccountStore
from antigravity_proxy.errors import (
    AccountError,
)
from antigravity_proxy.oauth.refresh import REFRESH_AGAIN_MS, STORE_AGAIN_MS, TokenRefresher

from .token_service import FRESH_MS, IDENTITY, NOW_MS, Google, added, damage, make_account, until


async def test_unwritable_store_costs_no_token(
    store: AccountStore,
    google: Google,
    refresher: TokenRefresher,
    clock: list[int],
    caplog: pytest.LogCaptureFixture,
) -> None:
    """A token that cannot be stored is used from memory, and the user is told once."""
    account = added(store, make_account("a"))
    damage(store)
    google.rotate("new", "rotated")
    first = await refresher.fresh(account)
    assert first.tokens == Tokens("new", "rotated", FRESH_MS)
    assert await refresher.fresh(account) == first
    assert google.asked == ["a-refresh"]
    clock[0] += REFRESH_AGAIN_MS
    google.reply = {"access_token": "newer", "expires_in": 3600}
    assert (await refresher.forced(first)).tokens == Tokens("newer", "rotated", FRESH_MS + REFRESH_AGAIN_MS)
    assert google.asked == ["a-refresh", "rotated"]
    assert caplog.text.count("is only kept in memory: ") == 1


async def test_token_in_memory_is_stored_later(
    store: AccountStore, google: Google, refresher: TokenRefresher, clock: list[int]
) -> None:
    """When the store can be written again, the next refresh brings what was missed."""
    account = added(store, make_account("a"))
    repair = damage(store)
    google.rotate("new", "rotated")
    first = await refresher.fresh(account)
    repair()
    clock[0] += REFRESH_AGAIN_MS
    google.reply = {"access_token": "newer", "expires_in": 3600}
    renewed = await refresher.forced(first)
    assert store.read().get("a") == renewed
    assert renewed.tokens == Tokens("newer", "rotated", FRESH_MS + REFRESH_AGAIN_MS)


async def test_token_of_an_account_that_cannot_be_read_is_kept(
    store: AccountStore, google: Google, refresher: TokenRefresher
) -> None:
    """A token that was rotated while the key was another one is used from memory, and stored once the key is back."""
    account = added(store, make_account("a"))
    key = store.path.with_name("accounts.key")
    right = key.read_bytes()
    google.rotate("new", "rotated")
    google.before_answer = lambda: key.write_bytes(Fernet.generate_key())
    first = await refresher.fresh(account)
    assert first.tokens == Tokens("new", "rotated", FRESH_MS)
    store.path.touch()
    with pytest.raises(AccountError, match="cannot be used"):
        await refresher.forced(first)
    await refresher.close()
    key.write_bytes(right)
    store.path.touch()
    await refresher.close()
    assert AccountStore(store.path).read().get("a") == first


async def test_offer_and_refresh_at_once_lose_nothing(
    store: AccountStore, google: Google, refresher: TokenRefresher, clock: list[int]
) -> None:
    """A token that is offered to the store while a refresh brings the next one makes way for it."""
    account = added(store, make_account("a"))
    repair = damage(store)
    google.rotate("new", "rotated")
    first = await refresher.fresh(account)
    repair()
    clock[0] += STORE_AGAIN_MS
    google.rotate("newer", "rotated-again")
    await asyncio.gather(refresher.fresh(account), refresher.forced(first))
    await refresher.close()
    assert AccountStore(store.path).read().accounts[0].tokens.refresh == "rotated-again"


async def test_new_login_beats_token_in_memory(
    store: AccountStore, google: Google, refresher: TokenRefresher
) -> None:
    """A token that was only kept in memory is forgotten when the account has logged in anew."""
    account = added(store, make_account("a"))
    repair = damage(store)
    await refresher.fresh(account)
    repair()
    login = replace(account, tokens=Tokens("login", "login-refresh", FRESH_MS))
    added(store, login)
    assert await refresher.fresh(login) == login
    assert await refresher.forced(account) == login
    assert google.asked == ["a-refresh"]


async def test_token_in_memory_is_not_given_twice_when_it_is_refused(
    store: AccountStore, google: Google, refresher: TokenRefresher, clock: list[int]
) -> None:
    """A token that was only kept in memory is asked for anew when Google refuses it, also when the file is back."""
    account = added(store, make_account("a", expires_ms=FRESH_MS))
    repair = damage(store)
    first = await refresher.forced(account)
    repair()
    started = await refresher.fresh(account)
    assert started == first
    clock[0] += REFRESH_AGAIN_MS
    assert (await refresher.forced(started)).tokens.access == "fresh-2"
    assert store.read().get("a") == replace(
        account, tokens=Tokens("fresh-2", "a-refresh", FRESH_MS + REFRESH_AGAIN_MS)
    )


async def test_token_in_memory_is_offered_to_the_store_again(
    store: AccountStore, google: Google, refresher: TokenRefresher, clock: list[int]
) -> None:
    """After a while, and at the end, the store gets what it could not take before."""
    account = added(store, make_account("a"))
    repair = damage(store)
    google.rotate("new", "rotated")
    first = await refresher.fresh(account)
    clock[0] += STORE_AGAIN_MS
    assert await refresher.fresh(account) == first
    repair()
    assert await refresher.fresh(account) == first
    assert store.read().get("a") == account
    clock[0] += STORE_AGAIN_MS
    assert await refresher.fresh(account) == first
    await until(lambda: store.read().get("a") == first)
    assert google.asked == ["a-refresh"]


async def test_caller_with_an_older_token_takes_nothing_away(
    store: AccountStore, google: Google, refresher: TokenRefresher, clock: list[int]
) -> None:
    """A request that began with an older token does not make a newer one in memory be forgotten."""
    account = added(store, make_account("a"))
    damage(store)
    google.rotate("one", "first")
    first = await refresher.fresh(account)
    clock[0] += REFRESH_AGAIN_MS
    google.rotate("two", "second")
    second = await refresher.forced(first)
    assert await refresher.fresh(first) == first
    assert await refresher.fresh(account) == second
    assert await refresher.forced(first) == second
    assert google.asked == ["a-refresh", "first"]


async def test_offer_does_not_overtake_a_refresh(
    store: AccountStore, google: Google, refresher: TokenRefresher, clock: list[int]
) -> None:
    """While the store is offered an older token, a refresh brings a newer one; that is the one which stays."""
    account = added(store, make_account("a"))
    repair = damage(store)
    google.rotate("one", "first")
    first = await refresher.fresh(account)
    repair()
    clock[0] += STORE_AGAIN_MS
    google.rotate("two", "second")
    with FileLock(store.path.with_name("accounts.json.lock")):
        assert await refresher.fresh(account) == first
        renewing = asyncio.create_task(refresher.forced(first))
        await until(lambda: len(google.asked) == 2)
    renewed = await renewing
    assert store.read().get("a") == renewed
    assert renewed.tokens.refresh == "second"
    assert google.asked == ["a-refresh", "first"]


async def test_store_that_is_held_does_not_delay_requests_or_the_end(store: AccountStore, google: Google) -> None:
    """Tokens in memory serve at once, and a server stops soon, though another process holds the store."""
    now = [NOW_MS]
    store = AccountStore(store.path, lock_timeout_s=0.05)
    refresher = TokenRefresher(store, IDENTITY, google.post_form, lambda: now[0])
    account = added(store, make_account("a"))
    with FileLock(store.path.with_name("accounts.json.lock")):
        first = await refresher.fresh(account)
        now[0] += STORE_AGAIN_MS
        async with asyncio.timeout(2):
            assert await refresher.fresh(account) == first
            await refresher.close(0)
    assert store.read().get("a") == account


@pytest.mark.parametrize("is_sound", [False, True], ids=["still-damaged", "repaired"])
async def test_token_in_memory_is_stored_at_the_end(
    store: AccountStore, google: Google, refresher: TokenRefresher, *, is_sound: bool
) -> None:
    """A server that stops stores what it could not store before, if that can be done now."""
    account = added(store, make_account("a"))
    repair = damage(store)
    first = await refresher.fresh(account)
    if is_sound:
        repair()
    await refresher.close()
    assert (store.read().get("a") == first) is is_sound


async def test_end_does_not_wait_for_a_process_that_holds_the_store(store: AccountStore, google: Google) -> None:
    """A refresh that waits for another process which holds the store ends with the server, and so does its thread."""
    store = AccountStore(store.path, lock_timeout_s=3_600)
    refresher = TokenRefresher(store, IDENTITY, google.post_form, lambda: NOW_MS)
    account = added(store, make_account("a"))
    with FileLock(store.path.with_name("accounts.json.lock")):
        asking = asyncio.create_task(refresher.fresh(account))
        await until(refresher._storing.locked)
        async with asyncio.timeout(10):
            await refresher.close(0.2)
            assert (await asking).tokens.access == "fresh-1"
            await asyncio.get_running_loop().shutdown_default_executor()


async def test_rotated_token_is_stored_when_the_store_is_free_before_the_end(
    store: AccountStore, google: Google
) -> None:
    """A rotated token that waits for another process is stored when that one is done in the time there is."""
    store = AccountStore(store.path, lock_timeout_s=3_600)
    refresher = TokenRefresher(store, IDENTITY, google.post_form, lambda: NOW_MS)
    account = added(store, make_account("a"))
    google.rotate("new", "rotated")
    with FileLock(store.path.with_name("accounts.json.lock")):
        asking = asyncio.create_task(refresher.fresh(account))
        await until(refresher._storing.locked)
        closing = asyncio.create_task(refresher.close(60))
        await asking
        assert not closing.done()
    await closing
    assert store.read().accounts[0].tokens == Tokens("new", "rotated", FRESH_MS)
