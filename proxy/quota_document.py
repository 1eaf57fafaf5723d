"""Quota as JSON, for ``/api/quota`` and ``antigravity-proxy quota --json``.

Source:
    SPEC.md, "Quota".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..accounts.quota import QUOTA_POOL_NAMES
from ..accounts.quota_format import to_timestamp

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ..accounts.account import Account
    from ..accounts.quota import AccountQuota, Reading
    from .quota import QuotaEntry


def to_quota_document(found: Iterable[tuple[Account, QuotaEntry]], now_s: float) -> dict[str, Any]:
    """The quota of accounts: ``{"accounts": [{"id", "account", "stale", …}]}``.

    An account that was read has ``read_at``, ``age_s``, ``pools`` and ``models``; ``error`` says why the last
    question brought nothing. What Google does not say is left out.
    """
    return {"accounts": [_account(account, entry, now_s) for account, entry in found]}


def _account(account: Account, entry: QuotaEntry, now_s: float) -> dict[str, Any]:
    document: dict[str, Any] = {"id": account.id, "account": account.label, "stale": entry.is_stale}
    if entry.quota is not None:
        document |= _quota(entry.quota, now_s)
    if entry.error is not None:
        document["error"] = entry.error
    return document


def _quota(quota: AccountQuota, now_s: float) -> dict[str, Any]:
    reasons = {"summary_unavailable": quota.summary_unavailable, "models_unavailable": quota.models_unavailable}
    return {
        "read_at": to_timestamp(quota.read_at_s),
        "age_s": max(0, int(now_s - quota.read_at_s)),
        "pools": [
            {"quota_pool": pool.value, "name": QUOTA_POOL_NAMES[pool], "window": window.value, **_reading(reading)}
            for (pool, window), reading in quota.pools.items()
        ],
        "models": [{"id": runtime_id, **_reading(reading)} for runtime_id, reading in quota.models.items()],
        **{key: reason for key, reason in reasons.items() if reason is not None},
    }


def _reading(reading: Reading) -> dict[str, Any]:
    document: dict[str, Any] = {}
    if reading.remaining is not None:
        document["remaining"] = reading.remaining
    if reading.resets_at_s is not None:
        document["resets_at"] = to_timestamp(reading.resets_at_s)
    return document
