"""Tests of the server as a whole."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from antigravity_proxy.simulator.config import SimulatorConfig
from antigravity_proxy.simulator.server import Simulator

if TYPE_CHECKING:
    import aiohttp


async def test_two_simulators_run_side_by_side() -> None:
    """Each simulator has a port and a memory of its own."""
    async with Simulator() as one, Simulator() as two:
        assert one.base_url.startswith("http://127.0.0.1:")
        assert one.base_url != two.base_url
        one.add_account("only@example.com")
        assert "only@example.com" not in two.state.accounts


async def test_port_can_be_chosen_and_taken() -> None:
    """A taken port is an error, and nothing is left open."""
    async with Simulator() as first:
        port = int(first.base_url.rsplit(":", 1)[1])
        second = Simulator(SimulatorConfig(port=port))
        with pytest.raises(OSError, match="address already in use"):
            await second.start()


async def test_stop_is_idempotent() -> None:
    """Stopping twice, or before starting, is fine."""
    simulator = Simulator()
    await simulator.stop()
    await simulator.start()
    await simulator.stop()
    await simulator.stop()


async def test_only_loopback_is_listened_on() -> None:
    """A host of the outside world is refused."""
    with pytest.raises(ValueError, match="loopback only"):
        await Simulator(SimulatorConfig(host="0.0.0.0")).start()  # noqa: S104


async def test_ipv6_address_is_bracketed() -> None:
    """The loopback address of IPv6 makes a proper URL."""
    simulator = Simulator(SimulatorConfig(host="::1"))
    try:
        await simulator.start()
    except OSError:
        pytest.skip("this machine has no IPv6")
    assert simulator.base_url.startswith("http://[::1]:")
    await simulator.stop()


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Host": "localhost"}, 200),
        ({"Host": "[::1]:80"}, 200),
        ({"Host": "evil.example:80"}, 403),
        ({"Host": "127.0.0.1.evil.example"}, 403),
        ({"Host": "[bad"}, 403),
        ({"Origin": "http://localhost:3000"}, 200),
        ({"Origin": "https://evil.example"}, 403),
        ({"Origin": "null"}, 403),
    ],
    ids=str,
)
async def test_foreign_requests_are_refused(
    simulator: Simulator, session: aiohttp.ClientSession, headers: dict[str, str], status: int
) -> None:
    """A foreign Host or Origin is a 403."""
    async with session.get(simulator.base_url, headers=headers) as answer:
        assert answer.status == status


async def test_account_is_given_with_id(simulator: Simulator) -> None:
    """An account is given as a client would store it."""
    added = simulator.add_account("me@example.com", project="p-1")
    assert added["id"].startswith("google:")
    assert added["record"]["projectId"] == "p-1"
    document = simulator.accounts_document("me@example.com")
    assert list(document["accounts"]) == [added["id"]]
    assert len(simulator.accounts_document()["accounts"]) == 4


async def test_wrong_scenario_is_refused(simulator: Simulator) -> None:
    """A scenario that does not exist is an error at once."""
    with pytest.raises(ValueError, match="unknown scenario"):
        simulator.schedule("nope")


async def test_client_document_knows_the_address(simulator: Simulator) -> None:
    """The client document points at the running simulator."""
    assert simulator.client_document()["installed"]["token_uri"] == f"{simulator.base_url}/token"
