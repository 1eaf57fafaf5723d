"""Tests of whole answers."""

from __future__ import annotations

import orjson

from antigravity_proxy.simulator.google_error import ApiError
from antigravity_proxy.simulator.reply import EVENT_STREAM, JSON_CONTENT, error_reply, json_reply


def test_documents_are_indented() -> None:
    """A document is printed as Google does, with two blanks per level."""
    reply = json_reply({"a": 1})
    assert (reply.status, reply.body, reply.content_type) == (200, b'{\n  "a": 1\n}', JSON_CONTENT)
    assert json_reply({}, 400).status == 400


def test_errors_keep_status_and_headers() -> None:
    """An error has its status, body and headers, whatever the content type says."""
    reply = error_reply(ApiError(503, "Busy.", headers={"Retry-After": "1"}), EVENT_STREAM)
    assert (reply.status, reply.content_type, reply.headers) == (503, EVENT_STREAM, {"Retry-After": "1"})
    assert orjson.loads(reply.body)["error"]["message"] == "Busy."
