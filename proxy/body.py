"""Request bodies: read whole, in time, and as what they are declared to be.

Source:
    SPEC.md, "HTTP".
"""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from aiohttp import BodyPartReader, web
from aiohttp.http_exceptions import HttpProcessingError

from ..errors import BodyTooLargeError, MediaTypeError, RequestError, RequestTimeoutError
from ..translate.json_text import parse_json

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Mapping

BODY_TIMEOUT_S = 60.0
"""How long a client may take to send a body."""

MAX_MEMBERS = 2_000_000
"""How many members the lists and objects of a body may have, as small ones take far more memory than bytes.

A text of a million tokens has a tenth of them.
"""

MARKS = (b"[", b"{", b",")
"""One of these stands before each member."""

LOOK_BYTES = 64 * 1024
"""So much of a body is looked at once."""

MAX_QUOTED = 80
"""Characters of a name that an error repeats."""

MAX_FIELDS = 100
"""How many fields a form may have."""

CHARSETS: Mapping[str, str] = MappingProxyType(
    {"utf-8": "utf-8", "utf8": "utf-8", "us-ascii": "ascii", "ascii": "ascii", "iso-8859-1": "latin-1"}
)
"""Charset of a field, in small letters → codec; some of Python's other codecs are slow, or give what is no text."""

BROKEN_FORM = (ValueError, LookupError, RuntimeError)
"""What aiohttp raises about a form that is none: its parts, their charset or their encoding are wrong."""


@dataclass(frozen=True, slots=True)
class JsonBody:
    """A body as it is parsed, and how much work it is (``large_work.size_of``)."""

    value: Any
    size: int


async def read_json(request: web.Request) -> Any:
    """The parsed body of a request that changes something.

    Raises:
        ProxyError: whatever ``read_json_text`` and ``to_value`` raise.
        HTTPRequestEntityTooLarge: it is larger than the application takes.
    """
    return to_value(await read_json_text(request))


async def read_json_text(request: web.Request, *, timeout_s: float = BODY_TIMEOUT_S) -> bytes:
    """The body of a request that changes something, as it came.

    Raises:
        MediaTypeError: it is not declared as JSON; a page of another site can send anything else unasked.
        RequestError: it is broken.
        RequestTimeoutError: it did not come in time.
        HTTPRequestEntityTooLarge: it is larger than the application takes.
    """
    if request.content_type != "application/json":
        raise MediaTypeError("The body must be declared as JSON: send the header Content-Type: application/json.")
    if request.content.is_eof():
        return await request.read()  # has come already, as small ones do with their head
    async with _arriving(request, timeout_s):
        return await request.read()


def to_value(data: bytes) -> Any:
    """A body as it is parsed.

    Raises:
        BodyTooLargeError: it is made of too many members.
        RequestError: it is not JSON.
    """
    if len(data) > MAX_MEMBERS and _members_in(data) > MAX_MEMBERS:
        raise BodyTooLargeError(
            f"The body has more than {MAX_MEMBERS} commas and brackets, which takes too much memory. Send less."
        )
    try:
        return parse_json(data)
    except ValueError as exc:
        raise RequestError(f"The body is not valid JSON: {exc}.") from exc


def _members_in(data: bytes) -> int:
    """At most how many members a body has; in pieces, as most of base64 have none, which a search sees sooner."""
    starts = range(0, len(data), LOOK_BYTES)
    pieces = ((mark, start, start + LOOK_BYTES) for start in starts for mark in MARKS)
    return sum(data.count(*piece) for piece in pieces if data.find(*piece) >= 0)


@dataclass(frozen=True, slots=True)
class FormFile:
    """A file in a form, as its client describes it."""

    filename: str
    content_type: str
    data: bytes


async def read_form(request: web.Request, *, timeout_s: float = BODY_TIMEOUT_S) -> Mapping[str, str | FormFile]:
    """The fields of a form with files in it, of those with one name the first.

    All of it is in memory: a recording is nobody else's business, and a file on the disk could stay there.

    Raises:
        MediaTypeError: it is not declared as such a form.
        RequestError: it is not one.
        RequestTimeoutError: it did not come in time.
        HTTPRequestEntityTooLarge: it is larger than the application takes.
    """
    if request.content_type != "multipart/form-data":
        raise MediaTypeError("The body must be a form with files: send it as multipart/form-data.")
    async with _arriving(request, timeout_s):
        try:
            return dict(reversed([field async for field in _fields_of(request)]))
        except BROKEN_FORM as exc:
            raise RequestError(f"The form cannot be read: {exc}.") from exc


async def _fields_of(request: web.Request) -> AsyncGenerator[tuple[str, str | FormFile]]:
    reader = await request.multipart()
    count = 0
    while (part := await reader.next()) is not None:
        count += 1
        if count > MAX_FIELDS:
            raise web.HTTPRequestEntityTooLarge(request.client_max_size)
        if not isinstance(part, BodyPartReader) or part.name is None:
            raise ValueError("a part of it has no name")
        f"{part.name}{part.filename}".encode()  # half characters, which aiohttp lets through, cannot be answered
        data = await _content_of(part, request)
        if part.filename:
            content_type = part.headers.get("Content-Type", "application/octet-stream")
            yield part.name, FormFile(part.filename, content_type, data)
        else:
            yield part.name, data.decode(_codec_of(part, part.name))


def _codec_of(part: BodyPartReader, name: str) -> str:
    charset = part.get_charset("utf-8")
    if (codec := CHARSETS.get(charset.lower())) is None:
        name = name[:MAX_QUOTED]
        raise RequestError(
            f"The field {name} is in the charset {charset[:MAX_QUOTED]!r}; send it in UTF-8.", param=name
        )
    return codec


async def _content_of(part: BodyPartReader, request: web.Request) -> bytes:
    data = bytearray()
    while chunk := await part.read_chunk():
        data += chunk
        if request.content.total_bytes > request.client_max_size:
            raise web.HTTPRequestEntityTooLarge(request.client_max_size)
    return b"".join([bytes(decoded) async for decoded in part.decode_iter(data)])


@asynccontextmanager
async def _arriving(request: web.Request, timeout_s: float) -> AsyncGenerator[None]:
    if (request.content_length or 0) > (limit := request.client_max_size):
        raise web.HTTPRequestEntityTooLarge(limit)  # not a byte of what is too much anyway needs to be read
    try:
        async with asyncio.timeout(timeout_s):
            yield
    except TimeoutError as exc:
        raise RequestTimeoutError(f"The body did not arrive within {timeout_s:g} s. Send the request again.") from exc
    except (web.RequestPayloadError, HttpProcessingError) as exc:
        raise RequestError("The body is broken: its length or its encoding is not what the headers say.") from exc
