"""Tests of the pool and its changes."""

from __future__ import annotations

from dataclasses import replace

import pytest

from antigravity_proxy.accounts.account import Account
from antigravity_proxy.accounts.pool import Pool, Unreadable
from antigravity_proxy.errors import AccountError

from .samples import make_account, make_tokens

ONE = make_account("one@example.com", id="b", created_ms=200)
TWO = make_account("two@example.com", id="a", created_ms=300)
THREE = make_account("three@example.com", id="c", created_ms=100)
ALL = Pool(accounts=(ONE, TWO, THREE), active_id="b", auto_failover=True)


def test_pool_sorts_accounts_by_id() -> None:
    """Accounts are in order of their ids, whatever order they came in."""
    assert [account.id for account in ALL.accounts] == ["a", "b", "c"]


@pytest.mark.parametrize(
    ("accounts", "wanted", "active"),
    [
        pytest.param((ONE, TWO, THREE), "a", "a", id="wanted one exists"),
        pytest.param((ONE, TWO, THREE), "gone", "c", id="wanted one is gone"),
        pytest.param((ONE, TWO), None, "b", id="none wanted"),
        pytest.param((replace(ONE, created_ms=300), TWO), None, "a", id="same age"),
        pytest.param((ONE, replace(TWO, created_ms=None)), None, "a", id="unknown age counts as oldest"),
        pytest.param((), "a", None, id="empty"),
    ],
)
def test_pool_always_has_existing_active(
    accounts: tuple[Account, ...], wanted: str | None, active: str | None
) -> None:
    """An active account that does not exist gives way to the oldest."""
    pool = Pool(accounts=accounts, active_id=wanted)
    assert pool.active_id == active
    assert (pool.active and pool.active.id) == active


def test_with_account_adds_and_activates() -> None:
    """A new login serves from now on."""
    four = make_account("four@example.com", id="d")
    pool = ALL.with_account(four)
    assert pool.get("d") == four
    assert pool.active_id == "d"
    assert len(pool.accounts) == 4


def test_with_account_leaves_active_when_told() -> None:
    """An import can add an account without making it serve."""
    assert ALL.with_account(make_account("four@example.com"), activate=False).active_id == "b"


def test_with_account_activates_first_in_any_case() -> None:
    """The only account of a pool is active."""
    assert Pool().with_account(ONE, activate=False).active_id == "b"


def test_with_account_renews_same_email() -> None:
    """A login with a known address keeps the account's id, age, project and unknown fields."""
    known = replace(ONE, project_id="old-project", extra={"note": "mine", "plan": "old"})
    login = make_account(
        "ONE@example.com", id="google:other", tokens=make_tokens("new"), created_ms=999, extra={"plan": "new"}
    )
    pool = Pool(accounts=(known, TWO), active_id="a").with_account(login)
    assert pool.get("google:other") is None
    assert pool.active == replace(
        login,
        id="b",
        created_ms=200,
        project_id="old-project",
        extra={"note": "mine", "plan": "new"},
    )


def test_with_account_renews_same_id() -> None:
    """A login without an address still finds its account by id and keeps the address."""
    login = Account(id="b", tokens=make_tokens("new"), project_id="new-project")
    renewed = ALL.with_account(login).active
    assert renewed == replace(ONE, tokens=make_tokens("new"), project_id="new-project")


def test_with_account_takes_age_of_login_when_unknown() -> None:
    """An account of unknown age gets the age of its new login."""
    pool = Pool(accounts=(replace(ONE, created_ms=None),)).with_account(replace(ONE, created_ms=7))
    assert pool.accounts[0].created_ms == 7


def test_with_account_keeps_accounts_apart_when_email_unknown() -> None:
    """Two accounts whose owners are unknown are two accounts."""
    first = Account(id="anonymous:1", tokens=make_tokens("first"))
    second = Account(id="anonymous:2", tokens=make_tokens("second"))
    assert len(Pool().with_account(first).with_account(second).accounts) == 2


@pytest.mark.parametrize("login_id", ["old", "google:new"], ids=["same id", "same email"])
def test_with_account_replaces_unreadable_entry(login_id: str) -> None:
    """A new login takes the place, the id and the age of the entry that could not be read."""
    entry = Unreadable(id="old", raw={}, reason="Broken.", email="me@example.com", created_ms=5)
    other = Unreadable(id="other", raw={}, reason="Broken.")
    pool = Pool(unreadable=(entry, other)).with_account(make_account("me@example.com", id=login_id))
    assert [(account.id, account.created_ms) for account in pool.accounts] == [("old", 5)]
    assert pool.unreadable == (other,)


def test_with_tokens_replaces_tokens() -> None:
    """The outcome of a refresh is kept."""
    pool = ALL.with_tokens("b", make_tokens("new"), started_from=ONE.tokens.refresh)
    assert pool.get("b") == replace(ONE, tokens=make_tokens("new"))
    assert pool.active_id == "b"


@pytest.mark.parametrize(
    "pool",
    [
        pytest.param(Pool(accounts=(TWO, THREE)), id="removed"),
        pytest.param(ALL.with_account(replace(ONE, tokens=make_tokens("relogin"))), id="logged in again"),
    ],
)
def test_with_tokens_changes_nothing_when_overtaken(pool: Pool) -> None:
    """A refresh neither brings back a removed account nor undoes a newer login."""
    assert pool.with_tokens("b", make_tokens("late"), started_from=ONE.tokens.refresh) == pool


@pytest.mark.parametrize("project_id", ["demo", None], ids=["set", "forgotten"])
def test_with_project_sets_project(project_id: str | None) -> None:
    """The project of an account can be set and forgotten."""
    pool = Pool(accounts=(replace(ONE, project_id="old"),))
    assert pool.with_project("b", project_id).accounts == (replace(ONE, project_id=project_id),)


def test_with_project_ignores_unknown_id() -> None:
    """The project of a removed account is not kept."""
    assert ALL.with_project("gone", "demo") == ALL


@pytest.mark.parametrize("proxy", ["http://own:1", None], ids=["set", "none"])
def test_with_proxy_sets_the_account_s_own(proxy: str | None) -> None:
    """The proxy of one account can be set and taken away; an id that is gone changes nothing."""
    pool = Pool(accounts=(replace(ONE, proxy="http://old:1"),))
    assert pool.with_proxy("b", proxy).accounts == (replace(ONE, proxy=proxy),)
    assert ALL.with_proxy("gone", proxy) == ALL


def test_proxy_stays_through_refresh_and_login() -> None:
    """New tokens keep an account's own proxy; so does a new login, unless it brings another."""
    pool = Pool(accounts=(replace(ONE, proxy="http://own:1"),))
    refreshed = pool.with_tokens("b", make_tokens("new"), started_from=ONE.tokens.refresh)
    (account,) = refreshed.with_account(ONE).accounts
    assert (account.proxy, account.caller.proxy) == ("http://own:1", "http://own:1")
    (account,) = refreshed.with_account(replace(ONE, proxy="http://other:1")).accounts
    assert account.proxy == "http://other:1"


@pytest.mark.parametrize(
    ("email", "label"),
    [pytest.param("user@example.com", "u***r@example.com", id="email"), pytest.param(None, "x", id="id")],
)
def test_unreadable_label_hides_email(email: str | None, label: str) -> None:
    """An unreadable entry is named like an account, and prints none of its content."""
    entry = Unreadable(id="x", raw={"access": "hidden"}, reason="Broken.", email=email)
    assert entry.label == label
    assert "hidden" not in repr(entry)
    assert "user@" not in repr(entry)


def test_another_account_is_activated() -> None:
    """An account of the pool serves from now on; an id that is not in it changes nothing."""
    one, two = make_account("one@example.com"), make_account("two@example.com")
    pool = Pool(accounts=(one, two), active_id=one.id)
    assert pool.activated(two.id).active == two
    assert pool.activated("nobody") == pool


def test_oldest_account_takes_the_place_of_a_removed_one() -> None:
    """After the active account the oldest serves; failover ends with the last account, and then nothing is left."""
    old, new = make_account("old@example.com", created_ms=1), make_account("new@example.com", created_ms=2)
    active = make_account("active@example.com", created_ms=3)
    pool = Pool(accounts=(new, old, active), active_id=active.id).with_auto_failover(on=True)
    assert pool.without(active.id).active == old
    assert pool.without(old.id).active == active
    last = pool.without(active.id).without(old.id)
    assert last.auto_failover
    assert last.without(new.id) == Pool()
    assert last.without(new.id).is_blank


def test_entry_that_cannot_be_read_is_removed() -> None:
    """What cannot be used goes like an account, and until then the pool is worth its file."""
    pool = Pool(unreadable=(Unreadable("a", {}, ""), Unreadable("b", {}, "")))
    assert [entry.id for entry in pool.without("a").unreadable] == ["b"]
    assert not pool.is_blank
    assert not Pool(foreign={"other": 1}).is_blank


def test_merged_activates_the_one_that_was_active_there() -> None:
    """Of several accounts that are brought, the one that was active there serves here."""
    a, b, c, d = (make_account(f"{name}@example.com", id=name) for name in "abcd")
    merged = Pool((a, b), active_id="a").merged(Pool((c, d), active_id="c"), 9)
    assert [account.id for account in merged.accounts] == ["a", "b", "c", "d"]
    assert merged.active_id == "c"


def test_merged_lets_nobody_take_the_place_of_one_that_cannot_be_read() -> None:
    """When the account that was active there cannot be read, the one that is active here stays."""
    brought = Pool((TWO,), active_id="z", unreadable=(Unreadable("z", {}, ""),))
    assert brought.active_id == TWO.id
    assert Pool((ONE,)).merged(brought, 9).active_id == ONE.id


def test_failover_does_not_forget_a_chosen_account_that_cannot_be_read() -> None:
    """Only a choice takes the place of another choice."""
    pool = Pool((ONE, TWO), active_id="z", unreadable=(Unreadable("z", {}, ""),))
    assert (pool.active_id, pool.chosen_id) == (ONE.id, "z")
    moved = pool.activated(TWO.id)
    assert (moved.active_id, moved.chosen_id) == (TWO.id, "z")
    assert moved.chosen(TWO.id, 5).chosen_id == TWO.id


def test_merged_brings_nothing_else() -> None:
    """Of another pool only its usable accounts come along."""
    other = Pool((TWO,), auto_failover=True, foreign={"x": 1}, extra={"y": 2}, unreadable=(Unreadable("z", {}, ""),))
    assert Pool((ONE,)).merged(other, 9) == Pool((ONE, replace(TWO, signed_in_ms=9)), active_id="a")


def test_merged_does_not_replace_somebody_else() -> None:
    """An id that another e-mail address has is refused, as its tokens would be lost; the same address is renewed."""
    mine = make_account("one@example.com", id="google:me")
    with pytest.raises(
        AccountError, match=r"t\*\*\*o@example.com cannot be saved under the id google:me, as o\*\*\*e"
    ):
        Pool((mine,)).merged(Pool((make_account("two@example.com", id="google:me"),)), 9)
    renewed = make_account("One@Example.com", id="google:me", tokens=make_tokens("new"))
    assert [account.tokens for account in Pool((mine,)).merged(Pool((renewed,)), 9).accounts] == [make_tokens("new")]


def test_merged_looks_at_what_it_would_replace() -> None:
    """An address that is known is renewed under its own id, and an entry that cannot be read is not replaced."""
    one, two = make_account("one@example.com", id="google:1"), make_account("two@example.com", id="google:2")
    lost = Unreadable("google:3", raw={}, reason="No key.", email="three@example.com")
    pool = Pool((one, two), unreadable=(lost,))
    merged = pool.merged(Pool((replace(one, id="google:2", tokens=make_tokens("new")),)), 9)
    assert {account.id: account.tokens for account in merged.accounts} == {
        "google:1": make_tokens("new"),
        "google:2": two.tokens,
    }
    with pytest.raises(AccountError, match="under the id google:3"):
        pool.merged(Pool((make_account("four@example.com", id="google:3"),)), 9)


def test_entries_are_in_the_order_they_were_added() -> None:
    """A new account is the last, whatever its id; what cannot be read comes behind all accounts."""
    old, lost = Unreadable("d", {}, "", created_ms=1), Unreadable("c1", {}, "", created_ms=2)
    pool = Pool((ONE, TWO, THREE), unreadable=(lost, old))
    assert pool.by_age == (THREE, ONE, TWO)
    assert pool.entries == (THREE, ONE, TWO, old, lost)
    newest = make_account("four@example.com", id="0", created_ms=400)
    assert pool.with_account(newest).by_age == (THREE, ONE, TWO, newest)


def test_merged_dates_a_new_account_that_has_no_date() -> None:
    """An account that does not say when it was added is added now; one that is known keeps its unknown age."""
    undated = replace(TWO, created_ms=None)
    (added,) = Pool().merged(Pool((undated,)), 9).accounts
    assert added.created_ms == 9
    (renewed,) = Pool((undated,)).merged(Pool((undated,)), 9).accounts
    assert renewed.created_ms is None


def test_accounts_that_are_masked_alike_are_named_with_their_ids() -> None:
    """Only where a label does not tell which entry is meant the id stands behind it."""
    ada, anna = make_account("ada@example.com", id="google:1"), make_account("anna@example.com", id="google:2")
    lost = Unreadable("google:3", {}, "", email="alba@example.com")
    assert Pool((ada, ONE)).name_of(ada) == "a***a@example.com"
    pool = Pool((ada, anna, ONE), unreadable=(lost,))
    assert [pool.name_of(entry) for entry in (ada, lost, ONE)] == [
        "a***a@example.com (google:1)",
        "a***a@example.com (google:3)",
        "o***e@example.com",
    ]


def test_choice_of_an_account_that_is_gone_changes_nothing() -> None:
    """Who chooses an account that was removed meanwhile chooses nothing; no two choices have the same time."""
    pool = Pool((ONE, TWO), active_id=ONE.id)
    assert pool.chosen("gone", 5) is pool
    assert pool.chosen(TWO.id, 5).chosen(ONE.id, 5).chosen_ms == 6
