"""Tests of the HTTP client's connections, over real sockets, TLS and tunnels."""

from __future__ import annotations

import asyncio
import datetime as dt
import ssl
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import pytest
import uvloop
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from yarl import URL

from antigravity_proxy.errors import UpstreamTimeoutError, UpstreamUnreachableError
from antigravity_proxy.proxy.http_client import CONNECT_TIMEOUT_S, Address, HttpClient, read_url
from antigravity_proxy.proxy.way import DIRECT, PROXY_LOGIN, Ways

from .conftest import eventually, settle
from .raw_server import RESET, asked, raw_server, reply

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Coroutine
    from pathlib import Path

    from antigravity_proxy.proxy.way import Way

    from .conftest import Leap
    from .raw_server import Step

NEW_LOOPS = [asyncio.new_event_loop, uvloop.new_event_loop]


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A certificate for localhost that signs itself, with its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "localhost")])
    now = dt.datetime.now(dt.UTC)
    names = [x509.DNSName("localhost")]
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - dt.timedelta(days=1))
        .not_valid_after(now + dt.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName(names), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    path = tmp_path_factory.mktemp("tls") / "localhost.pem"
    form, plain = serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    path.write_bytes(
        made.public_bytes(serialization.Encoding.PEM) + key.private_bytes(serialization.Encoding.PEM, form, plain)
    )
    return path


@asynccontextmanager
async def secure_server(certificate: Path) -> AsyncIterator[int]:
    """A server that speaks TLS, and answers each request with what it was asked for; its port."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                await reader.readexactly(2)
                writer.write(reply(head.split(b"\r\n")[0]))
        except (asyncio.IncompleteReadError, ConnectionError, ssl.SSLError):
            writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0, ssl=context)
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        server.close()


@asynccontextmanager
async def proxy_server(context: ssl.SSLContext | None = None) -> AsyncIterator[tuple[int, list[bytes]]]:
    """A proxy that connects on; its port, and the heads it was sent."""
    heads: list[bytes] = []

    async def pipe(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while data := await reader.read(65_536):
                writer.write(data)
        except (ConnectionError, ssl.SSLError):
            pass
        finally:
            writer.close()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        heads.append(head)
        host, _, port = head.split()[1].decode().rpartition(":")
        onward = await asyncio.open_connection(host, int(port))
        writer.write(b"HTTP/1.1 201 Connection established\r\n\r\n")
        await asyncio.gather(pipe(reader, onward[1]), pipe(onward[0], writer))

    server = await asyncio.start_server(serve, "127.0.0.1", 0, ssl=context)
    try:
        yield server.sockets[0].getsockname()[1], heads
    finally:
        server.close()


def trusting(certificate: Path) -> Callable[[], ssl.SSLContext]:
    """Makes a context that trusts the certificate."""
    return lambda: ssl.create_default_context(cafile=str(certificate))


@pytest.mark.parametrize(
    ("url", "address"),
    [
        ("https://a.example", Address("https", "a.example", 443, "a.example", "/")),
        ("http://127.0.0.1:80/a?b=c", Address("http", "127.0.0.1", 80, "127.0.0.1:80", "/a?b=c")),
        ("http://[::1]:8080/a", Address("http", "::1", 8080, "[::1]:8080", "/a")),
        ("http://user:word@a.example/", Address("http", "a.example", 80, "a.example", "/")),
    ],
)
def test_url_says_where_it_leads(url: str, address: Address) -> None:
    """Host, port and path are told apart; a login never gets into the Host header."""
    assert read_url(url) == address


async def test_calls_at_the_same_time_have_connections_of_their_own() -> None:
    """A connection carries one exchange at a time, and the next one when that has ended."""
    async with raw_server([reply(b"a")], is_kept_open=True) as server, HttpClient() as client:
        assert await asyncio.gather(*(asked(client, server.url) for _ in range(3))) == [b"a"] * 3
        assert (server.connections, client.connections) == (3, (3, 3))
        await asked(client, server.url)
        assert (server.connections, client.connections) == (3, (3, 3))
    assert client.connections == (0, 0)


async def test_connection_that_was_closed_meanwhile_is_not_used() -> None:
    """The end of an idle connection is noticed, and the next call opens another one."""
    async with raw_server([reply(b"a")]) as server, HttpClient() as client:
        for count in (1, 2):
            assert await asked(client, server.url) == b"a"
            await eventually(lambda: client.connections == (0, 0))
            assert server.connections == count


@pytest.mark.parametrize("may_repeat", [True, False])
async def test_connections_that_ended_unseen_fail_one_call_at_most(*, may_repeat: bool) -> None:
    """When a kept connection ends without an answer the others are dropped, and what may be repeated is."""
    waiting = 0

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal waiting
        await reader.readuntil(b"{}")
        waiting += 1
        await eventually(lambda: waiting >= 3)
        writer.write(reply(b"a"))
        await reader.read(1)  # the next request finds the connection closed
        writer.transport.abort()

    listening = await asyncio.start_server(serve, "127.0.0.1", 0)
    url = f"http://127.0.0.1:{listening.sockets[0].getsockname()[1]}"
    async with HttpClient() as client:
        assert await asyncio.gather(*(asked(client, url) for _ in range(3))) == [b"a"] * 3
        assert client.connections == (3, 3)
        if not may_repeat:
            with pytest.raises(UpstreamUnreachableError):
                await client.send("POST", url, {}, b"{}", DIRECT, may_repeat=False)
            assert client.connections == (0, 0)
        assert await asked(client, url) == b"a"
        await eventually(lambda: client.connections == (1, 1))
        assert waiting == 4
    await settle()
    listening.close()


async def test_call_that_was_half_answered_is_not_repeated() -> None:
    """A connection that breaks after the first byte of an answer is an error, as the call may have had its effect."""
    async with raw_server([reply(b"a")], [b"HTTP", RESET], is_kept_open=True) as server, HttpClient() as client:
        await asked(client, server.url)
        with pytest.raises(UpstreamUnreachableError):
            await asked(client, server.url)
        assert len(server.requests) == 2


async def check_cancelling(_certificate: Path) -> None:
    """Nothing is left of calls that are cancelled at any moment of their connecting."""
    async with raw_server([30], is_kept_open=True) as server, HttpClient() as client:
        for turns in range(60):
            calling = asyncio.create_task(asked(client, server.url))
            for _ in range(turns // 2):
                await asyncio.sleep(0)
            calling.cancel()
            with pytest.raises(asyncio.CancelledError):
                await calling
        await eventually(lambda: client.connections == (0, 0))


@pytest.mark.parametrize("steps", [[30], [b"HTTP/1.1 ", 30], [b"HTTP/1.1 100 Continue\r\n\r\n", 30]], ids=str)
async def test_proxy_that_says_nothing_has_a_limit(leap: Leap, steps: list[Step]) -> None:
    """A proxy that takes the connection and never answers ends at the limit, with its name and without its login."""
    async with raw_server(steps) as server, HttpClient() as client:
        host = server.url.removeprefix("http://")
        way = Ways().to("https://a.example", f"http://ada:word-canary@{host}")
        asking = asyncio.create_task(asked(client, "https://a.example", way))
        await eventually(lambda: bool(server.requests))
        await settle()
        leap(CONNECT_TIMEOUT_S)
        with pytest.raises(
            UpstreamTimeoutError,
            match=rf"^The HTTP proxy {host} gave no connection to a\.example:443 within 10 s\. Check",
        ) as caught:
            await asking
        assert "canary" not in str(caught.value)
        assert b"Proxy-Authorization: Basic " in server.requests[0]
        await settle()
        assert client.connections == (0, 0)


async def test_slow_connection_has_a_limit(leap: Leap) -> None:
    """A server that takes the connection and never speaks TLS does not hold a call for ever."""
    taken = asyncio.Event()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(1)
        taken.set()
        await reader.read()
        writer.close()

    listening = await asyncio.start_server(serve, "127.0.0.1", 0)
    async with HttpClient() as client:
        url = f"https://127.0.0.1:{listening.sockets[0].getsockname()[1]}"
        asking = asyncio.create_task(asked(client, url))
        await taken.wait()
        leap(CONNECT_TIMEOUT_S)
        with pytest.raises(UpstreamTimeoutError, match="No connection to Google came about within 10 s"):
            await asking
        await settle()
        assert client.connections == (0, 0)
    listening.close()


async def check_names(_certificate: Path) -> None:
    """A host that is no name at all is one that cannot be reached, for a server and for a proxy."""
    async with HttpClient() as client:
        for host in ("foo..bar", f"{'a' * 64}.example", "."):
            with pytest.raises(UpstreamUnreachableError, match=rf"^There is no connection to {host}:443\. Check"):
                await asked(client, f"https://{host}")
            way = Ways().to("https://a.example", f"http://ada:word-canary@{host}:3128")
            with pytest.raises(
                UpstreamUnreachableError, match=rf"^There is no connection to the HTTP proxy {host}:3128\. Check"
            ):
                await asked(client, "https://a.example", way)


@pytest.mark.parametrize(
    ("steps", "problem"),
    [
        ([b"SSH-2.0\r\n"], "does not answer as one"),
        ([], "does not answer as one"),
        ([b"HTTP/1.1 407 No\r\n\r\n"], r"does not let us through to \[2001:db8::1\]:8443 \(status 407\)"),
    ],
    ids=["garbage", "end", "refusal"],
)
async def test_faults_of_a_proxy_are_its_own(steps: list[Step], problem: str) -> None:
    """What goes wrong at a proxy names it; an IPv6 address has brackets when it is asked for."""
    async with raw_server(steps) as server, HttpClient() as client:
        way: Way = {"proxy": URL(server.url), "proxy_headers": None}
        with pytest.raises(
            UpstreamUnreachableError, match=f"HTTP proxy {server.url.removeprefix('http://')} {problem}"
        ):
            await asked(client, "https://[2001:db8::1]:8443", way)
        assert server.requests[0].startswith(b"CONNECT [2001:db8::1]:8443 HTTP/1.1\r\nHost: [2001:db8::1]:8443\r\n")


async def test_server_without_tls_is_told() -> None:
    """A server that answers in plain text where TLS is wanted is no matter of certificates."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(1)
        writer.write(b"HTTP/1.1 400 No\r\n\r\n")
        await reader.read()
        writer.close()

    listening = await asyncio.start_server(serve, "127.0.0.1", 0)
    async with HttpClient() as client:
        with pytest.raises(UpstreamUnreachableError, match=r"127\.0\.0\.1 does not speak TLS as it should \(\w+\)"):
            await asked(client, f"https://127.0.0.1:{listening.sockets[0].getsockname()[1]}")
    await settle()
    listening.close()


async def check_tls(certificate: Path) -> None:
    """What TLS must do, in whatever event loop."""
    async with secure_server(certificate) as port:
        url = f"https://localhost:{port}/secret"
        async with HttpClient(trusting(certificate)) as client:
            assert await asked(client, url) == b"POST /secret HTTP/1.1"
            assert await asked(client, url) == b"POST /secret HTTP/1.1"
            assert client.connections == (1, 1)
            with pytest.raises(UpstreamUnreachableError, match=r"certificate of 127\.0\.0\.1 is not trusted"):
                await asked(client, f"https://127.0.0.1:{port}/")
        async with HttpClient() as client:
            with pytest.raises(UpstreamUnreachableError, match="certificate of localhost is not trusted"):
                await asked(client, url)


async def check_tunnel(certificate: Path) -> None:
    """What a tunnel must do, in whatever event loop."""
    async with secure_server(certificate) as port, proxy_server() as (proxy_port, heads):
        url = f"https://localhost:{port}/secret"
        ways: list[Way] = [
            {"proxy": URL(f"http://127.0.0.1:{proxy_port}"), "proxy_headers": {PROXY_LOGIN: login}} for login in "ab"
        ]
        async with HttpClient(trusting(certificate)) as client:
            for way in (*ways, *ways):
                assert await asked(client, url, way) == b"POST /secret HTTP/1.1"
            assert client.connections == (2, 2)
        async with HttpClient() as client:
            with pytest.raises(UpstreamUnreachableError, match="certificate of localhost is not trusted"):
                await asked(client, url, ways[0])
        assert [head.split(b"\r\n")[0] for head in heads] == [b"CONNECT localhost:%d HTTP/1.1" % port] * 3
        assert [b"Proxy-Authorization: a" in head for head in heads] == [True, False, True]
        assert not any(b"secret" in head for head in heads)


async def check_secure_proxy(certificate: Path) -> None:
    """TLS inside of TLS: a proxy that is spoken to over TLS."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    async with secure_server(certificate) as port, proxy_server(context) as (proxy_port, _):
        way: Way = {"proxy": URL(f"https://localhost:{proxy_port}"), "proxy_headers": None}
        async with HttpClient(trusting(certificate)) as client:
            assert await asked(client, f"https://localhost:{port}/x", way) == b"POST /x HTTP/1.1"


CHECKS: dict[str, Callable[[Path], Coroutine[Any, Any, None]]] = {
    "tls": check_tls,
    "tunnel": check_tunnel,
    "secure-proxy": check_secure_proxy,
    "cancelling": check_cancelling,
    "names": check_names,
}


@pytest.mark.parametrize("new_loop", NEW_LOOPS, ids=["asyncio", "uvloop"])
@pytest.mark.parametrize("check", CHECKS.values(), ids=CHECKS)
def test_certificates_are_checked_on_every_way(
    certificate: Path,
    check: Callable[[Path], Coroutine[Any, Any, None]],
    new_loop: Callable[[], asyncio.AbstractEventLoop],
) -> None:
    """Directly and through proxies, in both event loops, only a trusted certificate of the right name will do."""
    with asyncio.Runner(loop_factory=new_loop) as runner:
        runner.run(check(certificate))


async def test_proxies_are_not_shared_between_logins(certificate: Path) -> None:
    """A connection that one account's proxy login has opened carries no call of another account."""
    await check_tunnel(certificate)
