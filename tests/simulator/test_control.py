"""Tests of the control API."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from antigravity_proxy.simulator.scenarios import KINDS

if TYPE_CHECKING:
    import aiohttp

    from antigravity_proxy.simulator.server import Simulator

    from .wire import Caller


async def get(simulator: Simulator, session: aiohttp.ClientSession, path: str) -> tuple[int, Any]:
    """Get a document."""
    async with session.get(simulator.base_url + path) as answer:
        return answer.status, await answer.json()


async def post(
    simulator: Simulator, session: aiohttp.ClientSession, path: str, body: Any
) -> tuple[int, dict[str, Any]]:
    """Post a document."""
    async with session.post(simulator.base_url + path, json=body) as answer:
        return answer.status, await answer.json()


async def test_index_explains(simulator: Simulator, session: aiohttp.ClientSession) -> None:
    """The first page says what this is and links everything."""
    async with session.get(simulator.base_url) as answer:
        page = await answer.text()
    assert "Pretend Google" in page
    assert simulator.base_url in page
    assert 'href="/simulator/client.json"' in page


async def test_state_is_shown(simulator: Simulator, session: aiohttp.ClientSession) -> None:
    """The state lists accounts with quota, and the models."""
    _, document = await get(simulator, session, "/simulator/state")
    assert [account["email"] for account in document["accounts"]] == [
        "ada@example.com",
        "ben@example.com",
        "cleo@example.com",
    ]
    assert "gemini-3.8-flash-low" in document["models"]
    assert (document["requests"], document["waitingScenarios"]) == (0, 0)


async def test_accounts_can_be_changed(simulator: Simulator, session: aiohttp.ClientSession) -> None:
    """An account is made with options and given back with its record."""
    body = {"email": "New@example.com", "banned": True, "quota": {"gemini-5h": 0.1}}
    status, document = await post(simulator, session, "/simulator/accounts", body)
    assert status == 200
    assert document["options"]["banned"] is True
    assert document["quota"]["gemini-5h"]["fraction"] == 0.1
    assert document["record"]["access"].startswith("ya29.")


@pytest.mark.parametrize(
    "body", [{}, [], {"email": "x"}, {"email": "a@b.c", "colour": 1}], ids=["empty", "list", "address", "option"]
)
async def test_bad_change_is_refused(simulator: Simulator, session: aiohttp.ClientSession, body: Any) -> None:
    """A change that makes no sense is a 400 with a sentence."""
    status, document = await post(simulator, session, "/simulator/accounts", body)
    assert status == 400
    assert document["error"]


async def test_change_must_be_json(simulator: Simulator, session: aiohttp.ClientSession) -> None:
    """A change that another site's page could send is refused."""
    async with session.post(f"{simulator.base_url}/simulator/accounts", data=b"{}") as answer:
        assert answer.status == 415
    headers = {"Content-Type": "application/json"}
    async with session.post(f"{simulator.base_url}/simulator/accounts", data=b"{", headers=headers) as answer:
        assert answer.status == 400


async def test_account_document_can_be_fetched(simulator: Simulator, session: aiohttp.ClientSession) -> None:
    """The document to import has all accounts, or the one that is named."""
    _, everybody = await get(simulator, session, "/simulator/accounts.json")
    assert len(everybody["accounts"]) == 3
    _, one = await get(simulator, session, "/simulator/accounts.json?email=ben@example.com")
    (record,) = one["accounts"].values()
    assert record["email"] == "ben@example.com"
    assert (await get(simulator, session, "/simulator/accounts.json?email=x"))[0] == 400


async def test_client_document_can_be_fetched(simulator: Simulator, session: aiohttp.ClientSession) -> None:
    """The client document is the one the simulator gives in process."""
    _, document = await get(simulator, session, "/simulator/client.json")
    assert document == simulator.client_document()


async def test_scenarios_can_be_queued_and_cleared(simulator: Simulator, session: aiohttp.ClientSession) -> None:
    """Queued scenarios are listed until they are cleared."""
    body = {"scenarios": [{"name": "cut", "after": 3, "times": -1, "also": [{"name": "crlf"}]}]}
    status, document = await post(simulator, session, "/simulator/scenarios", body)
    assert (status, document["waiting"][0]["after"], document["waiting"][0]["also"][0]["name"]) == (200, 3, "crlf")
    _, listed = await get(simulator, session, "/simulator/scenarios")
    assert len(listed["waiting"]) == 1
    async with session.delete(f"{simulator.base_url}/simulator/scenarios") as answer:
        assert answer.status == 204
    assert (await get(simulator, session, "/simulator/scenarios"))[1]["waiting"] == []


async def test_known_scenarios_are_described(simulator: Simulator, session: aiohttp.ClientSession) -> None:
    """Every scenario is described with its parameters."""
    _, document = await get(simulator, session, "/simulator/scenarios")
    assert set(document["known"]) == set(KINDS)
    assert document["known"]["cut"]["params"] == {"after": 1, "headers": False, "clean": False}
    assert "token" in document["methods"]


@pytest.mark.parametrize(
    "body",
    [{}, {"scenarios": {}}, {"scenarios": [{"name": "crlf"}, {"name": "nope"}]}],
    ids=["empty", "map", "one bad"],
)
async def test_bad_scenarios_are_refused(simulator: Simulator, session: aiohttp.ClientSession, body: Any) -> None:
    """If one scenario is wrong none is queued."""
    assert (await post(simulator, session, "/simulator/scenarios", body))[0] == 400
    assert list(simulator.state.scenarios) == []


async def test_requests_are_shown_and_cleared(
    simulator: Simulator, session: aiohttp.ClientSession, caller: Caller
) -> None:
    """What clients sent is listed until it is cleared; looking at it is not listed."""
    await caller.document("loadCodeAssist", {})
    _, document = await get(simulator, session, "/simulator/requests")
    assert [entry["path"] for entry in document["requests"]] == ["/v1internal:loadCodeAssist"]
    async with session.delete(f"{simulator.base_url}/simulator/requests") as answer:
        assert answer.status == 204
    assert simulator.requests() == []
