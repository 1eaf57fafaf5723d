"""Tests of the built-in OAuth client."""

from __future__ import annotations

from antigravity_proxy.oauth.builtin_client import builtin_client


def test_builtin_client_is_google_installed_app() -> None:
    """The pair has the shape of a Google client: a project number in the id, and a secret of 35 characters."""
    client_id, secret = builtin_client()
    assert client_id.endswith(".apps.googleusercontent.com")
    assert client_id.split("-")[0].isdigit()
    assert len(secret) == 35
    assert secret.isascii()
