"""Tests of what the HTTP library logs about requests."""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING

from antigravity_proxy.proxy.callback_listener import CallbackListener
from antigravity_proxy.proxy.http_log import http_log

from .test_callback_listener import request_for

if TYPE_CHECKING:
    import pytest

    from .conftest import OpenLab

BROKEN = b"GET /oauth-callback?code=byte-canary HTTP/1.1\r\nHost: localhost\r\nx-api-key: byte-canary\x01\r\n\r\n"
LINE = "Error handling request from 127.0.0.1"


def lines_of(caplog: pytest.LogCaptureFixture) -> list[str]:
    """What is logged, with tracebacks."""
    formatter = logging.Formatter()
    return [formatter.format(record) for record in caplog.records]


async def test_broken_request_is_logged_without_its_bytes(
    open_lab: OpenLab, caplog: pytest.LogCaptureFixture
) -> None:
    """What is no HTTP is refused and logged in one line at most, as its bytes may be a key."""
    async with open_lab() as lab:
        assert (await lab.send(BROKEN)).split()[1] == b"400"
        hello = b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03 a client that speaks TLS"
        assert (await lab.send(hello)).split()[1] == b"400"
    assert lines_of(caplog) == [LINE]


async def test_broken_visit_is_logged_without_code(unused_tcp_port: int, caplog: pytest.LogCaptureFixture) -> None:
    """The same holds where the browser comes back to, as the bytes may be a login's code."""
    async with CallbackListener(request_for(unused_tcp_port), lambda _: None):
        reader, writer = await asyncio.open_connection("127.0.0.1", unused_tcp_port)
        writer.write(BROKEN)
        assert (await reader.read()).split()[1] == b"400"
        writer.close()
    assert lines_of(caplog) == [LINE]


def test_other_records_of_the_library_keep_their_traceback(caplog: pytest.LogCaptureFixture) -> None:
    """A record that is not about a broken request is left as it is."""
    http_log.error("Unhandled exception", exc_info=OSError("odd"))
    assert "OSError: odd" in caplog.text
