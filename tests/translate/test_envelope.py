"""Tests of the envelope around a request."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from antigravity_proxy.translate.envelope import session_id, to_envelope

if TYPE_CHECKING:
    from antigravity_proxy.translate.cloud_wire import Content, Part, Request

IMAGE: Part = {"inlineData": {"mimeType": "image/png", "data": ""}}
HELLO: Content = {"role": "user", "parts": [{"text": "hello"}]}


def test_envelope_holds_request_and_its_session() -> None:
    """The inner request stands beside who asks which model, and is not changed itself."""
    request: Request = {"contents": [HELLO], "generationConfig": {"maxOutputTokens": 5}}
    envelope = to_envelope(request, "-7", project="demo", runtime_id="gemini-3.8-flash-low", request_id="r-1")
    assert envelope == {
        "project": "demo",
        "model": "gemini-3.8-flash-low",
        "request": {**request, "sessionId": "-7"},
        "requestType": "agent",
        "userAgent": "antigravity",
        "requestId": "r-1",
    }
    assert "sessionId" not in request


@pytest.mark.parametrize(
    "contents",
    [
        pytest.param([HELLO], id="first request"),
        pytest.param([HELLO, {"role": "model", "parts": [{"text": "Hi."}]}, HELLO], id="later request"),
        pytest.param([{"role": "model", "parts": [{"text": "Hi."}]}, HELLO], id="model first"),
        pytest.param([{"role": "user", "parts": [IMAGE, {"text": "hello"}, {"text": "more"}]}], id="image first"),
    ],
)
def test_session_is_that_of_the_first_words(contents: list[Content]) -> None:
    """Every request of a conversation has the same session."""
    assert session_id(contents) == "-3238736544897475342"


def test_session_of_other_words_is_another() -> None:
    """Conversations are told apart by what the user said first; one without words has a session too."""
    empty = session_id([{"role": "user", "parts": [IMAGE]}])
    other = session_id([{"role": "user", "parts": [{"text": "hello!"}]}])
    assert len({session_id([HELLO]), other, empty}) == 3
    assert all(-(2**63) < int(session) <= 0 for session in (other, empty))
