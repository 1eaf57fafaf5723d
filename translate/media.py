"""Images, sounds, films and documents: from data URLs and base64 to parts.

The base64 text is handed on as it came: it is checked, never decoded and encoded again.

Source:
    RFC 2397 (data URLs), RFC 4648 (base64), and SPEC.md, "Media".
"""

from __future__ import annotations

import base64
import binascii
import re
from typing import TYPE_CHECKING

from ..errors import RequestError
from .events import Media
from .media_types import AUDIO_FORMATS, EXTENSIONS, PLAIN_TEXT, SYNONYMS, UNTOLD_TYPES
from .target import media_types_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .target import Target

ALPHABET = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
LOOK_CHARS = 64 * 1024
"""So much base64, or percent-encoded text, is read at once: it stays in the processor's cache."""

URL_SAFE = str.maketrans("-_", "+/")
WHITESPACE = str.maketrans("", "", " \t\r\n")

STRAY_PERCENT = re.compile(rb"%(?![0-9A-Fa-f]{2})")
"""A percent sign that begins no byte, and so stands for itself."""


def from_data_url(url: str, target: Target, param: str, *, default_type: str) -> Media:
    """A part from a data URL, with or without parameters and base64.

    Args:
        url: the data URL.
        target: where it goes.
        param: its place in the request.
        default_type: its type when the URL does not tell one.

    Raises:
        RequestError: the URL is of another kind, or its data is empty or broken, or the model does not take it.
    """
    mime_type, data = split_data_url(url, param)
    return from_base64(data, mime_type or default_type, target, param)


def _elsewhere(scheme: str) -> str:
    """Why an address that is no data URL cannot be sent, and what can."""
    advice = "Send the file itself as a data URL: data:image/png;base64,..."
    if scheme in ("http", "https"):
        return (
            f"is a web address, which this proxy does not fetch unless it is allowed to. {advice}, or set "
            "ANTIGRAVITY_PROXY_FETCH_MEDIA=true to have images and films fetched."
        )
    return f"is no data URL, and nothing else is read. {advice}"


def split_data_url(url: str, param: str) -> tuple[str, str]:
    """The mime type of a data URL, empty when it tells none, and its data as base64 text, which is not checked.

    Raises:
        RequestError: the URL is of another kind.
    """
    url = url.strip()
    scheme = url[: max(0, url.find(":"))].lower()
    if scheme != "data":
        raise RequestError(f"{param} {_elsewhere(scheme)}", param=param)
    comma = url.find(",")
    if comma < 0:
        raise RequestError(f"{param} is not a data URL: it has no comma before its data.", param=param)
    # Megabytes are cut out once.
    head, payload = url[len("data:") : comma], url[comma + 1 :]
    # Of the parameters the last one counts, however many there are.
    mime_type, _, parameters = head.partition(";")
    mime_type = mime_type.strip().lower()
    if parameters.rpartition(";")[2].strip().lower() == "base64":
        data = _without_percents(payload).decode("utf-8", "replace") if "%" in payload else payload
    else:
        data = base64.b64encode(_without_percents(payload)).decode()
        mime_type = mime_type or PLAIN_TEXT  # RFC 2397: "If <mediatype> is omitted, it defaults to text/plain".
    return "" if mime_type in UNTOLD_TYPES else mime_type, data


def _without_percents(text: str) -> bytes:
    """The bytes of percent-encoded text.

    Quoted-printable text is the same with another sign, and is read in C: ten times as fast as urllib reads this. In
    pieces, as other threads wait for each.
    """
    pieces = (STRAY_PERCENT.sub(b"%25", piece) for piece in _pieces_of(text.encode()))
    return b"".join(binascii.a2b_qp(piece.replace(b"=", b"=3D").replace(b"%", b"=")) for piece in pieces)


def _pieces_of(data: bytes) -> Iterator[bytes]:
    """The data in pieces; none ends between a percent sign and its two digits."""
    start = 0
    while start < len(data):
        end = start + LOOK_CHARS
        end -= data[end - 2 : end][::-1].find(b"%") + 1
        yield data[start:end]
        start = end


def from_base64(data: str, mime_type: str, target: Target, param: str) -> Media:
    """A part from base64 text.

    Raises:
        RequestError: the data is empty or not base64, or the model does not take this type.
    """
    mime_type = mime_type.partition(";")[0].strip().lower()
    mime_type = _accepted_type(SYNONYMS.get(mime_type, mime_type), target, param)
    return Media(mime_type, checked_base64(data, param))


def _accepted_type(mime_type: str, target: Target, param: str) -> str:
    accepted = media_types_of(target)
    if mime_type in accepted:
        return mime_type
    if mime_type.startswith("text/") and PLAIN_TEXT in accepted:
        return PLAIN_TEXT  # text of a kind upstream has no name for is still text
    takes = ", ".join(sorted(accepted)) or "text only"
    raise RequestError(
        f"{param} is {mime_type or 'of no type'}, which {target.model_id} does not take (it takes {takes}). "
        "Choose another model or leave the part out.",
        param=param,
    )


def checked_base64(data: str, param: str) -> str:
    """The same text if it is standard base64 with padding, else its mended form.

    Raises:
        RequestError: it is empty or not base64.
    """
    if not _is_standard(data):
        data = data.translate(WHITESPACE).translate(URL_SAFE).rstrip("=")
        data += "=" * (-len(data) % 4)
        if not _is_standard(data):
            raise RequestError(f"{param} is not valid base64. Encode the file's bytes again.", param=param)
    if not data:
        raise RequestError(f"{param} is empty. Send the file's bytes as base64.", param=param)
    return data


def _is_standard(data: str) -> bool:
    if len(data) % 4 or not data.isascii():
        return False
    end = len(data) - data[-2:].count("=") if data.endswith("=") else len(data)
    # Deleting the alphabet and looking whether anything is left is far faster than decoding, and leaves no copy.
    pieces = (data[start : min(start + LOOK_CHARS, end)] for start in range(0, end, LOOK_CHARS))
    return not any(piece.encode("ascii").translate(None, ALPHABET) for piece in pieces)


def audio_type(audio_format: str, param: str) -> str:
    """Mime type of an ``input_audio`` format.

    Raises:
        RequestError: the format is not in the table.
    """
    mime_type = AUDIO_FORMATS.get(audio_format.strip().lower())
    if mime_type is None:
        known = ", ".join(name for name in AUDIO_FORMATS if name)
        raise RequestError(
            f"{param} is {audio_format[:40]!r}; known formats are {known}. Convert it, to wav for one.", param=param
        )
    return mime_type


def type_of_file(filename: str, param: str) -> str:
    """Mime type of a file by the end of its name.

    Raises:
        RequestError: the name has no end, or one that is not in the table.
    """
    _, dot, extension = filename.rpartition(".")
    mime_type = EXTENSIONS.get(extension.strip().lower()) if dot else None
    if mime_type is None:
        raise RequestError(
            f"{param} has the filename {filename[:80]!r}, which does not tell its type. Give it its usual end, such "
            "as .pdf or .mp3.",
            param=param,
        )
    return mime_type
