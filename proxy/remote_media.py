"""Media at web addresses, fetched for models that cannot, when the user has allowed it.

An address comes from whoever wrote the prompt, so it may be meant to reach what only this machine can: nothing is
asked but public addresses, as they were looked up for this very connection, without redirects, tokens, cookies or a
proxy.

Source:
    SPEC.md, "Media".
"""

from __future__ import annotations

import asyncio
import base64
import ipaddress
import socket
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import aiohttp
from aiohttp.abc import AbstractResolver
from yarl import URL

from ..errors import RequestError
from ..translate.chat.remote import remote_parts, with_data_urls
from .upstream import open_foreign_session

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable, Collection

    from aiohttp.abc import ResolveResult

    from ..translate.chat.remote import RemotePart

MAX_FILES = 8
MAX_FILE_BYTES = 10 * 1024 * 1024
MAX_AT_ONCE = 4
"""Files that are fetched at the same time, for all requests together."""

TIMEOUT_S = 20.0
"""How long one file may take."""

UNICAST = ipaddress.ip_network("2000::/3")
"""IPv6 addresses that the open internet has. Source: RFC 4291, and IANA's registry of IPv6 address space."""

RESERVED = tuple(map(ipaddress.ip_network, ("3fff::/20", "192.88.99.0/24", "168.63.129.16/32")))
"""Documentation and a relay that is no more, which not every Python knows, and the address under which machines in
Azure find their host. Source: RFC 9637, RFC 7526, and Microsoft's page on 168.63.129.16."""


def is_public(address: str) -> bool:
    """Whether an IP address is one of the open internet, and not of this machine, its network or its neighbours."""
    ip = ipaddress.ip_address(address)
    if isinstance(ip, ipaddress.IPv6Address) and (ip not in UNICAST or ip.sixtofour or ip.teredo):
        return False
    return ip.is_global and not ip.is_multicast and not any(ip in network for network in RESERVED)


class _PublicResolver(AbstractResolver):
    """Looks names up and gives only the addresses that may be asked; the connection goes to just these."""

    def __init__(self, is_allowed: Callable[[str], bool]) -> None:
        self._inner = aiohttp.ThreadedResolver()
        self._is_allowed = is_allowed

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        """The allowed addresses of a name.

        Raises:
            OSError: it has none.
        """
        found = await self._inner.resolve(host, port, family)
        allowed = [entry for entry in found if self._is_allowed(entry["host"])]
        if not allowed:
            raise OSError("it is not on the open internet")
        return allowed

    async def close(self) -> None:
        """Nothing is open."""
        await self._inner.close()


class RemoteMedia:
    """Fetches what requests name by address.

    Args:
        session: knows nobody, and connects only where ``is_allowed`` says.
        is_allowed: whether an IP address may be asked; names are looked up by the session.
        timeout_s: how long one file may take.
    """

    def __init__(
        self, session: aiohttp.ClientSession, is_allowed: Callable[[str], bool], *, timeout_s: float = TIMEOUT_S
    ) -> None:
        self._session = session
        self._is_allowed = is_allowed
        self._timeout_s = timeout_s
        self._slots = asyncio.Semaphore(MAX_AT_ONCE)

    async def fetched(self, body: Any, media_types: Collection[str]) -> Any:
        """A parsed body with data URLs in place of web addresses; the very body when it names none.

        Args:
            body: as it was parsed.
            media_types: what the model takes; nothing else is fetched.

        Raises:
            RequestError: something cannot be fetched, is too large or of another kind; names the part.
        """
        parts = remote_parts(body)
        if len(parts) > MAX_FILES:
            raise RequestError(
                f"The request names {len(parts)} files by address; {MAX_FILES} are fetched. "
                "Send the others as data URLs.",
                param=parts[MAX_FILES].param,
            )
        if not parts:
            return body
        for part in parts:
            if not any(media_type.startswith(part.kind) for media_type in media_types):
                raise RequestError(f"{part.param} is {part.kind}*, which this model does not take.", param=part.param)
        try:
            async with asyncio.TaskGroup() as group:
                tasks = {part.param: group.create_task(self._fetch(part)) for part in parts}
        except ExceptionGroup as failures:
            raise failures.exceptions[0] from failures
        return with_data_urls(body, {param: task.result() for param, task in tasks.items()})

    async def _fetch(self, part: RemotePart) -> str:
        url = self._checked(part)
        try:
            async with (
                asyncio.timeout(self._timeout_s),
                self._slots,
                self._session.get(url, allow_redirects=False, headers={"Accept-Encoding": "identity"}) as response,
            ):
                return await _read(response, part)
        except TimeoutError as exc:
            raise _refused(part, f"did not arrive within {self._timeout_s:g} s") from exc
        except (aiohttp.ClientError, OSError, UnicodeError) as exc:
            raise _refused(part, "cannot be fetched: its server is not to be reached on the open internet") from exc

    def _checked(self, part: RemotePart) -> URL:
        try:
            url = URL(part.url.strip())
            host = url.host
        except ValueError as exc:
            raise _refused(part, "is no web address") from exc
        if not host or url.user is not None or url.password is not None:
            raise _refused(part, "is an address without a host, or with a login, which is not sent")
        # A name is looked up by the session; an address needs no looking up, so it is judged here.
        is_allowed = self._is_allowed(host) if _is_address(host) else not _is_odd_address(host)
        if not is_allowed:
            raise _refused(part, "is not on the open internet, and nothing else is asked")
        return url


def _is_address(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


def _is_odd_address(host: str) -> bool:
    """Whether a host is an IPv4 address in one of the old ways, such as ``127.1`` or ``2130706433``.

    Libraries differ in whether they look such a host up. No name of the internet ends with a number (RFC 3696).
    """
    return host.rstrip(".").rpartition(".")[2][:1].isdigit()


async def _read(response: aiohttp.ClientResponse, part: RemotePart) -> str:
    if response.status != 200:
        moved = " Redirects are not followed." if 300 <= response.status < 400 else ""
        raise _refused(part, f"cannot be fetched: its server answers {response.status}.{moved}")
    if response.headers.get("Content-Encoding", "identity").lower() != "identity":
        raise _refused(part, "comes compressed, although that was not asked for")
    if not response.content_type.startswith(part.kind):
        raise _refused(part, f"is {response.content_type[:80]}, where {part.kind}* is wanted")
    data = bytearray()
    async for piece in response.content.iter_any():
        data += piece
        if len(data) > MAX_FILE_BYTES:
            raise _refused(part, f"is larger than {MAX_FILE_BYTES:,} bytes")
    return f"data:{response.content_type};base64,{base64.b64encode(data).decode()}"


def _refused(part: RemotePart, reason: str) -> RequestError:
    return RequestError(f"{part.param} {reason.rstrip('.')}. Send the file itself as a data URL.", param=part.param)


@asynccontextmanager
async def open_remote_media(
    *, is_enabled: bool, is_allowed: Callable[[str], bool] = is_public, timeout_s: float = TIMEOUT_S
) -> AsyncGenerator[RemoteMedia | None]:
    """What fetches for one server, closed with it; None where that is not allowed."""
    if not is_enabled:
        yield None
        return
    async with open_foreign_session(_PublicResolver(is_allowed)) as session:
        yield RemoteMedia(session, is_allowed, timeout_s=timeout_s)
