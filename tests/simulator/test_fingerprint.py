"""Tests of the header rules."""

from __future__ import annotations

import pytest
from multidict import CIMultiDict

from antigravity_proxy.simulator.fingerprint import header_violations, outdated_headers

from .wire import USER_AGENT

GOOD = {"Authorization": "Bearer x", "Content-Type": "application/json", "User-Agent": USER_AGENT}


def test_three_headers_and_transport_are_fine() -> None:
    """The three headers, and what any HTTP client adds, break no rule."""
    transport = {
        "Host": "x",
        "Content-Length": "1",
        "Accept": "*/*",
        "Accept-Encoding": "gzip",
        "Connection": "close",
    }
    assert header_violations(CIMultiDict(GOOD | transport)) == []


@pytest.mark.parametrize(
    ("headers", "sentence", "is_outdated"),
    [
        ({"User-Agent": "antigravity/1.15.8 linux/amd64"}, "User-Agent is not that of a current client", True),
        ({"User-Agent": ""}, "User-Agent is not that of a current client", True),
        ({"x-goog-api-client": "gl-node/22"}, "X-Goog-Api-Client must not be sent", True),
        ({"Client-Metadata": "{}"}, "Client-Metadata must not be sent", True),
        ({"Anthropic-Beta": "x"}, "anthropic-beta must not be sent", True),
        ({"Accept": "text/event-stream"}, "Accept must be absent or */*", True),
        ({"Accept": "application/json"}, "Accept must be absent or */*", True),
        ({"Content-Type": "application/json; charset=utf-8"}, "Content-Type must be exactly application/json", False),
        ({"X-Request-Id": "1"}, "X-Request-Id is not a header of this client", False),
        ({"traceparent": "1"}, "traceparent is not a header of this client", False),
    ],
    ids=lambda value: str(value)[:50],
)
def test_wrong_headers_are_named(headers: dict[str, str], sentence: str, is_outdated: bool) -> None:  # noqa: FBT001
    """Every wrong header gives one sentence; some make the client an outdated one."""
    sent = CIMultiDict(GOOD)
    sent.update(headers)
    assert header_violations(sent) == [sentence]
    assert bool(outdated_headers(sent)) is is_outdated


@pytest.mark.parametrize("version", ["1.1.24", "1.2.4", "2.0.0"])
def test_newer_versions_are_current(version: str) -> None:
    """The version may be any."""
    assert outdated_headers({"User-Agent": USER_AGENT.replace("1.1.23", version)}) == []
