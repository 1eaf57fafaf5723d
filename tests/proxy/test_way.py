"""Tests of the way a call takes."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from yarl import URL

from antigravity_proxy.errors import UpstreamUnreachableError
from antigravity_proxy.proxy import way
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


UNUSABLE = (
    "http://[::1",
    "http://host:notaport",
    "host:notaport",
    "http://host:99999",
    "http://host:0",
    "http://",
    "://host",
    "http:///path",
    "http://ho st:1",
    "http://a..b:1",
    "http://.:1",
    f"http://{'a' * 64}:1",
    "http://[v1.x]:1",
    "http://user:word@[::1",
    "socks5://user:word@host:1",
    "http://host:1 ",
)


@pytest.mark.parametrize("value", UNUSABLE)
@pytest.mark.parametrize("name", ["HTTPS_PROXY", "ALL_PROXY", "https_proxy"])
def test_variable_that_names_no_proxy_is_told(monkeypatch: pytest.MonkeyPatch, name: str, value: str) -> None:
    """A proxy that cannot be used is an error that says which variable it is, and not what is in it."""
    monkeypatch.setenv(name, value)
    with pytest.raises(UpstreamUnreachableError, match=f"{name.upper()}, or this system's settings, names") as caught:
        Ways().to(PROD)
    assert "word" not in str(caught.value)
    assert Ways().to("http://localhost:8") == DIRECT


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@example("http://a..b:1")
@given(st.from_regex(r"(https?://)?[ -~]{0,12}(:[0-9]{0,6})?/?", fullmatch=True) | st.text())
def test_any_value_of_a_variable_is_a_way_or_an_error_of_ours(monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    """Nothing that somebody writes into a variable is a way nobody thought of."""
    monkeypatch.setattr(way, "getproxies", lambda: {"https": value})
    with suppress(UpstreamUnreachableError):
        Ways().to(PROD)


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
