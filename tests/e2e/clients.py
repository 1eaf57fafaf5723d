"""Clients that go straight to this machine, whatever HTTP proxy the environment names."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from typing import TYPE_CHECKING, Any

from openai import AsyncOpenAI, DefaultAsyncHttpxClient, DefaultHttpxClient, OpenAI

if TYPE_CHECKING:
    from pathlib import Path

ANY_KEY = "local"
TIMEOUT_S = 30.0
DIRECT = urllib.request.build_opener(urllib.request.ProxyHandler({}))


def open_client(url: str, key: str = ANY_KEY) -> OpenAI:
    """The real client, which fails at once instead of trying again."""
    http = DefaultHttpxClient(trust_env=False)
    return OpenAI(base_url=url, api_key=key, max_retries=0, timeout=TIMEOUT_S, http_client=http)


def open_async_client(url: str, key: str = ANY_KEY) -> AsyncOpenAI:
    """The real asynchronous client, which fails at once instead of trying again."""
    http = DefaultAsyncHttpxClient(trust_env=False)
    return AsyncOpenAI(base_url=url, api_key=key, max_retries=0, timeout=TIMEOUT_S, http_client=http)


def send(method: str, url: str, body: bytes | None = None, content_type: str = "application/json") -> tuple[int, Any]:
    """One plain request: the status and the parsed body, None when there is none."""
    request = urllib.request.Request(url, body, {"Content-Type": content_type}, method=method)  # noqa: S310 -- loopback
    try:
        with DIRECT.open(request, timeout=TIMEOUT_S) as response:
            return response.status, json.loads(response.read() or b"null")
    except urllib.error.HTTPError as error:
        with error:
            return error.code, json.loads(error.read())


def post(url: str, body: bytes, content_type: str = "application/json") -> tuple[int, dict[str, Any]]:
    """One POST: the status and the error, or the answer."""
    status, answer = send("POST", url, body, content_type)
    return status, answer.get("error", answer)


def download(url: str, path: Path) -> Path:
    """Save what a URL gives, and give the path."""
    with DIRECT.open(url, timeout=TIMEOUT_S) as response:
        path.write_bytes(response.read())
    return path
