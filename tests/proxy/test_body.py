"""Tests of request bodies, over real sockets."""

from __future__ import annotations

import asyncio
import gzip
import json
from io import BytesIO
from typing import TYPE_CHECKING, Any

import aiohttp
import pytest

from antigravity_proxy.proxy.body import MAX_MEMBERS, read_form, read_json, read_json_text, to_value
from antigravity_proxy.proxy.middleware import MAX_BODY_BYTES
from antigravity_proxy.proxy.responses import to_json_response

from .conftest import eventually, settle

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from aiohttp import web

    from .conftest import Lab, Leap, OpenLab

JSON = {"Content-Type": "application/json"}
DEEP = 100_000


def add_echo(app: web.Application) -> None:
    """Add routes that say what a body was; those under ``/hasty`` wait for it two seconds."""

    async def echo(request: web.Request) -> web.Response:
        return to_json_response({"body": await read_json(request)})

    async def measure(request: web.Request) -> web.Response:
        return to_json_response({"kind": type(await read_json(request)).__name__})

    async def fields(request: web.Request) -> web.Response:
        form = await read_form(request)
        return to_json_response(
            {name: value if isinstance(value, str) else type(value).__name__ for name, value in form.items()}
        )

    async def hasty_echo(request: web.Request) -> web.Response:
        return to_json_response(to_value(await read_json_text(request, timeout_s=2)))

    async def hasty_fields(request: web.Request) -> web.Response:
        return to_json_response(list(await read_form(request, timeout_s=2)))

    app.router.add_post("/echo", echo)
    app.router.add_post("/measure", measure)
    app.router.add_post("/fields", fields)
    app.router.add_post("/hasty/echo", hasty_echo)
    app.router.add_post("/hasty/fields", hasty_fields)


async def post(lab: Lab, path: str, data: Any, headers: dict[str, str]) -> tuple[int, Any]:
    """Post some bytes; the status and the parsed answer."""
    async with lab.http.post(f"{lab.url}{path}", data=data, headers=headers) as response:
        assert response.headers["Content-Type"].startswith("application/json")
        return response.status, await response.json()


@pytest.mark.parametrize(
    ("data", "value"),
    [
        (b'{"a": 1}', {"a": 1}),
        (b" [1, 2]\n", [1, 2]),
        (b"null", None),
        ('\ufeff{"a": "grüße"}'.encode(), {"a": "grüße"}),
        (rb'{"a": "\ud83d"}', {"a": "\ufffd"}),
        (b'{"a": "\xed\xa0\xbd"}', {"a": "\ufffd"}),
        (b"[" * 200 + b"]" * 200, json.loads("[" * 200 + "]" * 200)),
    ],
    ids=["object", "list", "null", "bom", "escaped-surrogate", "raw-surrogate", "nested"],
)
async def test_json_body_is_parsed(open_lab: OpenLab, data: bytes, value: Any) -> None:
    """JSON is read as it is; a byte order mark and half characters are forgiven."""
    async with open_lab(accounts=(), extend=add_echo) as lab:
        assert await post(lab, "/echo", data, JSON) == (200, {"body": value})


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"{",
        b'{"a": NaN}',
        b'{"a": Infinity}',
        b"{'a': 1}",
        b'{"a": 1} {}',
        b"\xff\xfe{\x00",
        b'{"a": "\xff"}',
        b"[" * DEEP + b"]" * DEEP,
        b'{"a":' * DEEP,
        "\ufeff".encode() + b"[" * DEEP + b"]" * DEEP,
    ],
    ids=["empty", "cut", "nan", "infinity", "quotes", "two", "utf-16", "latin", "deep", "deep-cut", "deep-bom"],
)
async def test_what_is_no_json_is_a_400(open_lab: OpenLab, data: bytes) -> None:
    """A body that is not JSON is the client's fault, and said so."""
    async with open_lab(accounts=(), extend=add_echo) as lab:
        status, body = await post(lab, "/echo", data, JSON)
        assert status == 400
        assert body["error"]["type"] == "invalid_request_error"
        assert body["error"]["message"].startswith("The body is not valid JSON: ")


@pytest.mark.parametrize("start", ["", "\ufeff", '["\\ud800",'], ids=["plain", "bom", "surrogate"])
async def test_body_nested_to_the_edge_is_read_or_refused(open_lab: OpenLab, start: str) -> None:
    """Around the depth where parsers give up, a body is either read or the client's fault."""
    async with open_lab(accounts=(), extend=add_echo) as lab:
        found: set[int] = set()
        for depth in range(750, 1030):
            data = f"{start}{'[' * depth}{']' * depth}{']' * start.startswith('[')}"
            status, _ = await post(lab, "/measure", data.encode(), JSON)
            found.add(status)
        assert found == {200, 400}


@pytest.mark.parametrize(
    ("content_type", "status"),
    [
        ("application/json", 200),
        ("application/json; charset=utf-8", 200),
        ("APPLICATION/JSON", 200),
        ("text/plain", 415),
        ("text/plain; charset=application/json", 415),
        ("application/x-www-form-urlencoded", 415),
        ("multipart/form-data; boundary=x", 415),
        ("application/json-patch+json", 415),
        ("json", 415),
        (None, 415),
    ],
)
async def test_body_must_be_declared_as_json(open_lab: OpenLab, content_type: str | None, status: int) -> None:
    """What a page of another site can send unasked is refused before it is read."""
    async with open_lab(accounts=(), extend=add_echo) as lab:
        headers = {} if content_type is None else {"Content-Type": content_type}
        async with lab.http.post(
            f"{lab.url}/echo", data=b"{}", headers=headers, skip_auto_headers=("Content-Type",)
        ) as response:
            assert response.status == status
            body = await response.json()
            assert status == 200 or body["error"]["code"] == "unsupported_media_type"


async def test_compressed_body_is_read(open_lab: OpenLab) -> None:
    """A compressed body is read; one that only says so is refused."""
    async with open_lab(accounts=(), extend=add_echo) as lab:
        headers = {**JSON, "Content-Encoding": "gzip"}
        assert await post(lab, "/echo", gzip.compress(b'{"a": 1}'), headers) == (200, {"body": {"a": 1}})
        status, body = await post(lab, "/echo", b'{"a": 1}', headers)
        assert status == 400
        assert body["error"]["message"].startswith("The body is broken")


@pytest.mark.parametrize("path", ["/echo", "/fields"])
@pytest.mark.parametrize("is_chunked", [False, True], ids=["length", "chunked"])
async def test_too_large_body_is_a_413(open_lab: OpenLab, path: str, *, is_chunked: bool) -> None:
    """One byte more than the limit is refused, whether its length is announced or not."""
    head = b'--x\r\nContent-Disposition: form-data; name="file"; filename="a.ogg"\r\n\r\n'
    data = (head if path == "/fields" else b'"').ljust(MAX_BODY_BYTES + 1, b" ")
    kind = {"Content-Type": "multipart/form-data; boundary=x"} if path == "/fields" else JSON

    async def pieces() -> AsyncIterator[bytes]:
        for start in range(0, len(data), 2**20):
            yield data[start : start + 2**20]

    async with open_lab(accounts=(), extend=add_echo) as lab:
        status, body = await post(lab, path, pieces() if is_chunked else BytesIO(data), kind)
        assert status == 413
        assert body["error"]["code"] == "body_too_large"
        assert "64 MiB" in body["error"]["message"]


@pytest.mark.parametrize("piece", [b"1,", b"[],", b'{"a":{}},', b'"a",'])
async def test_body_of_too_many_members_is_a_413(open_lab: OpenLab, piece: bytes) -> None:
    """Small values, which take far more memory than bytes, are counted before they are read."""
    async with open_lab(accounts=(), extend=add_echo) as lab:
        status, body = await post(lab, "/echo", BytesIO(b"[" + piece * MAX_MEMBERS + b"1]"), JSON)
        assert (status, body["error"]["code"]) == (413, "body_too_large")
        assert "more than 2000000 commas" in body["error"]["message"]


async def test_body_that_grows_when_unpacked_is_a_413(open_lab: OpenLab) -> None:
    """The limit holds for what a compressed body unpacks to."""
    async with open_lab(accounts=(), extend=add_echo) as lab:
        data = gzip.compress(b" " * (MAX_BODY_BYTES + 1))
        status, _ = await post(lab, "/echo", data, {**JSON, "Content-Encoding": "gzip"})
        assert status == 413


async def test_largest_body_is_read(open_lab: OpenLab) -> None:
    """A body of exactly the limit is no larger than the limit."""
    async with open_lab(accounts=(), extend=add_echo) as lab:
        status, body = await post(lab, "/echo", BytesIO(b"1".ljust(MAX_BODY_BYTES)), JSON)
        assert (status, body) == (200, {"body": 1})


@pytest.mark.parametrize(
    ("path", "kind"), [("echo", "application/json"), ("fields", "multipart/form-data; boundary=x")]
)
async def test_slow_body_is_a_408(open_lab: OpenLab, leap: Leap, path: str, kind: str) -> None:
    """A body that does not arrive in time is given up."""
    async with open_lab(accounts=(), extend=add_echo) as lab:
        head = (
            f"POST /hasty/{path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: {kind}\r\nContent-Length: 50\r\n\r\n-"
        )
        sending = asyncio.create_task(lab.send(head.encode(), until=b"}}"))
        await eventually(lambda: lab.open_connections() == 1)
        await settle()
        leap(2)
        received = await sending
        assert received.startswith(b"HTTP/1.1 408 Request Timeout\r\n")
        error = json.loads(received.partition(b"\r\n\r\n")[2])["error"]
        assert error["code"] == "request_timeout"
        assert "within 2 s" in error["message"]


async def test_form_has_texts_and_files(open_lab: OpenLab) -> None:
    """A form is read as texts and files."""
    form = aiohttp.FormData({"model": "whisper-1"})
    form.add_field("file", b"OggS", filename="note.ogg", content_type="audio/ogg")
    async with (
        open_lab(accounts=(), extend=add_echo) as lab,
        lab.http.post(f"{lab.url}/fields", data=form) as response,
    ):
        assert await response.json() == {"model": "whisper-1", "file": "FormFile"}


def part(*headers: str, content: bytes = b"abc") -> bytes:
    """A form of one part."""
    return "\r\n".join(["--x", *headers, "", ""]).encode() + content + b"\r\n--x--\r\n"


NAMED = 'Content-Disposition: form-data; name="a"'
BROKEN_FORMS = {
    "other-boundary": b"abc",
    "empty": b"",
    "no-name": part("Content-Disposition: form-data"),
    "charset": part(NAMED, "Content-Type: text/plain; charset=nope"),
    "transfer-encoding": part(NAMED, "Content-Transfer-Encoding: nope"),
    "latin": part(NAMED, content=b"\xff"),
    "half-name": part("Content-Disposition: form-data; name*0*=unicode_escape''%5Cud800"),
    "half-filename": part(f"{NAMED}; filename*0*=unicode_escape''%5Cud800"),
    "no-header": part("not a header"),
    "long-header": part(NAMED, f"A: {'a' * 20_000}"),
    "nested": part("Content-Type: multipart/mixed; boundary=y", content=b"--y\r\n\r\na\r\n--y--"),
}


@pytest.mark.parametrize("data", BROKEN_FORMS.values(), ids=BROKEN_FORMS)
async def test_broken_form_is_a_400(open_lab: OpenLab, data: bytes) -> None:
    """A form that cannot be read is the client's fault, and said so."""
    async with open_lab(accounts=(), extend=add_echo) as lab:
        status, body = await post(lab, "/fields", data, {"Content-Type": "multipart/form-data; boundary=x"})
        assert status == 400, body
        assert body["error"]["type"] == "invalid_request_error"


@pytest.mark.parametrize("charset", ["utf-8", "UTF8", "US-ASCII", '"iso-8859-1"'])
async def test_field_has_one_of_the_common_charsets(open_lab: OpenLab, charset: str) -> None:
    """A field may say how it is encoded, in the charsets that clients use."""
    text = "abc" if charset == "US-ASCII" else "grün"
    content = text.encode("latin-1" if "8859" in charset else "utf-8")
    async with open_lab(accounts=(), extend=add_echo) as lab:
        data = part(NAMED, f"Content-Type: text/plain; charset={charset}", content=content)
        kind = {"Content-Type": "multipart/form-data; boundary=x"}
        assert await post(lab, "/fields", data, kind) == (200, {"a": text})


@pytest.mark.parametrize("charset", ["unicode_escape", "punycode", "idna", "utf-7", "utf-16", "rot13", "nope", "é"])
async def test_other_charset_is_a_400_that_names_the_field(open_lab: OpenLab, charset: str) -> None:
    """No other codec of Python's decodes what a client sends, as some are slow and some give what is no text."""
    async with open_lab(accounts=(), extend=add_echo) as lab:
        data = part(NAMED, f"Content-Type: text/plain; charset={charset}", content=rb"\ud800")
        status, body = await post(lab, "/fields", data, {"Content-Type": "multipart/form-data; boundary=x"})
        assert (status, body["error"]["param"]) == (400, "a")
        assert body["error"]["message"] == f"The field a is in the charset {charset!r}; send it in UTF-8."


async def test_form_of_many_fields_is_a_413(open_lab: OpenLab) -> None:
    """A form may have a hundred fields, of which the first of each name counts, and no more."""
    async with open_lab(accounts=(), extend=add_echo) as lab:
        for count, expected in ((100, 200), (101, 413)):
            data = part(NAMED).removesuffix(b"--x--\r\n") * count + b"--x--\r\n"
            status, _ = await post(lab, "/fields", data, {"Content-Type": "multipart/form-data; boundary=x"})
            assert status == expected
        data = part(NAMED, content=b"first").removesuffix(b"--x--\r\n") + part(NAMED, content=b"second")
        _, body = await post(lab, "/fields", data, {"Content-Type": "multipart/form-data; boundary=x"})
        assert body == {"a": "first"}


async def test_form_without_a_boundary_is_a_400(open_lab: OpenLab) -> None:
    """A form whose header does not say what is between its parts cannot be read."""
    async with open_lab(accounts=(), extend=add_echo) as lab:
        status, body = await post(lab, "/fields", b"abc", {"Content-Type": "multipart/form-data"})
        assert status == 400
        assert "boundary" in body["error"]["message"]


@pytest.mark.parametrize("content_type", ["application/json", "application/x-www-form-urlencoded", "text/plain"])
async def test_form_must_be_declared_as_one(open_lab: OpenLab, content_type: str) -> None:
    """Only a form with files is read as one."""
    async with open_lab(accounts=(), extend=add_echo) as lab:
        status, body = await post(lab, "/fields", b"a=1", {"Content-Type": content_type})
        assert (status, body["error"]["code"]) == (415, "unsupported_media_type")
