"""Tests of a server that everything on this machine can reach: what strangers send over real sockets."""

from __future__ import annotations

import asyncio
import json
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from antigravity_proxy.proxy.app import Server, build_app
from antigravity_proxy.proxy.middleware import MAX_BODY_BYTES, UNSHARED
from antigravity_proxy.proxy.settings import Settings

from .conftest import chat_body, chat_request, eventually, settle

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from .conftest import Lab, Leap, OpenLab

KEY = "key-canary-77ab"
LOCAL = b"Host: 127.0.0.1"


def request_of(line: bytes, *headers: bytes, body: bytes = b"") -> bytes:
    """A request as bytes, after which the connection is to be closed."""
    return b"\r\n".join([line, *headers, b"Connection: close", b"", body])


def status_of(answer: bytes) -> int:
    """The status of the first answer on a connection."""
    return int(answer.split(b" ", 2)[1])


@pytest.fixture
async def locked(open_lab: OpenLab) -> AsyncIterator[Lab]:
    """A lab whose server wants a key."""
    async with open_lab(api_key=KEY) as lab:
        yield lab


@pytest.mark.parametrize(
    ("target", "status"),
    [
        (b"http://127.0.0.1/v1/models", 200),
        (b"http://[::1]:51122/v1/models", 200),
        (b"http://LOCALHOST./v1/models", 200),
        (b"http://evil.com/v1/models", 403),
        (b"http://evil.com:51122/v1/models", 403),
        (b"http://127.0.0.1@evil.com/v1/models", 403),
        (b"http://evil.com@127.0.0.1/v1/models", 403),
        (b"http://127.0.0.1.evil.com/v1/models", 403),
        (b"ftp://evil.com/v1/models", 403),
        (b"http:///v1/models", 400),
        (b"*", 400),
    ],
)
async def test_host_in_the_target_must_be_ours(lab: Lab, target: bytes, status: int) -> None:
    """A target that names a host counts like the Host header, as RFC 9112 lets it win over that."""
    assert status_of(await lab.send(request_of(b"GET " + target + b" HTTP/1.1", LOCAL))) == status


async def test_foreign_host_header_is_refused_beside_a_target_of_ours(lab: Lab) -> None:
    """A target that names this server does not excuse a Host header that does not."""
    answer = await lab.send(request_of(b"GET http://127.0.0.1/v1/models HTTP/1.1", b"Host: evil.com"))
    assert status_of(answer) == 403


@pytest.mark.parametrize("version", [b"HTTP/1.0", b"HTTP/1.1"])
@pytest.mark.parametrize("hosts", [(LOCAL, b"Host: evil.com"), (b"Host: evil.com", LOCAL), (LOCAL, LOCAL)])
async def test_two_hosts_are_refused(lab: Lab, version: bytes, hosts: tuple[bytes, bytes]) -> None:
    """Who names two hosts is not asked which one is meant."""
    assert status_of(await lab.send(request_of(b"GET /v1/models " + version, *hosts))) == 400


async def test_tunnel_is_refused(lab: Lab) -> None:
    """Nobody reaches another host through this server."""
    assert status_of(await lab.send(request_of(b"CONNECT evil.com:443 HTTP/1.1", LOCAL), until=b"\r\n")) == 403


async def test_second_origin_is_not_overlooked(lab: Lab) -> None:
    """Every Origin header counts, not just the first."""
    ours = b"Origin: http://127.0.0.1"
    for origins in ((ours, b"Origin: https://evil.com"), (b"Origin: https://evil.com", ours)):
        assert status_of(await lab.send(request_of(b"GET /v1/models HTTP/1.1", LOCAL, *origins))) == 403


NAVIGATION = {"Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}


@pytest.mark.parametrize("site", ["cross-site", "same-site", "unheard-of"])
@pytest.mark.parametrize(
    ("method", "path", "extra", "status"),
    [
        ("GET", "/v1/models", {}, 403),
        ("GET", "/v1/models", {"Sec-Fetch-Mode": "no-cors", "Sec-Fetch-Dest": "script"}, 403),
        ("GET", "/api/quota", {"Sec-Fetch-Dest": "image"}, 403),
        ("GET", "/metrics", NAVIGATION, 403),
        ("GET", "/", NAVIGATION, 200),
        ("GET", "/health", NAVIGATION, 200),
        ("GET", "/", {"Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "iframe"}, 403),
        ("GET", "/dashboard.js", {"Sec-Fetch-Dest": "script"}, 403),
        ("POST", "/v1/chat/completions", NAVIGATION, 403),
        ("POST", "/api/login", {}, 403),
    ],
)
async def test_what_another_site_fetches_is_refused(
    lab: Lab, site: str, method: str, path: str, extra: dict[str, str], status: int
) -> None:
    """Where a browser says that another site asks, only a link to our own page is followed."""
    headers = {"Sec-Fetch-Site": site, **extra}
    body: dict[str, Any] = {"json": chat_body()} if method == "POST" else {}
    async with lab.http.request(method, f"{lab.url}{path}", headers=headers, **body) as response:
        assert response.status == status
    assert lab.requests() == []


@pytest.mark.parametrize(
    "headers",
    [
        {"Sec-Fetch-Site": "same-origin"},
        {"Sec-Fetch-Site": "none"},
        {"Sec-Fetch-Mode": "cors"},
        {"Sec-Fetch-Site": "cross-site", "Origin": "http://my.page:3000"},
    ],
    ids=["own-page", "user", "program", "allowed-page"],
)
async def test_what_is_ours_or_allowed_is_served(open_lab: OpenLab, headers: dict[str, str]) -> None:
    """Our own page, the user, programs that are no browser, and pages that are allowed get their answer."""
    async with open_lab(allowed_origins=("http://my.page:3000",)) as lab:
        assert (await lab.get("/v1/models", headers=headers))[0] == 200
        async with lab.http.post(f"{lab.url}/v1/chat/completions", json=chat_body(), headers=headers) as response:
            assert response.status == 200


SIMPLE_TYPES = ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "")
CHANGING_PATHS = ("/v1/chat/completions", "/api/login", "/api/login/x/paste", "/api/login/x/cancel")


@pytest.mark.parametrize("path", CHANGING_PATHS)
@pytest.mark.parametrize("content_type", SIMPLE_TYPES)
async def test_what_a_form_can_send_changes_nothing(lab: Lab, path: str, content_type: str) -> None:
    """A body of a type that a page can send without asking first is refused, even where no browser says who asks."""
    head = (
        f"POST {path} HTTP/1.1",
        f"Host: 127.0.0.1:{lab.port}",
        "Content-Length: 2",
        *([f"Content-Type: {content_type}"] if content_type else []),
    )
    answer = await lab.send(request_of(*(line.encode() for line in head), body=b"{}"))
    assert status_of(answer) == 415
    assert lab.requests() == []


@pytest.mark.parametrize("path", ["/v1/chat/completions", "/api/login", "/api/quota/refresh", "/v1/models", "/nope"])
async def test_preflight_allows_nothing(lab: Lab, path: str) -> None:
    """A browser that asks whether another site's page may call gets no leave, from whichever address."""
    for origin, status in (("https://evil.com", {403}), (lab.url, {404, 405})):
        asked = {"Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "content-type"}
        async with lab.http.options(f"{lab.url}{path}", headers={"Origin": origin, **asked}) as response:
            assert response.status in status
            assert [name for name in response.headers if name.lower().startswith("access-control")] == []


@pytest.mark.parametrize("path", ["/", "/v1/models", "/health", "/metrics", "/nope", "/api/status"])
async def test_no_answer_is_for_other_sites(lab: Lab, path: str) -> None:
    """Every answer tells browsers to keep it from other sites, errors and streams too."""
    async with lab.http.get(f"{lab.url}{path}") as response:
        assert UNSHARED.items() <= response.headers.items()
    async with lab.http.post(f"{lab.url}/v1/chat/completions", json=chat_body(stream=True)) as response:
        assert UNSHARED.items() <= response.headers.items()


TRICKS = (
    "/health/../v1/models",
    "/health/%2e%2e/v1/models",
    "/./v1/models",
    "/v1/../v1/models",
    "/v1%2fmodels",
    "/v1//models",
    "//v1/models",
    "//127.0.0.1/v1/models",
    "/v1/models/",
    "/v1/models;x",
    "/V1/models",
    "/v1/models%00",
    "/v1/models%20",
    "/dashboard.js/../../settings.py",
    "/..%2f..%2f..%2fetc/passwd",
    "/%2e%2e/%2e%2e/etc/passwd",
    "/..\\..\\etc\\passwd",
    "/%c0%ae%c0%ae/etc/passwd",
    "/dashboard.css%00.html",
    "/health;/../v1/models",
)


@pytest.mark.parametrize("path", TRICKS)
async def test_path_tricks_lead_nowhere(locked: Lab, path: str) -> None:
    """However a path is written, nothing but what it says is there, and without the key nothing at all."""
    line = f"GET {path} HTTP/1.1".encode()
    assert status_of(await locked.send(request_of(line, LOCAL))) in {400, 401}
    answer = await locked.send(request_of(line, LOCAL, b"x-api-key: " + KEY.encode()))
    assert status_of(answer) in {400, 404}
    assert b"root:" not in answer


IDS = (
    "x%0d%0aX-Evil:%201",
    "x%0aSet-Cookie:%20a=b",
    "%00",
    "%ff%fe",
    "%zz",
    "..%2f..%2fetc%2fpasswd",
    "%3Cscript%3E",
    "a" * 5_000,
    "%E2%80%AE",
    "%F0%9F%98%80",
)


@pytest.mark.parametrize("model_id", IDS)
async def test_id_in_a_path_is_just_an_id(lab: Lab, model_id: str) -> None:
    """A model's or a login's id of odd characters does not exist, and adds nothing to the answer's head."""
    for path in (f"/v1/models/{model_id}", f"/api/login/{model_id}"):
        answer = await lab.send(request_of(f"GET {path} HTTP/1.1".encode(), LOCAL))
        head, _, body = answer.partition(b"\r\n\r\n")
        assert status_of(answer) in {400, 404}
        assert b"evil" not in head.lower()
        assert b"cookie" not in head.lower()
        assert len(json.loads(body)["error"]["message"]) < 600


HEADER_BREAKERS = ("x\r\nX-Evil: 1", "x\nX-Evil: 1", "\r\n\r\nHTTP/1.1 200 OK", "x\x00", "\u2028", "\ud83d", "é", "")


@pytest.mark.parametrize("text", HEADER_BREAKERS)
async def test_names_in_a_body_stay_in_bodies(lab: Lab, text: str) -> None:
    """Names that a client chooses, with line ends in them, end up in no header and in no second answer."""
    tool = {"type": "function", "function": {"name": text, "parameters": {"type": "object"}}}
    call = {"id": text, "type": "function", "function": {"name": text, "arguments": "{}"}}
    called = [
        {"role": "user", "content": "Hi"},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": text, "content": text},
    ]
    for options in ({"model": text}, {"tools": [tool]}, {"messages": called, "tools": [tool]}, {"user": text}):
        for stream in (False, True):
            sent = chat_request(lab.port, "Hi", stream=stream, **options).replace(b"\r\n\r\n", b"\r\nA: b\r\n\r\n", 1)
            answer = await lab.send(sent.replace(b"A: b", b"Connection: close"))
            head = answer.partition(b"\r\n\r\n")[0]
            assert status_of(answer) < 500, answer
            assert b"evil" not in head.lower()
            assert answer.count(b"HTTP/1.1 200 OK\r\n") <= 1


@pytest.mark.parametrize(
    ("line", "headers"),
    [
        (b"GET /" + b"a" * 20_000 + b" HTTP/1.1", (LOCAL,)),
        (b"GET /health HTTP/1.1", (LOCAL, b"A: " + b"a" * 20_000)),
        (b"GET /health HTTP/1.1", (LOCAL, *(b"A%d: 1" % number for number in range(1_000)))),
        (b"GET /health HTTP/9.9", (LOCAL,)),
        (b"GET", (LOCAL,)),
        (b"\x00\xff\x16", (LOCAL,)),
        (b"GET /health HTTP/1.1", (LOCAL, b"A")),
        (b"GET /health HTTP/1.1", (LOCAL, b"A : 1")),
        (b"GET /health HTTP/1.1", (LOCAL, b"A: 1\r\n B: 2")),
        (b"POST /health HTTP/1.1", (LOCAL, b"Content-Length: -1")),
        (b"POST /health HTTP/1.1", (LOCAL, b"Content-Length: 1", b"Content-Length: 2")),
        (b"POST /health HTTP/1.1", (LOCAL, b"Content-Length: 1", b"Transfer-Encoding: chunked")),
        (b"POST /health HTTP/1.1", (LOCAL, b"Transfer-Encoding: gzip, identity")),
    ],
)
async def test_broken_head_is_refused(lab: Lab, line: bytes, headers: tuple[bytes, ...]) -> None:
    """A head that is too long, of too many lines, or open to two readings is a 400, and the server goes on."""
    assert status_of(await lab.send(request_of(line, *headers))) == 400
    assert (await lab.get("/health"))[0] == 200


async def test_announced_excess_is_refused_before_it_comes(lab: Lab) -> None:
    """A body that says it is too large is refused at once; nobody waits for it, and none of it is kept."""
    kinds = (
        ("/v1/chat/completions", "application/json"),
        ("/v1/audio/transcriptions", "multipart/form-data; boundary=x"),
    )
    for path, kind in kinds:
        head = f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: {kind}\r\n"
        length = f"Content-Length: {MAX_BODY_BYTES + 1}\r\n\r\n"
        answer = await lab.send((head + length).encode(), until=b"}}")
        assert status_of(answer) == 413
        assert b"body_too_large" in answer


@pytest.mark.parametrize("sent", [b"", b"GET /health", b"GET /health HTTP/1.1\r\nHost: localhost\r\nA: "])
@pytest.mark.parametrize("is_reused", [False, True], ids=["new", "kept-open"])
async def test_slow_head_is_cut_off(tmp_path: Path, leap: Leap, sent: bytes, *, is_reused: bool) -> None:
    """A connection without a whole head in time is closed, however steadily bytes drip in, also after an answer."""
    settings_ = Settings(home=tmp_path, port=0)
    async with Server(settings_, build_app(settings_), head_timeout_s=10) as server:
        port = int(server.url.split(":")[2].removesuffix("/v1"))
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        if is_reused:
            writer.write(b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n")
            await reader.readuntil(b"}")
        writer.write(sent)
        for _ in range(4):
            await settle()
            assert not reader.at_eof()
            leap(3)
            writer.write(b"a" if sent else b"")
        async with asyncio.timeout(5):
            with suppress(ConnectionResetError):  # the drop that came last was not read any more
                assert await reader.read() == b""
        writer.close()


async def test_connections_that_say_nothing_keep_nobody_out(lab: Lab) -> None:
    """While many connections send half a head and half a body, others are answered, and all are let go at the end."""
    half_head = b"POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\n"
    half_body = half_head + b"Content-Type: application/json\r\nContent-Length: 9\r\n\r\n{"
    before = asyncio.all_tasks()
    connections = [await asyncio.open_connection("127.0.0.1", lab.port) for _ in range(200)]
    for number, (_, writer) in enumerate(connections):
        writer.write(half_body if number % 2 else half_head)
    assert (await lab.chat())[0] == 200
    assert len(asyncio.all_tasks()) > len(before) + 100
    for _, writer in connections:
        writer.close()
    await eventually(lambda: len(asyncio.all_tasks()) <= len(before) + 2)


WORDS = (
    b"GET |POST |/v1/models|/v1/chat/completions|//|/../|%00|%2f| HTTP/1.1\r\n| HTTP/1.0\r\n|\r\n|\n|\r\n\r\n|Host:|"
    b"Host: 127.0.0.1\r\n|Host: evil.com\r\n|Content-Length: 5\r\n|Content-Length: 99999999999\r\n|5\r\n|0\r\n\r\n|"
    b"Transfer-Encoding: chunked\r\n|Content-Type: application/json\r\n|Content-Encoding: gzip\r\n|Origin: null\r\n|"
    b"Expect: 100-continue\r\n|Connection: Upgrade\r\nUpgrade: websocket\r\n|{}|\x00|\xff"
).split(b"|")
"""Pieces of HTTP."""


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(pieces=st.lists(st.sampled_from(WORDS) | st.binary(max_size=20), max_size=12))
async def test_any_bytes_are_answered_or_let_go(lab: Lab, pieces: list[bytes]) -> None:
    """Whatever bytes come, there is no failure of ours, no request to Google, and the connection ends."""
    reader, writer = await asyncio.open_connection("127.0.0.1", lab.port)
    writer.write(b"".join(pieces))
    writer.write_eof()
    async with asyncio.timeout(5):
        answer = await reader.read()
    writer.close()
    statuses = [int(line.split(b" ")[1]) for line in answer.split(b"\r\n") if line.startswith(b"HTTP/1.")]
    assert all(status < 500 for status in statuses), answer
    assert lab.requests() == []
