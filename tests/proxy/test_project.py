"""Tests of the search for an account's Google project, against the simulator and against servers with odd answers."""

from __future__ import annotations

import asyncio
import json
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from antigravity_proxy.accounts.account import Account, Tokens
from antigravity_proxy.accounts.store import AccountStore
from antigravity_proxy.errors import (
    ProxyError,
    RateLimitedError,
    UpstreamForbiddenError,
    UpstreamUnauthorizedError,
    VerificationRequiredError,
)
from antigravity_proxy.proxy.http_client import HttpClient
from antigravity_proxy.proxy.project import ONBOARD_PAUSE_S, ONBOARD_POLLS, ProjectFinder
from antigravity_proxy.proxy.project_id import fallback_project_id
from antigravity_proxy.proxy.settings import USER_AGENT
from antigravity_proxy.proxy.upstream import Upstream

from .conftest import EMAIL, eventually, settle
from .raw_server import raw_server, reply

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from .conftest import Lab, OpenLab
    from .raw_server import RawServer

NEW = "new@example.com"
NEW_FALLBACK = "0638fdcb-415c-5a00-a951-487e232bf6ad"
SEARCH = ("loadCodeAssist", "listCloudAICompanionProjects", "onboardUser")
ACCOUNT = Account("google:1", Tokens("access", "refresh", 9_000_000_000_000), email=NEW)


def calls_of(lab: Lab) -> list[str]:
    """The methods that were called, in order, without generation."""
    methods = [entry["path"].rpartition(":")[2] for entry in lab.simulator.requests()]
    return [method for method in methods if method in SEARCH]


def used_project(lab: Lab) -> str:
    """The project of the last generation."""
    return str(lab.requests()[-1]["body"]["project"])


async def test_saved_project_is_used_without_a_search(lab: Lab) -> None:
    """An account that has its project is asked nothing more."""
    assert (await lab.chat())[0] == 200
    assert calls_of(lab) == []
    assert used_project(lab) == lab.saved().project_id


@pytest.mark.parametrize(
    ("place", "calls"),
    [
        ("load", ["loadCodeAssist"]),
        ("load-object", ["loadCodeAssist"]),
        ("list", ["loadCodeAssist", "listCloudAICompanionProjects"]),
    ],
)
async def test_project_is_found_and_saved(open_lab: OpenLab, place: str, calls: list[str]) -> None:
    """A project that either call names is used, saved with the account, and not searched again."""
    async with open_lab(accounts=()) as lab:
        account = lab.save(NEW, with_project=False, project="demo-1", project_place=place)
        for _ in range(2):
            assert (await lab.chat())[0] == 200
        assert calls_of(lab) == calls
        assert used_project(lab) == "demo-1"
        assert lab.saved(NEW) == replace(account, project_id="demo-1")
        load = lab.requests("loadCodeAssist")[0]
        assert load["body"] == {"metadata": {"ideType": "ANTIGRAVITY"}}


@pytest.mark.parametrize("polls", [0, 2, ONBOARD_POLLS - 1])
async def test_new_account_is_set_up(open_lab: OpenLab, polls: int) -> None:
    """Google is asked to set up an account without a project, until it has, with pauses between."""
    async with open_lab(accounts=()) as lab:
        lab.save(NEW, tier="free", onboard_polls=polls)
        assert (await lab.chat())[0] == 200
        assert calls_of(lab) == [*SEARCH[:2], *["onboardUser"] * (polls + 1)]
        assert lab.pauses == [ONBOARD_PAUSE_S] * polls
        body = lab.requests("onboardUser")[0]["body"]
        assert body == {"tierId": "free-tier", "metadata": {"ideType": "ANTIGRAVITY"}}
        assert lab.saved(NEW).project_id == used_project(lab)
        assert used_project(lab).startswith("simulated-")


@pytest.mark.refused("onboardUser: ")
async def test_account_without_a_project_falls_back(open_lab: OpenLab) -> None:
    """Without any project a stable id stands in; it is not saved, and the next request looks again."""
    async with open_lab(accounts=()) as lab:
        lab.save(NEW, tier="free", any_project=True, onboarding=False)
        for _ in range(2):
            assert (await lab.chat())[0] == 200
            assert used_project(lab) == NEW_FALLBACK
        assert lab.saved(NEW).project_id is None
        assert calls_of(lab) == [*SEARCH, *SEARCH]


async def test_setting_up_is_not_waited_for_without_end(open_lab: OpenLab) -> None:
    """After some polls the fallback serves; the next request goes on asking."""
    async with open_lab(accounts=()) as lab:
        lab.save(NEW, tier="free", any_project=True, onboard_polls=ONBOARD_POLLS)
        assert (await lab.chat())[0] == 200
        assert used_project(lab) == NEW_FALLBACK
        assert calls_of(lab) == [*SEARCH[:2], *["onboardUser"] * ONBOARD_POLLS]
        assert (await lab.chat())[0] == 200
        assert used_project(lab) == lab.saved(NEW).project_id


@pytest.mark.refused("onboardUser: ")
async def test_own_project_stands_in_for_one_that_is_not_found(open_lab: OpenLab) -> None:
    """The user's own project is taken where none is found, and only there."""
    async with open_lab(accounts=(), project_id="mine") as lab:
        lab.save(NEW, tier="free", any_project=True, onboarding=False)
        await lab.chat()
        assert used_project(lab) == "mine"
        assert lab.saved(NEW).project_id is None
        lab.save("other@example.com", with_project=False, project="demo-1")
        await lab.chat()
        assert used_project(lab) == "demo-1"


@pytest.mark.parametrize(
    ("scenario", "status", "code"),
    [
        ({"name": "status", "status": 403}, 403, "upstream_forbidden"),
        ({"name": "verify"}, 403, "verification_required"),
        ({"name": "bare-429", "times": 3}, 429, "rate_limit_exceeded"),
        ({"name": "bad-token", "times": 2}, 401, "upstream_unauthorized"),
    ],
    ids=["forbidden", "verify", "rate-limit", "token"],
)
async def test_refusal_of_the_account_ends_the_request(
    open_lab: OpenLab, scenario: dict[str, Any], status: int, code: str
) -> None:
    """What Google says about the account itself is the client's answer: no project would help."""
    async with open_lab(accounts=()) as lab:
        lab.save(NEW, with_project=False)
        lab.plan(method="loadCodeAssist", **scenario)
        answered, body = await lab.chat()
        assert (answered, body["error"]["code"]) == (status, code)
        assert lab.requests() == []
        assert (await lab.chat())[0] == 200


async def test_failure_of_the_search_is_not_remembered(open_lab: OpenLab) -> None:
    """A search that failed gives the fallback once; the next request searches again and finds the project."""
    async with open_lab(accounts=()) as lab:
        lab.save(NEW, with_project=False, any_project=True, project="demo-1")
        lab.plan("status", status=500, method="loadCodeAssist")
        assert (await lab.chat())[0] == 200
        assert used_project(lab) == NEW_FALLBACK
        assert (await lab.chat())[0] == 200
        assert used_project(lab) == "demo-1"


@pytest.mark.refused("has not been used in project")
@pytest.mark.parametrize(
    ("scenario", "status"),
    [
        ({"name": "status", "status": 503}, 503),
        ({"name": "status", "status": 200, "body": "html"}, 502),
        ({"name": "status", "status": 500}, 502),
    ],
    ids=["busy", "page", "failed"],
)
async def test_failure_of_the_search_is_told(open_lab: OpenLab, scenario: dict[str, Any], status: int) -> None:
    """When the search fails and its stand-in is refused, the client hears of the failure, not of a project."""
    async with open_lab(accounts=()) as lab:
        lab.save(NEW, with_project=False)
        lab.plan(method="loadCodeAssist", times=2, **scenario)
        answered, body = await lab.chat()
        assert (answered, "project" in body["error"]["message"]) == (status, False), body
        assert (await lab.chat())[0] == 200


async def test_many_callers_share_one_search(open_lab: OpenLab) -> None:
    """Twenty requests at once cause one search, and so do those that come just after it."""
    async with open_lab(accounts=()) as lab:
        account = lab.save(NEW, with_project=False, project_place="list")
        answers = await asyncio.gather(*(lab.chat(f"request {number}") for number in range(20)))
        assert {status for status, _ in answers} == {200}
        assert calls_of(lab) == ["loadCodeAssist", "listCloudAICompanionProjects"]
        finder = ProjectFinder(lab.services.upstream, lab.services.store)
        assert (await finder.project_of(account)).id == lab.saved(NEW).project_id
        assert len(calls_of(lab)) == 2


@pytest.mark.refused("not been used in project gone-1")
async def test_refused_project_is_searched_again(lab: Lab) -> None:
    """A project Google says is unusable is dropped, found anew, and the request goes through."""
    saved = lab.saved()
    lab.services.store.update(lambda pool: pool.with_project(saved.id, "gone-1"))
    status, _ = await lab.chat()
    assert status == 200
    assert [entry["body"]["project"] for entry in lab.requests()] == ["gone-1", saved.project_id]
    assert lab.saved().project_id == saved.project_id


async def test_project_that_stays_refused_is_the_answer(lab: Lab) -> None:
    """A project that is refused after a new search too is the client's 403."""
    lab.plan("wrong-project", times=2)
    status, body = await lab.chat()
    assert (status, body["error"]["code"]) == (403, "project_unusable")
    assert len(lab.requests()) == 2


async def test_project_that_was_found_since_is_kept(lab: Lab) -> None:
    """Of requests that were refused together, the later ones take what the first has found."""
    old = replace(lab.saved(), project_id="gone-1")
    lab.services.store.update(lambda pool: pool.with_project(old.id, "found-1"))
    finder = ProjectFinder(lab.services.upstream, lab.services.store)
    await finder.forget(old)
    assert lab.saved().project_id == "found-1"
    assert (await finder.project_of(replace(old, project_id=None))).id == "found-1"
    assert calls_of(lab) == []


async def test_store_that_cannot_be_written_costs_a_search_only(
    open_lab: OpenLab, caplog: pytest.LogCaptureFixture
) -> None:
    """Where the project cannot be saved, or forgotten, requests go through all the same."""
    async with open_lab(accounts=()) as lab:
        account = lab.save(NEW, with_project=False, project="demo-1")
        store = lab.services.store
        store.path.with_name("accounts.json.lock").unlink()
        store.path.with_name("accounts.json.lock").mkdir()
        assert (await lab.chat())[0] == 200
        assert used_project(lab) == "demo-1"
        assert lab.saved(NEW).project_id is None
        assert "cannot be remembered" in caplog.text
        finder = ProjectFinder(lab.services.upstream, store)
        await finder.forget(replace(account, project_id="gone-1"))
        assert (await finder.project_of(account)).id == "demo-1"


async def test_refused_project_is_not_taken_from_a_store_that_keeps_it(lab: Lab) -> None:
    """A project that could not be forgotten is looked for anew and not read back."""
    store = lab.services.store
    refused = lab.saved()
    finder = ProjectFinder(lab.services.upstream, store)
    lock = store.path.with_name("accounts.json.lock")
    lock.unlink()
    lock.mkdir()
    await finder.forget(refused)
    assert lab.saved().project_id is not None
    assert (await finder.project_of(replace(refused, project_id=None))).id == refused.project_id
    assert calls_of(lab) == ["loadCodeAssist"]


async def test_leaving_ends_the_search(open_lab: OpenLab) -> None:
    """The last client that waits for a search ends it by leaving."""
    async with open_lab(accounts=()) as lab:
        lab.save(NEW, with_project=False)
        lab.plan("silence", method="loadCodeAssist")
        both = [asyncio.create_task(lab.chat()) for _ in range(2)]
        await eventually(lambda: len(lab.requests("loadCodeAssist")) == 1)
        both[0].cancel()
        await settle()
        assert not lab.requests("loadCodeAssist")[0]["aborted"]
        both[1].cancel()
        await eventually(lambda: bool(lab.requests("loadCodeAssist")[0]["aborted"]))
        await eventually(lambda: lab.open_calls() == 0)


@asynccontextmanager
async def finder_for(tmp_path: Path, *hosts: list[Any]) -> AsyncIterator[tuple[ProjectFinder, list[RawServer]]]:
    """A finder whose hosts answer with JSON documents, or statuses, in turn; the last host also sets accounts up."""
    store = AccountStore(tmp_path / "accounts.json")
    store.update(lambda pool: pool.with_account(ACCOUNT))

    async def pause(_seconds: float) -> None:
        """No waiting."""

    servers: list[RawServer] = []
    async with AsyncExitStack() as stack:
        http = await stack.enter_async_context(HttpClient())
        for answers in hosts:
            replies = ([_reply(answer)] for answer in answers)
            servers.append(await stack.enter_async_context(raw_server(*replies, is_kept_open=True)))
        urls = tuple(server.url for server in servers)
        upstream = Upstream(http, user_agent=USER_AGENT, control_hosts=urls[:-1], generation_host=urls[-1])
        yield ProjectFinder(upstream, store, pause=pause), servers


def _reply(answer: Any) -> bytes:
    if isinstance(answer, int):
        return reply(json.dumps({"error": {"code": answer, "message": "No."}}).encode(), status=answer)
    status = answer["error"]["code"] if isinstance(answer, dict) and "error" in answer else 200
    return reply(json.dumps(answer).encode(), status=status)


def methods_of(server: RawServer) -> list[str]:
    """The methods a server was asked for."""
    return [request.split()[1].decode().rpartition(":")[2] for request in server.requests]


@pytest.mark.parametrize("failure", [404, 500, 502, 503, 504, "no object"])
async def test_search_walks_from_host_to_host(tmp_path: Path, failure: Any) -> None:
    """A host that fails, or names no project in either call, is followed by the next one."""
    hosts: list[list[Any]] = [[failure], [{}, {"projects": []}], [{"projectId": "demo-1"}], []]
    async with finder_for(tmp_path, *hosts) as (finder, servers):
        assert (await finder.project_of(ACCOUNT)).id == "demo-1"
        both = ["loadCodeAssist", "listCloudAICompanionProjects"]
        first = both if failure == "no object" else both[:1]
        assert [methods_of(server) for server in servers] == [first, both, both[:1], []]


@pytest.mark.parametrize("failing", ["load", "list"])
@pytest.mark.parametrize(
    ("status", "error"),
    [(401, UpstreamUnauthorizedError), (403, UpstreamForbiddenError), (429, RateLimitedError)],
)
async def test_refusal_stops_the_search(tmp_path: Path, failing: str, status: int, error: type[ProxyError]) -> None:
    """A refusal of the account is not asked for again at other hosts."""
    answers: list[Any] = [status] if failing == "load" else [{}, status]
    async with finder_for(tmp_path, answers, [{"projectId": "x"}], []) as (finder, servers):
        with pytest.raises(error):
            await finder.project_of(ACCOUNT)
        assert servers[1].requests == []


async def test_account_that_cannot_be_set_up_falls_back(tmp_path: Path) -> None:
    """A refusal of the set-up is no refusal of the account."""
    async with finder_for(tmp_path, [{"gcpManaged": False}, {}], [403]) as (finder, servers):
        assert (await finder.project_of(ACCOUNT)).id == NEW_FALLBACK
        assert methods_of(servers[1]) == ["onboardUser"]


async def test_verification_stops_the_set_up(tmp_path: Path) -> None:
    """An account that must be verified before it is set up is told so."""
    wanted = {"error": {"code": 403, "message": "Verify your account to continue."}}
    async with finder_for(tmp_path, [{"gcpManaged": False}, {}], [wanted]) as (finder, _):
        with pytest.raises(VerificationRequiredError):
            await finder.project_of(ACCOUNT)


@pytest.mark.parametrize(
    ("loaded", "tier"),
    [
        ({"allowedTiers": [{"id": "a"}, {"id": "b", "isDefault": True}], "currentTier": {"id": "c"}}, "b"),
        ({"allowedTiers": [{"id": "a"}, {"isDefault": True}], "currentTier": {"id": "c"}}, "c"),
        ({"allowedTiers": [{"id": 5, "isDefault": True}], "currentTier": {"id": 5}}, "free-tier"),
        ({"allowedTiers": "none", "currentTier": None}, "free-tier"),
        ({"gcpManaged": False}, "free-tier"),
    ],
    ids=["default", "current", "odd", "other-shapes", "nothing"],
)
@pytest.mark.parametrize(
    ("answer", "found"),
    [
        ({"done": True, "response": {"cloudaicompanionProject": {"id": "demo-1"}}}, "demo-1"),
        ({"done": True, "response": {"cloudaicompanionProject": "demo-2"}}, "demo-2"),
        ({"done": True, "response": {}}, NEW_FALLBACK),
        ({"done": True}, NEW_FALLBACK),
        ([], NEW_FALLBACK),
    ],
    ids=["object", "text", "no-project", "no-response", "no-object"],
)
async def test_account_is_set_up_on_its_tier(
    tmp_path: Path, loaded: dict[str, Any], tier: str, answer: Any, found: str
) -> None:
    """The default tier, else the current, else the free one is joined, and the project read in any form."""
    async with finder_for(tmp_path, [loaded, {}], [answer]) as (finder, servers):
        assert (await finder.project_of(ACCOUNT)).id == found
        assert json.loads(servers[1].requests[0].partition(b"\r\n\r\n")[2])["tierId"] == tier


@pytest.mark.parametrize(
    ("answers", "is_fallback", "words"),
    [
        pytest.param([[500], [{"projectId": "demo-1"}], []], False, None, id="found at the next host"),
        pytest.param([[500], [500], []], True, "failed with status 500", id="no host answers"),
        pytest.param([[{}, {}], [500], []], True, "failed with status 500", id="last host fails"),
        pytest.param([[{"gcpManaged": False}, {}], [503]], True, "temporarily unavailable", id="not set up"),
        pytest.param([[{"gcpManaged": False}, {}], [404]], True, "search for this account", id="no set-up"),
        pytest.param([[{"gcpManaged": False}, {}], [{"done": True}]], True, None, id="there is none"),
    ],
)
async def test_fallback_says_what_went_unanswered(
    tmp_path: Path, answers: list[list[Any]], words: str | None, *, is_fallback: bool
) -> None:
    """A project that Google names has no failure; a fallback has the one that led to it, if there was one."""
    async with finder_for(tmp_path, *answers) as (finder, _):
        project = await finder.project_of(ACCOUNT)
        assert (project.id == NEW_FALLBACK) is is_fallback
        assert (project.failure is None) if words is None else (words in str(project.failure))


async def test_nothing_is_set_up_for_an_account_that_was_not_loaded(tmp_path: Path) -> None:
    """Where no host tells anything, no account is set up, and the fallback serves."""
    async with finder_for(tmp_path, [500], [500], []) as (finder, servers):
        assert (await finder.project_of(ACCOUNT)).id == NEW_FALLBACK
        assert servers[-1].requests == []


@pytest.mark.parametrize(("email", "seed"), [(EMAIL, EMAIL), (None, "google:1")])
async def test_fallback_is_made_of_the_email_else_the_id(tmp_path: Path, email: str | None, seed: str) -> None:
    """The fallback follows the account's e-mail, and its id where no e-mail is known."""
    async with finder_for(tmp_path, [500], []) as (finder, _):
        assert (await finder.project_of(replace(ACCOUNT, email=email))).id == fallback_project_id(seed)
