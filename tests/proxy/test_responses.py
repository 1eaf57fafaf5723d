"""Tests of the ways to answer."""

from __future__ import annotations

import json

import pytest

from antigravity_proxy.errors import (
    BudgetSpentError,
    CapacityError,
    ProxyError,
    QuotaExhaustedError,
    RateLimitedError,
    RequestError,
    VerificationRequiredError,
)
from antigravity_proxy.proxy.responses import own_failure, to_error_response, to_json_response


def test_json_answer_is_not_cached() -> None:
    """A value becomes compact UTF-8 JSON that no cache keeps, with further headers if wanted."""
    response = to_json_response({"text": "grüße"}, {"X-Extra": "1"})
    assert (response.status, response.body) == (200, '{"text":"grüße"}'.encode())
    assert response.headers["Content-Type"] == "application/json"
    assert response.headers["Cache-Control"] == "no-store"
    assert response.headers["X-Extra"] == "1"


@pytest.mark.parametrize(
    ("error", "status", "retry_after"),
    [
        (RequestError("Wrong.", param="messages[0]"), 400, None),
        (VerificationRequiredError("Verify it."), 403, None),
        (RateLimitedError("Slow down.", retry_after_s=0.4), 429, "1"),
        (RateLimitedError("Slow down."), 429, None),
        (CapacityError("Full.", retry_after_s=38.2), 503, "39"),
        (CapacityError("Full.", retry_after_s=7_200), 503, None),
        (QuotaExhaustedError("Quota.", resets_at="2026-09-05T12:00:00Z"), 429, None),
        (QuotaExhaustedError("Quota.", retry_after_s=30.0), 429, "30"),
        (BudgetSpentError("Slow."), 504, None),
        (ProxyError("Ours."), 500, None),
    ],
    ids=[
        "request",
        "verification",
        "short-wait",
        "unknown-wait",
        "capacity",
        "hours",
        "quota",
        "quota-soon",
        "empty",
        "own",
    ],
)
def test_error_answer_has_status_body_and_short_waits(
    error: ProxyError, status: int, retry_after: str | None
) -> None:
    """An error becomes its status and OpenAI's body; only a wait that can be sat through is told in the header."""
    response = to_error_response(error)
    assert response.status == status
    assert response.headers["Cache-Control"] == "no-store"
    assert response.headers.get("Retry-After") == retry_after
    is_repeatable = not isinstance(error, QuotaExhaustedError | BudgetSpentError) or retry_after is not None
    assert response.headers.get("x-should-retry") == (None if is_repeatable else "false")
    assert isinstance(response.body, bytes)
    told = json.loads(response.body)["error"]
    assert (told["message"], told["type"], told["param"], told["code"]) == (
        error.message,
        error.type,
        error.param,
        error.code,
    )


def test_own_failure_says_nothing_of_its_cause() -> None:
    """A fault of ours is a 500 that points to the log."""
    error = own_failure()
    assert (error.status, error.type) == (500, "server_error")
    assert "log" in str(error)
