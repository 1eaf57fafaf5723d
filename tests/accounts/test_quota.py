"""Tests of quota values."""

from __future__ import annotations

import pytest

from antigravity_proxy.accounts.quota import QuotaPool, quota_pool_of


@pytest.mark.parametrize(
    ("family", "quota_pool"),
    [("gemini", QuotaPool.GEMINI), ("claude", QuotaPool.OTHERS), ("gpt-oss", QuotaPool.OTHERS)],
)
def test_families_share_two_quota_pools(family: str, quota_pool: QuotaPool) -> None:
    """Gemini's models have a quota of their own; Claude's and GPT-OSS's use up one together."""
    assert quota_pool_of(family) is quota_pool
