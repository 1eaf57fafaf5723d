"""The command ``antigravity-proxy``: its commands, and how failures end it.

Modules of commands import what they need when they run, so that ``--help`` answers at once.
"""

from __future__ import annotations

import logging
import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from .. import __version__
from ..errors import ProxyError
from . import accounts, doctor, login, models, provision, quota, serve, simulate, status
from .logs import Debug, Verbose, log_to_stderr

app = typer.Typer(
    name="antigravity-proxy",
    help="Use your own Google Antigravity subscription from any OpenAI client.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command()(serve.serve)
app.command()(doctor.doctor)
app.command()(login.login)
app.command()(models.models)
app.command()(provision.provision)
app.command()(quota.quota)
app.command()(simulate.simulate)
app.command()(status.status)
app.add_typer(accounts.app, name="accounts")


@app.callback(invoke_without_command=True)
def _options(
    *,
    debug: Debug = False,
    verbose: Verbose = False,
    version: Annotated[bool, typer.Option("--version", help="Print the version.", is_eager=True)] = False,
) -> None:
    if version:
        typer.echo(__version__)
        raise typer.Exit
    log_to_stderr(debug=debug, verbose=verbose)


def main() -> None:
    """Run the command line; a failure is one sentence on stderr and exit code 1, with a traceback for ``--debug``."""
    try:
        app()
    except Exception as error:
        if logging.getLogger().isEnabledFor(logging.DEBUG):
            raise
        words = _unwritable(error) if isinstance(error, OSError) and _is_output_broken() else _explain(error)
        typer.echo(f"antigravity-proxy: {words}", err=True)
        sys.exit(1)


def _is_output_broken() -> bool:
    """Whether standard output takes not even the end of a line."""
    try:
        typer.echo()
    except OSError:
        # Or Python would try once more at its end, and say so in its own words.
        with Path(os.devnull).open("wb") as nowhere:
            os.dup2(nowhere.fileno(), sys.stdout.fileno())
        return True
    return False


def _unwritable(error: OSError) -> str:
    return f"Standard output cannot be written: {error.strerror}. Send it somewhere else."


def _explain(error: Exception) -> str:
    if isinstance(error, ProxyError):
        return str(error)
    return (
        f"It failed in a way nobody thought of ({type(error).__name__}). "
        "Run it again as `antigravity-proxy --debug ...` and report what it says."
    )
