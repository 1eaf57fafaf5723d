"""``antigravity-proxy models``: which models there are."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from ..catalog.wire import ModelList
    from ..proxy.settings import Settings

LIMIT_S = 8.0
"""How long Google may take to list what it serves."""


def models(*, as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False) -> None:
    """List the models, what they take and how much they can think."""
    from ..proxy.settings import load_settings
    from .loop import run
    from .quota import format_share
    from .tables import print_json, print_table

    listing = run(list_models(load_settings()))
    if as_json:
        print_json(listing)
        return
    print_table(
        ("Model", "Context", "Output", "Takes", "Efforts", "Left", "Source"),
        (
            (
                row["id"],
                f"{row['context_length']:,}",
                f"{row['max_output_tokens']:,}",
                ", ".join(row["input_modalities"]),
                ", ".join(row["reasoning_efforts"]),
                format_share(row["quota_remaining"]),
                row["source"],
            )
            for row in listing["data"]
        ),
    )


async def list_models(settings: Settings) -> ModelList:
    """The models that Google serves to the active account; without one, or when that fails, the built-in ones."""
    from ..catalog.catalog import Catalog
    from ..catalog.listing import to_listing
    from ..errors import ProxyError
    from ..proxy.model_list import read_models
    from ..proxy.services import open_services, open_store

    catalog = Catalog()
    built_in = to_listing(catalog.models, catalog.source)

    account = open_store(settings.home).read().active
    if account is None:
        return built_in
    try:
        async with open_services(settings) as services, asyncio.timeout(LIMIT_S):
            return await read_models(services, account)
    except TimeoutError:
        failure = f"Google did not list its models within {LIMIT_S:g} s."
    except ProxyError as exc:
        failure = str(exc)
    typer.echo(f"{failure} These are the built-in models.", err=True)
    return built_in
