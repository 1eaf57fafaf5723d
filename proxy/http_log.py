"""What the HTTP library logs about requests, without their bytes.

Source:
    SPEC.md, "Secrets".
"""

from __future__ import annotations

import logging

from aiohttp import web
from aiohttp.http_exceptions import HttpProcessingError

BROKEN_REQUESTS = (HttpProcessingError, web.RequestPayloadError)
"""What aiohttp raises about requests it cannot read."""

http_log = logging.getLogger(__name__)
"""Given to every server of ours as its logger."""


def _without_bytes(record: logging.LogRecord) -> bool:
    """Take the traceback out of a record about a broken request: it quotes bytes, which may be a key or a code."""
    if record.exc_info and isinstance(record.exc_info[1], BROKEN_REQUESTS):
        record.exc_info = None
    return True


http_log.addFilter(_without_bytes)
