"""Tests of the URL of an account's own proxy."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from yarl import URL

from antigravity_proxy.accounts.proxy_url import is_proxy_url, mask_proxy


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("http://own.example:3128", "http://own.example:3128"),
        ("HTTPS://own.example/", "HTTPS://own.example"),
        ("http://127.0.0.1:1", "http://127.0.0.1:1"),
        ("http://[::1]:8080", "http://[::1]:8080"),
        ("http://user:word@own:1", "http://***@own:1"),
        ("http://user@own", "http://***@own"),
        ("http://us%40er:w%3Ard@own:65535", "http://***@own:65535"),
    ],
)
def test_url_of_a_proxy_is_shown_without_its_login(url: str, shown: str) -> None:
    """A proxy has a scheme and a host; a login in it is hidden."""
    assert is_proxy_url(url)
    assert mask_proxy(url) == shown


@pytest.mark.parametrize(
    "value",
    [
        None, 5, "", "none", "own:3128", "socks5://own:1", "http://", "http://:1", "http://own:0", "http://own:65536",
        "http://own:x", "http://own/path", "http://own?q=1", "http://own#f", "http://own :1", "http://own:1\n",
        "http://us er@own", "http://a@b@own", "http://[::1", "http://[1::2::3]", "http://\u00f6wn:1", "http://own\\x",
        "http://own..example",
        "http://.own", "http://.", f"http://{'a' * 64}.example:1",
    ],
)  # fmt: skip
def test_anything_else_is_refused(value: Any) -> None:
    """What a call could not go through is no proxy."""
    assert not is_proxy_url(value)


@given(st.from_regex(r"https?://[!-~]{1,30}", fullmatch=True))
def test_every_accepted_url_can_be_used(text: str) -> None:
    """What is accepted is a URL for the HTTP client too, with the same host, and no password is ever shown."""
    if is_proxy_url(text):
        url = URL(text)
        assert url.host
        assert url.password is None or f":{url.raw_password}@" not in mask_proxy(text)
