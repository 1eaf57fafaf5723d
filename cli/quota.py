"""``antigravity-proxy quota``: how much of their quota the accounts have left."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ..accounts.account import Account
    from ..accounts.quota import AccountQuota, Reading
    from ..proxy.quota import QuotaEntry
    from ..proxy.settings import Settings

BAR_CHARACTERS = 20
MINUTE_S, HOUR_S, DAY_S = 60, 3_600, 86_400


def quota(
    account: Annotated[
        str | None,
        typer.Argument(help="The number, id or e-mail address of one account, or how one begins.", metavar="ACCOUNT"),
    ] = None,
    *,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Ask Google how much quota the accounts have left; nothing is used up by that."""
    from ..proxy.quota_document import to_quota_document
    from ..proxy.services import open_store
    from ..proxy.settings import load_settings
    from .loop import run
    from .saved import find_usable, require_accounts
    from .tables import print_json

    settings = load_settings()
    store = open_store(settings.home)
    accounts = require_accounts(store).by_age if account is None else (find_usable(store, account),)
    found = run(look(settings, accounts))
    if as_json:
        print_json(to_quota_document(found, time.time()))
        return
    pool = store.read()
    for each, entry in found:
        _print(pool.name_of(each), entry, time.time())
    if all(entry.quota is None for _, entry in found):
        raise typer.Exit(1)


async def look(settings: Settings, accounts: tuple[Account, ...]) -> list[tuple[Account, QuotaEntry]]:
    """Ask Google what some accounts have left; each comes with what it said."""
    from ..proxy.services import open_services

    async with open_services(settings) as services:
        return list(zip(accounts, await services.quota.look(accounts), strict=True))


def _print(name: str, entry: QuotaEntry, now_s: float) -> None:
    from .tables import print_table

    if entry.quota is None:
        typer.echo(f"{name}: {entry.error}", err=True)
        return
    typer.echo(f"{name}, read {format_age(now_s - entry.quota.read_at_s)}")
    rows = [
        (name, bar(reading.remaining), format_share(reading.remaining), format_wait(reading.resets_at_s, now_s))
        for name, reading in rows_of(entry.quota)
    ]
    if rows:
        has_bars = sys.stdout.isatty()
        headings = ("Quota", "", "Left", "Back in")
        print_table(_columns(headings, has_bars=has_bars), (_columns(row, has_bars=has_bars) for row in rows))
    for reason in (entry.quota.summary_unavailable, entry.quota.models_unavailable):
        if reason is not None:
            typer.echo(reason)


def rows_of(quota: AccountQuota) -> Iterator[tuple[str, Reading]]:
    """The limits, and those models that say something else than the limits of their quota pool."""
    from ..accounts.quota import QUOTA_POOL_NAMES, quota_pool_of_id

    for (quota_pool, window), reading in quota.pools.items():
        yield f"{QUOTA_POOL_NAMES[quota_pool]}, {window.value}", reading
    for runtime_id, reading in quota.models.items():
        limits = [entry for (pool, _), entry in quota.pools.items() if pool is quota_pool_of_id(runtime_id)]
        if reading.remaining is not None and reading not in limits:
            yield runtime_id, reading


def _columns(row: Iterable[str], *, has_bars: bool) -> tuple[str, ...]:
    """A row, without its bar where nobody looks at it."""
    name, drawn, *others = row
    return (name, drawn, *others) if has_bars else (name, *others)


def bar(remaining: float | None) -> str:
    """A share as a bar."""
    full = round((remaining or 0) * BAR_CHARACTERS)
    return "" if remaining is None else "█" * full + "░" * (BAR_CHARACTERS - full)


def format_share(remaining: float | None) -> str:
    """A share in per cent."""
    return "unknown" if remaining is None else f"{round(remaining * 1000) / 10:g}%"


def format_wait(at_s: float | None, now_s: float) -> str:
    """How long it is until a time: ``3d 4h``, ``4h 5m``, ``5m`` or ``now``; ``unknown`` without a time."""
    if at_s is None:
        return "unknown"
    left_s = at_s - now_s
    if left_s <= 0:
        return "now"
    days, hours, minutes = int(left_s // DAY_S), int(left_s % DAY_S // HOUR_S), int(left_s % HOUR_S // MINUTE_S)
    if days:
        return f"{days}d {hours}h"
    return f"{hours}h {minutes}m" if hours else f"{max(minutes, 1)}m"


def format_age(seconds: float) -> str:
    """How long ago something was, in the units of waits."""
    return "just now" if seconds < MINUTE_S else f"{format_wait(seconds, 0)} ago"
