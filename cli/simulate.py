"""``antigravity-proxy simulate``: run pretend Google alone."""

from __future__ import annotations

from typing import Annotated

import typer

DEFAULT_PORT = 51_120


def simulate(
    *,
    port: Annotated[
        int, typer.Option(help="Port to listen on; 0 picks a free one.", min=0, max=65_535)
    ] = DEFAULT_PORT,
    pace: Annotated[float, typer.Option(help="Seconds between two words of an answer.", min=0)] = 0.02,
) -> None:
    """Run pretend Google: a strict stand-in for tests and for trying things out."""
    from . import running
    from .loop import run

    run(running.simulate(port, pace))
