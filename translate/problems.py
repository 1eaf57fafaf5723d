"""Upstream's error bodies to errors of ours, and errors of ours to what an OpenAI client reads.

Source:
    https://cloud.google.com/apis/design/errors, https://platform.openai.com/docs/guides/error-codes and
    SPEC.md, "Errors".
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from ..errors import (
    AccountBannedError,
    AccountError,
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
from .upstream_problem import MAX_WAIT_S, Problem

if TYPE_CHECKING:
    from collections.abc import Callable

    from .openai_wire import ErrorBody, ErrorDetails

    Builder = Callable[[Problem, float], ProxyError]

MAX_RETRY_AFTER_S = 120.0
"""Longest wait that is told to a client; some harnesses sit through any number of hours they are told."""

GOOGLE_PAGE = re.compile(r"https://(?:[a-z0-9-]+\.)*google\.com(?:[/?#]\S*)?")
"""A link people may be sent to; a host that only looks like Google's does not fit."""

QUOTA_WAIT_S = 300.0
"""Whoever says 429 for so long means a quota, whatever the word for it: nobody sits through that."""


@dataclass(frozen=True, slots=True)
class Rule:
    """One row of the table of upstream errors; every condition that is given must hold.

    Attributes:
        build: makes our error from the problem and the time.
        http: statuses.
        reason: of the ErrorInfo.
        words: one of these is in the message, lower case.
        min_wait_s: the shortest stated wait.
    """

    build: Builder
    http: tuple[int, ...] = ()
    reason: str = ""
    words: tuple[str, ...] = ()
    min_wait_s: float = 0.0

    def fits(self, problem: Problem) -> bool:
        """Whether the problem is of this kind."""
        message = problem.message.lower()
        return (
            (not self.http or problem.http in self.http)
            and (not self.reason or problem.reason == self.reason)
            and (not self.words or any(word in message for word in self.words))
            and (not self.min_wait_s or (problem.wait_s or 0.0) >= self.min_wait_s)
        )


def to_error(problem: Problem, now_s: float) -> ProxyError:
    """The error of ours for an upstream problem.

    Args:
        problem: what upstream said.
        now_s: Unix time, to say when a wait is over.
    """
    if problem.wait_s is None and problem.resets_at is not None:
        left_s = datetime.fromisoformat(problem.resets_at).timestamp() - now_s
        problem = replace(problem, wait_s=min(max(left_s, 0.0), MAX_WAIT_S))
    return next(rule for rule in RULES if rule.fits(problem)).build(problem, now_s)


def _as(kind: type[UpstreamError], sentence: str, *, quotes: bool = True, code: str | None = None) -> Builder:
    """Makes an error of a kind from a sentence, in which ``{http}`` is the status, and what Google said."""

    def build(problem: Problem, _now_s: float) -> ProxyError:
        said = _quoted(problem) if quotes else ""
        return kind(sentence.format(http=problem.http) + said, code=code, **_facts(problem))

    return build


def _as_account_error(kind: type[AccountError], sentence: str) -> Builder:
    def build(problem: Problem, _now_s: float) -> ProxyError:
        return kind(sentence + _quoted(problem))

    return build


def _verification(problem: Problem, _now_s: float) -> ProxyError:
    link = problem.metadata.get("validation_url", "")
    url = link if GOOGLE_PAGE.fullmatch(link) else None
    where = f"at {url}" if url else "by signing in to Google in a browser"
    return VerificationRequiredError(
        f"Google wants the owner to verify this account. Do it {where}, then send the request again.", url=url
    )


def _quota(problem: Problem, now_s: float) -> ProxyError:
    resets_at = problem.resets_at
    if resets_at is None and problem.wait_s is not None:
        moment = datetime.fromtimestamp(now_s, UTC) + timedelta(seconds=math.ceil(problem.wait_s))
        resets_at = moment.strftime("%Y-%m-%dT%H:%M:%SZ")
    when = f"it resets at {resets_at}" if resets_at else "Google does not say when it resets"
    return QuotaExhaustedError(
        f"Quota reached: this account has used up its quota for this model; {when}.{_quoted(problem)}",
        resets_at=resets_at,
        **_facts(problem),
    )


def _quoted(problem: Problem) -> str:
    return f" Google says: {problem.message}" if problem.message else ""


def _facts(problem: Problem) -> dict[str, Any]:
    return {"upstream_status": problem.http, "body": problem.message, "retry_after_s": problem.wait_s}


BANNED = _as_account_error(
    AccountBannedError,
    "Google has closed this account to Antigravity. Let another account serve with "
    "`antigravity-proxy accounts activate ACCOUNT`, or appeal to Google.",
)
LICENCE = _as_account_error(
    LicenceError,
    "This Google account has no subscription or licence for the request. Let an account that has one serve with "
    "`antigravity-proxy accounts activate ACCOUNT`, or add it with `antigravity-proxy login`.",
)
PROJECT = _as(ProjectError, "The Google project of this account cannot be used. Send the request again.")
CAPACITY = _as(
    CapacityError,
    "Google has no capacity for this model at the moment. Wait a little or choose another model.",
    quotes=False,
)
UNAVAILABLE = _as(
    CapacityError, "Google is temporarily unavailable. Wait a little and send the request again.", code="unavailable"
)
RATE_LIMIT = _as(RateLimitedError, "Google asks to slow down. Wait a little and send the request again.")
UNAUTHORIZED = _as(
    UpstreamUnauthorizedError,
    "Google authentication failed: it refuses this account's access token. If this stays, sign in again with "
    "`antigravity-proxy login`.",
    quotes=False,
)
OUTDATED = _as(
    UpstreamRefusedError,
    "Google no longer accepts this version of the client. Install a newer version, or set "
    "ANTIGRAVITY_PROXY_USER_AGENT to a current one.",
    code="client_outdated",
)
GONE = _as(ModelGoneError, "The model is not available right now. Choose another one.")
FORBIDDEN = _as(UpstreamForbiddenError, "Google denies access. See whether the account works in Antigravity itself.")
MALFORMED = _as(
    UpstreamRefusedError,
    "Google rejected the format of the request. Change or leave out the part at fault, or choose another model.",
)
REFUSED = _as(UpstreamRefusedError, "Google refused the request with status {http}. Change it, or send it again.")
TIMED_OUT = _as(
    UpstreamTimeoutError,
    "Google gave up on the request after its own time limit. Send it again, or make it smaller.",
    quotes=False,
)
FAILED = _as(UpstreamError, "Google failed with status {http}. Send the request again.")

OTHER_CLIENT_FAULTS = tuple(status for status in range(402, 500) if status not in (403, 404, 408, 429))
BANNED_WORDS = ("terms of service", "account has been disabled", "account has been suspended")
LICENCE_WORDS = ("#3501", "valid license", "subscription_required")
QUOTA_WORDS = ("individual quota reached", "quota exceeded", "weekly limit", "quota will reset", "quota_exhausted")
OUTDATED_WORDS = (
    "no longer supported. please update",
    "version is no longer supported",
    "not available on this version",
)

RULES: tuple[Rule, ...] = (
    Rule(_verification, http=(403,), reason="VALIDATION_REQUIRED"),
    Rule(BANNED, http=(403,), reason="TOS_VIOLATION"),
    Rule(BANNED, http=(403,), words=BANNED_WORDS),
    Rule(_verification, http=(403,), words=("verify your account",)),
    Rule(PROJECT, http=(403,), reason="SERVICE_DISABLED"),
    Rule(LICENCE, http=(403,), reason="SUBSCRIPTION_REQUIRED"),
    Rule(LICENCE, http=(403,), words=LICENCE_WORDS),
    Rule(CAPACITY, http=(429, 503), reason="MODEL_CAPACITY_EXHAUSTED"),
    Rule(CAPACITY, http=(429, 503), words=("no capacity available",)),
    Rule(_quota, http=(429,), min_wait_s=QUOTA_WAIT_S),
    Rule(RATE_LIMIT, http=(429,), reason="RATE_LIMIT_EXCEEDED"),
    Rule(_quota, http=(429,), reason="QUOTA_EXHAUSTED"),
    Rule(_quota, http=(429,), reason="INSUFFICIENT_G1_CREDITS_BALANCE"),
    Rule(_quota, http=(429,), words=QUOTA_WORDS),
    Rule(RATE_LIMIT, http=(429,)),
    Rule(UNAUTHORIZED, http=(401,)),
    Rule(UNAUTHORIZED, http=(400,), words=("api key not valid", "api_key_invalid")),
    Rule(OUTDATED, words=OUTDATED_WORDS),
    Rule(GONE, http=(404,)),
    Rule(FORBIDDEN, http=(403,)),
    Rule(MALFORMED, http=(400,)),
    Rule(REFUSED, http=OTHER_CLIENT_FAULTS),
    Rule(UNAVAILABLE, http=(503,)),
    Rule(TIMED_OUT, http=(408, 504)),
    Rule(FAILED),
)
"""Upstream errors and what they become; the first row that fits holds, the last one always does."""

WAITING = (RateLimitedError, QuotaExhaustedError, CapacityError)
"""Errors that are over after a while."""

NOTICE_OPENINGS = tuple(
    f"{what} is no longer supported"
    for what in (
        "this version of antigravity",
        "this version of gemini code assist",
        "antigravity",
        "gemini code assist",
    )
)
"""How Google's notice begins that comes as the text of a normal answer, lower case."""

MAX_NOTICE_CHARACTERS = 300

SIGNATURE_WORDS = ("thought signature", "thought_signature", "thoughtsignature")


def is_signature_refusal(error: ProxyError) -> bool:
    """Whether upstream refused a request because of a thought signature in it."""
    return isinstance(error, UpstreamRefusedError) and any(word in error.body.lower() for word in SIGNATURE_WORDS)


def may_be_notice(text: str) -> bool:
    """Whether a text that has come so far can still become the notice that the client is too old."""
    said = text.strip().lower()
    return len(said) <= MAX_NOTICE_CHARACTERS and any(
        said.startswith(opening) or opening.startswith(said) for opening in NOTICE_OPENINGS
    )


def notice_error(text: str) -> ProxyError | None:
    """The error that a whole answer is when it is that notice; None when it is an answer."""
    said = text.strip().lower()
    is_notice = may_be_notice(text) and said.startswith(NOTICE_OPENINGS) and "update" in said
    return OUTDATED(Problem(200, message=" ".join(text.split())), 0.0) if is_notice else None


def to_error_body(error: ProxyError) -> ErrorBody:
    """What an OpenAI client reads.

    The same value is an HTTP body and a frame of a stream. ``resets_at`` and ``account`` are added when known.
    """
    details: ErrorDetails = {
        "message": _encodable(str(error)),
        "type": error.type,
        "param": None if error.param is None else _encodable(error.param),
        "code": error.code,
    }
    if isinstance(error, QuotaExhaustedError) and error.resets_at is not None:
        details["resets_at"] = error.resets_at
    if error.account is not None:
        details["account"] = error.account
    return {"error": details}


def _encodable(text: str) -> str:
    # Header bytes that are not UTF-8 and JSON escapes can put half characters into what an error quotes.
    return text.encode("utf-8", "replace").decode()


def retry_after(error: ProxyError) -> int | None:
    """Whole seconds for the ``Retry-After`` header; None when a wait is unknown or too long to sit through."""
    if isinstance(error, WAITING) and error.retry_after_s is not None and error.retry_after_s <= MAX_RETRY_AFTER_S:
        return max(1, math.ceil(error.retry_after_s))
    return None


def is_worth_repeating(error: ProxyError) -> bool:
    """Whether a client should send the request again by itself.

    It should not when a quota is used up for hours, or when this program has asked again already.
    """
    is_used_up = isinstance(error, QuotaExhaustedError) and retry_after(error) is None
    return not error.is_exhausted and not is_used_up
