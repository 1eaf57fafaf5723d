"""How much of its quota an account has left, as far as somebody has looked.

Source:
    SPEC.md, "Quota".
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


class QuotaPool(StrEnum):
    """Models that use up the same quota."""

    GEMINI = "gemini"
    OTHERS = "3p"


class Window(StrEnum):
    """The time after which a quota is whole again."""

    FIVE_HOURS = "5h"
    WEEKLY = "weekly"


QUOTA_POOL_NAMES: Mapping[QuotaPool, str] = MappingProxyType(
    {QuotaPool.GEMINI: "Gemini models", QuotaPool.OTHERS: "Claude and GPT-OSS models"}
)
"""What people call the models of a quota pool."""


@dataclass(frozen=True, slots=True)
class Reading:
    """One figure of Google's.

    Attributes:
        remaining: the share that is left, 0 to 1; None when Google does not say.
        resets_at_s: when all of it is back, Unix time; None when Google does not say.
    """

    remaining: float | None = None
    resets_at_s: float | None = None

    @property
    def is_complete(self) -> bool:
        """Whether Google says both."""
        return self.remaining is not None and self.resets_at_s is not None

    def holds(self, now_s: float) -> bool:
        """Whether it tells how much is left now: after its reset it does not."""
        return self.remaining is not None and (self.resets_at_s is None or now_s < self.resets_at_s)


@dataclass(frozen=True, slots=True)
class AccountQuota:
    """What Google says about one account's quota.

    Attributes:
        read_at_s: Unix time at which Google was asked.
        pools: the limits of the quota pools, sorted.
        models: runtime id → what its row of the catalogue says, sorted.
        summary_unavailable: why there are no limits of quota pools, at most 200 characters.
        models_unavailable: why there are no rows, at most 200 characters.
    """

    read_at_s: float
    pools: Mapping[tuple[QuotaPool, Window], Reading] = field(default_factory=dict[tuple[QuotaPool, Window], Reading])
    models: Mapping[str, Reading] = field(default_factory=dict[str, Reading])
    summary_unavailable: str | None = None
    models_unavailable: str | None = None


def quota_pool_of(family: str) -> QuotaPool:
    """The quota pool of a family of models.

    Source: SPEC.md, "Quota".
    """
    return QuotaPool.GEMINI if family == "gemini" else QuotaPool.OTHERS


def quota_pool_of_id(runtime_id: str) -> QuotaPool:
    """The quota pool of a runtime id."""
    return quota_pool_of(runtime_id.lower().partition("-")[0])


def scarcest(quota: AccountQuota, quota_pool: QuotaPool, now_s: float) -> Reading:
    """The limit of a quota pool that is nearest to its end now; empty when nothing is known.

    Without limits it is the fullest row: those of one quota pool should say the same, and the fullest cannot take an
    account out by mistake.
    """
    limits = [entry for (pool, _), entry in quota.pools.items() if pool is quota_pool and entry.holds(now_s)]
    if limits:
        # Of equally empty ones the later reset counts.
        return min(limits, key=lambda entry: (_share(entry), -(entry.resets_at_s or 0)))
    rows = (
        entry
        for runtime_id, entry in quota.models.items()
        if quota_pool_of_id(runtime_id) is quota_pool and entry.holds(now_s)
    )
    return max(rows, key=_share, default=Reading())


def _share(reading: Reading) -> float:
    return 1.0 if reading.remaining is None else reading.remaining
