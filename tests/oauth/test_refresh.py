"""Tests of access tokens that are kept usable."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest
from filelock import FileLock

from antigravity_proxy.accounts.account import Tokens
from antigravity_proxy.accounts.pool import Pool
from antigravity_proxy.accounts.store import AccountStore
from antigravity_proxy.errors import (
    LoginRequiredError,
    NoAccountError,
    UpstreamError,
    UpstreamTimeoutError,
    UpstreamUnreachableError,
)
from antigravity_proxy.oauth.refresh import REFRESH_AGAIN_MS, TokenRefresher

from .token_service import FRESH_MS, IDENTITY, NOW_MS, REVOKED, Google, added, make_account, until


async def test_refresh_takes_the_way_of_its_account(
    store: AccountStore, google: Google, refresher: TokenRefresher
) -> None:
    """The token is asked for through the account's own proxy, which the new tokens leave as it is."""
    for name, proxy in (("a", "http://own:1"), ("b", None)):
        account = added(store, replace(make_account(name), proxy=proxy))
        assert (await refresher.fresh(account)).proxy == proxy
    assert google.proxies == ["http://own:1", None]


async def test_fresh_returns_account_as_it_is_when_token_is_good(
    store: AccountStore, google: Google, refresher: TokenRefresher
) -> None:
    """A token with more than the margin left is used without asking anybody."""
    account = make_account("a", expires_ms=NOW_MS + 90_001)
    assert await refresher.fresh(account) is account
    assert google.asked == []
    assert not store.path.exists()


async def test_fresh_refreshes_inside_margin(store: AccountStore, google: Google, refresher: TokenRefresher) -> None:
    """A token inside the margin is replaced, in the answer and in the store, and the rest is kept."""
    account = added(store, make_account("a", expires_ms=NOW_MS + 60_000))
    renewed = await refresher.fresh(account)
    assert renewed == replace(account, tokens=Tokens("fresh-1", "a-refresh", FRESH_MS))
    assert store.read().get("a") == renewed
    assert google.asked == ["a-refresh"]
    assert google.urls == {IDENTITY.token_uri}


async def test_fresh_stores_rotated_refresh_token(
    store: AccountStore, google: Google, refresher: TokenRefresher
) -> None:
    """A new refresh token replaces the old one."""
    account = added(store, make_account("a"))
    google.rotate("new", "rotated")
    renewed = await refresher.fresh(account)
    assert renewed.tokens == Tokens("new", "rotated", FRESH_MS)
    assert store.read().get("a") == renewed


async def test_concurrent_callers_share_one_refresh(
    store: AccountStore, google: Google, refresher: TokenRefresher
) -> None:
    """A hundred requests on three expired accounts cause three token requests."""
    accounts = [added(store, make_account(name)) for name in "abc"]
    renewed = await asyncio.gather(*(refresher.fresh(accounts[number % 3]) for number in range(100)))
    assert sorted(google.asked) == ["a-refresh", "b-refresh", "c-refresh"]
    assert {account.id: account.tokens.access for account in renewed}.keys() == {"a", "b", "c"}
    assert len({account.tokens.access for account in renewed}) == 3


async def test_late_caller_gets_stored_token(store: AccountStore, google: Google, refresher: TokenRefresher) -> None:
    """Whoever still has the old token after the refresh gets the stored one."""
    account = added(store, make_account("a"))
    renewed = await refresher.fresh(account)
    assert await refresher.fresh(account) == renewed
    assert await refresher.forced(account) == renewed
    assert len(google.asked) == 1


async def test_token_of_other_process_is_used(store: AccountStore, google: Google, refresher: TokenRefresher) -> None:
    """When another process has refreshed already, Google is not asked."""
    account = added(store, make_account("a"))
    tokens = Tokens("from-elsewhere", "a-refresh", FRESH_MS)
    AccountStore(store.path).update(lambda pool: pool.with_tokens("a", tokens, started_from="a-refresh"))
    assert (await refresher.fresh(account)).tokens == tokens
    assert google.asked == []


async def test_stale_token_of_other_process_is_refreshed(
    store: AccountStore, google: Google, refresher: TokenRefresher
) -> None:
    """A stored token that differs but has expired too is no help; its refresh token is used."""
    account = added(store, make_account("a"))
    store.update(lambda pool: pool.with_tokens("a", Tokens("other-old", "rotated", NOW_MS), started_from="a-refresh"))
    assert (await refresher.fresh(account)).tokens == Tokens("fresh-1", "rotated", FRESH_MS)
    assert google.asked == ["rotated"]


async def test_forced_refreshes_good_token(store: AccountStore, google: Google, refresher: TokenRefresher) -> None:
    """A token that Google has refused is replaced although it has not expired."""
    account = added(store, make_account("a", expires_ms=FRESH_MS))
    renewed = await refresher.forced(account)
    assert renewed.tokens.access == "fresh-1"
    assert len(google.asked) == 1


async def test_forced_callers_share_one_refresh(
    store: AccountStore, google: Google, refresher: TokenRefresher
) -> None:
    """A token that is refused to many requests at once is replaced once."""
    account = added(store, make_account("a", expires_ms=FRESH_MS))
    renewed = await asyncio.gather(*(refresher.forced(account) for _ in range(20)))
    assert {account.tokens.access for account in renewed} == {"fresh-1"}
    assert len(google.asked) == 1


async def test_forced_does_not_settle_for_refused_token(
    store: AccountStore, google: Google, refresher: TokenRefresher
) -> None:
    """A caller for whom the shared outcome is the very token that was refused gets another one."""
    older = make_account("a")
    account = added(store, replace(older, tokens=Tokens("refused", "a-refresh", FRESH_MS)))
    stored, renewed = await asyncio.gather(refresher.fresh(older), refresher.forced(account))
    assert stored.tokens.access == "refused"
    assert renewed.tokens.access == "fresh-1"
    assert len(google.asked) == 1


@pytest.mark.parametrize("lifetime_s", [3_600, 0], ids=["refused", "short-lived"])
async def test_new_token_is_not_replaced_at_once(
    store: AccountStore, google: Google, refresher: TokenRefresher, clock: list[int], lifetime_s: int
) -> None:
    """A token that is refused again, or runs out at once, is not replaced, and written, with each request."""
    account = added(store, make_account("a"))
    google.reply = {"access_token": "new", "expires_in": lifetime_s}
    first = await refresher.fresh(account)
    written = store.path.stat().st_mtime_ns
    clock[0] += REFRESH_AGAIN_MS - 1
    for _ in range(3):
        assert await refresher.fresh(first) == await refresher.forced(first) == first
    assert (len(google.asked), store.path.stat().st_mtime_ns) == (1, written)
    clock[0] += 1
    google.reply = None
    second = await refresher.forced(first)
    assert second.tokens.access == "fresh-2"
    clock[0] -= 3_600_000
    assert (await refresher.forced(second)).tokens.access == "fresh-3"


async def test_revoked_login_is_asked_about_once(
    store: AccountStore, google: Google, refresher: TokenRefresher
) -> None:
    """A refused refresh token gives everybody the same error, without another request, and the account stays."""
    account = added(store, make_account("a"))
    google.status, google.reply = 400, REVOKED
    outcomes = await asyncio.gather(*(refresher.fresh(account) for _ in range(50)), return_exceptions=True)
    outcomes += await asyncio.gather(*(refresher.forced(account) for _ in range(50)), return_exceptions=True)
    assert {type(outcome) for outcome in outcomes} == {LoginRequiredError}
    assert len({str(outcome) for outcome in outcomes}) == 1
    assert "Token has been expired or revoked." in str(outcomes[0])
    assert google.asked == ["a-refresh"]
    assert store.read().get("a") == account


async def test_new_login_ends_refusal(store: AccountStore, google: Google, refresher: TokenRefresher) -> None:
    """After a new login the account refreshes again."""
    account = added(store, make_account("a"))
    google.status, google.reply = 400, REVOKED
    with pytest.raises(LoginRequiredError):
        await refresher.fresh(account)
    again = added(store, replace(account, tokens=Tokens("login", "login-refresh", NOW_MS)))
    google.status, google.reply = 200, None
    assert (await refresher.fresh(again)).tokens == Tokens("fresh-2", "login-refresh", FRESH_MS)


async def test_new_login_during_refused_refresh_is_used(
    store: AccountStore, google: Google, refresher: TokenRefresher
) -> None:
    """When the account logs in anew while its old refresh token is refused, the new login serves."""
    account = added(store, make_account("a"))
    login = Tokens("login", "login-refresh", FRESH_MS)
    google.before_answer = lambda: added(store, replace(account, tokens=login))
    google.status, google.reply = 400, REVOKED
    assert (await refresher.fresh(account)).tokens == login
    assert google.asked == ["a-refresh"]


@pytest.mark.parametrize(
    ("failure", "status", "error"),
    [
        pytest.param(UpstreamUnreachableError("down"), 200, UpstreamUnreachableError, id="unreachable"),
        pytest.param(UpstreamTimeoutError("slow"), 200, UpstreamTimeoutError, id="timeout"),
        pytest.param(None, 503, UpstreamError, id="server error"),
        pytest.param(None, 401, UpstreamError, id="client refused"),
    ],
)
async def test_other_failure_disables_nothing(
    store: AccountStore,
    google: Google,
    refresher: TokenRefresher,
    failure: Exception | None,
    status: int,
    error: type[Exception],
) -> None:
    """After any other failure the account is as before, and the next request tries again."""
    account = added(store, make_account("a"))
    google.failure, google.status = failure, status
    with pytest.raises(error):
        await refresher.fresh(account)
    assert store.read().get("a") == account
    google.failure, google.status = None, 200
    assert (await refresher.fresh(account)).tokens.access == "fresh-2"


async def test_removed_account_is_not_refreshed(
    store: AccountStore, google: Google, refresher: TokenRefresher
) -> None:
    """For an account that is gone Google is not asked."""
    with pytest.raises(NoAccountError, match=r"a\*\*\*@example\.com was removed"):
        await refresher.fresh(make_account("a"))
    assert google.asked == []
    assert not store.path.exists()


async def test_account_removed_during_refresh_is_not_resurrected(
    store: AccountStore, google: Google, refresher: TokenRefresher
) -> None:
    """An account that is removed while it refreshes stays removed."""
    account = added(store, make_account("a"))
    google.before_answer = lambda: store.update(lambda _: Pool())
    with pytest.raises(NoAccountError):
        await refresher.fresh(account)
    assert store.read().accounts == ()


async def test_login_during_refresh_is_not_overwritten(
    store: AccountStore, google: Google, refresher: TokenRefresher
) -> None:
    """An account that logs in anew while it refreshes keeps and uses the tokens of the login."""
    account = added(store, make_account("a"))
    login = Tokens("login", "login-refresh", FRESH_MS)
    google.before_answer = lambda: added(store, replace(account, tokens=login))
    assert (await refresher.fresh(account)).tokens == login
    assert store.read().accounts == (replace(account, tokens=login),)
    assert len(google.asked) == 1


async def test_expired_login_during_refresh_is_refreshed(
    store: AccountStore, google: Google, refresher: TokenRefresher
) -> None:
    """When the tokens of a login that came meanwhile have expired already, they are refreshed in turn."""
    account = added(store, make_account("a"))

    def log_in() -> None:
        google.before_answer = None
        added(store, replace(account, tokens=Tokens("login", "login-refresh", NOW_MS)))

    google.before_answer = log_in
    assert (await refresher.fresh(account)).tokens == Tokens("fresh-2", "login-refresh", FRESH_MS)
    assert google.asked == ["a-refresh", "login-refresh"]


async def test_rotated_token_is_kept_when_all_leave_early(
    store: AccountStore, google: Google, refresher: TokenRefresher
) -> None:
    """A refresh that was sent is seen to its end: the new refresh token reaches the disk without anybody waiting."""
    account = added(store, make_account("a"))
    google.rotate("new", "rotated")
    google.go = asyncio.Event()
    callers = [asyncio.create_task(refresher.fresh(account)) for _ in range(3)]
    await until(lambda: bool(google.asked))
    for caller in callers:
        caller.cancel()
    await asyncio.wait(callers)
    assert all(caller.cancelled() for caller in callers)
    assert store.read().get("a") == account
    google.go.set()
    await until(lambda: store.read().get("a") != account)
    assert store.read().accounts[0].tokens == Tokens("new", "rotated", FRESH_MS)
    assert (await refresher.fresh(account)).tokens.refresh == "rotated"
    assert google.asked == ["a-refresh"]


async def test_rotated_token_is_kept_when_all_leave_late(
    store: AccountStore, google: Google, refresher: TokenRefresher
) -> None:
    """Once Google has answered, the new refresh token is stored even if nobody waits any more."""
    account = added(store, make_account("a"))
    google.rotate("new", "rotated")
    google.go = asyncio.Event()
    with FileLock(f"{store.path}.lock"):
        caller = asyncio.create_task(refresher.fresh(account))
        await until(lambda: bool(google.asked))
        google.go.set()
        for _ in range(10):
            await asyncio.sleep(0)
        caller.cancel()
        await asyncio.wait((caller,))
        assert caller.cancelled()
        assert store.read().get("a") == account
    await until(lambda: store.read().get("a") != account)
    assert store.read().accounts[0].tokens == Tokens("new", "rotated", FRESH_MS)


async def test_abandoned_refresh_is_joined(store: AccountStore, google: Google, refresher: TokenRefresher) -> None:
    """Whoever comes while a refresh runs on that everybody has left gets its outcome, not one more."""
    account = added(store, make_account("a"))
    google.go = asyncio.Event()
    leaver = asyncio.create_task(refresher.fresh(account))
    await until(lambda: bool(google.asked))
    leaver.cancel()
    await asyncio.wait((leaver,))
    newcomer = asyncio.create_task(refresher.fresh(account))
    await asyncio.sleep(0)
    google.go.set()
    assert (await newcomer).tokens.access == "fresh-1"
    assert google.asked == ["a-refresh"]


async def test_abandoned_refresh_may_fail(store: AccountStore, google: Google, refresher: TokenRefresher) -> None:
    """A refresh that fails after everybody has left disturbs nobody, and the next request tries again."""
    account = added(store, make_account("a"))
    google.go, google.failure = asyncio.Event(), UpstreamUnreachableError("down")
    leaver = asyncio.create_task(refresher.fresh(account))
    await until(lambda: bool(google.asked))
    leaver.cancel()
    await asyncio.wait((leaver,))
    google.go.set()
    await until(lambda: asyncio.all_tasks() == {asyncio.current_task()})
    google.go = google.failure = None
    assert (await refresher.fresh(account)).tokens.access == "fresh-2"


async def test_processes_refresh_one_after_the_other(store: AccountStore, google: Google) -> None:
    """Of two processes with an expired account the later one takes the token of the earlier, which may be rotated."""
    account = added(store, make_account("a"))
    google.rotate("new", "rotated")
    google.go = asyncio.Event()
    stores = [AccountStore(store.path) for _ in range(2)]
    refreshers = [TokenRefresher(one, IDENTITY, google.post_form, lambda: NOW_MS) for one in stores]
    tasks = [asyncio.create_task(one.fresh(account)) for one in refreshers]
    await until(lambda: bool(google.asked))
    google.go.set()
    assert {account.tokens for account in await asyncio.gather(*tasks)} == {Tokens("new", "rotated", FRESH_MS)}
    assert google.asked == ["a-refresh"]
