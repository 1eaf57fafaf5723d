"""Tests of the choice of account."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from antigravity_proxy.accounts.choose import (
    active_account,
    find_entry,
    least_used,
    next_account,
    require_chosen,
    ring,
)
from antigravity_proxy.accounts.exclusion import Exclusion, Reason
from antigravity_proxy.accounts.pool import Pool, Unreadable
from antigravity_proxy.accounts.quota import QuotaPool
from antigravity_proxy.errors import AccountError, NoAccountError

from .samples import make_account

if TYPE_CHECKING:
    from antigravity_proxy.accounts.account import Account

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


ADA = make_account("ada@example.com", id="google:1a")
ADAM = make_account("Adam@Example.com", id="google:2b")
NOBODY = replace(make_account("", id="project:9"), email=None)
LOST = Unreadable("legacy:default", {}, "The key is gone.", email="carl@example.com")
FOUR = Pool(accounts=(ADA, ADAM, NOBODY), unreadable=(LOST,))


@pytest.mark.parametrize(
    ("words", "found"),
    [
        pytest.param("1", ADA, id="number"),
        pytest.param(" 3 ", NOBODY, id="number with blanks"),
        pytest.param("4", LOST, id="number of what cannot be read"),
        pytest.param("google:2b", ADAM, id="id"),
        pytest.param("PROJECT:9", NOBODY, id="id in other letters"),
        pytest.param("project", NOBODY, id="how an id begins"),
        pytest.param("ada@example.com", ADA, id="address"),
        pytest.param("adam@", ADAM, id="how an address begins"),
        pytest.param("CARL", LOST, id="address of what cannot be read"),
        pytest.param("a***a@example.com", ADA, id="address as it is shown"),
    ],
)
def test_find_entry_takes_what_a_user_types(words: str, found: Account | Unreadable) -> None:
    """An entry is named by its number, its id, its address or how they begin; the case does not matter."""
    assert find_entry(FOUR, words) == found


def test_find_entry_takes_the_exact_name_first() -> None:
    """A whole id or address is meant although a longer one begins with it, and a number is a place in the list."""
    short, long = make_account("a@b.c", id="x"), make_account("a@b.co", id="x1")
    assert find_entry(Pool(accounts=(short, long)), "a@b.c") == short
    assert find_entry(Pool(accounts=(short, long)), "x") == short
    number = make_account("n@b.c", id="1")
    assert find_entry(Pool(accounts=(short, number)), "2") == short


@pytest.mark.parametrize(
    ("words", "said"),
    [
        pytest.param("google:", "2 accounts begin with 'google:': a***a@example.com (google:1a), A***m@", id="two"),
        pytest.param("ada", "2 accounts begin with 'ada': ", id="two addresses"),
        pytest.param("a***", "2 accounts begin with 'a***': ", id="two that are shown so"),
        pytest.param("5", "There is no account '5'. There are a***a@example.com (google:1a), ", id="number"),
        pytest.param("0", "There is no account '0'.", id="zero"),
        pytest.param("-1", "There is no account '-1'.", id="negative"),
        pytest.param("", "There is no account ''.", id="nothing"),
        pytest.param("9" * 5_000, f"There is no account '{'9' * 100}'.", id="long"),
    ],
)
def test_find_entry_names_those_there_are(words: str, said: str) -> None:
    """What fits none, or several, is told with those there are, masked."""
    with pytest.raises(AccountError) as caught:
        find_entry(FOUR, words)
    assert str(caught.value).startswith(said)
    assert "ada@example.com" not in str(caught.value)


def test_find_entry_counts_in_the_order_accounts_were_added() -> None:
    """The number of an account stays when a newer one comes, whatever its id."""
    newer = make_account("newer@example.com", id="a", created_ms=(ADA.created_ms or 0) + 1)
    pool = Pool(accounts=(ADA, newer))
    assert (find_entry(pool, "1"), find_entry(pool, "2")) == (ADA, newer)


def test_find_entry_in_an_empty_pool_says_how_to_add_one() -> None:
    """Without any entry the message is that of every command."""
    with pytest.raises(NoAccountError, match="antigravity-proxy login"):
        find_entry(Pool(), "1")


@pytest.mark.parametrize(
    ("account_id", "order"), [("a", "bca"), ("b", "cab"), ("c", "abc"), ("bb", "cab"), ("", "abc")]
)
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


def test_chosen_account_that_cannot_be_read_is_told() -> None:
    """Nobody takes the place of an account that was chosen, and cannot be read, without being asked to."""
    lost = Unreadable("z", {}, "The key is gone.", email="zoe@example.com")
    with pytest.raises(AccountError, match=r"z\*\*\*e@example.com, the active account, cannot be used"):
        require_chosen(Pool((A,), active_id="z", unreadable=(lost,)))
    require_chosen(Pool((A,), active_id="a", unreadable=(lost,)))
