"""Tests of what is answered to requests that no handler ever sees."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from .conftest import chat_request

if TYPE_CHECKING:
    from .conftest import Lab

KEY = b"x-api-key: byte-canary\r\n"
HEAD = (
    b"POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
    b"Content-Type: application/json\r\n"
)
GET = b"GET %s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"


@pytest.mark.parametrize(
    ("request_bytes", "status", "words"),
    [
        pytest.param(b"\x16\x03\x01 hello\r\n\r\n", 400, "first line or its headers", id="tls"),
        pytest.param(GET.replace(b"1.1", b"3.7") % b"/" + b"\r\n", 400, "first line", id="version"),
        pytest.param(GET % b"/v1/models" + KEY + b"X: \x01\r\n\r\n", 400, "headers", id="control-character"),
        pytest.param(b"GET /health HTTP/1.1\r\n\r\n", 400, "headers", id="no-host"),
        pytest.param(GET % b"/\xff\xfe" + b"\r\n", 400, "its address is none", id="bytes-in-the-path"),
        pytest.param(GET % b"http://[::1" + KEY + b"\r\n", 400, "its address is none", id="address"),
        pytest.param(GET % (b"/" + b"a" * 20_000) + b"\r\n", 400, "too long", id="long-path"),
        pytest.param(GET % b"/" + b"X: " + b"a" * 20_000 + b"\r\n\r\n", 400, "too long", id="long-header"),
        pytest.param(HEAD + b"Content-Encoding: br\r\nContent-Length: 2\r\n\r\n{}", 400, "compressed", id="brotli"),
        pytest.param(HEAD + b"Content-Encoding: gzip\r\nContent-Length: 2\r\n\r\n{}", 400, "encoding", id="no-gzip"),
        pytest.param(HEAD + b"Expect: wonders\r\nContent-Length: 2\r\n\r\n{}", 400, "Expect", id="expectation"),
        pytest.param(HEAD + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n\r\n", 400, "headers", id="chunks"),
        pytest.param(
            HEAD + b"Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400, "headers", id="smuggling"
        ),
    ],
)
async def test_unreadable_request_is_an_error_like_any_other(
    lab: Lab, request_bytes: bytes, status: int, words: str
) -> None:
    """What is no HTTP, or not such as is read here, is refused in OpenAI's shape; nothing of it is quoted."""
    head, _, body = (await lab.send(request_bytes)).partition(b"\r\n\r\n")
    assert int(head.split()[1]) == status
    assert b"Content-Type: application/json" in head
    error = json.loads(body)["error"]
    assert set(error) == {"message", "type", "param", "code"}
    assert error["type"] == "invalid_request_error"
    assert words in error["message"]
    assert "canary" not in error["message"]
    assert (await lab.chat())[0] == 200


async def test_expectation_of_100_is_met(lab: Lab) -> None:
    """A client that waits for leave to send its body gets it."""
    request = chat_request(lab.port).replace(b"Host:", b"Expect: 100-continue\r\nHost:")
    received = await lab.send(request, until=b"You said")
    assert received.startswith(b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n")
