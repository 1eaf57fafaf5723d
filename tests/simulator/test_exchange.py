"""Tests of serving and logging one request."""

from __future__ import annotations

import aiohttp
import pytest

from antigravity_proxy.simulator.config import SimulatorConfig
from antigravity_proxy.simulator.server import Simulator

from .wire import Caller, user


async def test_refusal_is_logged(caller: Caller, simulator: Simulator) -> None:
    """A refused request is logged with its status and the text of the answer."""
    status, document = await caller.document("loadCodeAssist", {"x": 1})
    entry = simulator.requests()[-1]
    assert (status, entry["status"], entry["refusal"]) == (400, 400, document["error"]["message"])
    assert entry["account"] == "me@example.com"
    assert entry["body"] == {"x": 1}


@pytest.mark.parametrize("authorization", ["", "Bearer nobody", "Basic x", "bearer"])
async def test_bad_token_is_unauthenticated(caller: Caller, authorization: str) -> None:
    """A missing, unknown or otherwise wrong token is a 401 in Google's words."""
    status, document = await caller.document("loadCodeAssist", {}, Authorization=authorization)
    assert (status, document["error"]["status"]) == (401, "UNAUTHENTICATED")


async def test_client_that_leaves_is_logged(caller: Caller, simulator: Simulator) -> None:
    """A client that goes away in the middle is marked, with the time it stayed."""
    body = caller.envelope({"contents": [user("[[simulate stall after=1 seconds=60]] x")]})
    answer = await caller.post("streamGenerateContent", body)
    await answer.content.readline()
    answer.close()
    await simulator.idle()
    entry = simulator.requests()[-1]
    assert entry["aborted"] is True
    assert 0 <= entry["abortedAfter"] < 5
    assert entry["status"] is None


async def test_cut_connection_has_no_status(caller: Caller, simulator: Simulator) -> None:
    """A connection the simulator broke itself before the headers has no status and no leaving client."""
    with pytest.raises(aiohttp.ServerDisconnectedError):
        await caller.generate("[[simulate cut after=0]] x")
    entry = simulator.requests()[-1]
    assert (entry["status"], entry["aborted"]) == (None, False)


async def test_large_body_is_refused(session: aiohttp.ClientSession) -> None:
    """A body over the limit is a 413, which is logged too."""
    async with Simulator(SimulatorConfig(max_body_bytes=100)) as simulator:
        caller = Caller(simulator, session, simulator.add_account("a@example.com")["record"])
        async with caller.post("streamGenerateContent", caller.envelope({"contents": [user("x" * 200)]})) as answer:
            assert answer.status == 413
        assert simulator.requests()[-1]["status"] == 413
