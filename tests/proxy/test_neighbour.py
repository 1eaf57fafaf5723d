"""Tests of who listens at an address."""

from __future__ import annotations

import json
import os
import socket
from typing import TYPE_CHECKING

import pytest

from antigravity_proxy import __version__
from antigravity_proxy.errors import ApiKeyError
from antigravity_proxy.proxy import neighbour
from antigravity_proxy.proxy.neighbour import (
    MAX_BYTES,
    Neighbour,
    ask_models,
    find_neighbour,
    is_simulator,
    reachable,
)
from antigravity_proxy.translate.json_text import as_object

from .raw_server import RESET, raw_server, reply

if TYPE_CHECKING:
    from .conftest import Lab, OpenLab

HEALTH = {"ok": True, "version": "0.0.9", "process": 7, "accounts": 0, "upstream": "https://x.googleapis.com"}
OURS = Neighbour("0.0.9", 7, "https://x.googleapis.com")
KEY = "key-of-ours"


async def test_server_of_ours_is_found(lab: Lab) -> None:
    """A server of this program says its version and its process."""
    assert await find_neighbour("127.0.0.1", lab.port) == Neighbour(__version__, os.getpid(), lab.simulator.base_url)


async def test_server_with_a_key_is_found(open_lab: OpenLab) -> None:
    """Nobody needs its key for that."""
    async with open_lab(api_key="local-key") as lab:
        found = await find_neighbour("localhost", lab.port)
        assert found == Neighbour(__version__, os.getpid(), lab.simulator.base_url)


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        pytest.param(reply(json.dumps(HEALTH).encode()), OURS, id="ours"),
        pytest.param(reply(b'{"ok": true}'), None, id="other health"),
        pytest.param(reply(json.dumps({**HEALTH, "version": 1}).encode()), None, id="other version"),
        pytest.param(reply(json.dumps({**HEALTH, "process": True}).encode()), None, id="other process"),
        pytest.param(reply(json.dumps({**HEALTH, "upstream": None}).encode()), None, id="other upstream"),
        pytest.param(reply(json.dumps({**HEALTH, "upstream": "http://[x"}).encode()), None, id="upstream is no URL"),
        pytest.param(reply(json.dumps([HEALTH]).encode()), None, id="list"),
        pytest.param(reply(b"{"), None, id="no JSON"),
        pytest.param(reply(b"", status=302, location="/elsewhere"), None, id="redirect"),
        pytest.param(reply(json.dumps({**HEALTH, "x": "y" * MAX_BYTES}).encode()), None, id="too long"),
        pytest.param(b"HTTP/1.1 200 OK\r\n\r\n", None, id="without length"),
        pytest.param(b"SSH-2.0-OpenSSH_9.6\r\n", None, id="no HTTP"),
        pytest.param(RESET, None, id="reset"),
    ],
)
async def test_other_program_is_none_of_ours(answer: bytes | object, expected: Neighbour | None) -> None:
    """Whatever else answers there is not taken for this program."""
    async with raw_server([answer]) as server:
        assert await find_neighbour("127.0.0.1", int(server.url.rpartition(":")[2])) == expected


async def test_simulator_is_told_from_a_server(lab: Lab, unused_tcp_port: int) -> None:
    """The simulator is known by its state, which no server has."""
    assert await is_simulator("127.0.0.1", int(lab.simulator.base_url.rpartition(":")[2]))
    assert not await is_simulator("127.0.0.1", lab.port)
    assert not await is_simulator("127.0.0.1", unused_tcp_port)


async def test_models_are_asked_for_with_the_key(open_lab: OpenLab) -> None:
    """A server lists its models to whoever has its key; a wrong key is told from other failures."""
    async with open_lab(api_key=KEY) as lab:
        base_url = f"http://127.0.0.1:{lab.port}/v1"
        answer = await ask_models(base_url, KEY)
        assert answer is not None
        assert answer[0].process == os.getpid()
        assert as_object(answer[1])["data"][0]["id"] == "gemini-3.8-flash"
        for key in (None, "another"):
            with pytest.raises(ApiKeyError, match="wants another API key"):
                await ask_models(base_url, key)


async def test_key_is_shown_to_nobody_else(unused_tcp_port: int) -> None:
    """A program that is none of ours is asked for its health alone, without the key."""
    async with raw_server([reply(b"{}")]) as server:
        assert await ask_models(f"{server.url}/v1", KEY) is None
    assert [request.split(b" ")[1] for request in server.requests] == [b"/health"]
    assert KEY.encode() not in server.requests[0]
    assert await ask_models(f"http://127.0.0.1:{unused_tcp_port}/v1", KEY) is None


@pytest.mark.parametrize("answer", [RESET, reply(b"{"), reply(b"", status=302, location="/elsewhere")])
async def test_list_that_does_not_come_is_none(answer: bytes | object) -> None:
    """A server whose list breaks off is still known to be one."""
    async with raw_server([reply(json.dumps(HEALTH).encode())], [answer]) as server:
        assert await ask_models(f"{server.url}/v1", KEY) == (OURS, None)
    assert f"Authorization: Bearer {KEY}".encode() in server.requests[1]


async def test_silent_program_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """One that takes a connection and says nothing is none of ours."""
    monkeypatch.setattr(neighbour, "TIMEOUT_S", 0.01)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        assert await find_neighbour("127.0.0.1", silent.getsockname()[1]) is None


async def test_nobody_is_found_where_nobody_listens(unused_tcp_port: int) -> None:
    """A free port has no server."""
    assert await find_neighbour("127.0.0.1", unused_tcp_port) is None


@pytest.mark.parametrize(
    ("host", "written"),
    [
        ("127.0.0.1", "127.0.0.1"),
        ("localhost", "localhost"),
        ("0.0.0.0", "127.0.0.1"),  # noqa: S104 -- it is not listened on
        ("::", "[::1]"),
        ("::1", "[::1]"),
    ],
)
def test_host_is_one_that_can_be_called(host: str, written: str) -> None:
    """All addresses at once stand for this machine, and IPv6 is in brackets."""
    assert reachable(host) == written
