"""``antigravity-proxy serve``: run the server."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from .logs import Debug, Verbose, log_to_stderr

if TYPE_CHECKING:
    from ..proxy.settings import Settings
    from .running import Ready

KEY_VARIABLE = "ANTIGRAVITY_PROXY_API_KEY"
NO_ACCOUNT = """\
No account is saved, so the built-in simulator answers in Google's place.
Its answers are made up by a program, not by a model. To use your subscription, sign in to Google
and start the server again:
  antigravity-proxy login"""
ASKED_FOR = """\
The built-in simulator answers in Google's place.
Its answers are made up by a program, not by a model. To use your subscription, leave --simulate out."""
SNIPPETS = """\
Paste into {terminal}:

curl {url}/chat/completions -H "Content-Type: application/json"{header} \\
  -d '{{"model": "gemini-3.8-flash", "messages": [{{"role": "user", "content": "Hello"}}], "stream": true}}'

Or into a Python that has the package openai:

{imports}from openai import OpenAI
client = OpenAI(base_url="{url}", api_key={key})
answer = client.chat.completions.create(model="gemini-3.8-flash", messages=[{{"role": "user", "content": "Hello"}}])
print(answer.choices[0].message.content)
"""


def serve(
    *,
    host: Annotated[
        str | None, typer.Option(help="Address to listen on; beyond loopback an API key is needed.")
    ] = None,
    port: Annotated[
        int | None, typer.Option(help="Port to listen on; 0 picks a free one.", min=0, max=65_535)
    ] = None,
    simulate: Annotated[
        bool | None,
        typer.Option(
            "--simulate/--no-simulate",
            help="Answer from the built-in simulator instead of Google. Default: only while no account is saved.",
            show_default=False,
        ),
    ] = None,
    pace: Annotated[float, typer.Option(help="Seconds the simulator takes for each word.", min=0)] = 0.02,
    debug: Debug = False,
    verbose: Verbose = False,
) -> None:
    """Run the server."""
    log_to_stderr(debug=debug, verbose=verbose)
    from functools import partial

    from ..proxy.settings import load_settings
    from . import running
    from .loop import run

    settings = load_settings(host=host, port=port)
    if is_simulated(settings) if simulate is None else simulate:
        run(running.serve_simulator(settings, pace, partial(announce, is_asked_for=simulate is True)))
    else:
        run(running.serve_google(settings, announce))


def is_simulated(settings: Settings) -> bool:
    """Whether the simulator stands in for Google: when nobody has logged in, and no other upstream was chosen."""
    from ..proxy.services import open_store

    store = open_store(settings.home)
    return settings.base_url is None and not store.read().accounts and store.warning is None


def announce(ready: Ready, *, is_asked_for: bool = False) -> None:
    """Say where the server is and what to paste; the key is never shown.

    Args:
        ready: the server.
        is_asked_for: whether somebody wanted the simulator.
    """
    if ready.warning is not None:
        typer.echo(ready.warning, err=True)
    if ready.simulator_url is not None:
        typer.echo(ASKED_FOR if is_asked_for else NO_ACCOUNT, err=True)
        typer.echo(f"Simulator: {ready.simulator_url}", err=True)
    else:
        account = ready.account or "the account that is imported next"
        typer.echo(f"Serving the subscription of {account}.", err=True)
    typer.echo(_snippets(ready), err=True)
    typer.echo(f"antigravity-proxy is ready at {ready.url}", err=True)


def _snippets(ready: Ready) -> str:
    if not ready.has_key:
        return SNIPPETS.format(url=ready.url, terminal="a terminal", header="", imports="", key='"local"')
    return SNIPPETS.format(
        url=ready.url,
        terminal=f"a terminal where {KEY_VARIABLE} is set to the API key of this proxy",
        header=f' -H "Authorization: Bearer ${KEY_VARIABLE}"',
        imports="import os\n",
        key=f'os.environ["{KEY_VARIABLE}"]',
    )
