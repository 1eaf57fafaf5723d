"""Whether the one that listens at an address is a server of this program.

Source:
    SPEC.md, "HTTP".
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from ipaddress import ip_address
from urllib.parse import urlsplit

import aiohttp

from ..errors import ApiKeyError
from ..translate.json_text import as_object, parse_json
from .upstream import open_foreign_session

TIMEOUT_S = 2.0
MAX_BYTES = 64 * 1024
"""Far more than an answer to ``/health`` has, and room for a hundred models."""

UNAUTHORIZED = 401


@dataclass(frozen=True, slots=True)
class Neighbour:
    """Another server of this program.

    Attributes:
        version: of the program.
        process: its id.
        upstream: who answers in the end: Google's host or another base URL.
    """

    version: str
    process: int
    upstream: str


async def find_neighbour(host: str, port: int) -> Neighbour | None:
    """The antigravity-proxy that listens at an address; None when it is another program, or nobody.

    Args:
        host: as it is set, also ``0.0.0.0``.
        port: where it would listen.
    """
    return await find_neighbour_at(f"http://{reachable(host)}:{port}/v1")


async def find_neighbour_at(base_url: str) -> Neighbour | None:
    """The antigravity-proxy at a base URL for clients, which ends in ``/v1``; None as above."""
    with suppress(aiohttp.ClientError, TimeoutError, OSError, ValueError):
        health = as_object((await _get_json(f"{base_url.removesuffix('/v1')}/health"))[1])
        version, process, upstream = (health.get(name) for name in ("version", "process", "upstream"))
        if (
            health.get("ok") is True
            and isinstance(version, str)
            and type(process) is int
            and isinstance(upstream, str)
            and urlsplit(upstream).scheme
        ):
            return Neighbour(version, process, upstream)
    return None


async def ask_models(base_url: str, key: str | None) -> tuple[Neighbour, object] | None:
    """The antigravity-proxy at a base URL, and the list of its models as it came; None when none runs there.

    The key is shown to a server of this program alone.

    Args:
        base_url: for clients, ending in ``/v1``.
        key: the proxy's API key.

    Raises:
        ApiKeyError: it wants a key, and not this one.
    """
    neighbour = await find_neighbour_at(base_url)
    if neighbour is None:
        return None
    status, models = 0, None
    with suppress(aiohttp.ClientError, TimeoutError, OSError, ValueError):
        status, models = await _get_json(f"{base_url}/models", None if key is None else f"Bearer {key}")
    if status == UNAUTHORIZED:
        raise ApiKeyError(f"The antigravity-proxy at {base_url} wants another API key.")
    return neighbour, models


async def is_simulator(host: str, port: int) -> bool:
    """Whether the one that listens at an address is the simulator of this program."""
    with suppress(aiohttp.ClientError, TimeoutError, OSError, ValueError):
        state = as_object((await _get_json(f"http://{reachable(host)}:{port}/simulator/state"))[1])
        return {"now", "accounts", "models", "requests"} <= state.keys()
    return False


async def _get_json(url: str, authorization: str | None = None) -> tuple[int, object]:
    """The status and the body of an answer; without a body when it has no length, or too much of it."""
    timeout = aiohttp.ClientTimeout(total=TIMEOUT_S)
    headers = None if authorization is None else {"Authorization": authorization}
    async with (
        open_foreign_session(aiohttp.ThreadedResolver()) as session,
        session.get(url, headers=headers, timeout=timeout, allow_redirects=False) as response,
    ):
        if response.content_length is None or response.content_length > MAX_BYTES:
            return response.status, None
        return response.status, parse_json(await response.read())


def reachable(host: str) -> str:
    """How a program on this machine writes a host that is listened on; ``127.0.0.1`` for all addresses at once."""
    try:
        address = ip_address(host)
    except ValueError:
        return host
    if address.is_unspecified:
        return "[::1]" if address.version == 6 else "127.0.0.1"
    return f"[{address}]" if address.version == 6 else str(address)
