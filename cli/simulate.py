"""``antigravity-proxy simulate``: run pretend Google alone."""

from __future__ import annotations

from typing import Annotated

import typer

from .logs import Debug, Verbose, log_to_stderr

DEFAULT_PORT = 51_120
INSTRUCTIONS = """\
The simulator is ready at {url}
To put it in Google's place, with a home of its own:
  export ANTIGRAVITY_PROXY_HOME=$(mktemp -d) ANTIGRAVITY_PROXY_BASE_URL={url}
  export ANTIGRAVITY_PROXY_OAUTH_CLIENT_FILE=$ANTIGRAVITY_PROXY_HOME/client.json
  curl -s {url}/simulator/client.json > $ANTIGRAVITY_PROXY_HOME/client.json
  curl -s {url}/simulator/accounts.json > $ANTIGRAVITY_PROXY_HOME/simulated.json
  antigravity-proxy accounts import $ANTIGRAVITY_PROXY_HOME/simulated.json
  antigravity-proxy serve"""


def simulate(
    *,
    port: Annotated[
        int, typer.Option(help="Port to listen on; 0 picks a free one.", min=0, max=65_535)
    ] = DEFAULT_PORT,
    pace: Annotated[float, typer.Option(help="Seconds between two words of an answer.", min=0)] = 0.02,
    debug: Debug = False,
    verbose: Verbose = False,
) -> None:
    """Run pretend Google, for tests and for trying out."""
    log_to_stderr(debug=debug, verbose=verbose)
    from . import running
    from .loop import run

    run(running.simulate(port, pace, say_ready))


def say_ready(url: str) -> None:
    """Say where the simulator is and how to point a proxy at it."""
    typer.echo(INSTRUCTIONS.format(url=url), err=True)
