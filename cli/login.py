"""``antigravity-proxy login``: sign in to Google and save the account."""

from __future__ import annotations

import asyncio
import os
import sys
import threading
import time
import webbrowser
from contextlib import contextmanager, suppress
from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

from . import dsh_key
from .logs import Debug, Verbose, log_to_stderr
from .quota import format_share, format_wait, look, rows_of

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator, Mapping

    from ..accounts.account import Account
    from ..accounts.quota import AccountQuota
    from ..proxy.login import LoggedIn, Login
    from ..proxy.settings import Settings

RISK = """\
This signs in as Google's Antigravity app does, and uses your subscription in a way Google does not offer.
Google may limit or close an account for it. Go on only with an account that you can do without."""
ASK = """\

Open this address in a browser, on any machine, and allow the access:

{url}
"""
PASTE = """\
If the browser ends on a page that cannot be opened, paste the address of that page here and press Enter."""
MUST_PASTE = """\
The port {port} is in use or reserved, so the browser cannot come back by itself. Paste the address of the page
that it ends on here and press Enter, or start again with --port."""
WAITS = "The login waits {minutes:g} minutes; Ctrl-C ends it."
SAVED = "Accounts have changed meanwhile. Look at them: antigravity-proxy accounts list"
NEXT = "Start the server, if it does not run: antigravity-proxy serve"
MAX_LINE = 65_536
QUOTA_LIMIT_S = 8.0
"""How long Google may take to tell the quota of a new account; the login does not depend on it."""


def login(
    *,
    no_browser: Annotated[bool, typer.Option("--no-browser", help="Do not open a browser.")] = False,
    port: Annotated[
        int | None,
        typer.Option(help="Port that the browser comes back to; 51121 by default.", min=1, max=65_535),
    ] = None,
    debug: Debug = False,
    verbose: Verbose = False,
) -> None:
    """Sign in to Google, and save the account as the active one."""
    log_to_stderr(debug=debug, verbose=verbose)
    from ..proxy.services import open_store
    from ..proxy.settings import load_settings
    from .loop import run
    from .saved import NOTHING_CHANGED

    settings = load_settings()
    store = open_store(settings.home)
    before = store.read()
    typer.echo(RISK, err=True)
    try:
        done = run(log_in(settings, port, opens_browser=not no_browser and has_screen(os.environ)))
    except KeyboardInterrupt:
        changed = store.read().accounts != before.accounts
        typer.echo(f"\nThe login was given up. {SAVED if changed else NOTHING_CHANGED}", err=True)
        raise typer.Exit(130) from None
    typer.echo(describe(done, store.read().name_of(done.account)))
    for line in run(_read_quota(settings, done.account)):
        typer.echo(line)
    typer.echo(NEXT)


async def log_in(settings: Settings, port: int | None, *, opens_browser: bool) -> LoggedIn:
    """Log an account in, with whatever answers first: the browser, or what is typed.

    Args:
        settings: where accounts are kept, and the OAuth client.
        port: where the browser comes back to; None for the OAuth client's own.
        opens_browser: whether a browser is opened.

    Raises:
        ProxyError: there is no account in the end.
    """
    from urllib.parse import urlsplit

    from ..proxy.login import LOGIN_TIMEOUT_S
    from ..proxy.services import open_services

    async with open_services(settings) as services, await services.desk.service.begin(port) as begun:
        services.store.watch(partial(dsh_key.follow, settings))
        typer.echo(ASK.format(url=begun.request.url), err=True)
        own_port = urlsplit(begun.request.redirect_uri).port
        typer.echo(PASTE if begun.is_listening else MUST_PASTE.format(port=own_port), err=True)
        typer.echo(WAITS.format(minutes=LOGIN_TIMEOUT_S / 60), err=True)
        read_lines(lambda line: _take(begun, line))
        if opens_browser:
            # Not waited for, here or at the end: some browsers block until they are closed.
            threading.Thread(target=_open_browser, args=(begun.request.url,), daemon=True).start()
        with _waiting():
            return await begun.finish()


async def _read_quota(settings: Settings, account: Account) -> list[str]:
    """What an account has left, a line for each limit; none when Google does not tell it in time."""
    try:
        async with asyncio.timeout(QUOTA_LIMIT_S):
            ((_, entry),) = await look(settings, (account,))
    except TimeoutError:
        return []
    return [] if entry.quota is None else list(quota_lines(entry.quota, time.time()))


def quota_lines(quota: AccountQuota, now_s: float) -> Iterator[str]:
    """A line for each limit, such as ``Quota: Gemini models, 5h: 80% left, back in 2h 3m``."""
    for name, reading in rows_of(quota):
        back = "" if reading.resets_at_s is None else f", back in {format_wait(reading.resets_at_s, now_s)}"
        yield f"Quota: {name}: {format_share(reading.remaining)} left{back}"


@contextmanager
def _waiting() -> Generator[None]:
    """Show that something is waited for, on a terminal."""
    from rich.console import Console

    console = Console(stderr=True)
    if not console.is_terminal:
        yield
        return
    with console.status("Waiting for the browser ..."):
        yield


def has_screen(environment: Mapping[str, str], platform: str = sys.platform) -> bool:
    """Whether a browser that is opened here appears before the user, not in the terminal or on another machine."""
    if "BROWSER" in environment:
        return True
    if "SSH_CONNECTION" in environment:
        return False
    return platform in ("win32", "darwin") or "DISPLAY" in environment or "WAYLAND_DISPLAY" in environment


def _open_browser(url: str) -> None:
    with suppress(webbrowser.Error, OSError):
        webbrowser.open(url)


def _take(begun: Login, line: str) -> None:
    from ..errors import LoginError

    try:
        begun.paste(line)
    except LoginError as error:
        typer.echo(str(error), err=True)


def read_lines(take: Callable[[str], None], descriptor: int | None = None) -> threading.Thread | None:
    """Give what is typed, line by line, to somebody in the running event loop.

    The thread that waits does not keep the program from ending. Without anything to read from nothing happens.

    Args:
        take: is given each line that is not blank.
        descriptor: of the open file; None for standard input.

    Returns:
        The thread that waits; None when there is nothing to read from.
    """
    if descriptor is None:
        try:
            descriptor = sys.stdin.fileno()
        except (AttributeError, OSError, ValueError):
            return None
    loop = asyncio.get_running_loop()
    thread = threading.Thread(target=_read, args=(descriptor, loop, take), daemon=True)
    thread.start()
    return thread


def _read(descriptor: int, loop: asyncio.AbstractEventLoop, take: Callable[[str], None]) -> None:
    pending = b""
    # Not sys.stdin: its lock, held by a thread that waits, keeps the interpreter from ending in peace.
    with suppress(OSError, RuntimeError):  # the terminal or the loop is gone
        while data := os.read(descriptor, MAX_LINE):
            *lines, pending = (pending + data).split(b"\n")
            for line in lines:
                _give(line, loop, take)
        _give(pending, loop, take)


def _give(line: bytes, loop: asyncio.AbstractEventLoop, take: Callable[[str], None]) -> None:
    if text := line.decode("utf-8", "replace").strip():
        loop.call_soon_threadsafe(take, text)


def describe(done: LoggedIn, name: str) -> str:
    """What a login has brought, in a few lines.

    Args:
        done: what it has brought.
        name: how the account is named among the others.
    """
    lines = [f"{name} is saved, and serves from the next request on."]
    if done.plan is not None:
        lines.append(f"Plan: {done.plan}")
    if done.project is not None:
        lines.append(f"Project: {done.project.id}")
    if done.warning is not None:
        lines.append(f"Google could not tell everything about the account: {done.warning}")
    return "\n".join(lines)
