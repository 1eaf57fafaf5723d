"""Tests of the envelope rules."""

from __future__ import annotations

from typing import Any

import pytest

from antigravity_proxy.simulator.envelope_rules import check_envelope, check_project

from .wire import place_of, refusal, user


def envelope(**changes: Any) -> dict[str, Any]:
    """Give a correct envelope with some fields changed; None leaves a field out."""
    body = {
        "project": "p",
        "model": "m",
        "request": {"contents": [user("hi")]},
        "requestType": "agent",
        "userAgent": "antigravity",
        "requestId": "r1",
        **changes,
    }
    return {name: value for name, value in body.items() if value is not None}


@pytest.mark.parametrize("session", [None, "0", "-3238736544897475342"], ids=str)
def test_correct_envelope_passes(session: str | None) -> None:
    """An envelope with all fields passes, with or without a session."""
    request = {"contents": []} if session is None else {"contents": [], "sessionId": session}
    check_envelope(envelope(request=request), lambda _: True)


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"project": None}, "project"),
        ({"project": ""}, "project"),
        ({"model": None}, "model"),
        ({"request": None}, "request"),
        ({"requestId": ""}, "requestId"),
        ({"requestType": None}, "requestType"),
        ({"requestType": "web_search"}, "request_type"),
        ({"userAgent": "other"}, "user_agent"),
        ({"request": {"sessionId": "abc"}}, "request.session_id"),
        ({"request": {"sessionId": "9223372036854775808"}}, "request.session_id"),
    ],
    ids=str,
)
def test_wrong_envelope_is_refused(changes: dict[str, Any], field: str) -> None:
    """A missing or foreign field of the envelope is a 400 that names it."""
    error = refusal(lambda: check_envelope(envelope(**changes), lambda _: True))
    assert (error.http_status, place_of(error)[0]) == (400, field)


def test_used_request_id_is_refused() -> None:
    """A request id that was used before is a 400."""
    error = refusal(lambda: check_envelope(envelope(), lambda _: False))
    assert place_of(error)[0] == "request_id"


def test_foreign_project_is_refused() -> None:
    """A project that is not the account's is a 403 of a disabled service."""
    error = refusal(lambda: check_project("other", "own", accepts_any=False))
    assert (error.http_status, error.details[0]["reason"]) == (403, "SERVICE_DISABLED")
    assert refusal(lambda: check_project("made-up", None, accepts_any=False)).http_status == 403


def test_own_or_any_project_passes() -> None:
    """The account's project passes, and any if the account is served under any."""
    check_project("own", "own", accepts_any=False)
    check_project("other", "own", accepts_any=True)
