"""The one HTTP client: every byte to and from Google passes here, and only here do its errors become ours.

Source:
    SPEC.md, "Hosts", "Headers" and "Errors".
"""

from __future__ import annotations

import asyncio
import time
from contextlib import asynccontextmanager, contextmanager, suppress
from io import BytesIO
from typing import TYPE_CHECKING, Any

import aiohttp
import orjson

from ..errors import (
    ProxyError,
    UpstreamError,
    UpstreamGarbledError,
    UpstreamTimeoutError,
    UpstreamUnreachableError,
)
from ..translate.json_text import parse_json
from ..translate.problems import to_error
from ..translate.upstream_problem import read_problem
from .way import Ways

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable, Generator, Mapping

    from aiohttp.abc import AbstractResolver

    from ..accounts.account import Caller

PROD = "https://cloudcode-pa.googleapis.com"
DAILY = "https://daily-cloudcode-pa.googleapis.com"
SANDBOX = "https://daily-cloudcode-pa.sandbox.googleapis.com"

CONTROL_HOSTS = (PROD, DAILY, SANDBOX)
"""Where discovery and the catalogue are asked, in order."""

GENERATION_HOST = DAILY
"""Prod would take the call too, and answer consumers with a quota error that is not true."""

WALK_ON_STATUSES = frozenset({404, 500, 502, 503, 504})
"""Answers of a control host after which the next one is asked; others are about the account or the request."""

CONTROL_TIMEOUT_S = 8.0
ONBOARD_TIMEOUT_S = 30.0
"""Google makes a project before it answers."""

CONNECT_TIMEOUT_S = 10.0
KEEPALIVE_S = 60.0
MAX_ERROR_BYTES = 64 * 1024
MAX_CONTROL_BYTES = 8 * 1024 * 1024
"""Largest answer that is read to anything but generation; a catalogue has some hundred kilobytes."""

MAX_PIECE_BYTES = 1024 * 1024
"""Larger requests are sent piece by piece, so that other requests get their turn meanwhile."""

UNWANTED_HEADERS = ("Accept", "Accept-Encoding")
"""What aiohttp adds by itself, and Google's own client does not send."""


class UpstreamAnswer:
    """The body of one streamed answer, read as it comes."""

    def __init__(self, response: aiohttp.ClientResponse) -> None:
        self._response = response

    async def read(self) -> bytes:
        """All bytes that have arrived; waits for the first; empty at the end.

        Raises:
            UpstreamGarbledError: the connection broke before the end.
        """
        with _as_ours("The connection to Google went dead in the middle of the answer."):
            return await self._response.content.readany()


class Upstream:
    """Calls Google for one server.

    Args:
        session: the only one of its kind.
        user_agent: what we call ourselves.
        control_hosts: the bases that answer control calls, in the order to ask them.
        generation_host: the base that generates.
        clock: Unix time in seconds.
    """

    def __init__(
        self,
        session: aiohttp.ClientSession,
        *,
        user_agent: str,
        control_hosts: tuple[str, ...] = CONTROL_HOSTS,
        generation_host: str = GENERATION_HOST,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._session = session
        self._user_agent = user_agent
        self._control_hosts = control_hosts
        self._generation_host = generation_host
        self._ways = Ways()
        self._clock = clock

    @property
    def control_hosts(self) -> tuple[str, ...]:
        """The bases that answer control calls, in the order to ask them."""
        return self._control_hosts

    @property
    def generation_host(self) -> str:
        """The base that generates."""
        return self._generation_host

    @asynccontextmanager
    async def generate(self, caller: Caller, envelope: Mapping[str, Any]) -> AsyncGenerator[UpstreamAnswer]:
        """Call ``streamGenerateContent`` and hand out the answer when its headers say 200.

        Raises:
            ProxyError: the table of errors decides which one.
        """
        url = f"{self._generation_host}/v1internal:streamGenerateContent?alt=sse"
        timeout = aiohttp.ClientTimeout(total=None, sock_connect=CONNECT_TIMEOUT_S)
        with _as_ours(f"No connection to Google came about within {CONNECT_TIMEOUT_S:g} s."):
            response = await self._session.post(
                url,
                data=_to_payload(envelope),
                headers=self._headers(caller),
                skip_auto_headers=UNWANTED_HEADERS,
                timeout=timeout,
                allow_redirects=False,
                **self._ways.to(url, caller.proxy),
            )
        try:
            if response.status != 200:
                raise await self._refusal(response, caller)
            yield UpstreamAnswer(response)
        finally:
            response.close()

    async def call(
        self, host: str, method: str, caller: Caller, body: Mapping[str, Any], *, timeout_s: float = CONTROL_TIMEOUT_S
    ) -> Any:
        """Call a control method on one host.

        Returns:
            The parsed answer.

        Raises:
            ProxyError: the table of errors decides which one.
        """
        url = f"{host}/v1internal:{method}"
        return await self._json("POST", url, caller, method, timeout_s=timeout_s, data=_to_payload(body))

    async def call_any(
        self, method: str, caller: Caller, body: Mapping[str, Any], *, is_good: Callable[[Any], bool] = lambda _: True
    ) -> Any:
        """Call a control method on one host after the other, until one answers for good.

        Args:
            method: such as ``loadCodeAssist``.
            caller: who is asked for.
            body: the request.
            is_good: whether an answer is worth something; of the last host any is taken.

        Raises:
            ProxyError: of the last host, or of the first that speaks about the account or the request.
        """
        *others, last = self._control_hosts
        for host in others:
            try:
                answer = await self.call(host, method, caller, body)
            except UpstreamError as exc:
                if not may_walk_on(exc):
                    raise
            else:
                if is_good(answer):
                    return answer
        return await self.call(last, method, caller, body)

    async def get_json(self, url: str, caller: Caller) -> Any:
        """Ask one of Google's addresses about the owner of the caller's token.

        Raises:
            ProxyError: the table of errors decides which one.
        """
        return await self._json("GET", url, caller, "whose account this is", timeout_s=CONTROL_TIMEOUT_S)

    async def _json(
        self,
        verb: str,
        url: str,
        caller: Caller,
        what: str,
        *,
        timeout_s: float,
        data: bytes | BytesIO | None = None,
    ) -> Any:
        """The parsed answer to a short call; ``what`` says in messages which one it was."""
        headers = self._headers(caller)
        if data is None:
            del headers["Content-Type"]
        with _as_ours(f"Google did not answer {what} within {timeout_s:g} s."):
            async with self._session.request(
                verb,
                url,
                data=data,
                headers=headers,
                skip_auto_headers=UNWANTED_HEADERS,
                timeout=aiohttp.ClientTimeout(total=timeout_s),
                allow_redirects=False,
                **self._ways.to(url, caller.proxy),
            ) as response:
                if response.status != 200:
                    raise await self._refusal(response, caller)
                answer = await _read_whole(response, what)
        try:
            return parse_json(answer)
        except ValueError as exc:
            raise UpstreamGarbledError(f"Google's answer to {what} is not JSON. Try again.") from exc

    async def date(self) -> str:
        """What time Google has, as its ``Date`` header says it.

        Raises:
            ProxyError: there is no connection.
            UpstreamGarbledError: it does not say.
        """
        url = self._control_hosts[0]
        with _as_ours(f"Google did not answer within {CONTROL_TIMEOUT_S:g} s."):
            async with self._session.head(
                url,
                headers={"User-Agent": self._user_agent},
                skip_auto_headers=UNWANTED_HEADERS,
                timeout=aiohttp.ClientTimeout(total=CONTROL_TIMEOUT_S),
                allow_redirects=False,
                **self._ways.to(url),
            ) as response:
                said = response.headers.get("Date")
        if said is None:
            raise UpstreamGarbledError("Google's answer has no date. Check what stands between it and this machine.")
        return said

    async def post_form(self, url: str, form: Mapping[str, str], *, proxy: str | None = None) -> tuple[int, bytes]:
        """Post a form, as OAuth's token host wants it; the status and body come back as they are.

        Args:
            url: where to.
            form: names to values.
            proxy: URL of the account's own HTTP proxy.

        Raises:
            UpstreamUnreachableError: no connection.
            UpstreamTimeoutError: no answer in time.
        """
        with _as_ours(f"Google's token service did not answer within {CONTROL_TIMEOUT_S:g} s."):
            async with self._session.post(
                url,
                data=form,
                headers={"User-Agent": self._user_agent},
                skip_auto_headers=UNWANTED_HEADERS,
                timeout=aiohttp.ClientTimeout(total=CONTROL_TIMEOUT_S),
                allow_redirects=False,
                **self._ways.to(url, proxy),
            ) as response:
                return response.status, await _read_whole(response, "a request for tokens")

    def _headers(self, caller: Caller) -> dict[str, str]:
        return {
            "Authorization": f"Bearer {caller.token}",
            "Content-Type": "application/json",
            "User-Agent": self._user_agent,
        }

    async def _refusal(self, response: aiohttp.ClientResponse, caller: Caller) -> ProxyError:
        body = b""
        with suppress(aiohttp.ClientError, TimeoutError, OSError):  # the status says enough
            async with asyncio.timeout(CONTROL_TIMEOUT_S):
                while len(body) < MAX_ERROR_BYTES and (data := await response.content.readany()):
                    body += data
        # An upstream that quotes the request must not make us show it.
        body = body.replace(caller.token.encode(), b"***")
        retry_after = response.headers.get("Retry-After", "")
        return to_error(read_problem(response.status, body[:MAX_ERROR_BYTES], retry_after), self._clock())


async def _read_whole(response: aiohttp.ClientResponse, what: str) -> bytes:
    """The body of an answer that is not streamed; ``what`` says in the message which one it is."""
    body = bytearray()
    while data := await response.content.readany():
        body += data
        if len(body) > MAX_CONTROL_BYTES:
            raise UpstreamGarbledError(
                f"Google's answer to {what} is larger than {MAX_CONTROL_BYTES // 2**20} MiB. Check what stands "
                "between Google and this machine."
            )
    return bytes(body)


def _to_payload(value: Mapping[str, Any]) -> bytes | BytesIO:
    data = orjson.dumps(value)
    return data if len(data) <= MAX_PIECE_BYTES else BytesIO(data)


def may_walk_on(error: UpstreamError) -> bool:
    """Whether another control host may do better."""
    return error.upstream_status is None or error.upstream_status in WALK_ON_STATUSES


@asynccontextmanager
async def open_upstream(
    *, user_agent: str, base_url: str | None = None, clock: Callable[[], float] = time.time
) -> AsyncGenerator[Upstream]:
    """The client of one server, closed with it; a base URL replaces all of Google's Cloud Code hosts."""
    control_hosts = (base_url,) if base_url else CONTROL_HOSTS
    connector = aiohttp.TCPConnector(limit=0, keepalive_timeout=KEEPALIVE_S)
    async with aiohttp.ClientSession(connector=connector, cookie_jar=aiohttp.DummyCookieJar()) as session:
        yield Upstream(
            session,
            user_agent=user_agent,
            control_hosts=control_hosts,
            generation_host=base_url or GENERATION_HOST,
            clock=clock,
        )


@asynccontextmanager
async def open_foreign_session(resolver: AbstractResolver) -> AsyncGenerator[aiohttp.ClientSession]:
    """A client for servers that are not Google's: no connection, cookie, login or proxy of the other one is in it.

    Args:
        resolver: says which addresses a name has.
    """
    connector = aiohttp.TCPConnector(resolver=resolver, use_dns_cache=False, force_close=True)
    cookies = aiohttp.DummyCookieJar()
    async with aiohttp.ClientSession(connector=connector, cookie_jar=cookies, auto_decompress=False) as session:
        yield session


@contextmanager
def _as_ours(when_late: str) -> Generator[None]:
    """Turn what aiohttp raises into errors of ours, the most particular class first.

    Args:
        when_late: says which time limit ran out, if one did.
    """
    try:
        yield
    except TimeoutError as exc:
        raise UpstreamTimeoutError(f"{when_late} Send the request again.") from exc
    except aiohttp.ClientPayloadError as exc:
        raise UpstreamGarbledError(
            "The connection to Google broke in the middle of the answer. Send the request again."
        ) from exc
    except aiohttp.ClientHttpProxyError as exc:
        raise UpstreamUnreachableError(
            f"The HTTP proxy does not let us through to Google (status {exc.status}). Check the account's own proxy "
            "(`antigravity-proxy accounts list`), or HTTPS_PROXY and NO_PROXY."
        ) from exc
    except aiohttp.ServerDisconnectedError as exc:
        raise UpstreamUnreachableError("Google closed the connection without an answer. Send it again.") from exc
    except aiohttp.ClientConnectorCertificateError as exc:
        raise UpstreamUnreachableError(
            f"The certificate of {exc.host} is not trusted on this machine. Check its clock and certificates, and "
            "the proxy variables."
        ) from exc
    except aiohttp.ClientProxyConnectionError as exc:
        raise UpstreamUnreachableError(
            f"There is no connection to the HTTP proxy {exc.host}:{exc.port}. Check the account's own proxy "
            "(`antigravity-proxy accounts list`), or HTTPS_PROXY and NO_PROXY."
        ) from exc
    except aiohttp.ClientConnectorError as exc:
        raise UpstreamUnreachableError(
            f"There is no connection to {exc.host}:{exc.port}. Check the network and the proxy variables."
        ) from exc
    except (aiohttp.ClientConnectionError, OSError) as exc:
        raise UpstreamUnreachableError(
            f"The connection to Google failed ({type(exc).__name__}). Check the network and send it again."
        ) from exc
    except aiohttp.ClientError as exc:
        raise UpstreamGarbledError(
            f"Google's answer is not proper HTTP ({type(exc).__name__}). Send the request again; if that fails too, "
            "check the proxy variables."
        ) from exc
