"""Tests of the header rules."""

from __future__ import annotations

import pytest
from multidict import CIMultiDict

from antigravity_proxy.simulator.fingerprint import (
    check_headers,
    foreign_headers,
    header_violations,
    outdated_headers,
)

from .wire import USER_AGENT, place_of, refusal

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
        ({"User-Agent": USER_AGENT.replace("1.1.23", "1.1.22")}, "User-Agent is not that of a current client", True),
        ({"User-Agent": USER_AGENT.replace("125021", "125020")}, "User-Agent is not that of a current client", True),
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
    ids=lambda value: str(value)[:120],
)
def test_wrong_headers_are_named(headers: dict[str, str], sentence: str, is_outdated: bool) -> None:  # noqa: FBT001
    """Every wrong header gives one sentence; some make the client an outdated one."""
    sent = CIMultiDict(GOOD)
    sent.update(headers)
    assert header_violations(sent) == [sentence]
    assert bool(outdated_headers(sent)) is is_outdated
    assert bool(foreign_headers(sent)) is not is_outdated


def test_foreign_headers_are_refused() -> None:
    """A header of no client is a 400 that names it; those of an outdated client are not refused."""
    check_headers(CIMultiDict(GOOD | {"X-Goog-Api-Client": "gl-node/22", "Accept": "text/event-stream"}))
    error = refusal(lambda: check_headers(CIMultiDict(GOOD | {"X-Request-Id": "1"})))
    assert (error.http_status, place_of(error)[1]) == (400, "X-Request-Id is not a header of this client")


@pytest.mark.parametrize(
    ("version", "changelist"),
    [("1.1.23", "974125021"), ("1.1.24", "974782877"), ("1.1.100", "978129418"), ("2.0.0", "1000000000")],
)
def test_newer_clients_are_current(version: str, changelist: str) -> None:
    """The oldest current client, and any newer one, is a current client; versions are compared as numbers."""
    user_agent = USER_AGENT.replace("1.1.23", version).replace("974125021", changelist)
    assert outdated_headers({"User-Agent": user_agent}) == []


@pytest.mark.parametrize(
    ("version", "changelist"),
    [("1.0.99", "974125021"), ("0.9.0", "974125021"), ("1.1.23", "97412502"), ("1.2.4", "1")],
)
def test_older_clients_are_outdated(version: str, changelist: str) -> None:
    """Neither a newer version nor a newer build makes up for the other."""
    user_agent = USER_AGENT.replace("1.1.23", version).replace("974125021", changelist)
    assert outdated_headers({"User-Agent": user_agent}) == ["User-Agent is not that of a current client"]
