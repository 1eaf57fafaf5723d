"""``antigravity-proxy accounts export``: the saved accounts with readable tokens, to take elsewhere."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

CONFIRMATION = "export"
STDOUT = Path("-")


def export_accounts(
    output: Annotated[
        Path,
        typer.Option("--output", "-o", help="A file that does not exist yet; - is for a pipe.", metavar="FILE"),
    ] = Path("antigravity-accounts.json"),
) -> None:
    """Write all accounts with their tokens in clear to a file, for `accounts import` on another machine."""
    from ..accounts.portable import write_export
    from ..errors import CommandError
    from ..proxy.services import open_store
    from ..proxy.settings import load_settings
    from .saved import decline, require_accounts

    store = open_store(load_settings().home)
    pool = require_accounts(store)
    if not sys.stdin.isatty():
        raise CommandError("An export holds tokens, so somebody must confirm it: run it in a terminal.")
    if output == STDOUT and sys.stdout.isatty():
        raise CommandError("An export is not shown in a terminal. Name a file with --output FILE.")
    labels = ", ".join(map(pool.name_of, pool.by_age))
    typer.echo(
        f"The export of {labels} holds their tokens IN CLEAR. Whoever has it can use these Google accounts until "
        "their owners take the access back. Move it as you would a password, and delete it once it is imported.",
        err=True,
    )
    if store.warning is not None:
        typer.echo(f"Left out is what cannot be read. {store.warning}", err=True)
    typer.echo(f"Type {CONFIRMATION} to write it: ", nl=False, err=True)
    if sys.stdin.readline().strip() != CONFIRMATION:  # a prompt of the library would write to stdout
        decline()
    data = write_export(pool)
    if output == STDOUT:
        sys.stdout.buffer.write(data)
    else:
        _create(output, data)
        typer.echo(f"Wrote {output}. On the other machine: antigravity-proxy accounts import {output.name}", err=True)


def _create(path: Path, data: bytes) -> None:
    """Create a file that only its owner can read.

    Raises:
        StoreError: it exists, or cannot be written.
    """
    import secrets

    from ..accounts.disk import create_file
    from ..errors import StoreError

    try:
        is_new = create_file(path, data, tag=secrets.token_hex())
    except OSError as exc:
        raise StoreError(f"{path} cannot be written: {exc.strerror}. Name another file.", path=path) from exc
    if not is_new:
        raise StoreError(f"{path} exists already, and is left as it is. Name another file with --output.", path=path)
