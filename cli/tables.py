"""What listing commands print."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import orjson
import typer
from rich.console import Console
from rich.table import Table

if TYPE_CHECKING:
    from collections.abc import Iterable

MAX_WIDTH = 1_000
"""Lines are as long as they need to be: an id that is broken in two can neither be copied nor found."""


def print_table(headings: Iterable[str], rows: Iterable[Iterable[str]]) -> None:
    """Print rows under headings; nothing in them is taken for markup."""
    table = Table(box=None, header_style="bold", pad_edge=False)
    for heading in headings:
        table.add_column(heading, overflow="fold")
    console = Console(markup=False, emoji=False, highlight=False, width=MAX_WIDTH)
    for row in rows:
        table.add_row(*row)
    with console.capture() as capture:
        console.print(table)
    for line in capture.get().splitlines():
        typer.echo(line.rstrip())


def print_json(value: Any) -> None:
    """Print a value as indented JSON."""
    typer.echo(orjson.dumps(value, option=orjson.OPT_INDENT_2).decode())
