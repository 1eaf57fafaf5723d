"""How much a command says of what it does: options that may stand before and after its name."""

from __future__ import annotations

import logging
import sys
import warnings
from typing import Annotated

import typer

FORMAT = "%(asctime)s %(levelname)s %(name)s: %(message)s"

Debug = Annotated[bool, typer.Option("--debug", help="Log everything, and show tracebacks.")]
Verbose = Annotated[bool, typer.Option("--verbose", "-v", help="Log one line per request.")]


def log_to_stderr(*, debug: bool, verbose: bool) -> None:
    """Write the log to stderr: warnings, or as much more as was asked for here or before.

    Args:
        debug: everything.
        verbose: one line per request.
    """
    level = logging.DEBUG if debug else logging.INFO if verbose else logging.WARNING
    # These quote what a client has sent.
    warnings.filterwarnings("ignore", module=r"aiohttp\.multipart$")
    root = logging.getLogger()
    if root.handlers:
        root.setLevel(min(level, root.level))
    else:
        logging.basicConfig(level=level, format=FORMAT, stream=sys.stderr)
