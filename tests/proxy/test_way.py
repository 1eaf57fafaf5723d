"""Tests of the way a call takes."""

from __future__ import annotations

import pytest
from yarl import URL

from antigravity_proxy.proxy.upstream import DAILY, PROD
from antigravity_proxy.proxy.way import DIRECT, Ways


@pytest.mark.parametrize(
    ("variables", "url", "proxy"),
    [
        ({}, PROD, None),
        ({"HTTPS_PROXY": "http://p:1"}, PROD, "http://p:1"),
        ({"https_proxy": "http://p:1"}, PROD, "http://p:1"),
        ({"ALL_PROXY": "http://p:1"}, PROD, "http://p:1"),
        ({"HTTP_PROXY": "http://p:1"}, PROD, None),
        ({"HTTPS_PROXY": ""}, PROD, None),
        ({"HTTPS_PROXY": "p:1"}, PROD, "http://p:1"),
        ({"HTTPS_PROXY": "user:word@p:1"}, PROD, "http://p:1"),
        ({"HTTPS_PROXY": "http://p:1", "NO_PROXY": ".googleapis.com"}, PROD, None),
        ({"HTTPS_PROXY": "http://p:1", "NO_PROXY": "*"}, PROD, None),
        ({"HTTPS_PROXY": "http://p:1", "NO_PROXY": "other.com"}, PROD, "http://p:1"),
        ({"HTTPS_PROXY": "http://p:1", "HTTP_PROXY": "http://p:2"}, "http://127.0.0.1:8", None),
        ({"HTTPS_PROXY": "http://p:1", "HTTP_PROXY": "http://p:2"}, "http://localhost", None),
        ({"HTTPS_PROXY": "http://p:1", "HTTP_PROXY": "http://p:2"}, "https://[::1]:8", None),
    ],
)
def test_proxy_is_that_of_the_environment(
    monkeypatch: pytest.MonkeyPatch, variables: dict[str, str], url: str, proxy: str | None
) -> None:
    """The usual variables choose the proxy; the way to this machine is always direct."""
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert Ways().to(f"{url}/v1internal:loadCodeAssist")["proxy"] == (None if proxy is None else URL(proxy))


def test_proxy_is_looked_up_once_for_each_host(monkeypatch: pytest.MonkeyPatch) -> None:
    """Later changes of the environment are not looked at, as each request would pay for it."""
    ways = Ways()
    assert ways.to(PROD) == DIRECT
    monkeypatch.setenv("HTTPS_PROXY", "http://p:1")
    assert (ways.to(f"{PROD}/other"), ways.to(DAILY)["proxy"]) == (DIRECT, URL("http://p:1"))


@pytest.mark.parametrize("no_proxy", ["", "*"])
def test_own_proxy_goes_before_the_environment(monkeypatch: pytest.MonkeyPatch, no_proxy: str) -> None:
    """An account's own proxy is used whatever the environment says, but never to this machine."""
    monkeypatch.setenv("HTTPS_PROXY", "http://p:1")
    monkeypatch.setenv("NO_PROXY", no_proxy)
    ways = Ways()
    assert ways.to(PROD, "http://own:2")["proxy"] == URL("http://own:2")
    assert ways.to("http://localhost:8/x", "http://own:2") == DIRECT


@pytest.mark.parametrize(
    ("proxy", "login"),
    [
        ("http://own:2", None),
        ("http://ada:p%40ss@own:2", {"Proxy-Authorization": "Basic YWRhOnBAc3M="}),
        ("https://ada@own", {"Proxy-Authorization": "Basic YWRhOg=="}),
    ],
)
def test_login_of_a_proxy_is_no_part_of_its_url(proxy: str, login: dict[str, str] | None) -> None:
    """Name and password go into a header, so that no error that quotes the URL shows them."""
    way = Ways().to(PROD, proxy)
    assert way["proxy_headers"] == login
    assert way["proxy"] == URL(proxy).with_user(None)
    assert "ada" not in str(way["proxy"])
