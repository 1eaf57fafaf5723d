"""Tests of upstream's errors to errors of ours, and of those to what clients read."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from antigravity_proxy.errors import (
    AccountBannedError,
    AccountError,
    CapacityError,
    LicenceError,
    ModelGoneError,
    NoAccountError,
    ProjectError,
    ProxyError,
    QuotaExhaustedError,
    RateLimitedError,
    RequestError,
    UpstreamError,
    UpstreamForbiddenError,
    UpstreamRefusedError,
    UpstreamTimeoutError,
    UpstreamUnauthorizedError,
    VerificationRequiredError,
)
from antigravity_proxy.translate.problems import (
    RULES,
    is_signature_refusal,
    may_be_notice,
    notice_error,
    retry_after,
    to_error,
    to_error_body,
)
from antigravity_proxy.translate.upstream_problem import Problem, read_problem

from ..recorded_refusals import NOW_S, REFUSALS, VERIFY_URL, Refusal
from .samples import json_values


def error_of(http: int, message: str = "", reason: str = "", **fields: Any) -> ProxyError:
    """Our error for a problem."""
    return to_error(Problem(http, reason=reason, message=message, **fields), NOW_S)


@pytest.mark.parametrize(
    ("http", "message", "reason", "expected"),
    [
        pytest.param(400, "Request contains an invalid argument.", "", UpstreamRefusedError, id="bad request"),
        pytest.param(400, "API key not valid.", "", UpstreamUnauthorizedError, id="bad key"),
        pytest.param(400, "API_KEY_INVALID", "", UpstreamUnauthorizedError, id="bad key as a code"),
        pytest.param(400, "This version is no longer supported.", "", UpstreamRefusedError, id="old version"),
        pytest.param(401, "", "", UpstreamUnauthorizedError, id="bad token"),
        pytest.param(402, "Pay.", "", UpstreamRefusedError, id="other fault of the client"),
        pytest.param(403, "x", "VALIDATION_REQUIRED", VerificationRequiredError, id="verification"),
        pytest.param(
            403, "Verify your account to continue.", "", VerificationRequiredError, id="verification in words"
        ),
        pytest.param(403, "x", "TOS_VIOLATION", AccountBannedError, id="banned"),
        pytest.param(
            403, "This account broke the Terms of Service.", "", AccountBannedError, id="banned by the terms in words"
        ),
        pytest.param(403, "Your account has been suspended.", "", AccountBannedError, id="suspended"),
        pytest.param(403, "The account has been disabled.", "", AccountBannedError, id="disabled"),
        pytest.param(
            403,
            "To accept the Terms of Service, verify your account.",
            "VALIDATION_REQUIRED",
            VerificationRequiredError,
            id="verification in the words of a ban",
        ),
        pytest.param(400, "Terms of Service", "", UpstreamRefusedError, id="words of a ban that is none"),
        pytest.param(403, "x", "SERVICE_DISABLED", ProjectError, id="project"),
        pytest.param(403, "x", "SUBSCRIPTION_REQUIRED", LicenceError, id="subscription"),
        pytest.param(403, "(#3501) Buy it.", "", LicenceError, id="subscription as a number"),
        pytest.param(403, "You do not have a valid license", "", LicenceError, id="licence"),
        pytest.param(403, "The caller does not have permission", "", UpstreamForbiddenError, id="forbidden"),
        pytest.param(404, "Requested entity was not found.", "", ModelGoneError, id="model"),
        pytest.param(408, "", "", UpstreamTimeoutError, id="slow request"),
        pytest.param(429, "QUOTA_EXHAUSTED", "", QuotaExhaustedError, id="quota in words"),
        pytest.param(429, "", "QUOTA_EXHAUSTED", QuotaExhaustedError, id="quota without words"),
        pytest.param(429, "", "INSUFFICIENT_G1_CREDITS_BALANCE", QuotaExhaustedError, id="credits"),
        pytest.param(429, "Individual quota reached. Resets in 1h", "", QuotaExhaustedError, id="own quota"),
        pytest.param(429, "Quota exceeded. Resets in 6 days.", "", QuotaExhaustedError, id="quota wall"),
        pytest.param(429, "You exceeded your weekly limit", "", QuotaExhaustedError, id="week"),
        pytest.param(429, "Your quota will reset after 161h.", "", QuotaExhaustedError, id="reset of a quota"),
        pytest.param(
            429,
            "You have exhausted your capacity on this model. Your quota will reset after 0s.",
            "RATE_LIMIT_EXCEEDED",
            RateLimitedError,
            id="short limit in the words of a quota",
        ),
        pytest.param(429, "Resource has been exhausted (e.g. check quota).", "", RateLimitedError, id="bare"),
        pytest.param(429, "Too many requests", "", RateLimitedError, id="many requests"),
        pytest.param(429, "Rate limit reached", "", RateLimitedError, id="rate limit"),
        pytest.param(429, "", "", RateLimitedError, id="empty"),
        pytest.param(429, "x", "MODEL_CAPACITY_EXHAUSTED", CapacityError, id="capacity as a 429"),
        pytest.param(500, "Internal error", "", UpstreamError, id="failure"),
        pytest.param(502, "", "", UpstreamError, id="gateway"),
        pytest.param(503, "x", "MODEL_CAPACITY_EXHAUSTED", CapacityError, id="capacity"),
        pytest.param(
            503, "No capacity available for model x on the server", "", CapacityError, id="capacity in words"
        ),
        pytest.param(503, "The service is unavailable.", "", CapacityError, id="unavailable"),
        pytest.param(504, "", "", UpstreamTimeoutError, id="slow upstream"),
        pytest.param(302, "", "", UpstreamError, id="redirect"),
    ],
)
def test_problem_becomes_error(http: int, message: str, reason: str, expected: type[ProxyError]) -> None:
    """The first row of the table that fits says which error it is."""
    error = error_of(http, message, reason, wait_s=5.0)
    assert type(error) is expected
    if isinstance(error, UpstreamError):
        assert (error.upstream_status, error.body, error.retry_after_s) == (http, message, 5.0)


@pytest.mark.parametrize(
    ("http", "message", "words"),
    [
        pytest.param(400, 'Unknown name "nullable"', 'Google says: Unknown name "nullable"', id="words of Google"),
        pytest.param(400, 'Unknown name "anyOf"', "rejected the format of the request. Change or leave", id="format"),
        pytest.param(413, "Too large", "refused the request with status 413. Change it", id="other refusal"),
        pytest.param(402, "", "refused the request with status 402", id="other refusal without words"),
        pytest.param(401, "", "Google authentication failed", id="token"),
        pytest.param(
            401,
            "x",
            "If this stays, sign in again with `antigravity-proxy login`.",
            id="token, without Google's words",
        ),
        pytest.param(403, "Terms of Service", "has closed this account to Antigravity. Let another", id="banned"),
        pytest.param(403, "No.", "Google denies access. See whether the account works in", id="forbidden"),
        pytest.param(503, "x {http}", "send the request again. Google says: x {http}", id="unavailable"),
        pytest.param(
            503, "No capacity available", "no capacity for this model", id="capacity, without Google's words"
        ),
        pytest.param(500, "{http} {0}", "failed with status 500", id="words with braces"),
        pytest.param(429, "Individual quota reached. Resets in 1h", "Quota reached", id="quota"),
        pytest.param(404, "Requested entity was not found", "not available right now", id="model"),
        pytest.param(403, "(#3501) Paid only.", "no subscription or licence", id="subscription"),
        pytest.param(403, "(#3501) Paid only.", "accounts activate ACCOUNT`, or add it", id="another that has one"),
        pytest.param(403, "Violates the Terms of Service.", "accounts activate ACCOUNT`, or appeal", id="closed"),
        pytest.param(500, "", "Google failed with status 500. Send the request again.", id="no words"),
    ],
)
def test_error_says_what_happened(http: int, message: str, words: str) -> None:
    """The message is a sentence of ours, with Google's words behind it when there are some."""
    text = str(error_of(http, message))
    assert words in text
    assert text.endswith(f" Google says: {message}" if message and "Google says" in text else ".")


@pytest.mark.parametrize("refusal", REFUSALS, ids=[refusal.name for refusal in REFUSALS])
def test_recorded_body_is_what_people_take_it_for(refusal: Refusal) -> None:
    """Every form in which Google refuses something is told from the others, with its wait and the end of it."""
    error = to_error(read_problem(refusal.http, refusal.body), NOW_S)
    assert type(error) is refusal.kind
    assert (error.status, error.code) == refusal.told
    if isinstance(error, UpstreamError):
        assert (error.retry_after_s, error.resets_at) == (refusal.wait_s, refusal.resets_at)
    if isinstance(error, VerificationRequiredError):
        assert error.url == VERIFY_URL
        assert VERIFY_URL in str(error)


def test_every_kind_of_refusal_is_recorded() -> None:
    """Each row of the table of errors is the first that fits for some recorded body."""
    problems = [read_problem(refusal.http, refusal.body) for refusal in REFUSALS]
    builders = {id(next(rule for rule in RULES if rule.fits(problem)).build) for problem in problems}
    assert builders == {id(rule.build) for rule in RULES}


@pytest.mark.parametrize(
    ("wait_s", "expected"),
    [
        pytest.param(299.0, RateLimitedError, id="sat through"),
        pytest.param(300.0, QuotaExhaustedError, id="not sat through"),
        pytest.param(None, RateLimitedError, id="unknown"),
    ],
)
def test_long_limit_is_a_quota(wait_s: float | None, expected: type[ProxyError]) -> None:
    """Whoever is told to slow down for minutes has used something up, whatever Google calls it."""
    assert type(error_of(429, "x", "RATE_LIMIT_EXCEEDED", wait_s=wait_s)) is expected


@pytest.mark.parametrize(
    ("text", "may_be", "is_it"),
    [
        pytest.param("This version of Antigravity is no longer supported. Please update.", True, True, id="notice"),
        pytest.param(" Gemini Code Assist is no longer\nsupported.", False, False, id="broken line"),
        pytest.param("Antigravity is no longer supported. Update it!\n", True, True, id="short notice"),
        pytest.param("This vers", True, False, id="beginning"),
        pytest.param("", True, False, id="nothing"),
        pytest.param("This version of Antigravity is no longer supported.", True, False, id="not yet whole"),
        pytest.param("This version of Python is no longer supported. Please update.", False, False, id="other"),
        pytest.param("Antigravity is no longer supported, so update. " + "x" * 300, False, False, id="long answer"),
        pytest.param("I see: Antigravity is no longer supported. Update.", False, False, id="quotation"),
    ],
)
def test_notice_is_told_from_answers(text: str, *, may_be: bool, is_it: bool) -> None:
    """Only a short text that begins as Google's notice does, and asks for an update, is no answer."""
    assert may_be_notice(text) is may_be
    error = notice_error(text)
    assert (error is not None) is is_it
    if error is not None:
        assert (error.status, error.code) == (400, "client_outdated")


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        pytest.param({"resets_at": "2025-09-05T00:00:00Z"}, "2025-09-05T00:00:00Z", id="told"),
        pytest.param({"wait_s": 3_600.5}, "2025-09-04T16:33:21Z", id="from the wait"),
        pytest.param({"wait_s": 0.0}, "2025-09-04T15:33:20Z", id="now"),
        pytest.param({}, None, id="unknown"),
    ],
)
def test_quota_says_when_it_resets(fields: dict[str, Any], expected: str | None) -> None:
    """The moment is Google's own, or follows from the wait; otherwise the error says that it is not known."""
    error = error_of(429, "x", "QUOTA_EXHAUSTED", **fields)
    assert isinstance(error, QuotaExhaustedError)
    assert error.resets_at == expected
    assert (f"resets at {expected}" if expected else "does not say when it resets") in str(error)


def test_endless_wait_is_a_moment_all_the_same() -> None:
    """A wait beyond all calendars does not break the error."""
    body = {"error": {"message": "Individual quota reached. Resets in " + "9" * 500 + "h."}}
    error = to_error(read_problem(429, body), NOW_S)
    assert isinstance(error, QuotaExhaustedError)
    assert error.resets_at == "2026-09-05T15:33:20Z"


@pytest.mark.parametrize(
    ("url", "is_shown"),
    [
        pytest.param("https://accounts.google.com/verify?a=b", True, id="Google"),
        pytest.param("https://google.com", True, id="Google itself"),
        pytest.param("http://accounts.google.com/verify", False, id="not encrypted"),
        pytest.param("https://accounts.google.com.example.com/", False, id="longer host"),
        pytest.param("https://notgoogle.com/", False, id="similar host"),
        pytest.param("https://google.com@example.com/", False, id="user name"),
        pytest.param("https://example.com\\.google.com/", False, id="backslash"),
        pytest.param("https://google.com:443/", False, id="port"),
        pytest.param("https://[", False, id="broken"),
        pytest.param("https://google.com/a b", False, id="blank"),
        pytest.param("", False, id="none"),
    ],
)
def test_verification_shows_only_pages_of_google(url: str, *, is_shown: bool) -> None:
    """People are sent to a page of Google's or to none."""
    error = error_of(403, "x", "VALIDATION_REQUIRED", metadata={"validation_url": url})
    assert isinstance(error, VerificationRequiredError)
    assert error.url == (url if is_shown else None)
    assert (f"Do it at {url}," if is_shown else "by signing in to Google in a browser") in str(error)


@pytest.mark.parametrize("http", [400, 404, 426, 500])
@pytest.mark.parametrize(
    "message",
    [
        "Gemini Code Assist is no longer supported. Please update.",
        "This version is no longer supported",
        "Gemini 3.8 Flash is not available on this version.",
    ],
)
def test_outdated_client_has_its_own_code(http: int, message: str) -> None:
    """When Google wants a newer client, whatever the status, the error says which setting helps."""
    error = error_of(http, message)
    assert (type(error), error.code) == (UpstreamRefusedError, "client_outdated")
    assert "ANTIGRAVITY_PROXY_USER_AGENT" in str(error)
    assert str(error).endswith(f"Google says: {message}")


def test_other_refusal_has_the_code_of_its_kind() -> None:
    """A code of its own is said where there is one, and not inherited by others."""
    assert error_of(400).code == UpstreamRefusedError.code
    assert (error_of(403, "x", "TOS_VIOLATION").status, error_of(403, "x", "TOS_VIOLATION").code) == (
        403,
        "account_banned",
    )


def test_last_rule_fits_everything() -> None:
    """There is an error for every problem."""
    assert RULES[-1].fits(Problem(0))


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        pytest.param(UpstreamRefusedError("x", body="Corrupted thought signature."), True, id="corrupted"),
        pytest.param(UpstreamRefusedError("x", body="call is missing a thought_signature"), True, id="missing"),
        pytest.param(UpstreamRefusedError("x", body="Invalid thoughtSignature"), True, id="field"),
        pytest.param(UpstreamRefusedError("x", body="Unknown name"), False, id="something else"),
        pytest.param(UpstreamError("x", body="thought signature"), False, id="no refusal"),
        pytest.param(RequestError("thought signature"), False, id="ours"),
    ],
)
def test_signature_refusal_is_known_by_its_words(error: ProxyError, *, expected: bool) -> None:
    """Only a refusal that names signatures is about them."""
    assert is_signature_refusal(error) is expected


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        pytest.param(
            RequestError("Bad.", param="messages[0]"),
            {"message": "Bad.", "type": "invalid_request_error", "param": "messages[0]", "code": None},
            id="request",
        ),
        pytest.param(
            QuotaExhaustedError("Quota.", resets_at="2025-09-05T00:00:00Z"),
            {
                "message": "Quota.",
                "type": "insufficient_quota",
                "param": None,
                "code": "insufficient_quota",
                "resets_at": "2025-09-05T00:00:00Z",
            },
            id="quota",
        ),
        pytest.param(
            QuotaExhaustedError("Quota."),
            {"message": "Quota.", "type": "insufficient_quota", "param": None, "code": "insufficient_quota"},
            id="quota of unknown end",
        ),
        pytest.param(
            AccountError("Locked.", account="u***@example.com"),
            {
                "message": "Locked.",
                "type": "authentication_error",
                "param": None,
                "code": "account_unusable",
                "account": "u***@example.com",
            },
            id="account",
        ),
        pytest.param(
            NoAccountError("None."),
            {"message": "None.", "type": "authentication_error", "param": None, "code": "no_account"},
            id="no account",
        ),
    ],
)
def test_error_body_is_that_of_openai(error: ProxyError, expected: dict[str, Any]) -> None:
    """Clients read message, type, param and code inside ``error``, and what else is known."""
    assert to_error_body(error) == {"error": expected}


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        pytest.param(RateLimitedError("x", retry_after_s=0.479), 1, id="less than a second"),
        pytest.param(RateLimitedError("x", retry_after_s=0.0), 1, id="nothing"),
        pytest.param(CapacityError("x", retry_after_s=39.2), 40, id="fraction"),
        pytest.param(CapacityError("x", retry_after_s=120.0), 120, id="longest"),
        pytest.param(CapacityError("x", retry_after_s=120.1), None, id="too long"),
        pytest.param(RateLimitedError("x"), None, id="unknown"),
        pytest.param(QuotaExhaustedError("x", retry_after_s=5.0), 5, id="quota for a moment"),
        pytest.param(QuotaExhaustedError("x", retry_after_s=7_200.0), None, id="quota for hours"),
        pytest.param(RequestError("x"), None, id="request"),
    ],
)
def test_retry_after_is_short_or_absent(error: ProxyError, expected: int | None) -> None:
    """A client is told to wait whole seconds, and never so long that it hangs."""
    assert retry_after(error) == expected


@settings(deadline=None)
@given(json_values(), st.integers(100, 600))
def test_any_problem_becomes_an_error(value: Any, http: int) -> None:
    """Whatever upstream says has an error with a message and a body."""
    info = {"@type": "x.ErrorInfo", "reason": value, "metadata": {"validation_url": value, "quotaResetDelay": value}}
    for body in (value, {"error": {"message": value, "status": value, "details": [info, value]}}):
        error = to_error(read_problem(http, body), NOW_S)
        assert to_error_body(error)["error"]["message"]
