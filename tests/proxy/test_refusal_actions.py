"""What is done about each of Google's errors: who is asked how often, and what the client is told."""

from __future__ import annotations

from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer

from ..recorded_refusals import NOW_S, REFUSALS, Refusal
from .conftest import EMAIL, chat_body

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from .conftest import Lab, OpenLab

OTHER_EMAIL = "ben@example.com"
CASES = pytest.mark.parametrize("refusal", REFUSALS, ids=[refusal.name for refusal in REFUSALS])


@dataclass
class Refuser:
    """A Google that finds a project for everybody and refuses every generation.

    Attributes:
        refusal: how.
        askers: the tokens of those who asked, in order.
    """

    refusal: Refusal
    askers: list[str] = field(default_factory=list[str])

    async def answer(self, request: web.Request) -> web.Response:
        """Refuse, or name a project."""
        if not request.path.endswith(":streamGenerateContent"):
            return web.json_response({"cloudaicompanionProject": "p-2"})
        self.askers.append(request.headers["Authorization"])
        return web.Response(status=self.refusal.http, body=self.refusal.body)


@asynccontextmanager
async def refusing(open_lab: OpenLab, refusal: Refusal, **options: Any) -> AsyncIterator[tuple[Lab, Refuser]]:
    """A lab whose Google refuses everything, at the time at which the refusal was recorded."""
    google, app = Refuser(refusal), web.Application()
    app.router.add_post("/{path:.*}", google.answer)
    async with TestServer(app) as server:
        base_url = str(server.make_url("")).rstrip("/")
        async with open_lab(base_url=base_url, clock=lambda: NOW_S, **options) as lab:
            yield lab, google


@CASES
async def test_client_is_told_what_the_table_says(open_lab: OpenLab, refusal: Refusal) -> None:
    """The client gets a status and a code that it understands, and hears when to ask again if that helps it."""
    async with (
        refusing(open_lab, refusal) as (lab, _),
        lab.http.post(f"{lab.url}/v1/chat/completions", json=chat_body()) as response,
    ):
        error = (await response.json())["error"]
        assert (response.status, error["code"]) == refusal.told
        assert response.headers.get("Retry-After") == refusal.retry_after
        assert (response.headers.get("x-should-retry") != "false") is refusal.repeats
        assert error.get("resets_at") == refusal.resets_at
        if error["code"] == "insufficient_quota":
            assert "Quota reached" in error["message"]
            assert refusal.resets_at is None or refusal.resets_at in error["message"]


@CASES
async def test_account_is_asked_as_often_as_the_table_says(open_lab: OpenLab, refusal: Refusal) -> None:
    """What may be over in a moment is asked three times, after the wait that is stated or a short one."""
    async with refusing(open_lab, refusal) as (lab, google):
        await lab.chat()
        assert len(google.askers) == refusal.calls
        assert len(lab.pauses) == (2 if refusal.calls == 3 else 0)
        for pause, planned in zip(lab.pauses, (0.5, 1.0), strict=False):
            shortest = planned if refusal.wait_s is None else refusal.wait_s
            assert shortest <= pause <= shortest + 0.5


@CASES
async def test_other_account_is_asked_as_the_table_says(open_lab: OpenLab, refusal: Refusal) -> None:
    """Where accounts stand in for each other, another one is asked exactly when the error may be about the first."""
    async with refusing(open_lab, refusal, accounts=(EMAIL, OTHER_EMAIL)) as (lab, google):
        lab.set_failover(on=True)
        status, body = await lab.chat()
        assert (status, body["error"]["code"]) == refusal.told
        first, others = google.askers[: refusal.calls], google.askers[refusal.calls :]
        assert bool(others) is refusal.moves
        assert not set(first) & set(others)


async def test_refused_token_is_renewed_once(open_lab: OpenLab) -> None:
    """A token that Google refuses is renewed with exactly one call, and the new one is sent exactly once."""
    refusal = next(entry for entry in REFUSALS if entry.name == "bad-token")
    async with refusing(open_lab, refusal) as (lab, google):
        await lab.chat()
        assert len(lab.requests("token")) == 1
        assert len(google.askers) == len(set(google.askers)) == 2
