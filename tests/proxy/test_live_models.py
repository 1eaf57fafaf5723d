"""Tests of the live catalogue: kept fresh, shared, and never lost."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any

import pytest

from antigravity_proxy.errors import UpstreamUnauthorizedError
from antigravity_proxy.oauth.refresh import REFRESH_AGAIN_MS
from antigravity_proxy.proxy import services
from antigravity_proxy.proxy.live_models import FRESH_S, MAX_READS, RETRY_S, WINDOW_S

from .conftest import EMAIL, chat_body, eventually

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from .conftest import Lab, OpenLab
    from .trio import Clock

FETCH = "fetchAvailableModels"
NEW = "gemini-4.0-flash"


@pytest.fixture
async def still(open_lab: OpenLab, clock: Clock) -> AsyncIterator[Lab]:
    """A lab in which time stands still."""
    async with open_lab(clock=clock) as opened:
        opened.save(EMAIL, project="p-1")
        yield opened


def ids(lab: Lab) -> list[str]:
    """The ids that are listed now."""
    return [model.id for model in lab.services.live_models.current().models]


async def quiet(lab: Lab) -> None:
    """Wait until nothing is done in the background."""
    await eventually(lambda: len(lab.services.background) == 0)


async def test_list_is_built_in_first_and_live_afterwards(still: Lab) -> None:
    """The first list is answered at once; what Google serves is read beside it and listed next time."""
    still.save(EMAIL, next_models=True)
    assert NEW not in ids(still)
    await quiet(still)
    _, listing = await still.get("/v1/models")
    rows = {row["id"]: row for row in listing["data"]}
    assert rows[NEW] == {
        "id": NEW,
        "object": "model",
        "created": 0,
        "owned_by": "antigravity",
        "name": "Gemini 4.0 Flash",
        "context_length": 1_048_576,
        "max_output_tokens": 65_536,
        "input_modalities": ["text", "image", "audio", "video", "pdf"],
        "output_modalities": ["text"],
        "reasoning_efforts": ["low", "medium", "high"],
        "source": "a***a@example.com",
        "quota_remaining": None,
        "quota_resets_at": None,
    }
    assert rows["gemini-4.1-nova"]["input_modalities"] == ["text", "image"]
    assert rows["gemini-4.0-plain"]["reasoning_efforts"] == []
    assert rows["gemini-4.0-plain"]["input_modalities"] == ["text"]
    assert not {"gemini-4.0-old", "gemini-4.0-secret", "gemini-4.0-flash-low"} & rows.keys()
    assert len(still.requests(FETCH)) == 1


@pytest.mark.parametrize("stream", [False, True])
async def test_unknown_model_is_usable_at_once(still: Lab, *, stream: bool) -> None:
    """A model that Google has added since is asked for with the first request that names it."""
    await still.services.live_models.read(still.saved())
    still.save(EMAIL, next_models=True)
    body = chat_body(model=NEW, reasoning_effort="medium", stream=stream)
    async with still.http.post(f"{still.url}/v1/chat/completions", json=body) as response:
        assert response.status == 200, await response.text()
        assert response.headers["X-Antigravity-Runtime-Id"] == "gemini-4.0-flash-medium"
        text = await response.text()
        assert ("You said: Hi" if not stream else "data: [DONE]") in text
    (entry,) = still.requests()
    assert entry["body"]["request"]["generationConfig"]["thinkingConfig"]["thinkingBudget"] == 6_000
    assert len(still.requests(FETCH)) == 2


@pytest.mark.parametrize("effort", ["none", "minimal", "low", "medium", "high", "xhigh"])
@pytest.mark.parametrize(
    "model",
    [
        *(
            "gemini-4.0-flash",
            "gemini-4.0-pro",
            "gemini-4.1-nova",
            "gemini-4.0-plain",
            "claude-x-5",
            "gemini-3-flash",
        ),
        *("gemini-4.0-flash-high", "gemini-4.1-nova-extra-low", "gemini-4.0-old", "gemini-3.1-pro-high"),
    ],
)
async def test_new_models_serve_every_effort(still: Lab, model: str, effort: str) -> None:
    """Whatever effort is asked for, the strict upstream accepts what a new model is sent."""
    still.save(EMAIL, next_models=True)
    status, body = await still.chat(model=model, reasoning_effort=effort)
    assert (status, body.get("model")) == (200, model), body


async def test_old_id_is_served_by_the_new_one(still: Lab) -> None:
    """An id that Google replaces goes to its replacement at once."""
    await still.services.live_models.read(still.saved())
    status, body = await still.chat(model="gemini-3.1-pro-high")
    assert (status, body["model"]) == (200, "gemini-3.1-pro-high")
    assert still.runtime_ids() == ["gemini-pro-agent"]


async def test_one_model_is_looked_up_at_once(still: Lab) -> None:
    """Asking for one new model by its id finds it without a list before."""
    still.save(EMAIL, next_models=True)
    status, row = await still.get(f"/v1/models/{NEW}")
    assert (status, row["id"], row["source"]) == (200, NEW, "a***a@example.com")


@pytest.mark.refused("Requested entity was not found.")
async def test_vanished_model_names_live_ones(still: Lab) -> None:
    """A model that Google no longer serves is a 404 that names three which it does, and is not listed."""
    gone = "gemini-3.5-flash-extra-low,gemini-3.5-flash-low,gemini-3-flash-agent,gemini-3.6-flash-tiered"
    still.save(EMAIL, retired_models=gone)
    status, body = await still.chat(model="gemini-3.5-flash")
    assert (status, body["error"]["code"]) == (404, "model_not_found")
    assert body["error"]["message"] == (
        "Google does not serve gemini-3.5-flash now. The nearest are gemini-3.8-flash, gemini-3.7-flash, "
        "gemini-3.6-flash."
    )
    assert "gemini-3.5-flash" not in ids(still)
    assert len(still.requests(FETCH)) == 1


async def test_unknown_model_names_live_ones(still: Lab) -> None:
    """A model that never was is a 404 that names three of those Google serves now."""
    still.save(EMAIL, next_models=True)
    status, body = await still.chat(model="gemini-4.0-flesh")
    assert (status, body["error"]["code"]) == (404, "model_not_found")
    assert "The nearest are gemini-4.0-flash, " in body["error"]["message"]


@pytest.mark.parametrize(
    ("plan", "status", "code"),
    [
        ({"name": "status", "status": 500}, 502, "upstream_failed"),
        ({"name": "status", "status": 404}, 502, "upstream_failed"),
        ({"name": "status", "status": 503, "body": "text"}, 503, "unavailable"),
        ({"name": "bad-token"}, 401, "upstream_unauthorized"),
        ({"name": "rate-limit"}, 429, "rate_limit_exceeded"),
        ({"name": "verify"}, 403, "verification_required"),
        ({"name": "cut", "after": 0}, 502, "upstream_unreachable"),
        ({"name": "garbage", "after": 0}, 502, "upstream_garbled"),
    ],
    ids=["500", "404", "503", "token", "limit", "account", "cut", "garbage"],
)
@pytest.mark.parametrize("stream", [False, True])
async def test_unknown_model_that_nobody_can_be_asked_for(
    still: Lab, plan: dict[str, Any], status: int, code: str, *, stream: bool
) -> None:
    """When Google does not say which models there are, that is the error: perhaps it has the one that is wanted."""
    still.plan(method=FETCH, times=-1, **plan)
    answer = await still.chat(model=NEW, stream=stream)
    assert (answer[0], answer[1]["error"]["code"]) == (status, code)
    message = answer[1]["error"]["message"]
    assert message.startswith("This model is not known here, and Google could not be asked for it. ")
    assert (await still.get(f"/v1/models/{NEW}"))[0] == status
    assert still.requests() == []
    still.simulator.state.scenarios.clear()
    still.save(EMAIL, next_models=True)
    assert (await still.chat(model=NEW))[0] == 200


async def test_failure_is_told_while_nobody_is_asked_again(still: Lab) -> None:
    """While an account's catalogue is not asked for again, the last failure stands, and is told in the same words."""
    still.plan("status", status=500, method=FETCH, times=-1)
    answers = [await still.chat(model=NEW) for _ in range(MAX_READS + 3)]
    assert len({json.dumps(answer) for answer in answers}) == 1
    assert answers[0][0] == 502
    assert len(still.requests(FETCH)) == MAX_READS
    assert (await still.chat())[0] == 200


async def test_each_account_has_its_own_list(still: Lab) -> None:
    """What is listed is what Google serves to the active account."""
    still.save("ben@example.com", next_models=True)
    await still.services.live_models.read(still.saved("ben@example.com"))
    assert NEW in ids(still)
    still.save(EMAIL)
    assert NEW not in ids(still)
    await quiet(still)
    assert NEW not in ids(still)
    assert (await still.get("/v1/models/gemini-3-flash"))[1]["source"] == "a***a@example.com"
    assert [entry["account"] for entry in still.requests(FETCH)] == ["ben@example.com", EMAIL]


async def test_stale_catalogue_is_read_once_for_a_hundred_requests(still: Lab, clock: Clock) -> None:
    """When the catalogue is old, requests are served from it, and one call renews it for all."""
    await still.services.live_models.read(still.saved())
    clock.now_s += FRESH_S
    still.save(EMAIL, next_models=True)
    assert NEW not in ids(still)
    answers = await asyncio.gather(*(still.chat() for _ in range(100)))
    assert {status for status, _ in answers} == {200}
    await quiet(still)
    assert len(still.requests(FETCH)) == 2
    assert NEW in ids(still)


async def test_fresh_catalogue_is_not_read_again(still: Lab, clock: Clock) -> None:
    """Within five minutes nobody's use causes a call."""
    await still.services.live_models.read(still.saved())
    clock.now_s += FRESH_S - 1
    assert NEW not in ids(still)
    await still.chat()
    await quiet(still)
    assert len(still.requests(FETCH)) == 1


@pytest.mark.parametrize(
    "failure", [{"name": "status", "status": 500}, {"name": "verify"}, {"name": "garbage", "after": 0}], ids=str
)
async def test_last_good_catalogue_is_kept(still: Lab, clock: Clock, failure: dict[str, Any]) -> None:
    """A failure takes no model away and does not count as news: after a while it is tried again."""
    still.save(EMAIL, next_models=True)
    await still.services.live_models.read(still.saved())
    clock.now_s += FRESH_S
    still.plan(method=FETCH, **failure)
    for _ in range(3):
        assert NEW in ids(still)
        await quiet(still)
    assert len(still.requests(FETCH)) == 2
    clock.now_s += RETRY_S
    assert NEW in ids(still)
    await quiet(still)
    assert len(still.requests(FETCH)) == 3


async def test_empty_catalogue_is_a_failure(still: Lab, clock: Clock) -> None:
    """An answer without any model takes no model away."""
    await still.services.live_models.read(still.saved())
    clock.now_s += FRESH_S
    everything = ",".join(row.runtime_id for row in still.services.live_models.catalog_of(still.saved()).live.models)
    still.save(EMAIL, retired_models=everything)
    before = ids(still)
    await quiet(still)
    assert len(still.requests(FETCH)) == 2
    assert ids(still) == before


async def test_refused_token_is_renewed_once(still: Lab, clock: Clock) -> None:
    """A token that Google refuses for the catalogue is renewed with one call and sent again with one."""
    still.plan("bad-token", method=FETCH)
    await still.services.live_models.read(still.saved())
    assert len(still.requests("token")) == 1
    assert len(still.requests(FETCH)) == 2
    clock.now_s += REFRESH_AGAIN_MS / 1_000
    still.plan("bad-token", method=FETCH, times=-1)
    with pytest.raises(UpstreamUnauthorizedError):
        await still.services.live_models.read(still.saved())
    assert len(still.requests("token")) == 2
    assert len(still.requests(FETCH)) == 4


async def test_burst_of_404s_shares_one_call(still: Lab) -> None:
    """Many requests for a model that is gone ask Google's catalogue once."""
    still.plan("unknown-model", times=-1)
    answers = await asyncio.gather(*(still.chat(model="claude-sonnet-4-6") for _ in range(20)))
    assert {status for status, _ in answers} == {404}
    assert len(still.requests(FETCH)) == 1


async def test_unknown_names_do_not_hammer_google(still: Lab, clock: Clock) -> None:
    """However often unknown models are asked for, an account's catalogue is read a few times a minute."""
    for number in range(MAX_READS * 2):
        assert (await still.chat(model=f"unknown-{number}"))[0] == 404
    assert len(still.requests(FETCH)) == MAX_READS
    clock.now_s += WINDOW_S
    await still.chat(model="unknown")
    assert len(still.requests(FETCH)) == MAX_READS + 1


async def test_without_account_the_built_in_models_are_listed(open_lab: OpenLab) -> None:
    """Nobody is asked when nobody has logged in."""
    async with open_lab(accounts=()) as lab:
        assert len(ids(lab)) == 8
        status, body = await lab.chat(model="gemini-9")
        assert (status, body["error"]["code"]) == (404, "model_not_found")
        assert lab.requests(FETCH) == []


async def test_reading_ends_with_the_server(open_lab: OpenLab, monkeypatch: pytest.MonkeyPatch) -> None:
    """A server that stops does not wait for a catalogue that does not come, and leaves no task."""
    monkeypatch.setattr(services, "BACKGROUND_GRACE_S", 0)
    async with open_lab() as lab:
        lab.plan("silence", method=FETCH)
        ids(lab)
        await eventually(lambda: bool(lab.requests(FETCH)))
    assert len(lab.services.background) == 0
    assert len(lab.services.live_models._flights) == 0
