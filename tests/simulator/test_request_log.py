"""Tests of the log of requests, and of counting those being served."""

from __future__ import annotations

import asyncio

import pytest

from antigravity_proxy.simulator.request_log import RequestLog, Running


def test_log_keeps_the_newest() -> None:
    """Only so many requests are kept, and numbers go on."""
    log = RequestLog(2, 1000)
    for _ in range(3):
        log.add(1.0, "GET", "/", {})
    assert [entry.number for entry in log] == [2, 3]
    assert len(log) == 2
    log.clear()
    assert len(log) == 0
    assert log.add(1.0, "GET", "/", {}).number == 4


def test_log_cuts_secrets() -> None:
    """Of tokens in headers and forms only the beginning is kept."""
    log = RequestLog(2, 1000)
    entry = log.add(1.0, "POST", "/token", {"Authorization": "Bearer ya29.secret-secret", "Accept": "*/*"})
    assert entry.headers == {"Authorization": "Bearer ya29.… (25 characters)", "Accept": "*/*"}
    log.keep_body(entry, {"refresh_token": "1//" + "secret-secret-secret", "grant_type": "refresh_token"})
    assert entry.body == {"refresh_token": "1//secret-se… (23 characters)", "grant_type": "refresh_token"}


def test_log_keeps_media_as_lengths() -> None:
    """The data of media is replaced by its length."""
    log = RequestLog(2, 1000)
    entry = log.add(1.0, "POST", "/", {})
    log.keep_body(entry, {"parts": [{"inlineData": {"mimeType": "image/png", "data": "x" * 500}}, 5, None]})
    assert entry.body == {
        "parts": [{"inlineData": {"mimeType": "image/png", "data": "(500 base64 characters)"}}, 5, None]
    }


def test_log_bounds_bodies() -> None:
    """Long texts and long lists are cut."""
    log = RequestLog(2, 100)
    entry = log.add(1.0, "POST", "/", {})
    log.keep_body(entry, {"text": "x" * 20_000, "more": ["y" * 50] * 3, "n": 1})
    assert entry.body["text"] == "x" * 100 + "… (20000 characters)"
    assert entry.body["more"] == "…"
    log.keep_body(entry, ["x" * 60, "x" * 60, 7])
    assert entry.body == ["x" * 60, "x" * 40 + "… (60 characters)", "…"]


def test_document_has_all_keys() -> None:
    """An entry is shown with everything that is known about it."""
    entry = RequestLog(2, 100).add(1.5, "POST", "/x?y=1", {"A": "b"})
    entry.violations.append("bad")
    assert entry.document() == {
        "number": 1,
        "at": 1.5,
        "method": "POST",
        "path": "/x?y=1",
        "headers": {"A": "b"},
        "body": None,
        "account": None,
        "status": None,
        "violations": ["bad"],
        "refusal": None,
        "scenarios": [],
        "aborted": False,
        "abortedAfter": None,
    }


async def test_idle_waits_for_the_last() -> None:
    """Nothing is idle until the last request has ended, however it ended."""
    running = Running()
    await running.wait_until_idle()
    with running.one():
        with pytest.raises(RuntimeError), running.one():
            raise RuntimeError
        assert running.count == 1
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.01):
                await running.wait_until_idle()
    await running.wait_until_idle()
