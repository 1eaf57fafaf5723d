"""Three simulated accounts that stand in for each other, and what users do with them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from .conftest import Lab

A, B, C = "a@example.com", "b@example.com", "c@example.com"
CLAUDE = "claude-sonnet-4-6"
UNVERIFIED = pytest.mark.refused("Verify your account")
USED_UP = pytest.mark.refused("Individual quota reached")


class Clock:
    """A time that goes on when it is told to."""

    def __init__(self) -> None:
        self.now_s = 1_790_000_000.0

    def __call__(self) -> float:
        """The time, in seconds since 1970."""
        return self.now_s


def in_ring(lab: Lab, start: str = A) -> list[str]:
    """The addresses in the order they stand in for one another, from one on."""
    emails = [account.email or "" for account in lab.services.store.read().accounts]
    at = emails.index(start)
    return emails[at:] + emails[:at]


def activate(lab: Lab, email: str) -> None:
    """Choose an account, as a user does."""
    lab.services.store.update(lambda pool: pool.chosen(lab.saved(email).id, 1_790_000_000_000))


def empty(lab: Lab, email: str, quota_pool: str = "gemini") -> None:
    """Use up an account's quota."""
    lab.simulator.add_account(email, quota={f"{quota_pool}-5h": 0.0})


def activate_quietly(lab: Lab, email: str) -> None:
    """Make an account active as failover does."""
    lab.services.store.update(lambda pool: pool.activated(lab.saved(email).id))
