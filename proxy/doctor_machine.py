"""What on this machine can keep the proxy from working.

Source:
    SPEC.md, "Doctor".
"""

from __future__ import annotations

import asyncio
import os
import shlex
import socket
import stat
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING

from ..errors import ProxyError
from .doctor import Finding
from .neighbour import find_neighbour
from .run_file import find_running
from .way import to_proxy_url

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from .services import Services
    from .settings import Settings

PROXY_VARIABLES = ("HTTPS_PROXY", "HTTP_PROXY", "ALL_PROXY", "NO_PROXY")
REACH = {stat.S_IXGRP: stat.S_IRGRP | stat.S_IWGRP, stat.S_IXOTH: stat.S_IROTH | stat.S_IWOTH}
"""What lets others pass through a folder → the rights to a file in it that count then."""

WRITABLE = stat.S_IWGRP | stat.S_IWOTH
"""What lets others replace the files of a folder."""

MAX_SKEW_S = 300.0
"""Google's tokens and certificates take no more."""


async def examine_machine(
    services: Services, environment: Mapping[str, str], *, has_modes: bool = os.name == "posix"
) -> list[Finding]:
    """Look at the port, the clock, the HTTP proxies and the files.

    Args:
        services: what a server works with.
        environment: the variables of this process.
        has_modes: whether the modes of files say who can read them; on Windows they do not.
    """
    settings = services.settings
    port, clock, files = await asyncio.gather(
        _look_at_port(settings),
        _look_at_clock(services),
        asyncio.to_thread(_look_at_files, settings.home, has_modes=has_modes),
    )
    return [port, clock, _look_at_proxies(environment), files]


async def _look_at_port(settings: Settings) -> Finding:
    where = f"{settings.host}:{settings.port}"
    refusal = await asyncio.to_thread(_refusal_to_listen, settings)
    if refusal is None:
        other = await find_running(settings.home)
        more = "" if other is None else f" antigravity-proxy {other[1].version} runs at {other[0]}."
        return Finding("port", is_good=True, detail=f"{where} is free.{more}")
    if (neighbour := await find_neighbour(settings.host, settings.port)) is not None:
        return Finding("port", is_good=True, detail=f"antigravity-proxy {neighbour.version} runs at {where}.")
    detail = f"{where} cannot be used: {refusal}. No antigravity-proxy answers there; choose another with --port."
    return Finding("port", is_good=False, detail=detail)


def _refusal_to_listen(settings: Settings) -> str | None:
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        if os.name == "posix":  # on Windows it would take a port that somebody has
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((settings.host, settings.port))
        except OSError as exc:
            return exc.strerror or str(exc)
    return None


async def _look_at_clock(services: Services) -> Finding:
    try:
        said = await services.upstream.date()
        skew_s = services.clock() - parsedate_to_datetime(said).timestamp()
    except (ProxyError, ValueError) as exc:
        return Finding("clock", is_good=False, detail=f"Google's time is not known: {exc}")
    if abs(skew_s) > MAX_SKEW_S:
        way = "ahead of" if skew_s > 0 else "behind"
        detail = f"This machine's clock is {abs(skew_s):.0f} s {way} Google's. Set it right."
        return Finding("clock", is_good=False, detail=detail)
    return Finding("clock", is_good=True, detail="This machine's clock agrees with Google's.")


def _look_at_proxies(environment: Mapping[str, str]) -> Finding:
    named = {name: value for name, value in environment.items() if name.upper() in PROXY_VARIABLES and value}
    odd = sorted(name for name, value in named.items() if name.upper() != "NO_PROXY" and to_proxy_url(value) is None)
    if odd:
        detail = (
            f"{', '.join(odd)}: no HTTP proxy that can be used. Set it to a URL such as http://proxy.example:3128, "
            "or to nothing."
        )
        return Finding("proxies", is_good=False, detail=detail)
    # The values are not shown: they may hold a login.
    detail = f"Set are {', '.join(sorted(named))}." if named else "No variable names an HTTP proxy."
    return Finding("proxies", is_good=True, detail=detail)


def _look_at_files(home: Path, *, has_modes: bool) -> Finding:
    if not has_modes:
        detail = f"Who can read the files in {home} is up to this system, and was not looked at."
        return Finding("files", is_good=True, detail=detail)
    try:
        exposed = _exposed(home)
    except OSError as exc:
        detail = (
            f"{exc.filename or home} cannot be looked at: {exc.strerror}. Give it to your user, or set "
            "ANTIGRAVITY_PROXY_HOME to another folder."
        )
        return Finding("files", is_good=False, detail=detail)
    if exposed:
        mending = f"chmod -R go= {shlex.quote(str(home))}"
        detail = f"Others can get at {', '.join(exposed)} in {home}. Run: {mending}"
        return Finding("files", is_good=False, detail=detail)
    return Finding("files", is_good=True, detail=f"The files in {home} are yours alone.")


def _exposed(home: Path) -> list[str]:
    """The names of the files that others of this system can read or replace; any of them may hold a secret."""
    if not home.exists():
        return []
    folder = stat.S_IMODE(home.stat().st_mode)
    reach = sum(bits for passes, bits in REACH.items() if folder & passes)
    names = sorted(path.name for path in home.iterdir() if path.is_file() and _mode(path) & reach)
    return [*(["the folder itself"] if folder & WRITABLE else []), *names]


def _mode(path: Path) -> int:
    try:
        return stat.S_IMODE(path.stat().st_mode)
    except FileNotFoundError:  # a server has just put it away, as it does with its journal
        return 0
