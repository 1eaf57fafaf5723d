"""The mime types that Google's catalogue names, in the names that are sent, and what they make of a model.

Source:
    SPEC.md, "Live catalogue".
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

SENT_NAMES: Mapping[str, str] = MappingProxyType(
    {
        "audio/s16le": "audio/pcm",
        "audio/l16": "audio/pcm",
        "audio/mp3": "audio/mpeg",
        "audio/opus": "audio/ogg",
        "audio/x-wav": "audio/wav",
        "audio/wave": "audio/wav",
        "audio/x-flac": "audio/flac",
        "audio/m4a": "audio/mp4",
        "audio/x-m4a": "audio/mp4",
        "image/jpg": "image/jpeg",
        "video/mov": "video/quicktime",
        "text/rtf": "application/rtf",
        "application/xml": "text/xml",
        "application/javascript": "text/javascript",
        "application/x-javascript": "text/javascript",
        "text/x-markdown": "text/markdown",
    }
)
"""A name of the catalogue → the one that is sent."""

INPUT_PREFIXES: tuple[tuple[str, str], ...] = (
    ("image", "image/"),
    ("audio", "audio/"),
    ("video", "video/"),
    ("pdf", "application/pdf"),
)
"""What a model takes → how the mime types of it begin."""


def read_media_types(supported: Any) -> frozenset[str] | None:
    """The mime types in ``supportedMimeTypes``, ``{"image/png": true}``; None when it names none."""
    if not isinstance(supported, dict):
        return None
    names = cast("dict[str, Any]", supported)
    return frozenset(_sent_name(name) for name, is_taken in names.items() if is_taken is True) or None


def inputs_of(media_types: Iterable[str]) -> tuple[str, ...]:
    """What a model takes that takes these mime types: ``text``, ``image``, ``audio``, ``video``, ``pdf``."""
    types = tuple(media_types)
    return ("text", *(kind for kind, prefix in INPUT_PREFIXES if any(name.startswith(prefix) for name in types)))


def _sent_name(name: str) -> str:
    """The name that is sent for one of the catalogue, such as ``video/audio/wav`` or ``audio/webm;codecs=opus``."""
    plain = "/".join(name.partition(";")[0].strip().lower().split("/")[-2:])
    return SENT_NAMES.get(plain, plain)
