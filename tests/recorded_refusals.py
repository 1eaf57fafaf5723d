"""Errors in the forms in which Google's service has been seen to send them, with made-up values.

One table for two kinds of tests: what each body means, and what is done about it.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from antigravity_proxy.errors import (
    AccountBannedError,
    CapacityError,
    LicenceError,
    ModelGoneError,
    ProjectError,
    ProxyError,
    QuotaExhaustedError,
    RateLimitedError,
    UpstreamError,
    UpstreamForbiddenError,
    UpstreamRefusedError,
    UpstreamTimeoutError,
    UpstreamUnauthorizedError,
    VerificationRequiredError,
)

RPC = "type.googleapis.com/google.rpc."
NOW_S = 1_757_000_000.0
"""2025-09-04T15:33:20Z, when they came."""

VERIFY_URL = "https://accounts.google.com/signin/continue?sarp=1"


@dataclass(frozen=True, slots=True)
class Refusal:
    """One answer of Google's, what it means, and what follows from it.

    Attributes:
        name: of the case.
        http: its status.
        body: its bytes.
        kind: our error.
        told: status and code a client gets in the end.
        wait_s: how long it says to wait.
        resets_at: when it says that a quota is whole again.
        calls: how often one account is asked.
        moves: whether another account is asked where that is allowed.
        retry_after: the header a client gets.
        repeats: whether a client may ask again by itself.
    """

    name: str
    http: int
    body: bytes
    kind: type[ProxyError]
    told: tuple[int, str]
    wait_s: float | None = None
    resets_at: str | None = None
    calls: int = 1
    moves: bool = False
    retry_after: str | None = None
    repeats: bool = True


def google(http: int, status: str, message: str, *details: dict[str, Any]) -> bytes:
    """An error body."""
    error: dict[str, Any] = {"code": http, "message": message, "status": status}
    return json.dumps({"error": {**error, "details": details} if details else error}).encode()


def info(reason: str, domain: str = "cloudcode-pa.googleapis.com", **metadata: str) -> dict[str, Any]:
    """The detail that gives the reason."""
    return {"@type": f"{RPC}ErrorInfo", "reason": reason, "domain": domain, "metadata": metadata}


def retry(delay: str) -> dict[str, Any]:
    """The detail that says how long to wait."""
    return {"@type": f"{RPC}RetryInfo", "retryDelay": delay}


INDIVIDUAL = "Individual quota reached. Contact your administrator to enable overages. Resets in 71h15m27s."
EXHAUSTED = "You have exhausted your capacity on this model. Your quota will reset after {}."
QUOTA_WAIT: dict[str, str] = {
    "model": "gemini-3.8-flash-low",
    "quotaResetDelay": "71h15m27.79s",
    "quotaResetTimeStamp": "2025-09-07T14:48:47Z",
}
LONG_QUOTA = google(429, "RESOURCE_EXHAUSTED", INDIVIDUAL, info("QUOTA_EXHAUSTED", **QUOTA_WAIT), retry("256527.79s"))
SHORT_RATE: dict[str, str] = {"model": "gemini-3.8-flash-low", "quotaResetDelay": "479.417207ms"}
NO_CAPACITY = "No capacity available for model gemini-3.8-flash-low on the server"
VERIFICATION: dict[str, str] = {
    "validation_url": VERIFY_URL,
    "validation_error_message": "Verify your account to continue.",
    "validation_url_link_text": "Verify your account",
}
DISABLED: dict[str, str] = {"service": "cloudaicompanion.googleapis.com", "consumer": "projects/p-1"}
UNKNOWN_NAME = "Invalid JSON payload received. Unknown name \"nullable\" at 'request': Cannot find field."
LICENCE_TEXT = "You are missing a valid license for this feature. Please contact your administrator. (#3501)"
HTML = b"<!DOCTYPE html><html lang=en><title>Error 502 (Server Error)!!1</title><p><b>502.</b> Try again.</html>"

REFUSALS: tuple[Refusal, ...] = (
    Refusal(
        "quota",
        429,
        LONG_QUOTA,
        QuotaExhaustedError,
        (429, "insufficient_quota"),
        wait_s=256_527.79,
        resets_at="2025-09-07T14:48:47Z",
        moves=True,
        repeats=False,
    ),
    Refusal(
        "quota-in-a-list",
        429,
        b"[" + LONG_QUOTA + b"]",
        QuotaExhaustedError,
        (429, "insufficient_quota"),
        wait_s=256_527.79,
        resets_at="2025-09-07T14:48:47Z",
        moves=True,
        repeats=False,
    ),
    Refusal(
        "quota-as-an-event",
        429,
        b"data: " + LONG_QUOTA + b"\n\n",
        QuotaExhaustedError,
        (429, "insufficient_quota"),
        wait_s=256_527.79,
        resets_at="2025-09-07T14:48:47Z",
        moves=True,
        repeats=False,
    ),
    Refusal(
        "quota-in-words",
        429,
        google(429, "RESOURCE_EXHAUSTED", EXHAUSTED.format("161h39m41s")),
        QuotaExhaustedError,
        (429, "insufficient_quota"),
        wait_s=581_981.0,
        resets_at="2025-09-11T09:13:01Z",
        moves=True,
        repeats=False,
    ),
    Refusal(
        "quota-until-a-moment",
        429,
        google(
            429,
            "RESOURCE_EXHAUSTED",
            "Individual quota reached.",
            info("QUOTA_EXHAUSTED", quotaResetTimeStamp="2025-09-04T16:33:20Z"),
        ),
        QuotaExhaustedError,
        (429, "insufficient_quota"),
        wait_s=3_600.0,
        resets_at="2025-09-04T16:33:20Z",
        moves=True,
        repeats=False,
    ),
    Refusal(
        "quota-for-a-minute",
        429,
        google(429, "RESOURCE_EXHAUSTED", "Individual quota reached. Resets in 1m.", info("QUOTA_EXHAUSTED")),
        QuotaExhaustedError,
        (429, "insufficient_quota"),
        wait_s=60.0,
        resets_at="2025-09-04T15:34:20Z",
        moves=True,
        retry_after="60",
    ),
    Refusal(
        "wall-of-days",
        429,
        google(429, "RESOURCE_EXHAUSTED", "Quota exceeded. Resets in 6 days."),
        QuotaExhaustedError,
        (429, "insufficient_quota"),
        wait_s=518_400.0,
        resets_at="2025-09-10T15:33:20Z",
        moves=True,
        repeats=False,
    ),
    Refusal(
        "wall-of-a-week",
        429,
        google(429, "RESOURCE_EXHAUSTED", "You have exceeded your weekly limit."),
        QuotaExhaustedError,
        (429, "insufficient_quota"),
        moves=True,
        repeats=False,
    ),
    Refusal(
        "credits",
        429,
        google(429, "RESOURCE_EXHAUSTED", "Insufficient credits.", info("INSUFFICIENT_G1_CREDITS_BALANCE")),
        QuotaExhaustedError,
        (429, "insufficient_quota"),
        moves=True,
        repeats=False,
    ),
    Refusal(
        "rate-for-a-moment",
        429,
        google(
            429,
            "RESOURCE_EXHAUSTED",
            EXHAUSTED.format("0s"),
            info("RATE_LIMIT_EXCEEDED", **SHORT_RATE),
            retry("0.479417207s"),
        ),
        RateLimitedError,
        (429, "rate_limit_exceeded"),
        wait_s=0.479417207,
        calls=3,
        moves=True,
        retry_after="1",
    ),
    Refusal(
        "rate-for-a-minute",
        429,
        google(429, "RESOURCE_EXHAUSTED", "Slow down.", info("RATE_LIMIT_EXCEEDED"), retry("40s")),
        RateLimitedError,
        (429, "rate_limit_exceeded"),
        wait_s=40.0,
        moves=True,
        retry_after="40",
    ),
    Refusal(
        "rate-for-hours",
        429,
        google(429, "RESOURCE_EXHAUSTED", "Slow down.", info("RATE_LIMIT_EXCEEDED"), retry("7200s")),
        QuotaExhaustedError,
        (429, "insufficient_quota"),
        wait_s=7_200.0,
        resets_at="2025-09-04T17:33:20Z",
        moves=True,
        repeats=False,
    ),
    Refusal(
        "bare",
        429,
        google(429, "RESOURCE_EXHAUSTED", "Resource has been exhausted (e.g. check quota)."),
        RateLimitedError,
        (429, "rate_limit_exceeded"),
        calls=3,
        moves=True,
        repeats=False,
    ),
    Refusal(
        "too-many-requests",
        429,
        b'{"message": "too many requests"}',
        RateLimitedError,
        (429, "rate_limit_exceeded"),
        calls=3,
        moves=True,
        repeats=False,
    ),
    Refusal(
        "capacity",
        503,
        google(503, "UNAVAILABLE", NO_CAPACITY, info("MODEL_CAPACITY_EXHAUSTED")),
        CapacityError,
        (503, "no_capacity"),
        calls=3,
        repeats=False,
    ),
    Refusal(
        "capacity-for-a-while",
        503,
        google(503, "UNAVAILABLE", NO_CAPACITY, info("MODEL_CAPACITY_EXHAUSTED"), retry("39s")),
        CapacityError,
        (503, "no_capacity"),
        wait_s=39.0,
        retry_after="39",
    ),
    Refusal(
        "verification",
        403,
        google(
            403,
            "PERMISSION_DENIED",
            "Verify your account to continue.",
            info("VALIDATION_REQUIRED", **VERIFICATION),
        ),
        VerificationRequiredError,
        (403, "verification_required"),
        moves=True,
    ),
    Refusal(
        "ban",
        403,
        google(403, "PERMISSION_DENIED", "Disabled for violation of Terms of Service.", info("TOS_VIOLATION")),
        AccountBannedError,
        (403, "account_banned"),
        moves=True,
    ),
    Refusal(
        "wrong-project",
        403,
        google(
            403,
            "PERMISSION_DENIED",
            "Gemini for Google Cloud API has not been used in project p-1 before or it is disabled.",
            info("SERVICE_DISABLED", "googleapis.com", **DISABLED),
        ),
        ProjectError,
        (403, "project_unusable"),
        calls=2,
    ),
    Refusal(
        "no-subscription",
        403,
        google(
            403, "PERMISSION_DENIED", LICENCE_TEXT, info("SUBSCRIPTION_REQUIRED", "cloudaicompanion.googleapis.com")
        ),
        LicenceError,
        (403, "subscription_required"),
        moves=True,
    ),
    Refusal(
        "no-licence",
        403,
        google(403, "PERMISSION_DENIED", "You do not have a valid license of Antigravity."),
        LicenceError,
        (403, "subscription_required"),
        moves=True,
    ),
    Refusal(
        "forbidden",
        403,
        google(403, "PERMISSION_DENIED", "The caller does not have permission"),
        UpstreamForbiddenError,
        (403, "upstream_forbidden"),
    ),
    Refusal(
        "unknown-model",
        404,
        google(404, "NOT_FOUND", "Requested entity was not found."),
        ModelGoneError,
        (404, "model_not_found"),
        calls=2,
    ),
    Refusal(
        "bad-field",
        400,
        google(400, "INVALID_ARGUMENT", UNKNOWN_NAME, {"@type": f"{RPC}BadRequest", "fieldViolations": []}),
        UpstreamRefusedError,
        (400, "upstream_refused"),
    ),
    Refusal(
        "old-version",
        400,
        google(400, "FAILED_PRECONDITION", "This version of Antigravity is no longer supported. Please update."),
        UpstreamRefusedError,
        (400, "client_outdated"),
    ),
    Refusal(
        "bad-token",
        401,
        google(401, "UNAUTHENTICATED", "Request had invalid authentication credentials."),
        UpstreamUnauthorizedError,
        (401, "upstream_unauthorized"),
        calls=2,
        moves=True,
    ),
    Refusal(
        "internal",
        500,
        google(500, "INTERNAL", "Internal error encountered."),
        UpstreamError,
        (502, "upstream_failed"),
        calls=3,
        repeats=False,
    ),
    Refusal("html", 502, HTML, UpstreamError, (502, "upstream_failed"), calls=3, repeats=False),
    Refusal("nothing", 503, b"", CapacityError, (503, "unavailable"), calls=3, repeats=False),
    Refusal(
        "deadline",
        504,
        google(504, "DEADLINE_EXCEEDED", "Deadline expired before operation could complete."),
        UpstreamTimeoutError,
        (504, "upstream_timeout"),
        calls=3,
        repeats=False,
    ),
    Refusal("teapot", 418, b"", UpstreamRefusedError, (400, "upstream_refused")),
    Refusal("redirect", 302, b"", UpstreamError, (502, "upstream_failed")),
)
"""Every case there is, at least once."""
