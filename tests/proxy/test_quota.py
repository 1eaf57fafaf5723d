"""Tests of asking for quota, over real sockets."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer

from antigravity_proxy.accounts.quota import QuotaPool, Window
from antigravity_proxy.proxy.project_id import fallback_project_id
from antigravity_proxy.proxy.quota import AT_ONCE, FRESH_S, MAX_REASON_CHARACTERS, RETRY_S, TRUSTED_S, QuotaBook

from .conftest import EMAIL, eventually

if TYPE_CHECKING:
    from .conftest import Lab, OpenLab

SUMMARY, ROWS = "retrieveUserQuotaSummary", "fetchAvailableModels"
FREE = "cleo@example.com"
GEMINI_5H = (QuotaPool.GEMINI, Window.FIVE_HOURS)
UNSUBSCRIBED = pytest.mark.refused("#3501")


def asked(lab: Lab) -> list[int]:
    """How often the summary and the rows were asked for."""
    return [len(lab.requests(method)) for method in (SUMMARY, ROWS)]


def accounts_of(body: Any) -> list[dict[str, Any]]:
    """The accounts of an answer about quota."""
    return list(body["accounts"])


async def test_quota_is_asked_once_and_kept(open_lab: OpenLab) -> None:
    """The second look is served from memory with its age; a refresh asks anew."""
    now_s = 1_790_000_000.0
    async with open_lab(clock=lambda: now_s) as lab:
        lab.save(EMAIL, quota_cost=0.5)
        assert lab.services.quota.known(lab.saved().id) is None
        assert asked(lab) == [0, 0]
        status, body = await lab.get("/api/quota")
        (shown,) = accounts_of(body)
        assert (status, shown["account"], shown["age_s"]) == (200, "a***a@example.com", 0)
        assert [(limit["quota_pool"], limit["window"], limit["remaining"]) for limit in shown["pools"]] == [
            ("3p", "5h", 1.0),
            ("3p", "weekly", 1.0),
            ("gemini", "5h", 1.0),
            ("gemini", "weekly", 1.0),
        ]
        before = asked(lab)
        await lab.chat()
        now_s += 90
        assert accounts_of((await lab.get("/api/quota"))[1])[0]["age_s"] == 90
        assert asked(lab)[0] == before[0]
        async with lab.http.post(f"{lab.url}/api/quota/refresh") as response:
            (shown,) = accounts_of(await response.json())
        assert (shown["age_s"], shown["pools"][2]["remaining"]) == (0, 0.5)
        assert asked(lab)[0] == before[0] + 1
        assert lab.services.quota.left(lab.saved().id, QuotaPool.GEMINI).remaining == 0.5


@pytest.mark.parametrize("origin", ["https://evil.example", "null"])
async def test_foreign_pages_cannot_ask(lab: Lab, origin: str) -> None:
    """A page of another site neither reads quota nor has it asked for."""
    assert (await lab.get("/api/quota", headers={"Origin": origin}))[0] == 403
    async with lab.http.post(f"{lab.url}/api/quota/refresh", headers={"Origin": origin}) as response:
        assert response.status == 403
    assert asked(lab) == [0, 0]


async def test_key_guards_quota(open_lab: OpenLab) -> None:
    """Quota is shown to those who have the proxy's key."""
    async with open_lab(api_key="own-key") as lab:
        assert (await lab.get("/api/quota"))[0] == 401
        assert (await lab.get("/api/quota", headers={"Authorization": "Bearer own-key"}))[0] == 200


@UNSUBSCRIBED
async def test_account_without_subscription_shows_its_rows(open_lab: OpenLab) -> None:
    """Without a summary the rows are there, with a sentence that does not call the account useless."""
    async with open_lab(accounts=()) as lab:
        account = lab.save(FREE, tier="free", quota_cost=0.25)
        await lab.chat()
        (entry,) = await lab.services.quota.look([account])
        assert entry.quota is not None
        assert (entry.error, dict(entry.quota.pools)) == (None, {})
        assert entry.quota.summary_unavailable == "Google tells no limits of an account without a subscription."
        assert entry.quota.models["gemini-3.8-flash-low"].remaining == 0.75
        assert lab.services.quota.left(account.id, QuotaPool.GEMINI).remaining == 0.75
        assert list(entry.quota.models) == sorted(entry.quota.models)


async def test_limits_are_shown_without_rows(lab: Lab) -> None:
    """A failure of the rows does not hide the summary."""
    lab.plan("status", status=500, method=ROWS, times=-1)
    (entry,) = await lab.services.quota.look([lab.saved()])
    assert entry.quota is not None
    assert len(entry.quota.pools) == 4
    assert entry.quota.models_unavailable


async def test_long_reason_is_cut_at_a_word(lab: Lab) -> None:
    """Of many words of Google's at most 200 characters are kept, and no half word."""
    lab.plan("status", status=500, message="overloaded " * 40, method=SUMMARY, times=-1)
    (entry,) = await lab.services.quota.look([lab.saved()])
    assert entry.quota is not None
    reason = entry.quota.summary_unavailable or ""
    assert len(reason) <= MAX_REASON_CHARACTERS
    assert reason.endswith("overloaded …")


async def test_failure_of_both_keeps_the_last_reading(open_lab: OpenLab) -> None:
    """When nothing can be read, what was read last stays, with its own time and the reason."""
    now_s = 1_790_000_000.0
    async with open_lab(clock=lambda: now_s) as lab:
        account = lab.saved()
        (first,) = await lab.services.quota.look([account])
        for method in (SUMMARY, ROWS):
            lab.plan("status", status=500, method=method, times=-1)
        now_s += 60
        (second,) = await lab.services.quota.look([account], refresh=True)
        assert (second.quota, bool(second.error)) == (first.quota, True)
        assert len(second.error or "") <= MAX_REASON_CHARACTERS
        (third,) = await lab.services.quota.look([replace(account, id="google:other")])
        assert (third.quota, bool(third.error)) == (None, True)
        before = asked(lab)
        assert await lab.services.quota.look([account]) == [second]
        assert asked(lab) == before


async def test_limit_of_google_makes_a_reading_stale(open_lab: OpenLab) -> None:
    """After a 429 the reading decides nothing, and the next look asks anew."""
    now_s = 1_790_000_000.0
    async with open_lab(clock=lambda: now_s) as lab:
        account = lab.saved()
        await lab.services.quota.look([account])
        before = asked(lab)
        lab.plan("quota")
        assert (await lab.chat())[0] == 429
        assert lab.services.quota.left(account.id, QuotaPool.GEMINI).remaining is None
        assert lab.services.quota.known(account.id) is not None
        for method in (SUMMARY, ROWS):
            lab.plan("status", method=method, status=500)
        (entry,) = await lab.services.quota.look([account])
        assert entry.is_stale
        assert entry.error is not None
        assert lab.services.quota.left(account.id, QuotaPool.GEMINI).remaining is None
        assert await lab.services.quota.look([account]) == [entry]
        now_s += RETRY_S
        (entry,) = await lab.services.quota.look([account])
        assert not entry.is_stale
        assert asked(lab)[0] > before[0]
        lab.services.quota.doubt("google:nobody")


async def test_account_known_to_be_empty_is_passed(open_lab: OpenLab) -> None:
    """With failover on, an account whose quota was seen to be used up is not asked for an answer."""
    async with open_lab(accounts=("ben@example.com",)) as lab:
        account = lab.save(EMAIL, quota_cost=1.0)
        await lab.chat()
        await lab.services.quota.look([account])
        lab.set_failover(on=True)
        assert (await lab.chat())[0] == 200
        assert lab.askers() == [EMAIL, "ben@example.com"]


async def test_reading_is_kept_fresh_beside_the_requests(open_lab: OpenLab) -> None:
    """A list of models has an old reading asked for anew, and not again right after an attempt that failed."""
    now_s = 1_790_000_000.0
    async with open_lab(clock=lambda: now_s) as lab:
        account, quota = lab.saved(), lab.services.quota
        for step_s, times in ((0.0, 1), (FRESH_S - 1, 1), (1.0, 2)):
            now_s += step_s
            quota.keep_fresh(account)
            await eventually(lambda: not len(lab.services.background))
            assert asked(lab)[0] == times
        for method in (SUMMARY, ROWS):
            lab.plan("status", method=method, status=500, times=20)
        now_s += FRESH_S
        for step_s, is_asked in ((0.0, True), (RETRY_S - 1, False), (1.0, True)):
            now_s += step_s
            before = asked(lab)
            quota.keep_fresh(account)
            await eventually(lambda: not len(lab.services.background))
            assert (asked(lab) != before) is is_asked
        assert quota.left(account.id, QuotaPool.GEMINI).remaining == 1.0


async def test_failure_is_shown_until_it_may_be_over(open_lab: OpenLab) -> None:
    """An account that Google said nothing of is asked about again by a later look, half a minute on."""
    now_s = 1_790_000_000.0
    async with open_lab(clock=lambda: now_s) as lab:
        account = lab.saved()
        for method in (SUMMARY, ROWS):
            lab.plan("status", method=method, status=500)
        (entry,) = await lab.services.quota.look([account])
        assert entry.error is not None
        assert await lab.services.quota.look([account]) == [entry]
        now_s += RETRY_S
        (entry,) = await lab.services.quota.look([account])
        assert (entry.error, entry.quota is None) == (None, False)


async def test_old_reading_decides_nothing(open_lab: OpenLab) -> None:
    """What was read more than an hour ago does not keep an account from serving."""
    now_s = 1_790_000_000.0
    async with open_lab(clock=lambda: now_s) as lab:
        account = lab.saved()
        await lab.services.quota.look([account])
        now_s += TRUSTED_S
        assert lab.services.quota.left(account.id, QuotaPool.GEMINI).remaining == 1.0
        now_s += 1
        assert lab.services.quota.left(account.id, QuotaPool.GEMINI).remaining is None
        assert lab.services.quota.left("google:nobody", QuotaPool.GEMINI).remaining is None


@pytest.mark.refused("onboardUser: Request contains an invalid argument.")
async def test_account_without_project_is_asked_under_the_fallback(open_lab: OpenLab) -> None:
    """That an account has no project does not hide its quota."""
    async with open_lab(accounts=()) as lab:
        account = lab.save("new@example.com", project=None, onboarding=False)
        (entry,) = await lab.services.quota.look([account])
        assert entry.quota is not None
        assert len(entry.quota.pools) == 4
        assert lab.requests(ROWS)[0]["body"] == {"project": fallback_project_id("new@example.com")}


async def test_failed_search_for_a_project_does_not_hide_quota(open_lab: OpenLab) -> None:
    """When Google refuses the search, quota is asked for without a project."""
    async with open_lab() as lab:
        account = lab.save(EMAIL, with_project=False)
        lab.plan("rate-limit", method="loadCodeAssist", times=-1)
        (entry,) = await lab.services.quota.look([account])
        assert entry.quota is not None
        assert lab.requests(SUMMARY)[0]["body"] == {}


async def test_refused_token_is_renewed_once(lab: Lab) -> None:
    """A token that Google does not take any more is replaced, and quota read with the new one."""
    lab.plan("bad-token", method=SUMMARY)
    (entry,) = await lab.services.quota.look([lab.saved()])
    assert (entry.error, len(lab.requests("token"))) == (None, 1)


async def test_placeholders_are_no_readings(open_lab: OpenLab) -> None:
    """A host that shows every quota as full says nothing, and another host's figures are not replaced by it."""
    async with open_lab() as lab:
        account = lab.save(EMAIL, quota_cost=0.5, quota_placeholder=True, quota_placeholder_host="localhost")
        await lab.chat()
        port = lab.simulator.base_url.rpartition(":")[2]
        upstream, book = lab.services.upstream, lab.services.quota
        prod, daily = f"http://localhost:{port}", f"http://127.0.0.1:{port}"
        upstream._control_hosts = (prod, daily)
        (entry,) = await book.look([account])
        assert entry.quota is not None
        assert entry.quota.models["gemini-3.8-flash-low"].remaining == 0.5
        upstream._generation_host, upstream._control_hosts = prod, (prod,)
        (entry,) = await book.look([account], refresh=True)
        assert entry.quota is not None
        assert entry.quota.models["gemini-3.8-flash-low"].remaining is None
        assert entry.quota.pools[GEMINI_5H].remaining == 0.5


class SlowGoogle:
    """Answers nothing before it is told to, and counts who waits."""

    def __init__(self) -> None:
        self.may_answer = asyncio.Event()
        self.waiting = self.most = self.calls = 0

    async def answer(self, _request: web.Request) -> web.Response:
        """Hold a call."""
        self.calls += 1
        self.waiting += 1
        self.most = max(self.most, self.waiting)
        await self.may_answer.wait()
        self.waiting -= 1
        return web.Response(body=json.dumps({}), content_type="application/json")


async def test_two_accounts_are_asked_at_a_time(open_lab: OpenLab) -> None:
    """Of many accounts two are asked at a time, each once however many look, and all of them in the end."""
    google = SlowGoogle()
    app = web.Application()
    app.router.add_post("/{method}", google.answer)
    async with TestServer(app) as server, open_lab(base_url=str(server.make_url("/")).rstrip("/")) as lab:
        book = lab.services.quota
        saved = lab.saved()
        accounts = [replace(saved, id=f"google:{number}") for number in range(5)]
        looks = [asyncio.create_task(book.look(accounts)) for _ in range(2)]
        await eventually(lambda: google.waiting == AT_ONCE)
        google.may_answer.set()
        first, second = await asyncio.gather(*looks)
        assert first == second
        assert (len(first), google.most, google.calls) == (5, AT_ONCE, 5 * 2)


async def test_closing_gives_questions_up(open_lab: OpenLab) -> None:
    """A server that stops does not wait for Google's answers about quota."""
    google = SlowGoogle()
    app = web.Application()
    app.router.add_post("/{method}", google.answer)
    async with TestServer(app) as server, open_lab(base_url=str(server.make_url("/")).rstrip("/")) as lab:
        book: QuotaBook = lab.services.quota
        look = asyncio.create_task(book.look([lab.saved()]))
        await eventually(lambda: google.waiting == 1)
        await book.close()
        with pytest.raises(asyncio.CancelledError):
            await look
        google.may_answer.set()
