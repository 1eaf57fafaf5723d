"""Tests of which account serves when somebody chooses one, or signs one in anew."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING

import pytest

from antigravity_proxy.accounts.pool import Pool
from antigravity_proxy.accounts.quota import QuotaPool

from .conftest import eventually
from .trio import UNVERIFIED, USED_UP, A, B, C, activate, activate_quietly, empty, in_ring

if TYPE_CHECKING:
    from .conftest import Lab
    from .trio import Clock


async def test_choice_of_the_user_wins(trio: Lab) -> None:
    """An account that the user activates during failover is asked before the ring, and stays active."""
    _, second, third = in_ring(trio)
    trio.plan(
        "stall",
        account=A,
        after=0,
        seconds=0.2,
        headers=True,
        also=[{"name": "in-stream-error", "after": 0, "refusal": "quota"}],
    )
    asking = asyncio.create_task(trio.chat())
    await eventually(lambda: trio.askers() == [A])
    activate(trio, third)
    assert (await asking)[0] == 200
    assert trio.askers() == [A, third]
    await trio.services.background.close(1)
    assert trio.active() == third
    assert second not in trio.askers()


async def test_account_made_active_by_the_user_is_asked_whatever_is_held_against_it(trio: Lab) -> None:
    """Whoever activates an account that is out wants it asked again."""
    trio.plan("quota", account=A, seconds=600)
    await trio.chat()
    await trio.services.background.close(1)
    assert trio.active() != A
    activate(trio, A)
    assert (await trio.chat())[0] == 200
    assert trio.askers()[-1] == A


async def test_account_activated_by_a_command_is_asked(trio: Lab) -> None:
    """When all are out, an account that somebody activates with the command is asked, even if it was active."""
    trio.plan("quota", seconds=6_000, times=3)
    assert (await trio.chat())[0] == 429
    await trio.chat()
    assert len(trio.requests()) == 3
    activate(trio, A)
    assert (await trio.chat())[0] == 200
    assert trio.askers()[-1] == A


async def test_choosing_the_active_account_again_has_it_asked(trio: Lab) -> None:
    """An account that is active, and was rate-limited for a while, is asked once somebody chooses it anew."""
    trio.plan("rate-limit", account=A, seconds=600)
    await trio.chat()
    await trio.services.background.close(1)
    activate_quietly(trio, A)
    await trio.chat()
    assert trio.askers()[-1] != A
    activate(trio, A)
    await trio.chat()
    assert trio.askers()[-1] == A


@USED_UP
async def test_nobody_is_readmitted_whom_nobody_chose(trio: Lab, clock: Clock) -> None:
    """An account that becomes active because another was removed, or by a failover elsewhere, is still out."""
    standings = trio.services.rotations.standings
    for email in (A, B):
        empty(trio, email)
    await trio.chat()
    await trio.services.background.close(1)
    assert trio.active() == C
    activate_quietly(trio, B)
    await trio.chat()
    assert standings.exclusion_of(trio.saved(B).id, QuotaPool.GEMINI) is not None
    trio.services.store.update(lambda pool: pool.without(trio.saved(B).id))
    await trio.chat()
    assert standings.exclusion_of(trio.saved(A).id, QuotaPool.GEMINI) is not None


async def test_choice_while_the_next_account_answers_stays(trio: Lab) -> None:
    """A user who chooses an account while another one already answers in failover has that choice afterwards."""
    _, second, third = in_ring(trio)
    trio.plan("quota", account=A)
    trio.plan("stall", account=second, after=0, seconds=0.2, headers=True)
    asking = asyncio.create_task(trio.chat())
    await eventually(lambda: trio.askers() == [A, second])
    activate(trio, third)
    assert (await asking)[0] == 200
    await trio.services.background.close(1)
    assert (trio.askers(), trio.active()) == ([A, second], third)


async def test_account_that_is_known_to_be_empty_is_asked_when_it_is_chosen(trio: Lab) -> None:
    """Whoever chooses an account knows better than a reading of its quota."""
    empty(trio, A)
    await trio.services.quota.look([trio.saved(A)])
    await trio.chat()
    assert trio.askers()[-1] != A
    trio.simulator.add_account(A, quota={"gemini-5h": 1.0})
    activate(trio, A)
    await trio.chat()
    assert trio.askers()[-1] == A


async def test_no_other_account_takes_the_place_of_a_chosen_one_unasked(trio: Lab) -> None:
    """Without failover, a chosen account that cannot be read is told, and no other one is charged."""
    trio.set_failover(on=False)
    path = trio.services.store.path
    document = json.loads(path.read_text())
    document["accounts"][trio.saved(A).id]["expires"] = "soon"
    path.write_text(json.dumps(document))
    status, body = await trio.chat()
    assert (status, body["error"]["type"]) == (401, "authentication_error")
    assert "a***@example.com, the active account, cannot be used." in body["error"]["message"]
    assert "antigravity-proxy accounts activate" in body["error"]["message"]
    assert trio.askers() == []
    trio.set_failover(on=True)
    assert (await trio.chat())[0] == 200
    assert json.loads(path.read_text())["activeAccountId"] == document["activeAccountId"]


async def test_choice_of_the_account_that_fails_stays(trio: Lab) -> None:
    """A user who chooses the account that is just being replaced has it active, and asked next."""
    _, second, _ = in_ring(trio)
    trio.plan("quota", account=A)
    trio.plan("stall", account=second, after=0, seconds=0.2, headers=True)
    asking = asyncio.create_task(trio.chat())
    await eventually(lambda: trio.askers() == [A, second])
    activate(trio, A)
    assert (await asking)[0] == 200
    await trio.services.background.close(1)
    assert trio.active() == A
    await trio.chat()
    assert trio.askers()[-1] == A


@UNVERIFIED
async def test_account_that_signs_in_again_is_asked(trio: Lab, clock: Clock) -> None:
    """What was held against an account ends with new tokens, from a login or an import, in a running server too."""
    trio.simulator.add_account(A, unverified=True)
    await trio.chat()
    await trio.services.background.close(1)
    activate_quietly(trio, A)
    await trio.chat()
    assert trio.askers()[-1] != A
    trio.simulator.add_account(A, unverified=False)
    now_ms = int(clock.now_s * 1000) + 1
    trio.services.store.update(lambda pool: pool.merged(Pool((trio.saved(A),)), now_ms))
    activate_quietly(trio, A)
    await trio.chat()
    assert trio.askers()[-1] == A


@pytest.mark.refused("invalid authentication credentials", "expired or revoked")
async def test_new_login_brings_an_account_back(trio: Lab) -> None:
    """Who logs in again is asked again at once, and nothing is held against the account any more."""
    trio.simulator.add_account(A, revoke_refresh_tokens=True, expire_access_tokens=True)
    assert (await trio.chat())[0] == 200
    await trio.services.background.close(1)
    assert trio.active() != A
    before = trio.saved(A)
    trio.save(A)
    activate(trio, A)
    assert (trio.saved(A).id, trio.saved(A).tokens == before.tokens) == (before.id, False)
    assert (await trio.chat())[0] == 200
    assert trio.askers()[-1] == A
    assert trio.services.rotations.standings.current.exclusions == ()
