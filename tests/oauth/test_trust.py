"""Tests of where tokens may be sent."""

from __future__ import annotations

import pytest

from antigravity_proxy.oauth.trust import distrust, is_loopback, split_url

SIGN_IN = "accounts.google.com"


@pytest.mark.parametrize(
    "url",
    [
        "https://oauth2.googleapis.com/token",
        "https://googleapis.com/token",
        "https://OAuth2.GoogleAPIs.com/token",
        "HTTPS://daily-cloudcode-pa.sandbox.googleapis.com:443/some/path?alt=json#part",
        "http://localhost:8085/token",
        "https://localhost/token",
        "http://127.0.0.1:1/token",
        "http://127.1.2.3/token",
        "http://[::1]:8085/token",
    ],
)
def test_google_and_this_machine_are_trusted(url: str) -> None:
    """Google's services over https and this machine over either scheme get tokens."""
    assert distrust(url) is None


@pytest.mark.parametrize(
    "url",
    [
        "http://oauth2.googleapis.com/token",
        "http://accounts.google.com/",
        "https://evil.example/token",
        "https://googleapis.com.evil.example/",
        "https://evilgoogleapis.com/",
        "https://oauth2.googleapis.com.",
        "https://com/",
        "https://google.com.evil.example/",
        "https://script.google.com/",
        "https://www.google.com/",
        "https://evil.example/googleapis.com",
        "https://evil.example/?.googleapis.com",
        "https://evil.example?.googleapis.com",
        "https://evil.example#.googleapis.com",
        "https://evil.example%2f.googleapis.com",
        "https://evil.example;.googleapis.com",
        "https://evil.example\\@oauth2.googleapis.com/",
        "https://evil.example\\.googleapis.com/",
        "https://evil.example\t.googleapis.com/",
        "https://evil.example .googleapis.com",
        "https://evil.example\uff0f.googleapis.com",
        "https://oauth2.googleapis.com\n.evil.example",
        "https://oauth2.googleapis.com@evil.example/",
        "https://user@oauth2.googleapis.com/",
        "https://:password@oauth2.googleapis.com/",
        "https://@oauth2.googleapis.com",
        "http://user@localhost/",
        "https://oauth2.googleapis.com:port/",
        "https://oauth2.googleapis.com:99999",
        "https://oauth2.googleapis.com:0",
        "https://192.168.1.1/",
        "http://localhost.evil.example/",
        "http://127.0.0.1.evil.example",
        "http://x.localhost",
        "https://[::1/",
        "ftp://localhost/",
        "http\u017f://oauth2.googleapis.com",
        "file:///etc/passwd",
        "https://",
        "//oauth2.googleapis.com/",
        "oauth2.googleapis.com",
        "",
    ],
)
def test_all_else_is_distrusted(url: str) -> None:
    """Plain http to Google, other hosts, and every trick to look like Google are refused."""
    assert distrust(url, more_hosts=(SIGN_IN,)) is not None


def test_more_hosts_can_be_trusted() -> None:
    """A further host is trusted over https where the caller names it, and nowhere else."""
    url = f"https://{SIGN_IN}/o/oauth2/v2/auth"
    assert distrust(url, more_hosts=(SIGN_IN,)) is None
    assert distrust(url) == f"names the host {SIGN_IN}; tokens only go to *.googleapis.com or to this machine"


def test_reason_quotes_no_more_than_the_host() -> None:
    """What stands in a URL beside its host may be a secret."""
    reasons = [
        distrust(f"https://{place}") for place in ("a:hidden@b.example", "b.example/hidden", "b.example:hidden")
    ]
    assert "hidden" not in str(reasons)


@pytest.mark.parametrize("url", ["urn:ietf:wg:oauth:2.0:oob", "https://[::1", "http://localhost:0", "http://"])
def test_split_url_wants_an_address_on_the_web(url: str) -> None:
    """Text that is no http address, or one without a usable host and port, has no parts."""
    assert split_url(url) is None


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        pytest.param("localhost", True, id="name"),
        pytest.param("127.0.0.1", True, id="IPv4"),
        pytest.param("::1", True, id="IPv6"),
        pytest.param("[::1]", True, id="IPv6 in brackets"),
        pytest.param("LocalHost", True, id="capitals"),
        pytest.param("localhost.", True, id="dot of the root"),
        pytest.param("127.9.9.9", True, id="other loopback address"),
        pytest.param("localhost.example.com", False, id="longer name"),
        pytest.param("127.0.0.1.example.com", False, id="longer address"),
        pytest.param("0.0.0.0", False, id="any address"),  # noqa: S104 - nothing is bound
        pytest.param("192.168.1.1", False, id="neighbour"),
        pytest.param("x.localhost", False, id="name below localhost"),
        pytest.param("2130706433", False, id="number"),
        pytest.param("127.1", False, id="short address"),
        pytest.param("::", False, id="any IPv6 address"),
        pytest.param("", False, id="empty"),
    ],
)
def test_is_loopback_knows_this_computer(host: str, *, expected: bool) -> None:
    """Loopback addresses and localhost are this machine, the others are not."""
    assert is_loopback(host) is expected
