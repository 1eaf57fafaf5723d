"""Tests of the one HTTP client, against servers that answer byte by byte as a test wants."""

from __future__ import annotations

import asyncio
import json
from contextlib import asynccontextmanager, closing
from typing import TYPE_CHECKING, Any

import pytest

from antigravity_proxy.accounts.account import Caller
from antigravity_proxy.errors import (
    CapacityError,
    LicenceError,
    ModelGoneError,
    ProxyError,
    QuotaExhaustedError,
    RateLimitedError,
    UpstreamError,
    UpstreamForbiddenError,
    UpstreamGarbledError,
    UpstreamRefusedError,
    UpstreamTimeoutError,
    UpstreamUnauthorizedError,
    UpstreamUnreachableError,
    VerificationRequiredError,
)
from antigravity_proxy.proxy.http_client import HttpClient
from antigravity_proxy.proxy.http_connection import MAX_PIECE_BYTES
from antigravity_proxy.proxy.settings import USER_AGENT
from antigravity_proxy.proxy.upstream import (
    CONTROL_HOSTS,
    DAILY,
    ERROR_BODY_TIMEOUT_S,
    GENERATION_HOST,
    MAX_CONTROL_BYTES,
    MAX_ERROR_BYTES,
    PROD,
    SANDBOX,
    Upstream,
    may_walk_on,
    open_upstream,
)

from .conftest import eventually, settle
from .raw_server import RESET, raw_server, reply

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
    from pathlib import Path

    from .conftest import Leap
    from .raw_server import RawServer, Step

TOKEN = "token-canary-77"
CALLER = Caller(TOKEN)
EVENTS = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"


def error_body(status: int, message: str = "Words.", reason: str = "", **metadata: str) -> bytes:
    """An error in Google's form."""
    details = [{"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": reason, "metadata": metadata}]
    return json.dumps({"error": {"code": status, "message": message, "details": details if reason else []}}).encode()


@asynccontextmanager
async def opened(*replies: list[Step], is_kept_open: bool = False) -> AsyncIterator[tuple[Upstream, RawServer]]:
    """A client whose every host is one server with those replies."""
    async with (
        raw_server(*replies, is_kept_open=is_kept_open) as server,
        open_upstream(user_agent=USER_AGENT, base_url=server.url) as upstream,
    ):
        yield upstream, server


async def generated(upstream: Upstream) -> bytes:
    """All bytes of a generation."""
    received = b""
    with closing(await upstream.generate(CALLER, {"model": "m"})) as answer:
        while data := await answer.read():
            received += data
    return received


async def test_generation_sends_three_headers() -> None:
    """Generation sends the token, the type and the user agent, what a connection needs, and nothing else."""
    async with opened([reply(b"data: {}\n\n")]) as (upstream, server):
        assert await generated(upstream) == b"data: {}\n\n"
        assert server.requests[0].startswith(b"POST /v1internal:streamGenerateContent?alt=sse HTTP/1.1\r\n")
        assert sorted(server.headers()) == [
            f"Authorization: Bearer {TOKEN}",
            "Content-Length: 13",
            "Content-Type: application/json",
            f"Host: {server.url.removeprefix('http://')}",
            f"User-Agent: {USER_AGENT}",
        ]


async def test_control_call_sends_three_headers() -> None:
    """A control call is told from generation by its path alone."""
    async with opened([reply(b'{"a": 1}')]) as (upstream, server):
        assert await upstream.call_any("loadCodeAssist", CALLER, {"metadata": {}}) == {"a": 1}
        assert server.requests[0].startswith(b"POST /v1internal:loadCodeAssist HTTP/1.1\r\n")
        assert server.requests[0].endswith(b'\r\n\r\n{"metadata":{}}')
        assert {line.partition(":")[0] for line in server.headers()} == {
            "Authorization",
            "Content-Length",
            "Content-Type",
            "Host",
            "User-Agent",
        }


async def test_form_sends_no_more_than_it_must() -> None:
    """The token host gets a form and the user agent, no token, and no sign of the HTTP library."""
    async with opened([reply(b"no", status=400)]) as (upstream, server):
        assert await upstream.post_form(f"{server.url}/token", {"grant_type": "refresh token"}) == (400, b"no")
        assert server.requests[0].endswith(b"\r\n\r\ngrant_type=refresh+token")
        assert sorted(server.headers()) == [
            "Content-Length: 24",
            "Content-Type: application/x-www-form-urlencoded",
            f"Host: {server.url.removeprefix('http://')}",
            f"User-Agent: {USER_AGENT}",
        ]


async def test_consumers_generate_on_the_daily_host_alone() -> None:
    """Discovery asks prod, daily and sandbox in this order; generation knows one host, and prod is not it."""
    assert CONTROL_HOSTS == (PROD, DAILY, SANDBOX)
    assert GENERATION_HOST == DAILY == "https://daily-cloudcode-pa.googleapis.com"
    async with open_upstream(user_agent=USER_AGENT) as upstream:
        assert (upstream.control_hosts, upstream.generation_host) == (CONTROL_HOSTS, DAILY)
    async with open_upstream(user_agent=USER_AGENT, base_url="http://127.0.0.1:1") as upstream:
        assert (upstream.control_hosts, upstream.generation_host) == (("http://127.0.0.1:1",), "http://127.0.0.1:1")


async def test_google_is_called_through_the_proxy_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each host of Google's is asked for from the proxy, generation from the daily one only."""
    async with raw_server([reply(b"", status=502)]) as server, open_upstream(user_agent=USER_AGENT) as upstream:
        monkeypatch.setenv("HTTPS_PROXY", server.url.replace("//", "//user:password@"))
        with pytest.raises(UpstreamUnreachableError, match=r"HTTP proxy .* does not let us through .*\(status 502\)"):
            await generated(upstream)
        assert server.requests[0].startswith(b"CONNECT daily-cloudcode-pa.googleapis.com:443 HTTP/1.1\r\n")
        assert b"Proxy-Authorization: Basic dXNlcjpwYXNzd29yZA==\r\n" in server.requests[0]
        assert TOKEN.encode() not in server.requests[0]
        with pytest.raises(UpstreamUnreachableError):
            await upstream.call_any("loadCodeAssist", CALLER, {})
        hosts = [request.split()[1].decode() for request in server.requests[1:]]
        assert hosts == [f"{host.removeprefix('https://')}:443" for host in CONTROL_HOSTS]


async def test_google_is_called_through_the_proxy_of_the_caller(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every call that is made for an account with a proxy of its own goes there, past that of the environment."""
    monkeypatch.setenv("HTTPS_PROXY", "http://127.0.0.1:9")
    async with raw_server([reply(b"", status=407)]) as server, open_upstream(user_agent=USER_AGENT) as upstream:
        proxy = server.url.replace("//", "//user:secret-canary@")
        with pytest.raises(UpstreamUnreachableError, match="account's own proxy") as caught:
            await upstream.generate(Caller(TOKEN, proxy), {})
        with pytest.raises(UpstreamUnreachableError):
            await upstream.call_any("loadCodeAssist", Caller(TOKEN, proxy), {})
        with pytest.raises(UpstreamUnreachableError):
            await upstream.post_form("https://oauth2.googleapis.com/token", {}, proxy=proxy)
        with pytest.raises(UpstreamUnreachableError):
            await upstream.get_json("https://www.googleapis.com/userinfo", Caller(TOKEN, proxy))
        hosts = [request.split()[1].decode() for request in server.requests]
        asked = (GENERATION_HOST, *CONTROL_HOSTS, "https://oauth2.googleapis.com", "https://www.googleapis.com")
        assert hosts == [f"{host.removeprefix('https://')}:443" for host in asked]
        login = b"Proxy-Authorization: Basic dXNlcjpzZWNyZXQtY2FuYXJ5\r\n"
        assert all(login in request for request in server.requests)
    assert "secret-canary" not in f"{caught.value} {caught.value.__cause__}"


@pytest.mark.parametrize("proxy", ["socks5://127.0.0.1:1080", "socks5h://user:secret-canary@p:1"])
async def test_proxy_of_another_kind_is_not_bypassed(monkeypatch: pytest.MonkeyPatch, proxy: str) -> None:
    """Where a proxy is wanted that cannot be used, nothing is sent past it."""
    monkeypatch.setenv("ALL_PROXY", proxy)
    async with open_upstream(user_agent=USER_AGENT) as upstream:
        with pytest.raises(UpstreamUnreachableError, match="names no HTTP proxy that can be used") as caught:
            await generated(upstream)
    assert "secret-canary" not in str(caught.value)


async def test_logins_of_netrc_are_not_sent(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A login that other programs keep for every host does not replace the token, nor go to the token host."""
    (tmp_path / "netrc").write_text("default login somebody password netrc-canary\n")
    monkeypatch.setenv("NETRC", str(tmp_path / "netrc"))
    async with opened([reply(b"{}")], is_kept_open=True) as (upstream, server):
        await upstream.call_any("loadCodeAssist", CALLER, {})
        await upstream.post_form(f"{server.url}/token", {"a": "b"})
        assert f"Authorization: Bearer {TOKEN}" in server.headers(0)
        assert not [line for line in server.headers(1) if line.startswith("Authorization")]


async def test_cookies_are_not_kept() -> None:
    """A cookie that an answer sets is not sent with the next call."""
    async with opened([reply(b"{}", Set_Cookie="a=b; Path=/")], is_kept_open=True) as (upstream, server):
        for _ in range(2):
            await upstream.call_any("loadCodeAssist", CALLER, {})
        assert not [line for line in server.headers(1) if line.startswith("Cookie")]


async def test_connection_is_used_again() -> None:
    """Calls that were read to their end share one connection, answers as well as errors."""
    replies: list[list[Step]] = [[reply(b"data: {}\n\n")], [reply(error_body(400), status=400)], [reply(b"{}")]]
    async with opened(*replies, is_kept_open=True) as (upstream, server):
        await generated(upstream)
        with pytest.raises(UpstreamRefusedError):
            await generated(upstream)
        await upstream.call_any("loadCodeAssist", CALLER, {})
        assert (server.connections, len(server.requests)) == (1, 3)


async def test_closing_an_answer_closes_its_connection() -> None:
    """An answer that nobody reads on ends the call."""
    async with opened([EVENTS, b"3\r\na\n\n\r\n", 30], [reply(b"{}")]) as (upstream, server):
        with closing(await upstream.generate(CALLER, {})) as answer:
            assert await answer.read() == b"a\n\n"
        await upstream.call_any("loadCodeAssist", CALLER, {})
        assert server.connections == 2


async def test_large_request_arrives_whole() -> None:
    """A request with a picture in it is sent in pieces and arrives as one."""
    text = "x" * (3 * MAX_PIECE_BYTES)
    async with opened([reply(b"{}")]) as (upstream, server):
        await upstream.call_any("loadCodeAssist", CALLER, {"a": text})
        assert json.loads(server.requests[0].partition(b"\r\n\r\n")[2]) == {"a": text}
        assert "Transfer-Encoding: chunked" not in server.headers()


@pytest.mark.parametrize(
    ("status", "error", "walks"),
    [
        (400, UpstreamRefusedError, False),
        (401, UpstreamUnauthorizedError, False),
        (403, UpstreamForbiddenError, False),
        (404, ModelGoneError, True),
        (409, UpstreamRefusedError, False),
        (429, RateLimitedError, False),
        (500, UpstreamError, True),
        (501, UpstreamError, False),
        (502, UpstreamError, True),
        (503, CapacityError, True),
        (504, UpstreamTimeoutError, True),
        (302, UpstreamError, False),
    ],
)
async def test_control_call_walks_on_for_the_hosts_own_failures(
    status: int, error: type[ProxyError], *, walks: bool
) -> None:
    """A host that fails by itself is followed by the next; one that speaks of the account or the request is not."""
    failing: list[Step] = [reply(error_body(status), status=status)]
    async with (
        raw_server(failing) as first,
        raw_server(failing) as second,
        raw_server([reply(b'{"from": "third"}')]) as third,
        HttpClient() as http,
    ):
        hosts = (first.url, second.url, third.url)
        upstream = Upstream(http, user_agent=USER_AGENT, control_hosts=hosts)
        if walks:
            assert await upstream.call_any("loadCodeAssist", CALLER, {}) == {"from": "third"}
        else:
            with pytest.raises(error):
                await upstream.call_any("loadCodeAssist", CALLER, {})
        asked = [len(server.requests) for server in (first, second, third)]
        assert asked == ([1, 1, 1] if walks else [1, 0, 0])


@pytest.mark.parametrize("broken", [[b""], [RESET], [reply(b"<html>")], [b"SSH-2.0-x\r\n"]], ids=repr)
async def test_control_call_walks_on_when_a_host_is_broken(broken: list[Step]) -> None:
    """A host that closes, resets or talks something else is followed by the next; the error of the last one stays."""
    async with (
        raw_server(broken) as first,
        raw_server([reply(b"{}")], [reply(error_body(403), status=403)]) as second,
        HttpClient() as http,
    ):
        upstream = Upstream(http, user_agent=USER_AGENT, control_hosts=(first.url, second.url))
        assert await upstream.call_any("loadCodeAssist", CALLER, {}) == {}
        with pytest.raises(UpstreamForbiddenError):
            await upstream.call_any("loadCodeAssist", CALLER, {})


async def test_control_call_walks_on_when_a_host_says_nothing_of_worth() -> None:
    """An answer that the caller has no use for is followed by the next host's; that of the last one is taken."""
    async with (
        raw_server([reply(b"{}")]) as first,
        raw_server([reply(b'{"a": 1}')], [reply(b"[]")]) as second,
        HttpClient() as http,
    ):
        upstream = Upstream(http, user_agent=USER_AGENT, control_hosts=(first.url, second.url))
        assert await upstream.call_any("loadCodeAssist", CALLER, {}, is_good=bool) == {"a": 1}
        assert await upstream.call_any("loadCodeAssist", CALLER, {}, is_good=bool) == []


async def test_own_proxy_that_is_down_is_named(unused_tcp_port: int) -> None:
    """When an account's own proxy is not there, the message says that it is the proxy, and where it is set."""
    caller = Caller(CALLER.token, f"http://me:secret-canary@127.0.0.1:{unused_tcp_port}")
    async with open_upstream(user_agent=USER_AGENT) as upstream:
        with pytest.raises(UpstreamUnreachableError) as caught:
            await upstream.call("https://cloudcode-pa.googleapis.com", "loadCodeAssist", caller, {})
    assert f"no connection to the HTTP proxy 127.0.0.1:{unused_tcp_port}" in str(caught.value)
    assert "antigravity-proxy accounts list" in str(caught.value)
    assert "secret-canary" not in f"{caught.value} {caught.value.__cause__}"


async def test_account_error_stops_the_walk() -> None:
    """An account that must be verified is the same on every host."""
    body = error_body(403, "Verify your account to continue.", "VALIDATION_REQUIRED")
    async with raw_server([reply(body, status=403)]) as first, HttpClient() as http:
        upstream = Upstream(http, user_agent=USER_AGENT, control_hosts=(first.url, "http://127.0.0.1:1"))
        with pytest.raises(VerificationRequiredError):
            await upstream.call_any("loadCodeAssist", CALLER, {})


@pytest.mark.parametrize(("status", "walks"), [(None, True), (404, True), (429, False), (403, False)])
def test_walking_on_depends_on_the_status(status: int | None, *, walks: bool) -> None:
    """No status at all means no answer, and another host may have one."""
    assert may_walk_on(UpstreamError("x", upstream_status=status)) is walks


@pytest.mark.parametrize(
    "sent",
    [
        [b"HTTP/1.1 429 Slow\r\nContent-Length: %d\r\n\r\n", 10],
        [b"HTTP/1.1 429 Slow\r\nConnection: close\r\n\r\n", 10],
    ],
    ids=["length", "close"],
)
async def test_error_that_comes_in_pieces_is_read_whole(sent: list[Any]) -> None:
    """An error whose body arrives bit by bit is understood like any other."""
    body = error_body(429, "Individual quota reached. Resets in 71h15m27s.", "QUOTA_EXHAUSTED")
    head = sent[0] % len(body) if b"%d" in sent[0] else sent[0]
    pieces = [piece for start in range(0, len(body), 40) for piece in (body[start : start + 40], 0.005)]
    for call in ("generate", "call"):
        async with opened([head, 0.01, *pieces]) as (upstream, _):
            with pytest.raises(QuotaExhaustedError, match="Individual quota reached"):
                await (generated(upstream) if call == "generate" else upstream.call_any("x", CALLER, {}))


async def test_error_without_end_is_cut() -> None:
    """Of an error body only the beginning is read, however much comes."""
    flood: list[Step] = [b"HTTP/1.1 500 Oops\r\n\r\n", *([b"<p>error " * 1000] * (MAX_ERROR_BYTES // 1000)), 30]
    async with asyncio.timeout(2), opened(flood) as (upstream, _):
        with pytest.raises(UpstreamError, match="status 500") as caught:
            await generated(upstream)
    assert len(caught.value.body) <= 500


@pytest.mark.parametrize("method", ["call", "form", "json"])
async def test_control_answer_without_end_is_cut(method: str) -> None:
    """An answer that should be short is not read for ever: the error says how much is read."""
    size = MAX_CONTROL_BYTES + 1
    flood: list[Step] = [b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % (2 * size), b"x" * size, 30]
    async with asyncio.timeout(5), opened(flood) as (upstream, server):
        calls: dict[str, Callable[[], Awaitable[Any]]] = {
            "call": lambda: upstream.call_any("fetchAvailableModels", CALLER, {}),
            "form": lambda: upstream.post_form(f"{server.url}/token", {}),
            "json": lambda: upstream.get_json(f"{server.url}/userinfo", CALLER),
        }
        with pytest.raises(UpstreamGarbledError, match="is larger than 8 MiB"):
            await calls[method]()


async def test_headers_that_trickle_have_a_time_limit() -> None:
    """An answer whose headers come byte by byte is no answer: the limit for it holds all the same."""
    trickle: list[Step] = [b"HTTP/1.1 200 OK\r\n"]
    for letter in "a" * 200:
        trickle += [letter.encode(), 0.02]
    async with asyncio.timeout(2), opened(trickle) as (upstream, server):
        with pytest.raises(UpstreamTimeoutError, match=r"did not answer m within 0\.2 s"):
            await upstream.call(server.url, "m", CALLER, {}, timeout_s=0.2)


@pytest.mark.parametrize("end", [RESET, b""], ids=["reset", "closed"])
async def test_error_that_breaks_keeps_its_status(end: Step) -> None:
    """An error whose body breaks off is known by its status."""
    head = b'HTTP/1.1 403 No\r\nContent-Length: 500\r\n\r\n{"error": {"code": 403, "mess'
    async with opened([head, 0.02, end]) as (upstream, _):
        with pytest.raises(UpstreamForbiddenError):
            await generated(upstream)
        with pytest.raises(UpstreamForbiddenError):
            await upstream.call_any("loadCodeAssist", CALLER, {})


async def test_token_in_an_error_is_hidden() -> None:
    """An upstream that quotes the request does not make us show the token."""
    async with opened([reply(error_body(400, f"Bad header Bearer {TOKEN}!"), status=400)]) as (upstream, _):
        with pytest.raises(UpstreamRefusedError, match=r"Bad header Bearer \*\*\*") as caught:
            await generated(upstream)
    assert TOKEN not in caught.value.body


@pytest.mark.parametrize(
    ("body", "error"),
    [
        (error_body(403, "No (#3501).", "SUBSCRIPTION_REQUIRED"), LicenceError),
        (b"[" + error_body(403, "Verify your account to continue.") + b"]", VerificationRequiredError),
        (b"<html><b>403.</b> Forbidden</html>", UpstreamForbiddenError),
        (b"data: " + error_body(403) + b"\n\n", UpstreamForbiddenError),
        (b"", UpstreamForbiddenError),
    ],
    ids=["licence", "list", "html", "event", "nothing"],
)
async def test_refusal_is_read_in_any_form(body: bytes, error: type[ProxyError]) -> None:
    """What an error means follows from its body, in whatever form it comes."""
    async with opened([reply(body, status=403)]) as (upstream, _):
        with pytest.raises(error):
            await generated(upstream)


@pytest.mark.parametrize("coding", ["br", "zstd", "gzip, br", "x", "gzip"])
@pytest.mark.parametrize(
    ("status", "error"),
    [
        (400, UpstreamRefusedError),
        (401, UpstreamUnauthorizedError),
        (403, UpstreamForbiddenError),
        (429, RateLimitedError),
    ],
)
async def test_refusal_that_cannot_be_read_keeps_its_status(
    status: int, error: type[ProxyError], coding: str
) -> None:
    """An error whose body is in a coding that nobody has asked for is still the error that its status says."""
    body = b"\x8b\x03\x80 no gzip"
    async with opened([reply(body, status=status, Content_Encoding=coding)]) as (upstream, server):
        with pytest.raises(error):
            await generated(upstream)
        with pytest.raises(error):
            await upstream.call_any("loadCodeAssist", CALLER, {})
        assert await upstream.post_form(f"{server.url}/token", {}) == (status, b"")


async def test_refusal_whose_body_does_not_come_keeps_its_status(leap: Leap) -> None:
    """An error that says no more than its status is that error soon, and no call that was not answered."""
    async with opened([b"HTTP/1.1 403 Forbidden\r\nContent-Length: 50\r\n\r\n{", 30]) as (upstream, server):

        async def come_to(asking: Coroutine[Any, Any, Any]) -> Any:
            asked, answer = len(server.requests), asyncio.create_task(asking)
            await eventually(lambda: len(server.requests) > asked)
            await settle()
            leap(ERROR_BODY_TIMEOUT_S)
            return await answer

        for asking in (generated(upstream), upstream.call(server.url, "loadCodeAssist", CALLER, {})):
            with pytest.raises(UpstreamForbiddenError):
                await come_to(asking)
        assert await come_to(upstream.post_form(f"{server.url}/token", {})) == (403, b"{")


async def test_redirect_is_not_followed() -> None:
    """The token does not follow an answer that points elsewhere."""
    async with raw_server([reply(b"{}")]) as elsewhere:
        pointing: list[Step] = [reply(b"", status=307, Location=f"{elsewhere.url}/")]
        async with opened(pointing, is_kept_open=True) as (upstream, server):
            for call in (generated(upstream), upstream.call_any("x", CALLER, {})):
                with pytest.raises(UpstreamError, match="status 307"):
                    await call
            assert (await upstream.post_form(f"{server.url}/token", {}))[0] == 307
        assert elsewhere.requests == []


BROKEN_ANSWERS: dict[str, tuple[list[Step], type[UpstreamError]]] = {
    "closed": ([], UpstreamUnreachableError),
    "reset": ([RESET], UpstreamUnreachableError),
    "half-a-head": ([b"HTTP/1.1 200 OK\r\nContent-"], UpstreamUnreachableError),
    "no-http": ([b"SSH-2.0-OpenSSH_9.6\r\n"], UpstreamGarbledError),
    "huge-header": ([b"HTTP/1.1 200 OK\r\nA: " + b"a" * 100_000 + b"\r\n\r\n"], UpstreamGarbledError),
    "body-closed": ([EVENTS, b"a\r\ndata: "], UpstreamGarbledError),
    "body-reset": ([EVENTS, b"6\r\ndata: \r\n", 0.02, RESET], UpstreamGarbledError),
    "body-short": ([b"HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\ndata: "], UpstreamGarbledError),
    "bad-chunk": ([EVENTS, b"zz\r\ndata: \r\n"], UpstreamGarbledError),
    "bad-gzip": ([reply(b"no gzip at all", Content_Encoding="gzip")], UpstreamGarbledError),
}


@pytest.mark.parametrize(("steps", "error"), BROKEN_ANSWERS.values(), ids=BROKEN_ANSWERS)
async def test_broken_answer_is_an_error_of_ours(steps: list[Step], error: type[UpstreamError]) -> None:
    """However an answer breaks, before or within its body, the error is one of ours."""
    async with opened(steps) as (upstream, _):
        with pytest.raises(error):
            await generated(upstream)
    async with opened(steps) as (upstream, server):
        with pytest.raises((UpstreamGarbledError, UpstreamUnreachableError)):
            await upstream.call_any("loadCodeAssist", CALLER, {})
        with pytest.raises((UpstreamGarbledError, UpstreamUnreachableError)):
            await upstream.post_form(f"{server.url}/token", {})


async def test_no_connection_names_the_address(unused_tcp_port: int) -> None:
    """Where nobody listens, the error says where that was."""
    async with open_upstream(user_agent=USER_AGENT, base_url=f"http://127.0.0.1:{unused_tcp_port}") as upstream:
        with pytest.raises(UpstreamUnreachableError, match=f"no connection to 127.0.0.1:{unused_tcp_port}"):
            await generated(upstream)


@pytest.mark.parametrize(
    "steps", [[30], [b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n{", 30]], ids=["head", "body"]
)
async def test_control_call_has_a_time_limit(steps: list[Step], leap: Leap) -> None:
    """A control call that takes too long is given up, wherever it hangs."""
    async with opened(steps) as (upstream, server):
        calling = asyncio.create_task(upstream.call(server.url, "loadCodeAssist", CALLER, {}, timeout_s=5))
        await eventually(lambda: bool(server.requests))
        await settle()
        leap(5)
        with pytest.raises(UpstreamTimeoutError, match=r"did not answer loadCodeAssist within 5 s"):
            await calling


async def test_time_limit_on_the_way_through_a_proxy_names_it(leap: Leap) -> None:
    """Who is behind a proxy that says nothing learns which one, whichever limit ends a short call first."""
    async with raw_server([30]) as proxy, open_upstream(user_agent=USER_AGENT) as upstream:
        host = proxy.url.removeprefix("http://")
        caller = Caller(TOKEN, f"http://ada:word-canary@{host}")
        calling = asyncio.create_task(upstream.call(PROD, "loadCodeAssist", caller, {}, timeout_s=5))
        await eventually(lambda: bool(proxy.requests))
        await settle()
        leap(5)
        with pytest.raises(
            UpstreamTimeoutError, match=rf"within 5 s\. .* through the HTTP proxy {host}\. Check"
        ) as caught:
            await calling
        assert "canary" not in str(caught.value)


@pytest.mark.parametrize("body", [b"", b"<html>", b'{"a": NaN}'])
async def test_control_answer_must_be_json(body: bytes) -> None:
    """An answer that is not JSON is named with its method."""
    async with opened([reply(body)]) as (upstream, _):
        with pytest.raises(UpstreamGarbledError, match="answer to loadCodeAssist is not JSON"):
            await upstream.call_any("loadCodeAssist", CALLER, {})
