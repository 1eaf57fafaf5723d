"""``antigravity-proxy status``: whether the server runs, and its start when programs find none."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from ..proxy.neighbour import Neighbour
    from ..proxy.settings import Settings

START_TIMEOUT_S = 10.0
PAUSE_S = 0.1


def status(
    *,
    port: Annotated[
        int | None, typer.Option(help="Where to look, if not where the settings say.", min=1, max=65_535)
    ] = None,
    autostart: Annotated[
        bool,
        typer.Option(
            "--autostart", help="If no server runs and the setting AUTOSTART allows it, start one in the background."
        ),
    ] = False,
) -> None:
    """Say whether the server runs; exit code 1 if it does not."""
    from ..errors import SettingsError
    from ..proxy.neighbour import reachable
    from ..proxy.run_file import find_running
    from ..proxy.settings import CONFIG_FILE, load_settings
    from .loop import run

    settings = load_settings(port=port)
    url = f"http://{reachable(settings.host)}:{settings.port}/v1"
    if settings.port == 0:
        url, found = run(find_running(settings.home)) or (url, None)
        if found is None:
            raise SettingsError(
                "The port is 0, and no server has said where it listens. Set a port that stays the same."
            )
    else:
        found = run(find_server(settings, may_start=autostart and settings.autostart))
    if found is None:
        advice = _advice(run(find_running(settings.home)), port)
        if autostart and not settings.autostart:
            advice += f" (or set autostart = true in {settings.home / CONFIG_FILE}, and it is started for you)"
        typer.echo(f"No antigravity-proxy runs at {url}{advice}", err=True)
        raise typer.Exit(1)
    typer.echo(f"antigravity-proxy {found.version} runs at {url} as process {found.process}.")


def _advice(other: tuple[str, Neighbour] | None, port: int | None) -> str:
    """The end of the sentence that no server runs: where another one of this home does, or how to start one."""
    if other is not None:
        return f", but one at {other[0]}. Name its port with --port, or in the settings."
    return ". Start it: antigravity-proxy serve" + ("" if port is None else f" --port {port}")


async def find_server(settings: Settings, *, may_start: bool) -> Neighbour | None:
    """The server that runs where the settings say; None if there is none and it cannot or may not be started."""
    from ..proxy.neighbour import find_neighbour

    found = await find_neighbour(settings.host, settings.port)
    if found is not None or not may_start:
        return found
    process = start_server(settings.port)
    with suppress(TimeoutError):
        async with asyncio.timeout(START_TIMEOUT_S):
            while found is None and process.poll() is None:
                await asyncio.sleep(PAUSE_S)
                found = await find_neighbour(settings.host, settings.port)
    # One that was started at the same moment may have the port, so that ours has ended.
    return found or await find_neighbour(settings.host, settings.port)


def start_server(port: int) -> subprocess.Popen[bytes]:
    """Start a server that outlives this process; it serves accounts only, as nobody sees the simulator's warning.

    It stands in no folder that somebody may want to remove.
    """
    return subprocess.Popen(
        [sys.executable, "-m", "antigravity_proxy", "serve", "--no-simulate", "--port", str(port)],
        cwd=Path(sys.executable).anchor,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
