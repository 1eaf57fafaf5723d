"""Clients that leave, at every stage of a request: nothing of it goes on, and nothing is left."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pytest

from .conftest import EMAIL, chat_request, eventually, settle, tasks_beside_connections

if TYPE_CHECKING:
    from collections.abc import Callable

    from .conftest import Lab, OpenLab

OTHER_EMAIL = "ben@example.com"
STREAM = pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])
STALL: dict[str, Any] = {"name": "stall", "after": 0, "seconds": 30}


@dataclass(frozen=True, slots=True)
class Stage:
    """Where a request is when its client leaves.

    Attributes:
        plans: what the simulator is told.
        is_reached: whether the request has come so far.
        account: what the account is like that asks.
        has_failover: whether a second account stands in.
    """

    plans: tuple[dict[str, Any], ...]
    is_reached: Callable[[Lab], bool]
    account: dict[str, Any] = field(default_factory=dict[str, Any])
    has_failover: bool = False


STAGES = {
    "project": Stage(
        ({**STALL, "method": "loadCodeAssist"},),
        lambda lab: len(lab.requests("loadCodeAssist")) == 1,
        {"with_project": False, "project": "p-1"},
    ),
    "before-headers": Stage((STALL,), lambda lab: len(lab.requests()) == 1),
    "after-headers": Stage(({**STALL, "headers": True},), lambda lab: len(lab.requests()) == 1),
    "after-text": Stage(({**STALL, "after": 3},), lambda lab: len(lab.requests()) == 1),
    "retry": Stage(({"name": "capacity"}, STALL), lambda lab: len(lab.requests()) == 2),
    "wait": Stage(({"name": "capacity", "retry": 4.0, "times": -1},), lambda lab: lab.pauses != []),
    "fallback": Stage(({"name": "unknown-model"}, STALL), lambda lab: len(lab.requests()) == 2),
    "catalogue": Stage(
        ({"name": "gone", "times": -1}, {**STALL, "method": "fetchAvailableModels"}),
        lambda lab: len(lab.requests("fetchAvailableModels")) == 1,
    ),
    "failover": Stage(({"name": "quota"}, STALL), lambda lab: len(lab.requests()) == 2, has_failover=True),
}


@pytest.mark.parametrize("stage", STAGES.values(), ids=STAGES)
@STREAM
async def test_leaving_ends_everything(open_lab: OpenLab, stage: Stage, *, stream: bool) -> None:
    """When both ends have had their turns, Google's has seen the end; connections, tasks and locks are gone."""
    async with open_lab(accounts=(OTHER_EMAIL,), sleeps=True) as lab:
        lab.save(EMAIL, **stage.account)
        lab.set_failover(on=stage.has_failover)
        tasks = tasks_beside_connections()
        for plan in stage.plans:
            lab.plan(**plan)
        _, writer = await asyncio.open_connection("127.0.0.1", lab.port)
        writer.write(chat_request(lab.port, "one two three", stream=stream))
        await eventually(lambda: stage.is_reached(lab))
        asked = len(lab.requests())
        writer.close()
        await settle()
        assert lab.left_over() == {}
        assert tasks_beside_connections() <= tasks
        assert len(lab.requests()) == asked
        lab.simulator.state.scenarios.clear()
        assert (await lab.chat())[0] == 200


@STREAM
async def test_half_closed_connection_is_a_client_that_left(open_lab: OpenLab, *, stream: bool) -> None:
    """A client that shuts down its sending side behind the request gets nothing, and nothing goes on for it."""
    async with open_lab() as lab:
        lab.plan(**STALL)
        reader, writer = await asyncio.open_connection("127.0.0.1", lab.port)
        writer.write(chat_request(lab.port, stream=stream))
        await eventually(lambda: len(lab.requests()) == 1)
        writer.write_eof()
        assert await reader.read() == b""
        writer.close()
        await settle()
        assert lab.left_over() == {}


@STREAM
async def test_refresh_is_seen_to_its_end(open_lab: OpenLab, *, stream: bool) -> None:
    """A client that leaves during a refresh ends its request; the token, which may be rotated, is stored."""
    async with open_lab() as lab:
        old = lab.save(EMAIL, expired=True)
        lab.plan("stall", method="token", after=0, seconds=0.3)
        _, writer = await asyncio.open_connection("127.0.0.1", lab.port)
        writer.write(chat_request(lab.port, stream=stream))
        await eventually(lambda: len(lab.requests("token")) == 1)
        writer.close()
        await settle()
        assert lab.left_over().keys() <= {"refreshes", "calls to Google", "requests at the simulator"}
        await eventually(lambda: not lab.left_over())
        assert lab.requests() == []
        assert lab.saved().tokens != old.tokens
        assert (await lab.chat())[0] == 200
        assert len(lab.requests("token")) == 1
