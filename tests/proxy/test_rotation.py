"""Tests of which account serves: failover between simulated accounts over real sockets."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING, Any

import pytest

from antigravity_proxy.accounts.choose import Strategy
from antigravity_proxy.accounts.exclusion import PROBE_INTERVAL_S, Reason
from antigravity_proxy.accounts.quota import QuotaPool
from antigravity_proxy.proxy.exclusion_table import readmit

from .conftest import chat_body, eventually
from .test_event_stream import text_of
from .trio import CLAUDE, UNVERIFIED, USED_UP, A, B, C, activate, activate_quietly, empty, in_ring

if TYPE_CHECKING:
    from .conftest import Lab, OpenLab
    from .trio import Clock


@USED_UP
async def test_without_failover_the_active_account_is_all_there_is(trio: Lab) -> None:
    """The client hears whose quota is used up, for what, until when, and that another account could answer."""
    trio.set_failover(on=False)
    empty(trio, A)
    status, body = await trio.chat()
    error = body["error"]
    assert (status, error["type"], error["account"]) == (429, "insufficient_quota", "a***@example.com")
    assert "a***@example.com has used up its quota for Gemini models; it resets at 20" in error["message"]
    assert "antigravity-proxy accounts failover on" in error["message"]
    assert error["resets_at"] in error["message"]
    assert trio.askers() == [A]
    assert trio.active() == A


@USED_UP
async def test_single_account_is_told_to_get_a_second(open_lab: OpenLab) -> None:
    """With one account the way out begins with a login."""
    async with open_lab(accounts=(A,)) as lab:
        empty(lab, A)
        _, body = await lab.chat()
        assert "With a second account, `antigravity-proxy login`" in body["error"]["message"]


@USED_UP
@pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])
async def test_next_account_answers_and_becomes_the_active_one(trio: Lab, *, stream: bool) -> None:
    """When the active account runs out, the next of the ring answers in one piece, without a pause between."""
    empty(trio, A)
    received = text_of(await trio.stream()) if stream else (await trio.chat())[1]["choices"][0]["message"]["content"]
    assert received.count("You said: Hi") == 1
    first, second, _ = in_ring(trio)
    assert trio.askers() == [first, second]
    assert trio.pauses == []
    assert trio.requests("loadCodeAssist") == []
    await eventually(lambda: trio.active() == second)


@USED_UP
async def test_log_says_in_words_who_is_asked_and_why(open_lab: OpenLab, caplog: pytest.LogCaptureFixture) -> None:
    """Accounts that are masked alike are told apart in the log and in the error, and the reason is no class name."""
    async with open_lab(accounts=("ada@example.com", "anna@example.com")) as lab:
        lab.set_failover(on=True)
        for email in ("ada@example.com", "anna@example.com"):
            empty(lab, email)
        _, body = await lab.chat()
        names = [f"a***a@example.com ({lab.saved(email).id})" for email in ("anna@example.com", "ada@example.com")]
    first, second = names
    assert f"{first} cannot serve (insufficient quota), so {second} is asked" in caplog.messages
    assert body["error"]["account"] == first
    assert f"Quota reached: {first} has used up its quota" in body["error"]["message"]


@USED_UP
async def test_account_known_to_be_out_is_not_asked(trio: Lab) -> None:
    """Once an account has run out, later requests go past it without a call."""
    empty(trio, A)
    await trio.chat()
    _, second, _ = in_ring(trio)
    await trio.services.background.close(1)
    assert trio.active() == second
    activate_quietly(trio, A)
    assert (await trio.chat())[0] == 200
    assert trio.askers() == [A, second, second]


@USED_UP
async def test_other_quota_pool_is_not_touched(trio: Lab) -> None:
    """An account without quota for Gemini still answers with Claude, and is not replaced for it."""
    empty(trio, A)
    await trio.chat()
    await trio.services.background.close(1)
    assert trio.active() != A
    activate_quietly(trio, A)
    assert (await trio.chat(model=CLAUDE))[0] == 200
    assert trio.askers()[-1] == A
    assert trio.active() == A


@USED_UP
async def test_all_out_is_the_first_accounts_error(trio: Lab) -> None:
    """When every account has run out, each was asked once, and the client hears the active one's reset."""
    for email in (A, B, C):
        empty(trio, email)
    status, body = await trio.chat()
    assert (status, body["error"]["account"]) == (429, "a***@example.com")
    assert "and 2 more cannot serve either" in body["error"]["message"]
    assert trio.askers() == in_ring(trio)
    assert trio.active() == A


@USED_UP
async def test_all_known_to_be_out_is_answered_without_a_call(trio: Lab) -> None:
    """While all are out nobody is asked, and the client hears when the first one is back."""
    for email in (A, B, C):
        empty(trio, email)
    await trio.chat()
    status, body = await trio.chat()
    assert (status, body["error"]["code"]) == (429, "insufficient_quota")
    assert "none of the 3 accounts can serve Gemini models now" in body["error"]["message"]
    assert len(trio.requests()) == 3


async def test_account_is_back_after_its_reset(trio: Lab, clock: Clock) -> None:
    """When the time that Google named has come, the account is asked again like any other."""
    trio.plan("quota", account=A, seconds=600)
    await trio.chat()
    await trio.services.background.close(1)
    assert trio.active() != A
    activate_quietly(trio, A)
    clock.now_s += 601
    assert (await trio.chat())[0] == 200
    assert trio.askers()[-1] == A


@USED_UP
async def test_other_failure_of_a_candidate_is_returned(trio: Lab) -> None:
    """An error that is not about the account ends the search, and nothing is switched."""
    empty(trio, A)
    _, second, _ = in_ring(trio)
    trio.plan("status", account=second, status=500, times=3)
    status, body = await trio.chat()
    assert (status, body["error"]["type"]) == (502, "upstream_error")
    assert trio.askers() == [A, second, second, second]
    assert trio.active() == A


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        pytest.param({"unverified": True}, Reason.VERIFICATION, marks=UNVERIFIED, id="verification"),
        pytest.param(
            {"banned": True}, Reason.BAN, marks=pytest.mark.refused("violation of Terms of Service"), id="ban"
        ),
        pytest.param({"unlicensed": True}, Reason.LICENCE, marks=pytest.mark.refused("valid license"), id="licence"),
    ],
)
async def test_account_with_a_fault_leaves_the_rotation(trio: Lab, options: dict[str, Any], reason: Reason) -> None:
    """Another account serves the request, and the faulty one is out, with its reason and link."""
    trio.simulator.add_account(A, **options)
    assert (await trio.chat())[0] == 200
    exclusion = trio.services.rotations.standings.exclusion_of(trio.saved(A).id, QuotaPool.OTHERS)
    assert exclusion is not None
    assert exclusion.reason is reason
    assert (exclusion.url is not None) == (reason is Reason.VERIFICATION)
    assert trio.askers() == in_ring(trio)[:2]


@UNVERIFIED
async def test_account_that_serves_again_returns_after_one_probe(trio: Lab, clock: Clock) -> None:
    """An hour later the account is asked beside a request, once, and serves again when it can."""
    trio.simulator.add_account(A, unverified=True)
    await trio.chat()
    standings, account_id = trio.services.rotations.standings, trio.saved(A).id
    clock.now_s += PROBE_INTERVAL_S
    trio.simulator.add_account(A, expire_access_tokens=False)
    await trio.chat()
    await eventually(lambda: trio.askers().count(A) == 2)
    await trio.services.background.close(1)
    assert standings.exclusion_of(account_id, QuotaPool.GEMINI) is not None
    trio.simulator.add_account(A, unverified=False)
    await asyncio.gather(trio.chat(), trio.chat())
    assert trio.askers().count(A) == 2
    clock.now_s += PROBE_INTERVAL_S
    await asyncio.gather(trio.chat(), trio.chat())
    await eventually(lambda: standings.exclusion_of(account_id, QuotaPool.GEMINI) is None)
    assert trio.askers().count(A) == 3
    probe = next(entry for entry in reversed(trio.requests()) if entry["account"] == A)
    assert probe["body"]["request"]["generationConfig"]["maxOutputTokens"] == 16


async def test_account_stays_out_over_a_restart(open_lab: OpenLab, clock: Clock) -> None:
    """A server that starts again does not ask an account whose quota is known to be used up."""
    async with open_lab(accounts=(A, B), clock=clock) as lab:
        activate(lab, A)
        lab.set_failover(on=True)
        lab.plan("quota", account=A, seconds=600)
        await lab.chat()
        await lab.services.background.close(1)
        activate_quietly(lab, A)
    async with open_lab(accounts=(), clock=clock) as lab:
        assert lab.active() == A
        held = lab.services.rotations.standings.current.exclusions
        assert [(entry.account_id, entry.reason) for entry in held] == [(lab.saved(A).id, Reason.QUOTA)]


async def test_bare_429_tries_one_other_account_and_holds_nothing(trio: Lab) -> None:
    """A 429 without details is waited for, then tried with one other account; it holds and switches nothing."""
    trio.plan("bare-429", times=4)
    status, body = await trio.chat()
    assert (status, body["error"]["code"], body["error"]["account"]) == (
        429,
        "rate_limit_exceeded",
        "a***@example.com",
    )
    assert trio.askers() == [A, A, *in_ring(trio)[:2]]
    assert trio.services.rotations.standings.current.exclusions == ()
    trio.plan("bare-429", times=3)
    assert (await trio.chat())[0] == 200
    await trio.services.background.close(1)
    assert trio.active() == A


async def test_empty_answers_may_fail_over(trio: Lab) -> None:
    """An account that gives nothing three times is followed by at most two others."""
    trio.plan("empty", times=5)
    async with trio.http.post(f"{trio.url}/v1/chat/completions", json=chat_body()) as response:
        assert (response.status, response.headers["x-should-retry"]) == (502, "false")
    assert trio.askers() == [A, A, *in_ring(trio)]
    trio.plan("empty", account=A, times=3)
    assert (await trio.chat())[0] == 200


@pytest.mark.refused("invalid authentication credentials", "expired or revoked")
async def test_account_whose_login_is_over_is_passed(trio: Lab) -> None:
    """An account that needs a new login is out at once, with the reason; it is asked no more, and others answer."""
    trio.simulator.add_account(A, revoke_refresh_tokens=True, expire_access_tokens=True)
    assert {status for status, _ in await asyncio.gather(*(trio.chat() for _ in range(5)))} == {200}
    await trio.services.background.close(1)
    activate_quietly(trio, A)
    assert (await trio.chat())[0] == 200
    assert trio.askers()[-1] == in_ring(trio)[1]
    assert len(trio.requests("token")) == 1
    (exclusion,) = trio.services.rotations.standings.current.exclusions
    assert (exclusion.account_id, exclusion.reason, exclusion.quota_pool) == (trio.saved(A).id, Reason.LOGIN, None)
    assert "Sign in anew with `antigravity-proxy login`" in exclusion.message


@USED_UP
@pytest.mark.refused("Corrupted thought signature")
async def test_another_account_starts_without_the_signatures_that_google_refused(trio: Lab) -> None:
    """A conversation with the first account's signatures goes on with the second."""
    first = (await trio.chat("Please call read_file for a.txt.", tools=[READ]))[1]["choices"][0]["message"]
    empty(trio, A)
    result = {"role": "tool", "tool_call_id": first["tool_calls"][0]["id"], "content": "42"}
    messages = [{"role": "user", "content": "Please call read_file for a.txt."}, first, result]
    async with trio.http.post(
        f"{trio.url}/v1/chat/completions", json=chat_body(messages=messages, tools=[READ])
    ) as response:
        assert response.status == 200


READ = {"type": "function", "function": {"name": "read_file", "parameters": {"type": "object"}}}


async def test_spread_gives_each_conversation_an_account_and_keeps_it(open_lab: OpenLab) -> None:
    """Conversations go to the least used account, and every request of one goes to the same."""
    async with open_lab(accounts=(A, B, C), strategy=Strategy.SPREAD) as lab:
        for text in ("one", "two", "three"):
            await lab.chat(text)
        assert sorted(str(email) for email in lab.askers()) == [A, B, C]
        for text in ("three", "one", "two"):
            await lab.chat(text)
        assert lab.askers()[3:] == [lab.askers()[2], lab.askers()[0], lab.askers()[1]]


@USED_UP
async def test_spread_moves_a_conversation_whose_account_is_out(open_lab: OpenLab) -> None:
    """A conversation whose account runs out goes on with another one, and stays there."""
    async with open_lab(accounts=(A, B, C), strategy=Strategy.SPREAD) as lab:
        active = lab.active()
        await lab.chat("one")
        (first,) = lab.askers()
        empty(lab, str(first))
        assert (await lab.chat("one"))[0] == 200
        assert (await lab.chat("one"))[0] == 200
        _, again, second, third = lab.askers()
        assert (again, second) == (first, third)
        assert second != first
        assert lab.active() == active


async def test_100_requests_on_three_cold_accounts_refresh_each_once(open_lab: OpenLab) -> None:
    """However many conversations begin at once, each account is refreshed and its project looked up once."""
    async with open_lab(accounts=(), strategy=Strategy.SPREAD) as lab:
        for email in (A, B, C):
            lab.save(email, with_project=False, project=f"p-{email[0]}", expired=True)
        answers = await asyncio.gather(*(lab.chat(f"conversation {number}") for number in range(100)))
        assert {status for status, _ in answers} == {200}
        assert len(lab.requests("token")) == 3
        assert len(lab.requests("loadCodeAssist")) == 3
        assert {lab.askers().count(email) for email in (A, B, C)} == {33, 34}


@UNVERIFIED
async def test_only_account_is_asked_again_once_it_may_serve(open_lab: OpenLab) -> None:
    """An account that must be verified, and that no other stands in for, serves as soon as that is done."""
    async with open_lab(accounts=(A,)) as lab:
        lab.set_failover(on=True)
        lab.simulator.add_account(A, unverified=True)
        assert (await lab.chat())[0] == 403
        lab.simulator.add_account(A, unverified=False)
        assert (await lab.chat())[0] == 200
        assert lab.services.rotations.standings.current.exclusions == ()


async def test_nobody_is_asked_whom_the_user_has_not_let_in(trio: Lab, clock: Clock) -> None:
    """Without failover, or once it is removed, an account that is out is not asked whether it serves again."""
    trio.plan("quota", account=A, seconds=100_000)
    await trio.chat()
    await trio.services.background.close(1)
    trio.set_failover(on=False)
    clock.now_s += PROBE_INTERVAL_S
    await trio.chat()
    await trio.services.background.close(1)
    trio.set_failover(on=True)
    trio.services.store.update(lambda pool: pool.without(trio.saved(A).id))
    await trio.chat()
    await trio.services.background.close(1)
    assert trio.askers().count(A) == 1


async def test_account_without_known_quota_is_passed(trio: Lab) -> None:
    """An account whose quota is known to be used up is not asked; when that is so for all, the client hears it."""
    empty(trio, A)
    await trio.services.quota.look([trio.saved(A)])
    assert (await trio.chat())[0] == 200
    assert trio.askers() == [in_ring(trio)[1]]
    for email in (B, C):
        empty(trio, email)
    await trio.services.quota.look([trio.saved(B), trio.saved(C)])
    status, body = await trio.chat()
    error = body["error"]
    assert (status, error["code"]) == (429, "insufficient_quota")
    assert "none of the 3 accounts can serve Gemini models now; it is possible again at 20" in error["message"]
    assert error["resets_at"] in error["message"]
    assert len(trio.askers()) == 1


async def test_bare_429_with_quota_left_names_the_suspicion(trio: Lab) -> None:
    """When the account has quota left, the client hears that the request itself may be refused."""
    await trio.services.quota.look([trio.saved(email) for email in (A, B)])
    trio.plan("bare-429", times=4)
    _, body = await trio.chat()
    assert "The account has quota left, so it may be this one request" in body["error"]["message"]


@UNVERIFIED
async def test_account_with_a_fault_is_not_asked_while_others_come_back(trio: Lab, clock: Clock) -> None:
    """When the active account is closed and the others are out of quota, the client hears when they are back."""
    trio.simulator.add_account(A, unverified=True)
    for email in (B, C):
        empty(trio, email)
    await trio.services.quota.look([trio.saved(email) for email in (B, C)])
    await trio.chat()
    before = len(trio.askers())
    status, body = await trio.chat()
    assert (status, body["error"]["code"]) == (429, "insufficient_quota")
    assert body["error"]["resets_at"]
    assert len(trio.askers()) == before


async def test_lost_key_does_not_hide_what_google_said(trio: Lab) -> None:
    """When the account file becomes unreadable in the middle of a request, the client still hears the refusal."""
    trio.plan(
        "stall",
        after=0,
        seconds=0.2,
        headers=True,
        also=[{"name": "in-stream-error", "after": 0, "refusal": "quota"}],
    )
    asking = asyncio.create_task(trio.chat())
    await eventually(lambda: len(trio.askers()) == 1)
    trio.services.store.path.with_name("accounts.key").unlink()
    trio.services.store.path.touch()
    status, body = await asking
    assert (status, body["error"]["code"]) == (429, "insufficient_quota")


async def test_spread_keeps_conversations_after_a_refusal_of_one_request(open_lab: OpenLab) -> None:
    """A call to slow down moves one request to the least used account, and no conversation for good."""
    async with open_lab(accounts=(A, B, C), strategy=Strategy.SPREAD) as lab:
        for text in ("one", "two"):
            await lab.chat(text)
        first, second = lab.askers()
        lab.plan("bare-429", account=first, times=3)
        await lab.chat("one")
        third = lab.askers()[-1]
        assert third not in (first, second)
        await lab.chat("one")
        assert lab.askers()[-1] == first


async def test_account_removed_during_a_refresh_makes_way(trio: Lab) -> None:
    """When the account whose token Google refused is gone by then, another one answers."""
    trio.plan("bad-token", account=A)
    trio.plan("stall", method="token", after=0, seconds=0.2)
    asking = asyncio.create_task(trio.chat())
    await eventually(lambda: len(trio.requests("token")) == 1)
    trio.services.store.update(lambda pool: pool.without(trio.saved(A).id))
    assert (await asking)[0] == 200
    assert trio.askers()[-1] != A


async def test_account_that_another_program_has_seen_serve_is_asked(trio: Lab, clock: Clock) -> None:
    """When all are out, what was written down since counts, such as a doctor's or another server's success."""
    clock.now_s = time.time()  # as the other program has it
    trio.plan("quota", seconds=6_000, times=3)
    assert (await trio.chat())[0] == 429
    await trio.chat()
    assert len(trio.requests()) == 3
    await readmit(trio.services.settings.home, trio.saved(B).id)
    assert (await trio.chat())[0] == 200
    assert trio.askers()[-1] == B
