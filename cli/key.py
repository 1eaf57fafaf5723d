"""``antigravity-proxy accounts key``: where the key is that encrypts the tokens."""

from __future__ import annotations

from typing import Annotated

import typer

from ..accounts.keyring_entry import KeyPlace


def keep_key(
    place: Annotated[
        KeyPlace | None, typer.Argument(help="file or keyring; left out, nothing changes.", show_default=False)
    ] = None,
) -> None:
    """Keep the key that encrypts the tokens in the system's keyring or in a file, or say where it is."""
    from ..proxy.services import open_store
    from ..proxy.settings import load_settings

    store = open_store(load_settings().home)
    if place is not None:
        store.move_key(place)
    if store.key_place is KeyPlace.KEYRING:
        typer.echo("The key for the tokens is in the system's keyring, under antigravity-proxy.")
    else:
        typer.echo(f"The key for the tokens is in a file beside {store.path}.")
    if place is KeyPlace.KEYRING:
        typer.echo("Copies of accounts.key that were made before still open them; delete these.")
