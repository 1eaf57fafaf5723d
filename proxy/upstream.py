"""The calls to Google: all of them pass here, and only here do its refusals become our errors.

Source:
    SPEC.md, "Hosts", "Headers" and "Errors".
"""

from __future__ import annotations

import asyncio
import time
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

import aiohttp
import orjson

from ..errors import (
    ProxyError,
    UpstreamError,
    UpstreamGarbledError,
    UpstreamTimeoutError,
)
from ..translate.json_text import parse_json
from ..translate.problems import to_error
from ..translate.upstream_problem import parse_retry_after, read_problem
from .http_client import CHECK_PROXY, HttpClient, proxy_name
from .way import Ways

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable, Mapping

    from aiohttp.abc import AbstractResolver

    from ..accounts.account import Caller
    from .exchange import Exchange

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

ERROR_BODY_TIMEOUT_S = 2.0
"""How long the body of an error is waited for; less than a call may take, as the status is not to be lost with it."""

MAX_ERROR_BYTES = 64 * 1024
MAX_CONTROL_BYTES = 8 * 1024 * 1024
"""Largest answer that is read to anything but generation; a catalogue has some hundred kilobytes."""


class Upstream:
    """Calls Google for one server.

    Args:
        http: carries the calls.
        user_agent: what we call ourselves.
        control_hosts: the bases that answer control calls, in the order to ask them.
        generation_host: the base that generates.
        clock: Unix time in seconds.
    """

    def __init__(
        self,
        http: HttpClient,
        *,
        user_agent: str,
        control_hosts: tuple[str, ...] = CONTROL_HOSTS,
        generation_host: str = GENERATION_HOST,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._http = http
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

    async def generate(self, caller: Caller, envelope: Mapping[str, Any]) -> Exchange:
        """Call ``streamGenerateContent``; the answer, which whoever takes it must close, when its headers say 200.

        Raises:
            ProxyError: the table of errors decides which one.
        """
        url = f"{self._generation_host}/v1internal:streamGenerateContent?alt=sse"
        way = self._ways.to(url, caller.proxy)
        answer = await self._http.send(  # another attempt has an id of its own
            "POST", url, self._headers(caller), orjson.dumps(envelope), way, may_repeat=False
        )
        if answer.status == 200:
            return answer
        try:
            raise await self._refusal(answer, caller)
        finally:
            answer.close()

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
        return await self._json("POST", url, caller, method, timeout_s=timeout_s, body=orjson.dumps(body))

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
        body: bytes | None = None,
    ) -> Any:
        """The parsed answer to a short call; ``what`` says in messages which one it was."""
        headers = self._headers(caller)
        if body is None:
            del headers["Content-Type"]
        late = f"Google did not answer {what} within {timeout_s:g} s."
        async with self._exchange(verb, url, headers, body, caller.proxy, timeout_s, late) as exchange:
            if exchange.status != 200:
                raise await self._refusal(exchange, caller)
            answer = await _read_whole(exchange, what)
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
        headers = {"User-Agent": self._user_agent}
        late = f"Google did not answer within {CONTROL_TIMEOUT_S:g} s."
        async with self._exchange("HEAD", url, headers, None, None, CONTROL_TIMEOUT_S, late) as exchange:
            said = exchange.headers.get(b"date")
        if said is None:
            raise UpstreamGarbledError("Google's answer has no date. Check what stands between it and this machine.")
        return said.decode("latin-1")

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
        headers = {"Content-Type": "application/x-www-form-urlencoded", "User-Agent": self._user_agent}
        late = f"Google's token service did not answer within {CONTROL_TIMEOUT_S:g} s."
        body = urlencode(form).encode()
        async with self._exchange("POST", url, headers, body, proxy, CONTROL_TIMEOUT_S, late) as exchange:
            if exchange.status != 200:
                return exchange.status, await _read_error(exchange)
            return exchange.status, await _read_whole(exchange, "a request for tokens")

    @asynccontextmanager
    async def _exchange(
        self,
        verb: str,
        url: str,
        headers: Mapping[str, str],
        body: bytes | None,
        proxy: str | None,
        timeout_s: float,
        when_late: str,
    ) -> AsyncGenerator[Exchange]:
        """One short call; ``when_late`` says in a message which one it was."""
        way = self._ways.to(url, proxy)
        try:
            async with asyncio.timeout(timeout_s):
                exchange = await self._http.send(verb, url, headers, body, way)
                try:
                    yield exchange
                finally:
                    exchange.close()
        except TimeoutError as exc:
            on_way = way["proxy"]
            advice = "" if on_way is None else f" It was asked through the {proxy_name(on_way)}. {CHECK_PROXY}"
            raise UpstreamTimeoutError(f"{when_late}{advice or ' Send the request again.'}") from exc

    def _headers(self, caller: Caller) -> dict[str, str]:
        return {
            "Authorization": f"Bearer {caller.token}",
            "Content-Type": "application/json",
            "User-Agent": self._user_agent,
        }

    async def _refusal(self, answer: Exchange, caller: Caller) -> ProxyError:
        # An upstream that quotes the request must not make us show it.
        body = (await _read_error(answer)).replace(caller.token.encode(), b"***")
        now_s = self._clock()
        retry_after_s = parse_retry_after(answer.headers.get(b"retry-after", b"").decode("latin-1"), now_s)
        return to_error(read_problem(answer.status, body[:MAX_ERROR_BYTES], retry_after_s), now_s)


async def _read_error(exchange: Exchange) -> bytes:
    """The body of an error, or as much of it as can be read: the status says enough."""
    body = b""
    with suppress(UpstreamError, TimeoutError):
        async with asyncio.timeout(ERROR_BODY_TIMEOUT_S):
            while len(body) < MAX_ERROR_BYTES and (data := await exchange.read()):
                body += data
    return body


async def _read_whole(exchange: Exchange, what: str) -> bytes:
    """The body of an answer that is not streamed; ``what`` says in the message which one it is."""
    body = bytearray()
    while data := await exchange.read():
        body += data
        if len(body) > MAX_CONTROL_BYTES:
            raise UpstreamGarbledError(
                f"Google's answer to {what} is larger than {MAX_CONTROL_BYTES // 2**20} MiB. Check what stands "
                "between Google and this machine."
            )
    return bytes(body)


def may_walk_on(error: UpstreamError) -> bool:
    """Whether another control host may do better."""
    return error.upstream_status is None or error.upstream_status in WALK_ON_STATUSES


@asynccontextmanager
async def open_upstream(
    *, user_agent: str, base_url: str | None = None, clock: Callable[[], float] = time.time
) -> AsyncGenerator[Upstream]:
    """The client of one server, closed with it; a base URL replaces all of Google's Cloud Code hosts."""
    control_hosts = (base_url,) if base_url else CONTROL_HOSTS
    async with HttpClient() as http:
        yield Upstream(
            http,
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
