"""Which accounts are out, for one server, and what is written down of it.

Source:
    SPEC.md, "Failover".
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ..accounts.exclusion import PROBE_INTERVAL_S, Standing

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..accounts.exclusion import Exclusion
    from ..accounts.quota import QuotaPool


class Standings:
    """Keeps the standing of all accounts.

    Args:
        standing: what is known from before.
        keep: writes a standing down; it must not block.
        clock: Unix time in seconds.
        chosen_ms: when somebody last chose an account, as far as the standing knows of it.
    """

    def __init__(
        self,
        standing: Standing,
        keep: Callable[[Standing], None],
        *,
        clock: Callable[[], float],
        chosen_ms: int | None = None,
    ) -> None:
        self._standing = standing
        self._keep = keep
        self._clock = clock
        self._chosen_ms = chosen_ms

    @property
    def current(self) -> Standing:
        """What is held against accounts now."""
        return self._standing.current(self._clock())

    @property
    def has_exclusions(self) -> bool:
        """Whether anything is held against any account."""
        return bool(self._standing.exclusions)

    def exclusion_of(self, account_id: str, quota_pool: QuotaPool) -> Exclusion | None:
        """What keeps an account from serving some models now; None when nothing does."""
        if not self.has_exclusions:
            return None
        return self._standing.exclusion_of(account_id, quota_pool, self._clock())

    def adopt(self, standing: Standing) -> bool:
        """Hold against accounts what another program has written down.

        Returns:
            Whether that is something else than before.
        """
        is_new = set(standing.exclusions) != set(self._standing.exclusions)
        if is_new:
            self._change(standing)
        return is_new

    def exclude(self, exclusion: Exclusion) -> None:
        """Take an account out."""
        self._change(self._standing.current(exclusion.since_s).with_exclusion(exclusion))

    def readmit(self, account_id: str, quota_pool: QuotaPool | None = None) -> None:
        """Let an account serve again, the models of one quota pool or all."""
        if self.has_exclusions:
            self._change(self._standing.without(account_id, quota_pool))

    def note_choice(self, account_id: str | None, chosen_ms: int | None) -> bool:
        """Learn which account is the active one, and when somebody chose it.

        An account that somebody has chosen since may serve whatever is held against it.

        Returns:
            Whether somebody has chosen since.
        """
        is_new = chosen_ms != self._chosen_ms
        self._chosen_ms = chosen_ms
        if is_new and account_id is not None:
            self.readmit(account_id)
        return is_new

    def claim_probes(self, quota_pool: QuotaPool) -> tuple[Exclusion, ...]:
        """The exclusions to be looked into now; each is handed out once in an hour."""
        if not self.has_exclusions:
            return ()
        now_s = self._clock()
        due = self._standing.due(quota_pool, now_s)
        for exclusion in due:
            self._change(self._standing.with_exclusion(replace(exclusion, probe_at_s=now_s + PROBE_INTERVAL_S)))
        return due

    def _change(self, standing: Standing) -> None:
        if standing != self._standing:
            self._standing = standing
            self._keep(standing)
