"""Tests of the running server."""

from __future__ import annotations

import asyncio
import json
import os
import re
from typing import TYPE_CHECKING

import aiohttp
import pytest

from antigravity_proxy import __version__
from antigravity_proxy.accounts.portable import read_import
from antigravity_proxy.errors import ServeError, SettingsError
from antigravity_proxy.proxy import app as proxy_app
from antigravity_proxy.proxy.app import Server, build_app, cannot_listen
from antigravity_proxy.proxy.services import SERVICES, open_store
from antigravity_proxy.proxy.settings import Settings
from antigravity_proxy.simulator.config import SimulatorConfig
from antigravity_proxy.simulator.server import Simulator

from ..accounts.samples import make_account
from .conftest import chat_request, eventually, settle
from .raw_server import raw_server, reply
from .test_event_stream import KEEPALIVE, frames_of, split_chunks, text_of

if TYPE_CHECKING:
    from pathlib import Path

    from antigravity_proxy.accounts.pool import Pool

    from .conftest import Leap, OpenLab

ENOUGH_S = 30
"""Nothing here takes so long, however busy the machine is, unless it waits for what never comes."""

EVERYWHERE = "0.0.0.0"  # noqa: S104 -- the server of a test, with a key


@pytest.mark.parametrize(
    ("host", "shown"),
    [
        ("127.0.0.1", "127.0.0.1"),
        ("localhost", "localhost"),
        ("127.0.0.2", "127.0.0.2"),
        ("::1", "[::1]"),
        (EVERYWHERE, "127.0.0.1"),
        ("::", "[::1]"),
    ],
)
async def test_url_can_be_called(tmp_path: Path, host: str, shown: str) -> None:
    """The URL that is announced can be called from this machine, wherever the server listens."""
    settings = Settings(home=tmp_path, host=host, port=0, api_key="key")  # type: ignore[arg-type]
    async with Server(settings) as server, aiohttp.ClientSession() as http:
        assert server.url.startswith(f"http://{shown}:")
        async with http.get(f"{server.url}/models", headers={"x-api-key": "key"}) as response:
            assert response.status == 200


async def test_changes_of_accounts_are_told(tmp_path: Path) -> None:
    """Whoever watches a server's accounts is told of what it changes."""
    seen: list[Pool] = []
    async with Server(Settings(home=tmp_path, port=0)) as server:
        server.watch_accounts(lambda _, after: seen.append(after))
        store = server._runner.app[SERVICES].store
        pool = await asyncio.to_thread(store.update, lambda pool: pool.with_account(make_account("a@example.com")))
    assert seen == [pool]


async def test_two_servers_run_side_by_side(tmp_path: Path) -> None:
    """Two servers in one process share nothing."""
    one, other = (Settings(home=tmp_path / name, port=0) for name in ("one", "other"))
    async with Server(one) as first, Server(other) as second:
        assert first.url != second.url


@pytest.mark.parametrize("host", ["127.0.0.1", EVERYWHERE, "::1"])
async def test_port_of_another_server_names_its_process(tmp_path: Path, host: str) -> None:
    """When a server of ours has the port, it is said which one and what helps, and that one goes on."""
    settings = Settings(home=tmp_path, host=host, port=0, api_key="key")  # type: ignore[arg-type]
    async with Server(settings) as server:
        port = int(server.url.removesuffix("/v1").rpartition(":")[2])
        sentence = (
            rf"^{host}:{port} is in use: antigravity-proxy {re.escape(__version__)} runs there already, as process "
            rf"{os.getpid()}\. Use that one, stop it, or choose another port with --port\.$"
        )
        with pytest.raises(ServeError, match=sentence):
            await Server(settings.model_copy(update={"port": port})).__aenter__()
        async with aiohttp.ClientSession() as http, http.get(f"{server.url.removesuffix('/v1')}/health") as response:
            assert response.status == 200


async def test_port_of_another_program_is_one_sentence(tmp_path: Path) -> None:
    """A port that some other program has is said to be in use, with what helps."""
    async with raw_server([reply(b"Hello.")]) as other:
        port = int(other.url.rpartition(":")[2])
        with pytest.raises(
            ServeError, match=rf"^127\.0\.0\.1:{port} is in use by another program\. .* with --port\.$"
        ):
            await Server(Settings(home=tmp_path, port=port)).__aenter__()


@pytest.mark.parametrize("host", ["192.0.2.1", "no.such.host.invalid", "a..b"])
async def test_address_of_another_machine_is_explained(tmp_path: Path, host: str) -> None:
    """An address that is not this machine's, or is none, is an error with what helps."""
    settings = Settings(home=tmp_path, host=host, port=0, api_key="key")  # type: ignore[arg-type]
    with pytest.raises(ServeError, match=rf"cannot listen on {host}:0: .*\. Choose another --host or --port\.$"):
        await Server(settings).__aenter__()


def test_system_error_without_words_is_shown() -> None:
    """An error that has no sentence of its own is shown as it is."""
    assert "cannot listen on a:1: odd." in str(cannot_listen(OSError("odd"), "a", 1))


async def test_unusable_settings_stop_the_start(tmp_path: Path) -> None:
    """What is found wrong while starting comes out as it is."""
    with pytest.raises(SettingsError):
        await Server(Settings(home=tmp_path, port=0, oauth_client_file=tmp_path / "missing")).__aenter__()


async def test_stopping_lets_answers_end(open_lab: OpenLab) -> None:
    """An answer that is nearly done when the server is told to stop still comes whole; no new one is begun."""
    async with open_lab() as lab:
        lab.plan("stall", after=2, seconds=0.4)
        reader, writer = await asyncio.open_connection("127.0.0.1", lab.port)
        writer.write(chat_request(lab.port, stream=True))
        await reader.readuntil(b"content")
    received = await reader.read()
    assert received.endswith(b"data: [DONE]\n\n\r\n0\r\n\r\n")
    writer.close()
    with pytest.raises(ConnectionRefusedError):
        await asyncio.open_connection("127.0.0.1", lab.port)


async def test_stopping_tells_streams_that_go_on(open_lab: OpenLab, monkeypatch: pytest.MonkeyPatch) -> None:
    """A stream that does not end in time is told why, breaks off, and does not look like a whole answer."""
    monkeypatch.setattr(proxy_app, "GRACE_S", 0)
    async with open_lab() as lab:
        lab.plan("stall", after=3, seconds=60)
        reader, writer = await asyncio.open_connection("127.0.0.1", lab.port)
        writer.write(chat_request(lab.port, "one two three", stream=True))
        head = await reader.readuntil(b"said")
        idle_reader, idle_writer = await asyncio.open_connection("127.0.0.1", lab.port)
        idle_writer.write(b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n")
        await idle_reader.readuntil(b"}")
    _, body, rest = split_chunks(head + await reader.read())
    assert text_of(body).startswith("You said")
    *chunks, failure = frames_of(body)
    assert failure["error"]["code"] == "server_stopping"
    assert all(chunk["choices"][0]["finish_reason"] is None for chunk in chunks)
    assert b"[DONE]" not in body
    assert rest == b""
    assert await idle_reader.read() == b""
    writer.close()
    idle_writer.close()


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])
async def test_stopping_tells_clients_that_have_nothing_yet(
    open_lab: OpenLab, monkeypatch: pytest.MonkeyPatch, *, stream: bool
) -> None:
    """Where nothing was sent yet, the end of the server is a proper 503."""
    monkeypatch.setattr(proxy_app, "GRACE_S", 0)
    async with open_lab() as lab:
        lab.plan("silence")
        reader, writer = await asyncio.open_connection("127.0.0.1", lab.port)
        writer.write(chat_request(lab.port, stream=stream))
        await eventually(lambda: len(lab.requests()) == 1)
    received = await reader.read()
    assert received.startswith(b"HTTP/1.1 503 ")
    assert b'"code":"server_stopping"' in received
    writer.close()


async def test_stopping_does_not_wait_for_a_client_that_does_not_read(
    open_lab: OpenLab, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A client that takes nothing holds the end up no longer than any other."""
    monkeypatch.setattr(proxy_app, "GRACE_S", 0)
    async with asyncio.timeout(ENOUGH_S), open_lab() as lab:
        lab.plan("big", n=20_000, size=2_000)
        reader, writer = await asyncio.open_connection("127.0.0.1", lab.port, limit=1_024)
        writer.write(chat_request(lab.port, stream=True))
        await reader.readuntil(b"xxx")
    writer.close()


async def test_idle_connections_do_not_hold_up_the_stop(open_lab: OpenLab, monkeypatch: pytest.MonkeyPatch) -> None:
    """A client that keeps its connection open does not delay the end."""
    monkeypatch.setattr(proxy_app, "GRACE_S", 10 * ENOUGH_S)
    monkeypatch.setattr(proxy_app, "TELL_S", 10 * ENOUGH_S)
    async with asyncio.timeout(ENOUGH_S), open_lab() as lab:
        assert (await lab.chat())[0] == 200


async def test_nothing_is_left_running(open_lab: OpenLab, leap: Leap) -> None:
    """When a server has ended, none of its tasks goes on."""
    before = asyncio.all_tasks()
    async with open_lab() as lab:
        lab.plan("stall", after=0, seconds=25)
        streaming = asyncio.create_task(lab.stream())
        await eventually(lambda: bool(lab.requests()))
        for _ in range(2):
            await settle()
            leap(15)
        assert KEEPALIVE in await streaming
        await lab.chat()
    await eventually(lambda: asyncio.all_tasks() <= before)


async def test_catalogue_is_read_ahead(tmp_path: Path) -> None:
    """A server that was told to read ahead knows the active account's models before anybody asks."""
    async with Simulator(SimulatorConfig(pace_s=0)) as simulator:
        pool = read_import(json.dumps(simulator.accounts_document("ada@example.com")).encode(), path=tmp_path)
        open_store(tmp_path).update(lambda _: pool)
        settings = Settings(home=tmp_path, port=0, base_url=simulator.base_url)
        app = build_app(settings)
        async with Server(settings, app) as server:
            server.read_ahead()
            await eventually(lambda: len(app[SERVICES].background) == 0)
            assert app[SERVICES].live_models.current().source == "a***a@example.com"
