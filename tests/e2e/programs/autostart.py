"""A program whose proxy does not run when its session starts."""

from __future__ import annotations

import os
import signal
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import TYPE_CHECKING
from urllib.error import URLError

from ..clients import send
from ..process import run_once

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .desk import Desk


@contextmanager
def proxy_down(desk: Desk, port: int, *provision: str, may_start: bool) -> Iterator[Desk]:
    """The same desk with its program pointed at a port where nobody listens; what has been started there ends.

    Args:
        desk: a program that was provisioned, with the account of its user.
        port: where the proxy shall be.
        provision: what ``antigravity-proxy provision`` is told.
        may_start: whether the user allows plugins to start the proxy.
    """
    settings = {
        "ANTIGRAVITY_PROXY_HOME": str(desk.home),
        "ANTIGRAVITY_PROXY_PORT": str(port),
        "ANTIGRAVITY_PROXY_AUTOSTART": str(may_start).lower(),
        "ANTIGRAVITY_PROXY_BASE_URL": desk.served.simulator_url,
        "ANTIGRAVITY_PROXY_OAUTH_CLIENT_FILE": str(desk.home / "client.downloaded"),
    }
    variables = {**desk.program.variables, **settings}
    moved = replace(desk, program=replace(desk.program, variables=variables))
    ended = run_once("provision", *provision, home=desk.home, extra=moved.environment)
    assert ended.returncode == 0, ended.stderr
    try:
        yield moved
    finally:
        if (process := process_at(port)) is not None:
            os.kill(process, signal.SIGTERM)


def process_at(port: int) -> int | None:
    """The process of the antigravity-proxy that listens there."""
    with suppress(URLError):
        status, health = send("GET", f"http://127.0.0.1:{port}/health")
        assert status == 200
        process: int = health["process"]
        return process
    return None
