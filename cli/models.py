"""``antigravity-proxy models``: which models there are."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from ..catalog.catalog import Catalog
    from ..proxy.settings import Settings

LIMIT_S = 8.0
"""How long Google may take to list what it serves."""


def models(*, as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False) -> None:
    """List the models, what they take and how much they can think."""
    from ..catalog.listing import to_listing
    from ..proxy.settings import load_settings
    from .loop import run
    from .tables import print_json, print_table

    catalog = run(read_catalog(load_settings()))
    if as_json:
        print_json(to_listing(catalog.models, catalog.source))
        return
    print_table(
        ("Model", "Context", "Output", "Takes", "Efforts", "Source"),
        (
            (
                model.id,
                f"{model.context_tokens:,}",
                f"{model.max_output_tokens:,}",
                ", ".join(model.inputs),
                ", ".join(model.efforts),
                catalog.source,
            )
            for model in catalog.models
        ),
    )


async def read_catalog(settings: Settings) -> Catalog:
    """The models that Google serves to the active account; without one, or when that fails, the built-in ones."""
    from ..catalog.catalog import Catalog
    from ..errors import ProxyError
    from ..proxy.services import open_services, open_store

    account = open_store(settings.home).read().active
    if account is None:
        return Catalog()
    try:
        async with open_services(settings) as services, asyncio.timeout(LIMIT_S):
            return await services.live_models.read(account)
    except TimeoutError:
        failure = f"Google did not list its models within {LIMIT_S:g} s."
    except ProxyError as exc:
        failure = str(exc)
    typer.echo(f"{failure} These are the built-in models.", err=True)
    return Catalog()
