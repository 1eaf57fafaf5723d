"""Tests of the choice of account."""

from __future__ import annotations

import pytest

from antigravity_proxy.accounts.choose import active_account, least_used, next_account, ring
from antigravity_proxy.accounts.exclusion import Exclusion, Reason
from antigravity_proxy.accounts.pool import Pool, Unreadable
from antigravity_proxy.accounts.quota import QuotaPool
from antigravity_proxy.errors import NoAccountError

from .samples import make_account

A, B, C = (make_account(f"{name}@example.com", id=name) for name in "abc")
OUT = Exclusion("", QuotaPool.GEMINI, Reason.QUOTA, "", 0, 1, 1)


def test_active_account_serves() -> None:
    """The active account serves."""
    assert active_account(Pool(accounts=(A, B), active_id="b")) == B


def test_empty_pool_says_how_to_add_an_account() -> None:
    """An empty pool names the command that fills it."""
    with pytest.raises(NoAccountError, match="antigravity-proxy login"):
        active_account(Pool())


def test_each_reason_is_given_once_when_no_account_is_usable() -> None:
    """When all entries are unusable, the message says why, not that there are none."""
    entries = tuple(Unreadable(id=name, raw={}, reason="The key is gone.") for name in ("a", "b"))
    with pytest.raises(NoAccountError) as caught:
        active_account(Pool(unreadable=entries))
    assert str(caught.value).endswith("can be used. The key is gone.")


@pytest.mark.parametrize(("account_id", "order"), [("a", "bca"), ("b", "cab"), ("c", "abc"), ("bb", "cab")])
def test_ring_goes_round_by_id(account_id: str, order: str) -> None:
    """Those behind an account come first, then those before it, and itself last; a removed one leaves its place."""
    assert "".join(account.id for account in ring(Pool(accounts=(A, B, C)), account_id)) == order


@pytest.mark.parametrize(
    ("active", "tried", "out", "found"),
    [
        ("a", "a", "", "b"),
        ("a", "a", "b", "c"),
        ("a", "ab", "", "c"),
        ("a", "abc", "", None),
        ("a", "a", "bc", None),
        ("c", "a", "", "c"),
        ("c", "a", "c", "b"),
    ],
    ids=["next", "next-is-out", "next-was-tried", "all-tried", "all-out", "chosen-meanwhile", "chosen-is-out"],
)
def test_next_account(active: str, tried: str, out: str, found: str | None) -> None:
    """The next of the ring stands in; one that was made active meanwhile comes before it."""
    account = next_account(
        Pool(accounts=(A, B, C), active_id=active), "a", lambda it: OUT if it.id in out else None, tried=tried
    )
    assert (account and account.id) == found


def test_least_used_serves_fewest_conversations() -> None:
    """Of the accounts that can serve, the one with the fewest conversations is found, the first of equals."""
    pool = Pool(accounts=(A, B, C))
    uses = {"a": 2, "b": 0, "c": 1}
    assert least_used(pool, lambda account_id: uses[account_id], lambda _: None) == B
    assert least_used(pool, lambda account_id: uses[account_id], lambda it: OUT if it is B else None) == C
    assert least_used(pool, lambda _: 1, lambda _: None) == A
    assert least_used(pool, lambda _: 1, lambda _: OUT) is None
