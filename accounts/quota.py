"""How much of its quota an account has left."""

from __future__ import annotations

from enum import StrEnum
from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


class QuotaPool(StrEnum):
    """Models that use up the same quota."""

    GEMINI = "gemini"
    OTHERS = "3p"


QUOTA_POOL_NAMES: Mapping[QuotaPool, str] = MappingProxyType(
    {QuotaPool.GEMINI: "Gemini models", QuotaPool.OTHERS: "Claude and GPT-OSS models"}
)
"""What people call the models of a quota pool."""


def quota_pool_of(family: str) -> QuotaPool:
    """The quota pool of a family of models.

    Source: SPEC.md, "Quota".
    """
    return QuotaPool.GEMINI if family == "gemini" else QuotaPool.OTHERS
