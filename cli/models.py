"""``antigravity-proxy models``: which models there are."""

from __future__ import annotations

from typing import Annotated

import typer


def models(*, as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False) -> None:
    """List the models, what they take and how much they can think."""
    from ..catalog.catalog import Catalog
    from ..catalog.listing import to_listing
    from .tables import print_json, print_table

    catalog = Catalog()
    if as_json:
        print_json(to_listing(catalog.models))
        return
    print_table(
        ("Model", "Context", "Output", "Takes", "Efforts"),
        (
            (
                model.id,
                f"{model.context_tokens:,}",
                f"{model.max_output_tokens:,}",
                ", ".join(model.inputs),
                ", ".join(model.efforts),
            )
            for model in catalog.models
        ),
    )
