"""Tests of what every request passes, over real sockets."""

from __future__ import annotations

import base64
import json
import logging
from typing import TYPE_CHECKING, Any

import aiohttp
import pytest
from aiohttp import web

from antigravity_proxy.oauth.refresh import REFRESH_AGAIN_MS

from .conftest import CUT, EMAIL, chat_body, chat_request, eventually

if TYPE_CHECKING:
    from .conftest import Lab, OpenLab
    from .trio import Clock

KEY = "key-canary-5f1e"
EVERYWHERE = "0.0.0.0"  # noqa: S104 -- the server of a test, with a key
JSON = {"Content-Type": "application/json"}


def basic(text: str | bytes) -> str:
    """An Authorization header of the old kind."""
    return f"Basic {base64.b64encode(text.encode() if isinstance(text, str) else text).decode()}"


async def status_for(lab: Lab, *headers: bytes, path: str = "/v1/models") -> int:
    """The status of a GET with exactly these headers."""
    head = b"\r\n".join([f"GET {path} HTTP/1.0".encode(), *headers, b"", b""])
    return int((await lab.send(head)).split()[1])


@pytest.mark.parametrize(
    ("host", "status"),
    [
        (b"127.0.0.1", 200),
        (b"127.0.0.1:51122", 200),
        (b"127.0.0.1:1", 200),
        (b"127.8.9.10", 200),
        (b"localhost", 200),
        (b"LOCALHOST:51122", 200),
        (b"localhost.", 200),
        (b"[::1]", 200),
        (b"[::1]:51122", 200),
        (b"app.localhost:51122", 200),
        (b"my.box", 200),
        (b"MY.box:51122", 200),
        (b"", 403),
        (b":51122", 403),
        (b"::1", 403),
        (b"[::1", 403),
        (b"[", 403),
        (b"[localhost]x", 403),
        (b"[::2]", 403),
        (b"evil.com", 403),
        (b"evil.com:51122", 403),
        (b"127.0.0.1.evil.com", 403),
        (b"localhost.evil.com", 403),
        (b"evillocalhost", 403),
        (b"evil.com@127.0.0.1", 403),
        (b"127.0.0.1:80@evil.com", 403),
        (b"127.0.0.1/evil.com", 403),
        (b"evil.com#127.0.0.1", 403),
        (b"127.0.0.1 evil.com", 403),
        (b"127.0.0.1:port", 403),
        (b"2130706433", 403),
        (b"0x7f.1", 403),
        (b"0.0.0.0", 403),
        (b"192.168.1.5", 403),
        (b"my.box.evil.com", 403),
        (b"\xc3\xa4.com", 403),
        (b"\xff", 403),
    ],
)
async def test_host_must_be_ours(open_lab: OpenLab, host: bytes, status: int) -> None:
    """Only names of this machine and those that are allowed are answered to."""
    async with open_lab(accounts=(), allowed_hosts=("My.Box",)) as lab:
        assert await status_for(lab, b"Host: " + host) == status


async def test_missing_host_is_refused(lab: Lab) -> None:
    """A request that does not say whom it means is not answered."""
    assert await status_for(lab) == 403
    assert (await lab.send(b"GET /health HTTP/1.1\r\n\r\n")).split()[1] == b"400"


@pytest.mark.parametrize(
    ("host", "status"),
    [(b"192.168.1.5:51122", 200), (b"[fe80::1]", 200), (b"127.0.0.1", 200), (b"evil.com", 403), (b"", 403)],
)
async def test_address_is_answered_to_when_others_may_connect(open_lab: OpenLab, host: bytes, status: int) -> None:
    """A server for other machines answers to addresses, which no page can point elsewhere, and to no other name."""
    async with open_lab(accounts=(), host=EVERYWHERE, api_key=KEY) as lab:
        assert lab.url == f"http://127.0.0.1:{lab.port}"
        assert await status_for(lab, b"Host: " + host, b"x-api-key: " + KEY.encode()) == status


@pytest.mark.parametrize(
    ("origin", "status"),
    [
        (None, 200),
        ("http://127.0.0.1:{port}", 200),
        ("https://127.0.0.1:{port}", 200),
        ("http://my.page:3000", 200),
        ("null", 403),
        ("", 403),
        ("https://evil.com", 403),
        ("http://127.0.0.1:3000", 403),
        ("http://127.0.0.1", 403),
        ("http://localhost:{port}", 403),
        ("http://my.page:3001", 403),
        ("http://127.0.0.1:{port}.evil.com", 403),
        ("chrome-extension://abc", 403),
    ],
)
@pytest.mark.parametrize("method", ["GET", "POST"])
async def test_origin_must_be_ours(open_lab: OpenLab, method: str, origin: str | None, status: int) -> None:
    """A page of another origin is refused whatever it asks, unless it is allowed; no CORS header is sent."""
    async with open_lab(allowed_origins=("http://my.page:3000",)) as lab:
        headers = {} if origin is None else {"Origin": origin.format(port=lab.port)}
        path = "/v1/models" if method == "GET" else "/v1/chat/completions"
        options: dict[str, Any] = {} if method == "GET" else {"json": chat_body()}
        async with lab.http.request(method, f"{lab.url}{path}", headers=headers, **options) as response:
            assert response.status == status
            assert not [name for name in response.headers if name.lower().startswith("access-control")]
            if status == 403:
                assert (await response.json())["error"]["type"] == "permission_error"
                assert lab.requests() == []


OFFERS = {
    "bearer": {"Authorization": f"Bearer {KEY}"},
    "bearer-lower": {"Authorization": f"bearer   {KEY} "},
    "x-api-key": {"x-api-key": KEY},
    "x-goog-api-key": {"x-goog-api-key": KEY},
    "basic": {"Authorization": basic(f"anybody:{KEY}")},
    "basic-no-user": {"Authorization": basic(f":{KEY}")},
    "second-header": {"Authorization": "Bearer local", "x-api-key": KEY},
    "other-scheme-first": {"Authorization": "Digest x", "x-goog-api-key": KEY},
}
WRONG_OFFERS = {
    "nothing": {},
    "empty": {"Authorization": "", "x-api-key": ""},
    "bearer-empty": {"Authorization": "Bearer "},
    "bearer-wrong": {"Authorization": "Bearer local"},
    "bearer-longer": {"Authorization": f"Bearer {KEY}x"},
    "bearer-case": {"Authorization": f"Bearer {KEY.upper()}"},
    "no-scheme": {"Authorization": KEY},
    "other-scheme": {"Authorization": f"Token {KEY}"},
    "basic-user": {"Authorization": basic(f"{KEY}:")},
    "basic-no-colon": {"Authorization": basic(KEY)},
    "basic-no-base64": {"Authorization": "Basic !!!"},
    "basic-bad-length": {"Authorization": "Basic QQ"},
    "basic-umlaut": {"Authorization": "Basic ä"},
    "basic-bytes": {"Authorization": basic(b"a:\xff\xfe")},
    "umlaut": {"Authorization": "Bearer schlüssel"},
    "cookie": {"Cookie": f"key={KEY}"},
}


@pytest.mark.parametrize("headers", OFFERS.values(), ids=OFFERS)
async def test_key_is_taken_in_every_form(open_lab: OpenLab, headers: dict[str, str]) -> None:
    """The key may come as clients send one: as Bearer token, in two headers, or as a password."""
    async with open_lab(accounts=(), api_key=KEY) as lab:
        assert (await lab.get("/v1/models", headers=headers))[0] == 200


@pytest.mark.parametrize("headers", WRONG_OFFERS.values(), ids=WRONG_OFFERS)
async def test_wrong_key_is_a_401(open_lab: OpenLab, headers: dict[str, str]) -> None:
    """A key that is missing, wrong or garbled is refused in words that do not repeat it."""
    async with open_lab(accounts=(), api_key=KEY) as lab:
        status, body = await lab.get("/v1/models", headers=headers)
        assert status == 401
        assert (body["error"]["type"], body["error"]["code"]) == ("authentication_error", "invalid_api_key")
        assert KEY not in json.dumps(body)


@pytest.mark.parametrize(
    "header", [b"Authorization: Bearer \xff\xfe", b"x-api-key: \xe9", b"Authorization: \xff \xff"]
)
async def test_key_of_odd_bytes_is_a_401(open_lab: OpenLab, header: bytes) -> None:
    """Bytes that are no text are a wrong key and no failure of ours."""
    async with open_lab(accounts=(), api_key=KEY) as lab:
        assert await status_for(lab, b"Host: localhost", header) == 401


async def test_key_may_be_of_any_characters(open_lab: OpenLab) -> None:
    """A key beyond ASCII is compared as UTF-8, as header and as password."""
    async with open_lab(accounts=(), api_key="schlüssel") as lab:
        for header in ("Bearer schlüssel", basic("a:schlüssel")):
            assert await status_for(lab, b"Host: localhost", f"Authorization: {header}".encode()) == 200


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/", 200),
        ("/dashboard.css", 200),
        ("/dashboard.js", 200),
        ("/health", 200),
        ("/api/status", 401),
        ("/metrics", 401),
        ("/v1/models", 401),
        ("/models", 401),
        ("/v1/models/gemini-3.8-flash", 401),
        ("/nothing", 401),
        ("//", 401),
    ],
)
async def test_only_some_paths_are_open(open_lab: OpenLab, path: str, status: int) -> None:
    """With a key set, only the empty page and the sign of life are shown without it."""
    async with open_lab(api_key=KEY) as lab:
        assert await status_for(lab, b"Host: localhost", path=path) == status


async def test_wrong_key_reads_no_body(open_lab: OpenLab) -> None:
    """Without the key a request is refused before its body has come."""
    async with open_lab(api_key=KEY) as lab:
        head = b"POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n"
        assert b" 401 " in await lab.send(head, until=b"\r\n")


@pytest.mark.parametrize(
    ("method", "path", "allowed"),
    [
        ("GET", "/v1/chat/completions", "POST"),
        ("PUT", "/v1/chat/completions", "POST"),
        ("OPTIONS", "/v1/chat/completions", "POST"),
        ("POST", "/v1/models", "GET,HEAD"),
        ("DELETE", "/", "GET,HEAD"),
    ],
)
async def test_wrong_method_is_a_405(lab: Lab, method: str, path: str, allowed: str) -> None:
    """A path asked with another method is a 405 in OpenAI's shape that says which ones it takes."""
    async with lab.http.request(method, f"{lab.url}{path}") as response:
        error = (await response.json())["error"]
        assert response.status == 405
        assert response.headers["Allow"] == allowed
        assert (error["type"], error["code"]) == ("invalid_request_error", "method_not_allowed")
        assert path in error["message"]


@pytest.mark.parametrize(
    "path", ["/api/v1/models", "/api/tags", "/props", "/v1/props", "/version", "/v1", "/v1/", "/favicon.ico", "/%0a"]
)
async def test_unknown_path_is_a_404(lab: Lab, path: str) -> None:
    """Paths that harnesses probe are 404 in OpenAI's shape, with the paths that exist."""
    status, body = await lab.get(path)
    assert status == 404
    assert set(body["error"]) == {"message", "type", "param", "code"}
    assert body["error"]["code"] == "not_found"
    assert "/v1/chat/completions" in body["error"]["message"]


@pytest.mark.parametrize(
    ("path", "api"),
    [
        ("/v1/messages", "Anthropic Messages"),
        ("/v1/responses", "OpenAI Responses"),
        ("/v1/completions", "Completions"),
        ("/v1/embeddings", "Embeddings"),
        ("/v1beta/models/gemini-3.8-flash:generateContent", "Gemini"),
    ],
)
async def test_other_apis_are_named(lab: Lab, path: str, api: str) -> None:
    """A client that speaks another API is told so, and which one is spoken here."""
    async with lab.http.post(f"{lab.url}{path}", json={}) as response:
        error = (await response.json())["error"]
        assert (response.status, error["code"]) == (404, "not_found")
        assert f"{api} API is not served here" in error["message"]
        assert "/v1/chat/completions" in error["message"]


@pytest.mark.parametrize(
    "path", ["/v1/chat/completions/v1/chat/completions", "/v1/chat/completions/chat/completions"]
)
async def test_doubled_path_is_explained(lab: Lab, path: str) -> None:
    """A base URL that has the path of chat in it already is recognised."""
    async with lab.http.post(f"{lab.url}{path}", json=chat_body()) as response:
        assert response.status == 404
        assert (await response.json())["error"]["message"].startswith("The base URL must end in /v1;")


def add_failures(app: web.Application) -> None:
    """Add routes that fail."""

    async def fail(_request: web.Request) -> web.Response:
        raise RuntimeError("detail-canary")

    async def lose_connection(_request: web.Request) -> web.Response:
        raise ConnectionResetError("Cannot write to closing transport")

    async def refuse(_request: web.Request) -> web.Response:
        raise web.HTTPConflict

    app.router.add_get("/fails", fail)
    app.router.add_get("/refuses", refuse)
    app.router.add_get("/loses", lose_connection)


async def test_unexpected_failure_is_a_500_without_details(
    open_lab: OpenLab, caplog: pytest.LogCaptureFixture
) -> None:
    """A fault of ours is a 500 in OpenAI's shape; what happened is in the log alone."""
    async with open_lab(extend=add_failures) as lab:
        status, body = await lab.get("/fails")
        assert status == 500
        assert body["error"]["type"] == "server_error"
        assert "detail-canary" not in json.dumps(body)
        assert "Traceback" not in json.dumps(body)
    assert "RuntimeError: detail-canary" in caplog.text


async def test_other_http_error_gets_our_shape(open_lab: OpenLab) -> None:
    """What the HTTP library refuses by itself is told in OpenAI's shape too."""
    async with open_lab(extend=add_failures) as lab:
        status, body = await lab.get("/refuses")
        assert (status, body["error"]["type"]) == (400, "invalid_request_error")
        assert body["error"]["message"] == "The request is not proper HTTP: Conflict."


async def test_lost_connection_is_no_failure(open_lab: OpenLab, caplog: pytest.LogCaptureFixture) -> None:
    """A client that leaves while it is written to is counted, and is no error in the log."""
    caplog.set_level(logging.INFO)
    async with open_lab(extend=add_failures) as lab:
        assert (await lab.send(b"GET /loses HTTP/1.0\r\nHost: localhost\r\n\r\n")).split()[1] == b"499"
        assert b'route="/loses",status="499"' in lab.services.metrics.render()
    assert {record.levelname for record in caplog.records} == {"INFO"}


async def test_client_that_leaves_is_counted(lab: Lab) -> None:
    """A request whose client did not wait counts as such, and no longer as running."""
    lab.plan("silence")
    with pytest.raises(TimeoutError):
        await lab.http.post(
            f"{lab.url}/v1/chat/completions", json=chat_body(), timeout=aiohttp.ClientTimeout(total=0.05)
        )
    await eventually(lambda: b'route="/v1/chat/completions",status="499"} 1.0' in lab.services.metrics.render())
    assert b"requests_running 0.0" in lab.services.metrics.render()


async def test_log_has_one_line_per_request(lab: Lab, caplog: pytest.LogCaptureFixture) -> None:
    """A request is one line with method, path, status and time; no query, and no line end of a client's making."""
    caplog.set_level(logging.INFO, "antigravity_proxy.proxy.middleware")
    await lab.get("/health?key=query-canary")
    await lab.get("/a%0ab%1b%5b31m")
    lines = [record.getMessage() for record in caplog.records]
    assert [line.rpartition(" ")[0] for line in lines] == ["GET /health 200", "GET /a%0Ab%1B%5B31m 404"]


async def test_secrets_are_never_shown(open_lab: OpenLab, clock: Clock, caplog: pytest.LogCaptureFixture) -> None:
    """Neither keys nor tokens reach a log record, an error, the counts or the status page, whatever goes wrong."""
    caplog.set_level(logging.DEBUG)
    shown: list[str] = []
    auth = {"Authorization": f"Bearer {KEY}"}
    async with open_lab(api_key=KEY, clock=clock) as lab:
        account = lab.save(EMAIL, expired=True)
        secrets = {KEY, account.tokens.access, account.tokens.refresh, lab.simulator.config.client_secret}

        async def chat(headers: dict[str, str], **options: Any) -> None:
            body = chat_body(**options)
            async with lab.http.post(f"{lab.url}/v1/chat/completions", json=body, headers=headers) as response:
                shown.append(await response.text())

        await chat({"Authorization": f"Bearer x{KEY}"})
        lab.plan("oauth-error", method="token", error=f"refused {account.tokens.refresh}", status=400)
        await chat(auth)
        await chat(auth)
        secrets.add(lab.saved().tokens.access)
        for scenario in ("status", "in-stream-error"):
            lab.plan(scenario, message=f"what is {lab.saved().tokens.access}?", **_AT_ONCE[scenario])
            await chat(auth)
            lab.plan(scenario, message=f"what is {lab.saved().tokens.access}?", **_AT_ONCE[scenario])
            await chat(auth, stream=True)
        clock.now_s += REFRESH_AGAIN_MS / 1_000
        lab.plan("bad-token", times=2)
        await chat(auth)
        secrets.add(lab.saved().tokens.access)
        broken = b"GET / HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\x00\r\n\r\n" % KEY.encode()
        assert (await lab.send(broken)).split()[1] == b"400"
        broken = chat_request(lab.port).replace(b"Content-Length: ", b"x-api-key: %s\x00\r\nA: " % KEY.encode())
        assert (await lab.send(broken)).split()[1] == b"400"
        for path in ("/metrics", "/api/status", "/health", f"/v1/models?key={KEY}"):
            async with lab.http.get(f"{lab.url}{path}", headers=auth) as response:
                shown.append(await response.text())
        shown += [repr(lab.services.settings), repr(lab.services), repr(lab.saved())]
    formatter = logging.Formatter()
    shown += [formatter.format(record) for record in caplog.records]
    assert len(secrets) == 6
    assert [text for text in shown if any(secret in text for secret in secrets)] == []
    assert any("[redacted]" in text or "***" in text for text in shown)


async def test_broken_stream_counts_as_its_error(lab: Lab) -> None:
    """A stream that broke off after a 200 is logged and counted with the status of its error."""
    lab.plan("cut", after=2)
    assert CUT in await lab.stream()
    label = b'route="/v1/chat/completions",status="502"} 1.0'
    await eventually(lambda: label in lab.services.metrics.render())


@pytest.mark.parametrize(
    ("header", "status"),
    [(b"Origin: http://\xff.example", 403), (b"Host: \xff", 403), (b"Content-Type: text/\xff", 415)],
    ids=["origin", "host", "type"],
)
async def test_header_that_is_no_text_gets_a_proper_answer(lab: Lab, header: bytes, status: int) -> None:
    """Bytes that are no text are quoted in an answer that is."""
    name = header.partition(b":")[0]
    lines = [b"Host: 127.0.0.1", b"Content-Type: application/json", b"Content-Length: 2", b"Connection: close"]
    kept = [line for line in lines if not line.startswith(name)]
    answer = await lab.send(b"\r\n".join([b"POST /v1/chat/completions HTTP/1.1", header, *kept, b"", b"{}"]))
    assert int(answer.split()[1]) == status
    assert json.loads(answer.partition(b"\r\n\r\n")[2])["error"]["message"]


_AT_ONCE: dict[str, dict[str, Any]] = {"status": {"status": 500}, "in-stream-error": {"after": 0, "code": 500}}
