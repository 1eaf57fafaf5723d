"""Tests of media at web addresses, over real sockets; these are on loopback, so some tests allow that."""

from __future__ import annotations

from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING, Any

import pytest
from aiohttp import web

from antigravity_proxy.errors import RequestError
from antigravity_proxy.proxy.remote_media import MAX_FILE_BYTES, MAX_FILES, is_public, open_remote_media
from antigravity_proxy.translate.media_types import ALL_TYPES

from .conftest import chat_body

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from .conftest import Lab, OpenLab


def body_of(*urls: str, kind: str = "image_url") -> dict[str, Any]:
    """A body that names files by address."""
    content = [{"type": kind, kind: {"url": url}} for url in urls]
    return {"messages": [{"role": "user", "content": content}]}


VISITS = web.AppKey("visits", list[str])


async def serve(request: web.Request) -> web.Response:
    """What the server of the tests has."""
    request.app[VISITS].append(request.path)
    match request.path:
        case "/a.png":
            assert not {"Authorization", "Cookie"} & request.headers.keys()
            return web.Response(body=b"png", content_type="image/png")
        case "/page":
            return web.Response(text="<p>Log in", content_type="text/html")
        case "/moved":
            return web.Response(status=302, headers={"Location": "/a.png"})
        case "/packed":
            return web.Response(body=b"png", content_type="image/png", headers={"Content-Encoding": "br"})
        case "/large":
            return web.Response(body=bytes(MAX_FILE_BYTES + 1), content_type="image/png")
    return web.Response(status=404)


@asynccontextmanager
async def some_server(visits: list[str] | None = None) -> AsyncIterator[int]:
    """A server on all addresses of this machine; gives its port, and writes down what it was asked for."""
    app = web.Application()
    app[VISITS] = [] if visits is None else visits
    app.router.add_get("/{path}", serve)
    runner = web.AppRunner(app)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    port: int = runner.addresses[0][1]
    with suppress(OSError):  # a machine need not have the other kind of address
        await web.TCPSite(runner, "::1", port).start()
    try:
        yield port
    finally:
        await runner.cleanup()


async def fetched(*paths: str, host: str = "127.0.0.1", kind: str = "image_url") -> Any:
    """What becomes of a body, where this machine may be asked."""
    async with some_server() as port, open_remote_media(is_enabled=True, is_allowed=lambda _: True) as media:
        assert media is not None
        return await media.fetched(body_of(*(f"http://{host}:{port}/{path}" for path in paths), kind=kind), ALL_TYPES)


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
async def test_image_is_fetched(host: str) -> None:
    """What stands at an address takes its place, by address and by name."""
    data_url = "data:image/png;base64,cG5n"
    assert await fetched("a.png", "a.png", host=host) == body_of(data_url, data_url)


@pytest.mark.parametrize(
    ("path", "kind", "words"),
    [
        ("none", "image_url", "answers 404"),
        ("moved", "image_url", "answers 302. Redirects are not followed"),
        ("page", "image_url", r"is text/html, where image/\* is wanted"),
        ("a.png", "video_url", r"is image/png, where video/\* is wanted"),
        ("packed", "image_url", "comes compressed"),
        ("large", "image_url", "is larger than 10,485,760 bytes"),
    ],
    ids=["missing", "moved", "page", "other kind", "compressed", "large"],
)
async def test_what_is_no_file_is_refused(path: str, kind: str, words: str) -> None:
    """Whatever is no file of the wanted kind and size is a 400 that names the part."""
    with pytest.raises(RequestError, match=words) as caught:
        await fetched("a.png" if kind == "image_url" else path, path, kind=kind)
    assert str(caught.value.param).startswith("messages[0].content[")


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1:{}/a.png",
        "http://[::1]:{}/a.png",
        "http://[::ffff:127.0.0.1]:{}/a.png",
        "http://localhost:{}/a.png",
        "http://2130706433:{}/a.png",
        "http://0x7f.1:{}/a.png",
        "http://0:{}/a.png",
        "http://ada:secret@127.0.0.1:{}/a.png",
        "http://:{}/a.png",
        "http://[::1:{}/a.png",
        "http://a..b:{}/a.png",
        "http://xn--0.com:{}/a.png",
        f"http://{'a' * 64}.com:{{}}/a.png",
    ],
)
async def test_this_machine_is_not_asked(url: str) -> None:
    """However it is written, an address of this machine, or none at all, is a 400, and nothing is asked there."""
    visits: list[str] = []
    async with some_server(visits) as port, open_remote_media(is_enabled=True) as media:
        assert media is not None
        with pytest.raises(RequestError, match="Send the file itself"):
            await media.fetched(body_of(url.format(port)), ALL_TYPES)
    assert visits == []


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("8.8.8.8", True),
        ("2606:4700::1111", True),
        ("10.0.0.1", False),
        ("100.64.0.1", False),
        ("169.254.169.254", False),
        ("192.168.1.1", False),
        ("0.0.0.0", False),  # noqa: S104 -- nothing listens there
        ("224.0.0.1", False),
        ("fe80::1", False),
        ("fd00::1", False),
        ("::ffff:8.8.8.8", False),
        ("64:ff9b::7f00:1", False),
        ("2002:7f00:1::", False),
        ("fec0::1", False),
        ("64:ff9b:1::a00:1", False),
        ("::7f00:1", False),
        ("3fff::1", False),
        ("5f00::1", False),
        ("192.88.99.1", False),
        ("168.63.129.16", False),
    ],
)
def test_public_addresses_are_told_from_others(address: str, *, expected: bool) -> None:
    """Only an address of the open internet is public; one that stands for another is not."""
    assert is_public(address) is expected


async def test_slow_file_is_refused() -> None:
    """A file that does not come in time is a 400 that says so."""
    async with (
        some_server() as port,
        open_remote_media(is_enabled=True, is_allowed=lambda _: True, timeout_s=0) as media,
    ):
        assert media is not None
        with pytest.raises(RequestError, match="did not arrive within 0 s"):
            await media.fetched(body_of(f"http://127.0.0.1:{port}/a.png"), ALL_TYPES)


async def test_many_files_are_refused() -> None:
    """A request that names too many files is a 400 before anything is fetched."""
    async with open_remote_media(is_enabled=True) as media:
        assert media is not None
        with pytest.raises(RequestError, match="names 9 files") as caught:
            await media.fetched(body_of(*["http://127.0.0.1/a.png"] * (MAX_FILES + 1)), ALL_TYPES)
    assert caught.value.param == "messages[0].content[8]"


async def test_nothing_is_fetched_unasked(lab: Lab) -> None:
    """Without the setting an address is a 400 that names the setting."""
    messages = body_of("https://example.com/a.png")["messages"]
    async with lab.http.post(
        f"{lab.url}/v1/chat/completions", json={**chat_body(), "messages": messages}
    ) as response:
        assert response.status == 400
        assert "ANTIGRAVITY_PROXY_FETCH_MEDIA" in (await response.json())["error"]["message"]


async def test_setting_allows_the_open_internet_only(open_lab: OpenLab) -> None:
    """With the setting other requests are served as ever, and an address of this machine is a 400."""
    async with open_lab(fetch_media=True) as lab:
        assert (await lab.chat("Hi"))[0] == 200
        messages = body_of(f"{lab.url}/health")["messages"]
        async with lab.http.post(
            f"{lab.url}/v1/chat/completions", json={**chat_body(), "messages": messages}
        ) as response:
            assert response.status == 400
            assert "not on the open internet" in (await response.json())["error"]["message"]


async def test_nothing_is_fetched_that_nobody_takes(open_lab: OpenLab) -> None:
    """For a model that does not exist, or takes no such media, no address is asked."""
    visits: list[str] = []
    async with some_server(visits) as port, open_lab(fetch_media=True) as lab:
        messages = body_of(f"http://127.0.0.1:{port}/a.png")["messages"]
        for model, status in (("nope", 404), ("gpt-oss-120b", 400)):
            body = {"model": model, "messages": messages}
            async with lab.http.post(f"{lab.url}/v1/chat/completions", json=body) as response:
                assert response.status == status
                message = (await response.json())["error"]["message"]
        assert message == "messages[0].content[0] is image/*, which this model does not take."
    assert visits == []


@pytest.mark.parametrize(
    "host", ["2130706433", "127.1", "0", "0177.0.0.1", "0x7f000001", "127.0.0.1.", "\uff11\uff12\uff17.1"]
)
async def test_old_ways_to_write_an_address_are_refused_here(host: str) -> None:
    """Whether the HTTP library would look such a host up or not, it is never asked."""
    async with open_remote_media(is_enabled=True) as media:
        assert media is not None
        with pytest.raises(RequestError, match="is not on the open internet, and nothing else is asked"):
            await media.fetched(body_of(f"http://{host}/a.png"), ALL_TYPES)
