"""How much of its quota an account has left."""

from __future__ import annotations

from enum import StrEnum


class QuotaPool(StrEnum):
    """Models that use up the same quota."""

    GEMINI = "gemini"
    OTHERS = "3p"


def quota_pool_of(family: str) -> QuotaPool:
    """The quota pool of a family of models.

    Source: SPEC.md, "Quota".
    """
    return QuotaPool.GEMINI if family == "gemini" else QuotaPool.OTHERS
