"""Why an account does not serve for a while, and until when.

Source:
    SPEC.md, "Failover".
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from ..errors import (
    AccountBannedError,
    AccountError,
    LicenceError,
    LoginRequiredError,
    ProxyError,
    QuotaExhaustedError,
    RateLimitedError,
    UpstreamError,
    VerificationRequiredError,
)
from .quota import QUOTA_POOL_NAMES
from .quota_format import to_timestamp

if TYPE_CHECKING:
    from collections.abc import Collection

    from .quota import QuotaPool

PROBE_INTERVAL_S = 3_600.0
"""How often an account that is out is asked whether it serves again, and how long it is out when nobody says."""

LONGEST_S = 7 * 24 * 3_600.0
"""The longest window of a quota; a reset that is further away is not believed."""


class Reason(StrEnum):
    """Why an account is out."""

    QUOTA = "quota"
    RATE_LIMIT = "rate-limit"
    VERIFICATION = "verification"
    BAN = "ban"
    LICENCE = "licence"
    LOGIN = "login"


ACCOUNT_REASONS: tuple[tuple[type[AccountError], Reason], ...] = (
    (VerificationRequiredError, Reason.VERIFICATION),
    (AccountBannedError, Reason.BAN),
    (LicenceError, Reason.LICENCE),
    (LoginRequiredError, Reason.LOGIN),
)
"""Errors after which the whole account is out until it has served once → why."""

LIMIT_REASONS: tuple[tuple[type[UpstreamError], Reason], ...] = (
    (QuotaExhaustedError, Reason.QUOTA),
    (RateLimitedError, Reason.RATE_LIMIT),
)
"""Errors after which one quota pool of the account is out until a time → why."""


@dataclass(frozen=True, slots=True)
class Exclusion:
    """One account that is out.

    Attributes:
        account_id: which one.
        quota_pool: for which models; None for all.
        reason: why.
        message: what the user was told.
        since_s: Unix time.
        until_s: Unix time; None until it has served once.
        probe_at_s: when it is asked next whether it serves again.
        url: page where the owner can end it.
    """

    account_id: str
    quota_pool: QuotaPool | None
    reason: Reason
    message: str
    since_s: float
    until_s: float | None
    probe_at_s: float
    url: str | None = None

    def document(self) -> dict[str, str | None]:
        """As JSON: ``{"reason", "quota_pool", "until", "message", "url"}``; null: all models, no time."""
        return {
            "reason": self.reason.value,
            "quota_pool": None if self.quota_pool is None else self.quota_pool.value,
            "until": None if self.until_s is None else to_timestamp(self.until_s),
            "message": self.message,
            "url": self.url,
        }

    def holds(self, quota_pool: QuotaPool, now_s: float) -> bool:
        """Whether it keeps the account from serving these models now."""
        return self.covers(quota_pool) and (self.until_s is None or now_s < self.until_s)

    def covers(self, quota_pool: QuotaPool) -> bool:
        """Whether it is about these models."""
        return self.quota_pool is None or self.quota_pool is quota_pool


@dataclass(frozen=True, slots=True)
class Standing:
    """All exclusions, at most one for each account and quota pool."""

    exclusions: tuple[Exclusion, ...] = ()

    def exclusion_of(self, account_id: str, quota_pool: QuotaPool, now_s: float) -> Exclusion | None:
        """What keeps an account from serving some models now; None when nothing does."""
        return next(
            (entry for entry in self.exclusions if entry.account_id == account_id and entry.holds(quota_pool, now_s)),
            None,
        )

    def of_account(self, account_id: str) -> tuple[Exclusion, ...]:
        """All that is held against an account."""
        return tuple(entry for entry in self.exclusions if entry.account_id == account_id)

    def with_exclusion(self, exclusion: Exclusion) -> Standing:
        """The standing with this exclusion in place of the one for the same account and quota pool."""
        key = exclusion.account_id, exclusion.quota_pool
        others = (entry for entry in self.exclusions if (entry.account_id, entry.quota_pool) != key)
        return Standing((*others, exclusion))

    def without(self, account_id: str, quota_pool: QuotaPool | None = None) -> Standing:
        """The standing without what is held against an account, for one quota pool or for all."""

        def is_over(entry: Exclusion) -> bool:
            return entry.account_id == account_id and (quota_pool is None or entry.covers(quota_pool))

        if not any(map(is_over, self.exclusions)):
            return self
        return Standing(tuple(entry for entry in self.exclusions if not is_over(entry)))

    def due(self, quota_pool: QuotaPool, now_s: float) -> tuple[Exclusion, ...]:
        """The exclusions that hold for these models, and whose account should be asked whether it serves again."""
        return tuple(
            entry for entry in self.exclusions if entry.holds(quota_pool, now_s) and entry.probe_at_s <= now_s
        )

    def current(self, now_s: float) -> Standing:
        """The standing without exclusions whose time is over."""
        kept = tuple(entry for entry in self.exclusions if entry.until_s is None or now_s < entry.until_s)
        return self if len(kept) == len(self.exclusions) else Standing(kept)


def exclusion_after(error: ProxyError, account_id: str, quota_pool: QuotaPool, now_s: float) -> Exclusion | None:
    """The exclusion that follows from an error.

    Returns:
        None when nothing is held against the account: it may be the request, the model or the network. A call to slow
        down that says no time is one of these: it is often about one request, with the quota of the account whole.
    """
    probe_at_s = now_s + PROBE_INTERVAL_S
    for kind, reason in ACCOUNT_REASONS:
        if isinstance(error, kind):
            url = error.url if isinstance(error, VerificationRequiredError) else None
            return Exclusion(account_id, None, reason, error.message, now_s, None, probe_at_s, url)
    for limit, reason in LIMIT_REASONS:
        if isinstance(error, limit):
            wait_s = error.retry_after_s
            if wait_s is None and reason is Reason.RATE_LIMIT:
                return None
            until_s = now_s + min(PROBE_INTERVAL_S if wait_s is None else max(wait_s, 0.0), LONGEST_S)
            return Exclusion(account_id, quota_pool, reason, error.message, now_s, until_s, probe_at_s)
    return None


def describe(exclusion: Exclusion) -> str:
    """An exclusion in a few words, such as ``quota for Gemini models, until 2026-09-08T00:00:00Z``."""
    models = "all models" if exclusion.quota_pool is None else QUOTA_POOL_NAMES[exclusion.quota_pool]
    until = "until it has served once" if exclusion.until_s is None else f"until {to_timestamp(exclusion.until_s)}"
    return f"{exclusion.reason} for {models}, {until}{f', see {exclusion.url}' if exclusion.url else ''}"


def refusal_of(exclusions: Collection[Exclusion], models: str, now_s: float) -> UpstreamError | None:
    """What a client is told when every account is out and none is asked.

    Args:
        exclusions: what is held against each account.
        models: which models, in words.
        now_s: Unix time.

    Returns:
        None when of no account it is known when it serves again.
    """
    timed = [(entry.until_s, entry.reason) for entry in exclusions if entry.until_s is not None]
    if not timed:
        return None
    until_s, reason = min(timed)
    who = "the only account cannot" if len(exclusions) == 1 else f"none of the {len(exclusions)} accounts can"
    kind, what = (
        (QuotaExhaustedError, "Quota reached")
        if reason is Reason.QUOTA
        else (RateLimitedError, "Google asks to slow down")
    )
    return kind(
        f"{what}: {who} serve {models} now; it is possible again at {to_timestamp(until_s)}. "
        "Wait, choose another model, add an account with `antigravity-proxy login`, or have one asked all the same "
        "with `antigravity-proxy accounts activate ACCOUNT`.",
        resets_at=to_timestamp(until_s),
        retry_after_s=until_s - now_s,
    )
