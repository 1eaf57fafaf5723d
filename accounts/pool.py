"""The pool of accounts as one immutable value; every change gives a new pool."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeVar

from ..errors import AccountError
from .account import Account, mask_email, same_email, show_id

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from .account import Tokens


@dataclass(frozen=True, slots=True)
class Unreadable:
    """An entry of the account file that cannot be used but is kept as it is.

    Attributes:
        id: its key among the accounts of the file.
        raw: the JSON value, never changed.
        reason: what is wrong with it, in whole sentences.
        email: the owner's address, if the entry gives one.
        created_ms: when the entry was added, if it says so.
    """

    id: str
    raw: Any = field(repr=False)
    reason: str
    email: str | None = field(default=None, repr=False)
    created_ms: int | None = None

    @property
    def label(self) -> str:
        """How the entry is named in messages: its masked e-mail address, else its id, as far as it can be shown."""
        return mask_email(self.email) if self.email else show_id(self.id)


_Entry = TypeVar("_Entry", Account, Unreadable)


@dataclass(frozen=True, slots=True)
class Pool:
    """All accounts, which of them is active, and the rest of the file.

    A pool is always in order: accounts are sorted by id, and the active account exists. Where the wanted one
    does not, the oldest takes its place.

    Attributes:
        accounts: the usable accounts, sorted by id.
        active_id: the account that serves; None only when there is none.
        absent_id: the account that was chosen to serve, as long as it cannot be read; it serves again once it can.
        chosen_ms: when somebody chose the active account, milliseconds since 1970; failover does not count.
        auto_failover: whether another account serves when the active one cannot.
        foreign: credentials of other providers that share the file, kept as they are.
        extra: fields of the file that this version does not know, kept as they are.
        unreadable: entries that are no usable account, kept as they are, sorted by id.

    Source: SPEC.md, "Account file".
    """

    accounts: tuple[Account, ...] = ()
    active_id: str | None = None
    auto_failover: bool = False
    foreign: Mapping[str, Any] = field(default_factory=dict[str, Any], repr=False, hash=False)
    extra: Mapping[str, Any] = field(default_factory=dict[str, Any], repr=False, hash=False)
    unreadable: tuple[Unreadable, ...] = ()
    absent_id: str | None = None
    chosen_ms: int | None = None

    def __post_init__(self) -> None:
        accounts = tuple(sorted(self.accounts, key=lambda account: account.id))
        object.__setattr__(self, "accounts", accounts)
        object.__setattr__(self, "unreadable", tuple(sorted(self.unreadable, key=lambda entry: entry.id)))
        unreadable = {entry.id for entry in self.unreadable}
        absent_id = next((wanted for wanted in (self.active_id, self.absent_id) if wanted in unreadable), None)
        object.__setattr__(self, "absent_id", absent_id)
        object.__setattr__(self, "active_id", _present_or_oldest(accounts, self.active_id))

    @property
    def active(self) -> Account | None:
        """The account that serves, or None when there is none."""
        return None if self.active_id is None else self.get(self.active_id)

    @property
    def chosen_id(self) -> str | None:
        """The account that shall serve, also one that cannot be read now."""
        return self.active_id if self.absent_id is None else self.absent_id

    @property
    def by_age(self) -> tuple[Account, ...]:
        """The accounts in the order they were added, those of unknown age first; a new one is the last."""
        return _by_age(self.accounts)

    @property
    def entries(self) -> tuple[Account | Unreadable, ...]:
        """The accounts as they are numbered from 1, and behind them the entries that cannot be read."""
        return (*self.by_age, *_by_age(self.unreadable))

    def name_of(self, entry: Account | Unreadable) -> str:
        """How an entry is named to its owner: its label, with its id where another entry is labelled alike."""
        alike = any(other.label == entry.label and other.id != entry.id for other in self.entries)
        return f"{entry.label} ({show_id(entry.id)})" if alike else entry.label

    def get(self, account_id: str) -> Account | None:
        """The account with this id, or None."""
        return next((account for account in self.accounts if account.id == account_id), None)

    def with_account(self, account: Account, *, activate: bool = True) -> Pool:
        """The pool with this account added, or renewed if its owner is already in it.

        The owner is recognised by the e-mail address, then by the id. A renewed account keeps its id, its age,
        its unknown fields and, unless the new login brings one, its project and its proxy. An unreadable entry of
        the same owner is replaced.

        Args:
            account: what the login or the import gave.
            activate: whether it serves from now on.
        """
        known = self.renewed_by(account)
        if known is not None:
            account = _renewed(known, account)
        return replace(
            self,
            accounts=(*_except(self.accounts, account.id), account),
            active_id=account.id if activate else self.active_id,
            absent_id=None if activate else self.absent_id,
            unreadable=_except(self.unreadable, account.id),
        )

    def merged(self, brought: Pool, now_ms: int) -> Pool:
        """The pool with the accounts of another one added or renewed; the other's active one becomes active.

        One that is active there and cannot be read changes nothing about who is active here. A new one that does
        not say when it was added is added now.

        Args:
            brought: the other one.
            now_ms: when this happens, milliseconds since 1970.

        Raises:
            AccountError: an id is that of somebody else's account, whose tokens would be lost.
        """
        pool = self
        for account in brought.accounts:
            known = pool.renewed_by(account)
            if known is not None and known.email and account.email and not same_email(known.email, account.email):
                raise AccountError(
                    f"{account.label} cannot be saved under the id {account.id}, as {known.label} has it. Choose "
                    "another id in the file."
                )
            is_active = account.id == brought.active_id and brought.absent_id is None
            created_ms = now_ms if known is None and account.created_ms is None else account.created_ms
            dated = replace(account, created_ms=created_ms, signed_in_ms=now_ms)
            pool = pool.with_account(dated, activate=is_active)
        return pool

    def with_tokens(self, account_id: str, tokens: Tokens, *, started_from: str) -> Pool:
        """The pool with the outcome of a refresh, if it still belongs there.

        An account that was removed while the refresh ran is not brought back, and one that logged in again
        keeps its newer tokens.

        Args:
            account_id: the refreshed account.
            tokens: what the refresh gave.
            started_from: the refresh token that the refresh was asked with.

        Source: SPEC.md, "Tokens".
        """
        account = self.get(account_id)
        if account is None or account.tokens.refresh != started_from:
            return self
        return self._with(replace(account, tokens=tokens))

    def with_project(self, account_id: str, project_id: str | None) -> Pool:
        """The pool with the account's Google project set, or forgotten when None.

        An id that is not in the pool changes nothing.
        """
        account = self.get(account_id)
        return self if account is None else self._with(replace(account, project_id=project_id))

    def with_proxy(self, account_id: str, proxy: str | None) -> Pool:
        """The pool with the account's own HTTP proxy set, or with none; an id that is not in it changes nothing."""
        account = self.get(account_id)
        return self if account is None else self._with(replace(account, proxy=proxy))

    def activated(self, account_id: str) -> Pool:
        """The pool with another account serving from now on; an id that is not in the pool changes nothing.

        An account that was chosen and cannot be read now still takes its place again once it can.
        """
        return self if self.get(account_id) is None else replace(self, active_id=account_id)

    def chosen(self, account_id: str, now_ms: int) -> Pool:
        """The pool with an account serving that somebody has chosen now; an id that is not in it changes nothing.

        Choosing the active account anew is a choice too, and no two choices have the same time.
        """
        if self.get(account_id) is None:
            return self
        chosen_ms = max(now_ms, (self.chosen_ms or 0) + 1)
        return replace(self, active_id=account_id, absent_id=None, chosen_ms=chosen_ms)

    def with_auto_failover(self, *, on: bool) -> Pool:
        """The pool in which another account serves when the active one cannot, or in which none does."""
        return replace(self, auto_failover=on)

    def without(self, entry_id: str) -> Pool:
        """The pool without an account or an entry that cannot be read.

        The oldest account that is left takes the place of an active one; without any account there is no failover.
        """
        accounts = _except(self.accounts, entry_id)
        return replace(
            self,
            accounts=accounts,
            auto_failover=self.auto_failover and bool(accounts),
            unreadable=_except(self.unreadable, entry_id),
        )

    @property
    def is_blank(self) -> bool:
        """Whether there is nothing in it that is worth a file."""
        return not (self.accounts or self.unreadable or self.foreign or self.extra)

    def _with(self, account: Account) -> Pool:
        return replace(self, accounts=(*_except(self.accounts, account.id), account))

    def renewed_by(self, account: Account) -> Account | Unreadable | None:
        """The entry that ``with_account`` would renew or replace."""
        entries: tuple[Account | Unreadable, ...] = (*self.accounts, *self.unreadable)
        by_email = (entry for entry in entries if same_email(entry.email, account.email))
        by_id = (entry for entry in entries if entry.id == account.id)
        return next(by_email, None) or next(by_id, None)


def _present_or_oldest(accounts: tuple[Account, ...], wanted: str | None) -> str | None:
    if any(account.id == wanted for account in accounts):
        return wanted
    oldest = next(iter(_by_age(accounts)), None)
    return None if oldest is None else oldest.id


def _by_age(entries: tuple[_Entry, ...]) -> tuple[_Entry, ...]:
    # An account of unknown age came from a migrated file, so it counts as older than any dated one.
    return tuple(sorted(entries, key=lambda entry: (entry.created_ms or 0, entry.id)))


def _renewed(known: Account | Unreadable, login: Account) -> Account:
    created_ms = login.created_ms if known.created_ms is None else known.created_ms
    if isinstance(known, Unreadable):
        return replace(login, id=known.id, created_ms=created_ms)
    return replace(
        login,
        id=known.id,
        email=login.email or known.email,
        created_ms=created_ms,
        project_id=login.project_id or known.project_id,
        proxy=login.proxy or known.proxy,
        extra={**known.extra, **login.extra},
    )


def _except(entries: Iterable[_Entry], entry_id: str) -> tuple[_Entry, ...]:
    return tuple(entry for entry in entries if entry.id != entry_id)
