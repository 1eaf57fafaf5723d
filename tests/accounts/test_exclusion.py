"""Tests of what is held against accounts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from antigravity_proxy.accounts.exclusion import (
    LONGEST_S,
    PROBE_INTERVAL_S,
    Exclusion,
    Reason,
    Standing,
    describe,
    exclusion_after,
    refusal_of,
)
from antigravity_proxy.accounts.quota import QuotaPool
from antigravity_proxy.errors import (
    AccountBannedError,
    CapacityError,
    LicenceError,
    LoginRequiredError,
    NoAccountError,
    ProxyError,
    QuotaExhaustedError,
    RateLimitedError,
    UpstreamRefusedError,
    VerificationRequiredError,
)

if TYPE_CHECKING:
    from antigravity_proxy.errors import UpstreamError

NOW_S = 1_757_000_000.0
GEMINI, OTHERS = QuotaPool.GEMINI, QuotaPool.OTHERS


def make_exclusion(
    account_id: str = "a",
    quota_pool: QuotaPool | None = GEMINI,
    reason: Reason = Reason.QUOTA,
    until_s: float | None = NOW_S + 100,
    probe_at_s: float = NOW_S + 50,
) -> Exclusion:
    """An exclusion with what matters to a test."""
    return Exclusion(account_id, quota_pool, reason, f"{account_id} is out.", NOW_S, until_s, probe_at_s)


@pytest.mark.parametrize(
    ("error", "until_s"),
    [
        (QuotaExhaustedError("", retry_after_s=100), 100),
        (QuotaExhaustedError("", retry_after_s=30 * 24 * 3600), LONGEST_S),
        (QuotaExhaustedError("", retry_after_s=-5), 0),
        (QuotaExhaustedError(""), PROBE_INTERVAL_S),
        (RateLimitedError("", retry_after_s=100), 100),
    ],
    ids=["wait", "too-long", "over", "unknown", "rate-limit"],
)
def test_limits_hold_for_one_quota_pool_until_they_reset(error: UpstreamError, until_s: float) -> None:
    """A limit keeps its quota pool out until the time it states, an hour when it states none, a week at most."""
    exclusion = exclusion_after(error, "a", OTHERS, NOW_S)
    assert exclusion is not None
    assert (exclusion.quota_pool, exclusion.until_s) == (OTHERS, NOW_S + until_s)
    assert exclusion.probe_at_s == NOW_S + PROBE_INTERVAL_S


@pytest.mark.parametrize(
    ("error", "reason", "url"),
    [
        (VerificationRequiredError("m", url="https://accounts.google.com/v"), Reason.VERIFICATION, True),
        (AccountBannedError("m"), Reason.BAN, False),
        (LicenceError("m"), Reason.LICENCE, False),
        (LoginRequiredError("m"), Reason.LOGIN, False),
    ],
)
def test_account_faults_hold_for_all_models_until_it_has_served(
    error: ProxyError, reason: Reason, *, url: bool
) -> None:
    """What is wrong with the account itself keeps all of it out, with the link that helps."""
    exclusion = exclusion_after(error, "a", GEMINI, NOW_S)
    assert exclusion is not None
    assert (exclusion.quota_pool, exclusion.reason, exclusion.until_s) == (None, reason, None)
    assert exclusion.url == ("https://accounts.google.com/v" if url else None)


@pytest.mark.parametrize(
    "error",
    [RateLimitedError(""), CapacityError("", retry_after_s=9), UpstreamRefusedError(""), NoAccountError("")],
)
def test_other_errors_hold_nothing_against_an_account(error: ProxyError) -> None:
    """A bare call to slow down, a lack of capacity and a wrong request are not the account's fault."""
    assert exclusion_after(error, "a", GEMINI, NOW_S) is None


def test_exclusion_holds_for_its_models_and_its_time() -> None:
    """A limit of one quota pool leaves the other alone, and is over when its time has come."""
    standing = Standing().with_exclusion(make_exclusion())
    assert standing.exclusion_of("a", GEMINI, NOW_S) == make_exclusion()
    assert standing.exclusion_of("a", OTHERS, NOW_S) is None
    assert standing.exclusion_of("b", GEMINI, NOW_S) is None
    assert standing.exclusion_of("a", GEMINI, NOW_S + 100) is None


def test_later_exclusion_takes_the_place_of_the_earlier_one() -> None:
    """There is one exclusion for each account and quota pool."""
    first, second = make_exclusion(), make_exclusion(until_s=NOW_S + 200)
    other = make_exclusion(quota_pool=OTHERS)
    standing = Standing().with_exclusion(first).with_exclusion(other).with_exclusion(second)
    assert standing.exclusions == (other, second)


def test_account_that_has_served_is_in_again() -> None:
    """A success clears what is held against the account as a whole and against the quota pool that served."""
    whole = make_exclusion(quota_pool=None, reason=Reason.BAN, until_s=None)
    gemini, others, of_b = make_exclusion(), make_exclusion(quota_pool=OTHERS), make_exclusion("b")
    standing = Standing((whole, gemini, others, of_b))
    assert standing.without("a", GEMINI).exclusions == (others, of_b)
    assert standing.without("a").exclusions == (of_b,)
    assert standing.without("c") is standing


def test_due_exclusions_are_those_in_force_whose_time_to_ask_has_come() -> None:
    """An exclusion is due when it holds for the models that are asked for, and an hour has passed."""
    soon, late = make_exclusion(probe_at_s=NOW_S), make_exclusion("b")
    over = make_exclusion("c", until_s=NOW_S, probe_at_s=NOW_S)
    standing = Standing((soon, late, over))
    assert standing.due(GEMINI, NOW_S) == (soon,)
    assert standing.due(OTHERS, NOW_S) == ()


def test_what_is_over_is_forgotten() -> None:
    """The current standing has only exclusions that still hold."""
    kept, over = make_exclusion(until_s=None), make_exclusion("b", until_s=NOW_S)
    assert Standing((kept, over)).current(NOW_S) == Standing((kept,))
    assert (standing := Standing((kept,))).current(NOW_S) is standing


def test_refusal_names_the_first_reset() -> None:
    """When all are out the client hears how many, for what, and when the first one is back."""
    held = (make_exclusion(until_s=NOW_S + 300), make_exclusion("b"), make_exclusion("c", until_s=None))
    error = refusal_of(held, "Gemini models", NOW_S)
    assert "`antigravity-proxy accounts activate ACCOUNT`" in str(error)
    assert isinstance(error, QuotaExhaustedError)
    assert "none of the 3 accounts can serve Gemini models" in str(error)
    assert (error.resets_at, error.retry_after_s) == ("2025-09-04T15:35:00Z", 100)


def test_refusal_for_a_rate_limit_is_one() -> None:
    """When the first account to be back is only asked to slow down, no quota is used up."""
    error = refusal_of((make_exclusion(reason=Reason.RATE_LIMIT),), "Gemini models", NOW_S)
    assert type(error) is RateLimitedError
    assert str(error).startswith("Google asks to slow down: the only account cannot serve Gemini models now;")


def test_nothing_is_told_when_no_end_is_known() -> None:
    """When of no account it is known when it serves again, asking is the only way to find out."""
    held = [make_exclusion("a", reason=reason, until_s=None) for reason in Reason]
    assert refusal_of(held, "Gemini models", NOW_S) is None
    assert refusal_of([], "Gemini models", NOW_S) is None


@pytest.mark.parametrize(
    ("exclusion", "words"),
    [
        (
            Exclusion("a", QuotaPool.GEMINI, Reason.QUOTA, "Long.", 0.0, 4_000_000_000.0, 1.0),
            "quota for Gemini models, until 2096-10-02T07:06:40Z",
        ),
        (
            Exclusion("a", QuotaPool.OTHERS, Reason.RATE_LIMIT, "Long.", 0.0, 60.0, 1.0),
            "rate-limit for Claude and GPT-OSS models, until 1970-01-01T00:01:00Z",
        ),
        (
            Exclusion("a", None, Reason.BAN, "Long.", 0.0, None, 1.0),
            "ban for all models, until it has served once",
        ),
        (
            Exclusion("a", None, Reason.VERIFICATION, "Long.", 0.0, None, 1.0, "https://accounts.google.com/v"),
            "verification for all models, until it has served once, see https://accounts.google.com/v",
        ),
    ],
    ids=["quota", "rate limit", "ban", "verification"],
)
def test_exclusion_is_described_in_a_few_words(exclusion: Exclusion, words: str) -> None:
    """Why, for which models, until when and where to end it, without the long message."""
    assert describe(exclusion) == words


def test_exclusion_is_a_document() -> None:
    """Programs read the same in parts, with the message; null stands for all models, and for no known end."""
    limit = Exclusion("a", QuotaPool.OTHERS, Reason.RATE_LIMIT, "Wait.", 0.0, 60.0, 1.0)
    assert limit.document() == {
        "reason": "rate-limit",
        "quota_pool": "3p",
        "until": "1970-01-01T00:01:00Z",
        "message": "Wait.",
        "url": None,
    }
    closed = Exclusion("a", None, Reason.VERIFICATION, "Verify.", 0.0, None, 1.0, "https://accounts.google.com/v")
    assert closed.document() == {
        "reason": "verification",
        "quota_pool": None,
        "until": None,
        "message": "Verify.",
        "url": "https://accounts.google.com/v",
    }


def test_all_that_is_held_against_an_account_is_found() -> None:
    """An account may be out for one quota pool and for the other, each for its own reason."""
    mine, others = (make_exclusion(), make_exclusion(quota_pool=OTHERS)), make_exclusion("b")
    assert Standing((*mine, others)).of_account("a") == mine
