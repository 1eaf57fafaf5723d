"""``antigravity-proxy accounts``: the saved Google accounts."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from ..accounts.account import Account
    from ..accounts.pool import Pool

WHEN_USED = (
    "A running server uses it from the next request on; one that began with the simulator must be started again."
)

app = typer.Typer(help="The saved Google accounts.", no_args_is_help=True)


@app.command("list")
def list_accounts(*, as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False) -> None:
    """List the saved accounts; the active one serves all requests."""
    from ..proxy.services import open_store
    from ..proxy.settings import load_settings
    from .tables import print_json, print_table

    store = open_store(load_settings().home)
    pool = store.read()
    if as_json:
        print_json({"accounts": [_to_json(account, pool) for account in pool.accounts], "warning": store.warning})
    elif pool.accounts:
        rows = (
            ("*" if account.id == pool.active_id else "", account.label, account.id, account.project_id or "")
            for account in pool.accounts
        )
        print_table(("", "Account", "Id", "Project"), rows)
    elif store.warning is None:
        typer.echo("No account is saved. Add one: antigravity-proxy accounts import FILE")
    if store.warning is not None:
        typer.echo(store.warning, err=True)
        raise typer.Exit(0 if pool.accounts else 1)


@app.command("import")
def import_accounts(
    file: Annotated[
        Path, typer.Argument(help="An accounts.json of ours, or the account file of DSH.", metavar="FILE")
    ],
) -> None:
    """Add the accounts of a file, or give them its tokens."""
    from ..accounts.file_format import read_import
    from ..errors import StoreError
    from ..proxy.services import open_store
    from ..proxy.settings import load_settings

    try:
        data = file.read_bytes()
    except OSError as exc:
        raise StoreError(f"{file} cannot be read: {exc.strerror}. Name another file.", path=file) from exc
    brought = read_import(data, path=file)
    open_store(load_settings().home).update(lambda pool: merge(pool, brought, file))
    labels = ", ".join(account.label for account in brought.accounts)
    typer.echo(f"Saved {labels}. {WHEN_USED}")


def merge(pool: Pool, brought: Pool, file: Path) -> Pool:
    """The pool with other accounts added; the other pool's active one becomes active.

    Args:
        pool: what is saved.
        brought: what a file brings.
        file: that file; only for messages.

    Raises:
        StoreError: an id is that of somebody else's account, whose tokens would be lost.
    """
    from ..accounts.account import same_email
    from ..errors import StoreError

    for account in brought.accounts:
        known = pool.renewed_by(account)
        if known is not None and known.email and account.email and not same_email(known.email, account.email):
            raise StoreError(
                f"{account.label} cannot be saved under the id {account.id}, as {known.label} has it. Choose "
                "another id in the file.",
                path=file,
            )
        pool = pool.with_account(account, activate=account.id == brought.active_id)
    return pool


def _to_json(account: Account, pool: Pool) -> dict[str, Any]:
    return {
        "id": account.id,
        "account": account.label,
        "active": account.id == pool.active_id,
        "project_id": account.project_id,
        "created_ms": account.created_ms,
    }
