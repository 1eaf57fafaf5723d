"""Whether the one that listens at an address is a server of this program.

Source:
    SPEC.md, "HTTP".
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from ipaddress import ip_address

import aiohttp

from ..translate.json_text import as_object, parse_json
from .upstream import open_foreign_session

TIMEOUT_S = 2.0
MAX_BYTES = 64 * 1024
"""Far more than an answer to ``/health`` has."""


@dataclass(frozen=True, slots=True)
class Neighbour:
    """Another server of this program.

    Attributes:
        version: of the program.
        process: its id.
    """

    version: str
    process: int


async def find_neighbour(host: str, port: int) -> Neighbour | None:
    """The antigravity-proxy that listens at an address; None when it is another program, or nobody.

    Args:
        host: as it is set, also ``0.0.0.0``.
        port: where it would listen.
    """
    with suppress(aiohttp.ClientError, TimeoutError, OSError, ValueError):
        health = as_object(await _get_json(f"http://{reachable(host)}:{port}/health"))
        version, process = health.get("version"), health.get("process")
        if health.get("ok") is True and "upstream" in health and isinstance(version, str) and type(process) is int:
            return Neighbour(version, process)
    return None


async def is_simulator(host: str, port: int) -> bool:
    """Whether the one that listens at an address is the simulator of this program."""
    with suppress(aiohttp.ClientError, TimeoutError, OSError, ValueError):
        state = as_object(await _get_json(f"http://{reachable(host)}:{port}/simulator/state"))
        return {"now", "accounts", "models", "requests"} <= state.keys()
    return False


async def _get_json(url: str) -> object:
    timeout = aiohttp.ClientTimeout(total=TIMEOUT_S)
    async with (
        open_foreign_session(aiohttp.ThreadedResolver()) as session,
        session.get(url, timeout=timeout, allow_redirects=False) as response,
    ):
        if response.content_length is None or response.content_length > MAX_BYTES:
            return None
        return parse_json(await response.read())


def reachable(host: str) -> str:
    """How a program on this machine writes a host that is listened on; ``127.0.0.1`` for all addresses at once."""
    try:
        address = ip_address(host)
    except ValueError:
        return host
    if address.is_unspecified:
        return "[::1]" if address.version == 6 else "127.0.0.1"
    return f"[{address}]" if address.version == 6 else str(address)
