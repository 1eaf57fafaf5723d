"""``antigravity-proxy accounts``: the saved Google accounts."""

from __future__ import annotations

import sys
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from . import dsh_key, export, key

if TYPE_CHECKING:
    from ..accounts.account import Account
    from ..accounts.exclusion import Standing
    from ..accounts.pool import Pool

NO_PROXY = "none"
ON_OFF = {"on": True, "off": False}
PROXY_QUESTION = f"Proxy URL (http://user:password@host:port, or {NO_PROXY})"
GRANTS_PAGE = "https://myaccount.google.com/connections"

AccountName = Annotated[
    str,
    typer.Argument(help="Its number in the list, its id, its e-mail address, or how one begins.", metavar="ACCOUNT"),
]

app = typer.Typer(help="The saved Google accounts.", no_args_is_help=True)
app.command("export")(export.export_accounts)
app.command("key")(key.keep_key)


@app.command("list")
def list_accounts(*, as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False) -> None:
    """List the saved accounts; the active one serves all requests."""
    from ..accounts.choose import NO_ACCOUNT
    from ..proxy.exclusion_table import read_standing
    from ..proxy.services import open_store
    from ..proxy.settings import load_settings
    from .loop import run
    from .tables import print_json

    home = load_settings().home
    store = open_store(home)
    pool = store.read()
    standing = run(read_standing(home))
    if as_json:
        print_json(
            {
                "accounts": [_to_json(account, pool, standing) for account in pool.by_age],
                "auto_failover": pool.auto_failover,
                "warning": store.warning,
            }
        )
    elif pool.accounts:
        _print_accounts(pool, standing)
    elif store.warning is None:
        typer.echo(NO_ACCOUNT)
    if store.warning is not None:
        typer.echo(store.warning, err=True)
        raise typer.Exit(0 if pool.accounts else 1)


def _print_accounts(pool: Pool, standing: Standing) -> None:
    from ..accounts.exclusion import describe
    from ..accounts.proxy_url import mask_proxy
    from .tables import print_table

    rows = (
        (
            "*" if account.id == pool.chosen_id else "",
            str(number),
            account.label,
            account.id,
            account.project_id or "",
            "; ".join(map(describe, standing.of_account(account.id))),
        )
        for number, account in enumerate(pool.by_age, 1)
    )
    print_table(("", "#", "Account", "Id", "Project", "Out"), rows)
    for account in pool.by_age:
        if account.proxy is not None:
            typer.echo(f"{pool.name_of(account)} calls Google through {mask_proxy(account.proxy)}.")
    typer.echo(f"Failover is {'on' if pool.auto_failover else 'off'}.")


@app.command("import")
def import_accounts(
    file: Annotated[
        Path,
        typer.Argument(
            help="An export of ours, the account file of DSH, or JSON with refresh tokens.", metavar="FILE"
        ),
    ],
) -> None:
    """Add the accounts of a file, or give them its tokens."""
    from ..accounts.portable import read_import
    from ..errors import StoreError
    from ..proxy.services import open_store
    from ..proxy.settings import load_settings

    try:
        data = file.read_bytes()
    except OSError as exc:
        raise StoreError(f"{file} cannot be read: {exc.strerror}. Name another file.", path=file) from exc
    brought = read_import(data, path=file)
    settings = load_settings()
    store = open_store(settings.home)
    store.watch(partial(dsh_key.follow, settings))
    pool = store.update(lambda pool: pool.merged(brought, int(time.time() * 1000)))
    names = ", ".join(pool.name_of(pool.renewed_by(account) or account) for account in brought.accounts)
    typer.echo(f"Saved {names}. {_serving(pool)}")
    for entry in brought.unreadable:
        typer.echo(f"{entry.label} is not saved. {entry.reason}", err=True)


def _serving(pool: Pool) -> str:
    """Who serves, also when it is one that cannot."""
    if pool.active is None or pool.absent_id is not None:
        return "The active account cannot be used. Choose one: antigravity-proxy accounts activate ACCOUNT"
    return (
        f"{pool.name_of(pool.active)} serves from the next request on; a server that began with the simulator must "
        "be started again."
    )


@app.command("activate")
def activate_account(account: AccountName) -> None:
    """Let another account serve from the next request on, also one that is out of quota."""
    from ..proxy.exclusion_table import readmit
    from ..proxy.services import open_store
    from ..proxy.settings import load_settings
    from .loop import run
    from .saved import find_usable

    store = open_store(load_settings().home)
    chosen = find_usable(store, account)
    pool = store.update(lambda pool: pool.chosen(chosen.id, int(time.time() * 1000)))
    run(readmit(store.path.parent, chosen.id))
    typer.echo(f"{pool.name_of(chosen)} serves from the next request on.")


@app.command("remove")
def remove_account(
    account: AccountName, *, yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False
) -> None:
    """Forget an account and its tokens; the oldest that is left takes the place of the active one."""
    from ..proxy.exclusion_table import readmit
    from ..proxy.services import open_store
    from ..proxy.settings import load_settings
    from .loop import run
    from .saved import decline, find_saved

    settings = load_settings()
    store = open_store(settings.home)
    entry = find_saved(store, account)
    name = store.read().name_of(entry)
    if not yes and not typer.confirm(f"Remove {name}?", err=True):
        decline()
    store.watch(partial(dsh_key.follow, settings))
    store.update(lambda pool: pool.without(entry.id))
    run(readmit(store.path.parent, entry.id))
    typer.echo(f"{name} is removed. Its owner can take the access back at {GRANTS_PAGE} too.")


@app.command("failover")
def set_failover(
    state: Annotated[
        str | None,
        typer.Argument(help="on or off; left out, nothing changes.", metavar="on|off", show_default=False),
    ] = None,
) -> None:
    """Let other accounts answer when the active one cannot, or not, or say which it is."""
    from ..errors import CommandError
    from ..proxy.services import open_store
    from ..proxy.settings import load_settings
    from .saved import require_accounts

    if state is not None and state not in ON_OFF:
        raise CommandError(f"Failover is on or off, not {state[:100]!r}: antigravity-proxy accounts failover on")
    store = open_store(load_settings().home)
    pool = require_accounts(store)  # without any there is nothing to keep it in
    if state is not None:
        pool = store.update(lambda pool: pool.with_auto_failover(on=ON_OFF[state]))
    if not pool.auto_failover:
        typer.echo("Only the active account answers.")
    else:
        few = "" if len(pool.accounts) > 1 else " There is no other account yet."
        typer.echo(f"When the active account cannot answer, another one does.{few}")


@app.command("set-proxy")
def set_proxy(
    account: AccountName,
    url: Annotated[
        str | None,
        typer.Argument(
            help="Such as http://user:password@proxy.example:3128, or none. Left out, it is asked for and not shown.",
            metavar="URL",
        ),
    ] = None,
) -> None:
    """Let all calls for an account go through an HTTP proxy of its own, or end that with none."""
    from ..accounts.proxy_url import is_proxy_url, mask_proxy
    from ..errors import CommandError
    from ..proxy.services import open_store
    from ..proxy.settings import load_settings
    from .saved import find_usable

    store = open_store(load_settings().home)
    chosen = find_usable(store, account)
    wanted = (_ask_for_proxy() if url is None else url).strip()
    proxy = None if wanted.lower() == NO_PROXY else wanted
    if proxy is not None and not is_proxy_url(proxy):
        raise CommandError(
            "This is no URL of an HTTP proxy. Give one such as http://proxy.example:3128, with user:password@ before "
            f"the host if it wants a login, or {NO_PROXY}."
        )
    name = store.update(lambda pool: pool.with_proxy(chosen.id, proxy)).name_of(chosen)
    if proxy is None:
        typer.echo(f"{name} has no proxy of its own; the settings of the environment hold for it.")
    else:
        typer.echo(f"{name} calls Google through {mask_proxy(proxy)} from the next request on.")


def _ask_for_proxy() -> str:
    """The URL as it is typed, which a terminal does not show, or as a pipe brings it."""
    if sys.stdin.isatty():
        return str(typer.prompt(PROXY_QUESTION, hide_input=True, err=True))
    typer.echo(f"{PROXY_QUESTION}: ", nl=False, err=True)
    return sys.stdin.readline()


def _to_json(account: Account, pool: Pool, standing: Standing) -> dict[str, Any]:
    from ..accounts.proxy_url import mask_proxy

    return {
        "id": account.id,
        "account": account.label,
        "active": account.id == pool.chosen_id,
        "project_id": account.project_id,
        "created_ms": account.created_ms,
        "proxy": None if account.proxy is None else mask_proxy(account.proxy),
        "out": [exclusion.document() for exclusion in standing.of_account(account.id)],
    }
