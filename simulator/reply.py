"""A whole answer that is not a stream: status, headers and body."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import orjson

if TYPE_CHECKING:
    from .google_error import ApiError

JSON_CONTENT = "application/json; charset=UTF-8"
EVENT_STREAM = "text/event-stream"
HTML_TYPE = "text/html; charset=utf-8"


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer.

    Args:
        status: its HTTP status.
        body: its bytes.
        content_type: what they are.
        headers: further headers.
    """

    status: int
    body: bytes
    content_type: str = JSON_CONTENT
    headers: dict[str, str] = field(default_factory=dict[str, str])


def json_reply(document: Any, status: int = 200) -> Reply:
    """Give a document as Google prints it, indented."""
    return Reply(status, orjson.dumps(document, option=orjson.OPT_INDENT_2))


def error_reply(error: ApiError, content_type: str = JSON_CONTENT) -> Reply:
    """Give an error; the streaming method declares even a plain body as an event stream."""
    body = orjson.dumps(error.body(), option=orjson.OPT_INDENT_2)
    return Reply(error.http_status, body, content_type, error.headers)
