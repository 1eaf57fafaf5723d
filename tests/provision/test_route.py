"""Tests of what is written into harnesses."""

from __future__ import annotations

import pytest

from antigravity_proxy.provision.route import host_of, is_reference, is_web_url

from .golden import ROUTE, WITH_KEY


def test_key_does_not_show() -> None:
    """The key is in no repr, and is ``local`` for a proxy that wants none."""
    assert "key-of-mine" not in repr(WITH_KEY)
    assert (ROUTE.written_key, WITH_KEY.written_key) == ("local", "key-of-mine")
    assert (ROUTE.literal_key, WITH_KEY.literal_key) == ("local", "key-of-mine")


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("http://127.0.0.1:51122/v1", True),
        ("http://localhost:4000", True),
        ("http://[::1]:51122/v1", True),
        ("http://host.docker.internal:51122/v1", True),
        ("https://api.example.com/v1", False),
        ("http://127.0.0.1.example.com/v1", False),
        ("http://[broken/v1", False),
        ("", False),
    ],
)
def test_only_this_machine_is_ours(url: str, expected: bool) -> None:  # noqa: FBT001
    """A URL of this machine may be an older one of the proxy, any other is somebody else's."""
    assert ROUTE.is_ours(url) is expected


@pytest.mark.parametrize(
    ("url", "key", "model", "expected"),
    [
        ("http://localhost:51122/v1", "old", None, True),
        ("http://127.0.0.1:4000/v1", "local", "gpt-oss-120b", True),
        ("http://127.0.0.1:4000/v1", "local", "openai/gpt-oss-120b", True),
        ("http://127.0.0.1:11434/v1", "ollama", "gpt-oss-120b", False),
        ("http://127.0.0.1:1234/v1", "local", "qwen", False),
        ("http://127.0.0.1:1234/v1", "local", None, False),
        ("http://127.0.0.1/v1", None, None, False),
        ("http://127.0.0.1:x/v1", None, None, False),
        ("https://api.example.com:51122/v1", "local", "gpt-oss-120b", False),
        (None, "local", "gpt-oss-120b", False),
    ],
)
def test_other_servers_of_this_machine_are_not_ours(
    url: object, key: object, model: object, *, expected: bool
) -> None:
    """A connection without our name needs the port of the proxy, or our key and a model of ours."""
    assert ROUTE.has_written(url, key, model) is expected


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("https://me:secret@api.example.com/v1", "api.example.com"),
        ("http://me:secret@127.0.0.1:11434/v1", "127.0.0.1:11434"),
        ("http://127.0.0.1:x/v1", "nowhere"),
        ("http://[x", "nowhere"),
        (None, "nowhere"),
        ("", "nowhere"),
    ],
)
def test_host_is_shown_without_secrets(url: object, expected: str) -> None:
    """Of a URL only its host is shown."""
    assert host_of(url) == expected


@pytest.mark.parametrize(
    ("key", "expected"),
    [
        ("{env:KEY}", True),
        ("${KEY}", True),
        ("$KEY", True),
        ("!pass show key", True),
        ("os.environ/KEY", True),
        ("local", False),
        (None, False),
    ],
)
def test_references_are_known(key: object, expected: bool) -> None:  # noqa: FBT001
    """A key that says where the key is, is not a key."""
    assert is_reference(key) is expected


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("http://host.docker.internal:51122/v1", True),
        ("https://proxy.example.com/v1", True),
        ("http:///v1", False),
        ("http://[x", False),
        ("http://127.0.0.1:x/v1", False),
        ("ftp://127.0.0.1:21/v1", False),
        ("127.0.0.1:51122/v1", False),
        ("http://host name:5/v1", False),
        ("http://127.0.0.1:5/\u200b/v1", False),
        ("http://127.0.0.1:5/\x1b/v1", False),
    ],
)
def test_web_urls_are_known(url: str, expected: bool) -> None:  # noqa: FBT001
    """The proxy is at a URL of the web with a host."""
    assert is_web_url(url) is expected
