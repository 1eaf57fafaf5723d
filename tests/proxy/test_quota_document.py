"""Tests of quota as JSON."""

from __future__ import annotations

from antigravity_proxy.accounts.account import Account, Tokens
from antigravity_proxy.accounts.quota import AccountQuota, QuotaPool, Reading, Window
from antigravity_proxy.proxy.quota import QuotaEntry
from antigravity_proxy.proxy.quota_document import to_quota_document

NOON_S = 1_788_609_600.0
ACCOUNT = Account("google:1", Tokens("access", "refresh", 1), email="ada@example.com")


def test_reading_is_shown_with_its_age() -> None:
    """Limits and rows come with names and times, and what Google does not say is left out."""
    quota = AccountQuota(
        NOON_S,
        {(QuotaPool.GEMINI, Window.FIVE_HOURS): Reading(0.4, NOON_S + 60)},
        {"gemini-a": Reading(0.5), "gemini-b": Reading()},
        summary_unavailable="No subscription.",
    )
    assert to_quota_document([(ACCOUNT, QuotaEntry(quota))], NOON_S + 90.5) == {
        "accounts": [
            {
                "id": "google:1",
                "account": "a***a@example.com",
                "stale": False,
                "read_at": "2026-09-05T12:00:00Z",
                "age_s": 90,
                "pools": [
                    {
                        "quota_pool": "gemini",
                        "name": "Gemini models",
                        "window": "5h",
                        "remaining": 0.4,
                        "resets_at": "2026-09-05T12:01:00Z",
                    }
                ],
                "models": [{"id": "gemini-a", "remaining": 0.5}, {"id": "gemini-b"}],
                "summary_unavailable": "No subscription.",
            }
        ]
    }


def test_failure_without_a_reading() -> None:
    """An account that could not be asked has only the reason."""
    assert to_quota_document([(ACCOUNT, QuotaEntry(error="No."))], NOON_S) == {
        "accounts": [{"id": "google:1", "account": "a***a@example.com", "stale": False, "error": "No."}]
    }
