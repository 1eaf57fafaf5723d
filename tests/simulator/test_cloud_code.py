"""Tests of the Cloud Code calls other than generation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from aiohttp import ServerDisconnectedError

from .wire import Caller

if TYPE_CHECKING:
    import aiohttp

    from antigravity_proxy.simulator.server import Simulator

    from .conftest import Clock

METADATA = {"metadata": {"ideType": "ANTIGRAVITY"}}


async def test_load_gives_the_project(caller: Caller, simulator: Simulator) -> None:
    """A correct call gives the plan and the project, and breaks no header rule."""
    status, document = await caller.document("loadCodeAssist", METADATA)
    assert (status, document["cloudaicompanionProject"]) == (200, caller.record["projectId"])
    assert simulator.violations() == []


async def test_answer_looks_like_google(caller: Caller) -> None:
    """Answers are JSON from Google's front end."""
    async with caller.post("loadCodeAssist", METADATA) as answer:
        assert answer.headers["Content-Type"] == "application/json; charset=UTF-8"
        assert answer.headers["Server"] == "ESF"


async def test_wrong_ide_costs_the_licence(caller: Caller) -> None:
    """Who introduces itself as another IDE has no licence until it says the right one."""
    await caller.document("loadCodeAssist", {"metadata": {"ideType": "IDE_UNSPECIFIED"}})
    status, body = await caller.generate("hi")
    assert (status, b"valid license" in body) == (403, True)
    await caller.document("loadCodeAssist", METADATA)
    assert (await caller.generate("hi"))[0] == 200


async def test_list_gives_projects(caller: Caller) -> None:
    """The list of projects names the account's."""
    _, document = await caller.document("listCloudAICompanionProjects", {})
    assert document["projects"][0]["id"] == caller.record["projectId"]


@pytest.mark.parametrize(
    "body",
    [
        {"tierId": "free-tier", **METADATA},
        {"tier_id": "free-tier", "metadata": {"ide_type": "ANTIGRAVITY", "ide_version": "1", "ide_name": "x"}},
    ],
    ids=["camelCase", "snake_case"],
)
async def test_onboarding_makes_a_project(
    simulator: Simulator, session: aiohttp.ClientSession, body: dict[str, Any]
) -> None:
    """A free account has no project until it is onboarded, which takes more than one call."""
    caller = Caller(simulator, session, simulator.add_account("f@example.com", tier="free")["record"])
    assert "cloudaicompanionProject" not in (await caller.document("loadCodeAssist", METADATA))[1]
    _, pending = await caller.document("onboardUser", body)
    assert pending["done"] is False
    _, done = await caller.document("onboardUser", body)
    project = done["response"]["cloudaicompanionProject"]["id"]
    assert (await caller.document("loadCodeAssist", METADATA))[1]["cloudaicompanionProject"] == project


@pytest.mark.parametrize(
    "body",
    [{}, METADATA, {"tierId": "legacy-standard-tier"}, {"tierId": "free-tier", "list": [{"a_b": 1}]}],
    ids=["empty", "no tier", "legacy tier", "unknown field"],
)
async def test_bad_onboarding_is_refused(caller: Caller, body: dict[str, Any]) -> None:
    """Without a tier to join nobody is onboarded."""
    assert (await caller.document("onboardUser", body))[0] == 400


async def test_onboarding_can_be_closed(simulator: Simulator, session: aiohttp.ClientSession) -> None:
    """Some accounts get no project at all."""
    record = simulator.add_account("n@example.com", project=None, onboarding=False)["record"]
    caller = Caller(simulator, session, record)
    assert (await caller.document("onboardUser", {"tierId": "free-tier"}))[0] == 400
    assert (await caller.document("listCloudAICompanionProjects", {}))[1] == {}
    assert (await caller.document("fetchAvailableModels", {"project": "made-up"}))[0] == 200


async def test_models_follow_the_fingerprint(caller: Caller, simulator: Simulator) -> None:
    """A client with old headers gets the old catalogue and is on record."""
    _, current = await caller.document("fetchAvailableModels", {"project": caller.record["projectId"]})
    _, outdated = await caller.document("fetchAvailableModels", {}, **{"X-Goog-Api-Client": "gl-node/22"})
    assert "gemini-3.8-flash-low" in current["models"]
    assert "gemini-3.8-flash-low" not in outdated["models"]
    assert simulator.violations() == ["X-Goog-Api-Client must not be sent"]


@pytest.mark.parametrize("method", ["fetchAvailableModels", "retrieveUserQuotaSummary"])
async def test_foreign_project_is_refused(caller: Caller, method: str) -> None:
    """An account with a project may not ask under another."""
    status, document = await caller.document(method, {"project": "other"})
    assert (status, document["error"]["details"][0]["reason"]) == (403, "SERVICE_DISABLED")


async def test_quota_goes_down_and_comes_back(
    simulator: Simulator, session: aiohttp.ClientSession, clock: Clock
) -> None:
    """Answers cost quota, which is whole again after its window."""
    record = simulator.add_account("q@example.com", quota_cost=0.5)["record"]
    caller = Caller(simulator, session, record)
    await caller.events("hi")
    _, document = await caller.document("retrieveUserQuotaSummary", {})
    assert document["groups"][0]["buckets"][1]["remainingFraction"] == 0.5
    clock.now_s += 3590
    assert (await caller.generate("hi"))[0] == 200
    status, body = await caller.generate("hi")
    assert (status, b"QUOTA_EXHAUSTED" in body, b"Resets in 4h0m10s" in body) == (429, True, True)


async def test_free_account_has_no_summary(simulator: Simulator, session: aiohttp.ClientSession) -> None:
    """The quota summary wants a subscription, the models do not."""
    caller = Caller(simulator, session, simulator.add_account("f@example.com", tier="free")["record"])
    status, document = await caller.document("retrieveUserQuotaSummary", {})
    assert (status, document["error"]["details"][0]["reason"]) == (403, "SUBSCRIPTION_REQUIRED")
    assert (await caller.document("fetchAvailableModels", {}))[0] == 200


async def test_placeholders_hide_what_was_used(simulator: Simulator, session: aiohttp.ClientSession) -> None:
    """The list of models can show every quota as full, while the summary goes on to tell the truth."""
    options = {"quota_cost": 0.5, "quota_placeholder": True}
    caller = Caller(simulator, session, simulator.add_account("p@example.com", **options)["record"])
    await caller.events("hi")
    _, models = await caller.document("fetchAvailableModels", {})
    assert models["models"]["gemini-3.8-flash-low"]["quotaInfo"]["remainingFraction"] == 1
    _, summary = await caller.document("retrieveUserQuotaSummary", {})
    assert summary["groups"][0]["buckets"][1]["remainingFraction"] == 0.5


async def test_banned_account_gets_nothing(simulator: Simulator, session: aiohttp.ClientSession) -> None:
    """A banned account is refused everywhere."""
    caller = Caller(simulator, session, simulator.add_account("b@example.com", banned=True)["record"])
    assert (await caller.document("loadCodeAssist", METADATA))[0] == 403


async def test_unknown_method_is_not_found(caller: Caller) -> None:
    """A method nobody knows is a 404."""
    status, document = await caller.document("countTokens", {})
    assert (status, document["error"]["status"]) == (404, "NOT_FOUND")


@pytest.mark.parametrize("method", ["loadCodeAssist", "fetchAvailableModels", "streamGenerateContent"])
@pytest.mark.parametrize(
    ("header", "sentence"),
    [
        ({"Content-Type": "text/plain"}, "Content-Type must be exactly application/json"),
        ({"X-Own": "1"}, "X-Own is not a header of this client"),
    ],
    ids=["other content", "extra header"],
)
async def test_foreign_headers_are_refused(
    caller: Caller, simulator: Simulator, method: str, header: dict[str, str], sentence: str
) -> None:
    """A header that no client sends is refused on every call, named in the answer, and on record."""
    status, document = await caller.document(method, {}, **header)
    assert (status, document["error"]["details"][0]["fieldViolations"]) == (400, [{"description": sentence}])
    assert simulator.violations() == [sentence]


async def test_expired_token_is_unauthenticated(caller: Caller, clock: Clock) -> None:
    """A token is refused after its time."""
    clock.now_s += 3600
    assert (await caller.document("loadCodeAssist", METADATA))[0] == 401


async def test_scenario_refuses_other_calls(caller: Caller, simulator: Simulator) -> None:
    """A scenario for a method refuses it once."""
    simulator.schedule("status", status=503, body="html", method="loadCodeAssist")
    async with caller.post("loadCodeAssist", METADATA) as answer:
        assert (answer.status, answer.content_type) == (503, "text/html")
    assert (await caller.document("loadCodeAssist", METADATA))[0] == 200
    assert [entry["scenarios"] for entry in simulator.requests()] == [["status"], []]


async def test_scenario_changes_the_delivery_of_other_calls(caller: Caller, simulator: Simulator) -> None:
    """Cuts and pieces happen to whole documents too."""
    simulator.schedule("split", size=7, method="loadCodeAssist", also=[{"name": "gzip"}])
    assert (await caller.document("loadCodeAssist", METADATA))[1]["currentTier"]["id"] == "free-tier"
    simulator.schedule("cut", after=0, method="loadCodeAssist")
    with pytest.raises(ServerDisconnectedError):
        await caller.document("loadCodeAssist", METADATA)
