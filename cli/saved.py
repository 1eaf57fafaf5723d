"""The saved accounts, as commands ask for them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    from ..accounts.account import Account
    from ..accounts.pool import Pool, Unreadable
    from ..accounts.store import AccountStore


NOTHING_CHANGED = "Nothing has changed."


def decline() -> NoReturn:
    """End a command that its user has not agreed to."""
    import typer

    typer.echo(NOTHING_CHANGED, err=True)
    raise typer.Exit(1)


def require_accounts(store: AccountStore) -> Pool:
    """The saved accounts, of which at least one can be used.

    Raises:
        StoreError: there may be some, and none can be read; says why.
        NoAccountError: there is none.
    """
    from ..accounts.choose import NO_ACCOUNT
    from ..errors import NoAccountError, StoreError

    pool = store.read()
    if pool.accounts:
        return pool
    if store.warning is not None:
        raise StoreError(store.warning, path=store.path)
    raise NoAccountError(NO_ACCOUNT)


def find_saved(store: AccountStore, words: str) -> Account | Unreadable:
    """The account a user means, also one that cannot be used.

    Args:
        store: the accounts.
        words: its number in the list, its id, its e-mail address, or how one of them begins.

    Raises:
        StoreError: the accounts cannot be read.
        AccountError: there is none, or more than one.
    """
    from ..accounts.choose import find_entry

    pool = store.read()
    return find_entry(pool if pool.unreadable else require_accounts(store), words)


def find_usable(store: AccountStore, words: str) -> Account:
    """The account a user means, as ``find_saved`` finds it.

    Raises:
        StoreError: the accounts cannot be read.
        AccountError: there is none, or more than one, or it cannot be used.
    """
    from ..accounts.pool import Unreadable
    from ..errors import AccountError

    entry = find_saved(store, words)
    if isinstance(entry, Unreadable):
        raise AccountError(f"{store.read().name_of(entry)} cannot be used. {entry.reason}")
    return entry
