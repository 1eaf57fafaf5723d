"""Mime types: what clients call them, and which ones models take.

Source:
    https://www.iana.org/assignments/media-types and SPEC.md, "Media".
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

IMAGE_TYPES = frozenset({"image/png", "image/jpeg", "image/webp", "image/heic", "image/heif"})
"""All images any model takes; GIF is not among them."""

AUDIO_TYPES = frozenset(
    {
        "audio/wav",
        "audio/mpeg",
        "audio/ogg",
        "audio/flac",
        "audio/aac",
        "audio/mp4",
        "audio/webm",
        "audio/pcm",
        "audio/basic",
    }
)
VIDEO_TYPES = frozenset({"video/mp4", "video/mpeg", "video/webm", "video/quicktime", "video/3gpp", "video/x-flv"})
DOCUMENT_TYPES = frozenset(
    {
        "application/pdf",
        "application/rtf",
        "application/json",
        "application/x-ipynb+json",
        "text/plain",
        "text/markdown",
        "text/html",
        "text/css",
        "text/csv",
        "text/xml",
        "text/javascript",
        "text/x-python",
    }
)
ALL_TYPES = IMAGE_TYPES | AUDIO_TYPES | VIDEO_TYPES | DOCUMENT_TYPES
PLAIN_TEXT = "text/plain"
UNTOLD_TYPES = frozenset({"", "application/octet-stream"})
"""What clients send for a type they do not know."""

TEXT_EXTENSIONS = (
    *("txt", "text", "log", "srt", "vtt", "diff", "patch", "tex", "bib", "rst", "adoc", "org", "tsv", "jsonl"),
    *("yaml", "yml", "toml", "ini", "cfg", "conf", "properties", "env", "sql", "graphql", "proto", "tf", "hcl"),
    *("sh", "bash", "zsh", "fish", "ps1", "bat", "cmd", "gradle", "cmake", "mk", "php", "rb", "pl", "pm", "lua"),
    *("c", "h", "cc", "cpp", "cxx", "hh", "hpp", "hxx", "m", "mm", "cs", "fs", "vb", "go", "rs", "zig"),
    *("java", "kt", "kts", "scala", "groovy", "clj", "dart", "r", "jl", "ex", "exs", "erl", "hs", "ml", "nim"),
    *("swift", "sol", "ts", "tsx", "mts", "cts", "jsx", "vue", "svelte", "astro", "scss", "sass", "less"),
)
"""Ends of the names of files that are text, of a kind upstream has no name for: mostly source code."""

AUDIO_FORMATS: Mapping[str, str] = MappingProxyType(
    {
        "": "audio/wav",
        "wav": "audio/wav",
        "mp3": "audio/mpeg",
        "mpeg": "audio/mpeg",
        "ogg": "audio/ogg",
        "opus": "audio/ogg",
        "flac": "audio/flac",
        "aac": "audio/aac",
        "m4a": "audio/mp4",
        "mp4": "audio/mp4",
        "webm": "audio/webm",
        "pcm16": "audio/pcm",
        "g711_ulaw": "audio/basic",
    }
)
"""``input_audio.format`` → mime type. Opus outside a container does not occur: its files are Ogg.

``g711_alaw`` is not among them: ``audio/basic`` is µ-law, and read as that it would be noise.
"""

EXTENSIONS: Mapping[str, str] = MappingProxyType(
    {
        **dict.fromkeys(TEXT_EXTENSIONS, PLAIN_TEXT),
        "pdf": "application/pdf",
        "md": "text/markdown",
        "markdown": "text/markdown",
        "csv": "text/csv",
        "html": "text/html",
        "htm": "text/html",
        "css": "text/css",
        "xml": "text/xml",
        "js": "text/javascript",
        "mjs": "text/javascript",
        "cjs": "text/javascript",
        "py": "text/x-python",
        "json": "application/json",
        "ipynb": "application/x-ipynb+json",
        "rtf": "application/rtf",
        "png": "image/png",
        "jpg": "image/jpeg",
        "jpeg": "image/jpeg",
        "webp": "image/webp",
        "gif": "image/gif",
        "heic": "image/heic",
        "heif": "image/heif",
        "mpga": "audio/mpeg",
        "mp3": "audio/mpeg",
        "wav": "audio/wav",
        "ogg": "audio/ogg",
        "oga": "audio/ogg",
        "opus": "audio/ogg",
        "flac": "audio/flac",
        "aac": "audio/aac",
        "m4a": "audio/mp4",
        "mp4": "video/mp4",
        "mov": "video/quicktime",
        "mpeg": "video/mpeg",
        "mpg": "video/mpeg",
        "webm": "video/webm",
    }
)
"""End of a file name → mime type; a table of ours, as the system's differs from machine to machine."""

SYNONYMS: Mapping[str, str] = MappingProxyType(
    {
        "image/jpg": "image/jpeg",
        "image/pjpeg": "image/jpeg",
        "audio/mp3": "audio/mpeg",
        "audio/x-wav": "audio/wav",
        "audio/wave": "audio/wav",
        "audio/vnd.wave": "audio/wav",
        "audio/x-flac": "audio/flac",
        "audio/opus": "audio/ogg",
        "audio/m4a": "audio/mp4",
        "audio/x-m4a": "audio/mp4",
        "application/x-pdf": "application/pdf",
        "text/rtf": "application/rtf",
        "application/xml": "text/xml",
        "application/javascript": "text/javascript",
        "application/x-javascript": "text/javascript",
        "application/yaml": PLAIN_TEXT,
        "application/x-yaml": PLAIN_TEXT,
        "application/toml": PLAIN_TEXT,
        "application/sql": PLAIN_TEXT,
        "application/typescript": PLAIN_TEXT,
        "application/x-typescript": PLAIN_TEXT,
        "application/x-sh": PLAIN_TEXT,
        "application/x-httpd-php": PLAIN_TEXT,
        "application/x-tex": PLAIN_TEXT,
        "application/x-ndjson": PLAIN_TEXT,
        "video/mov": "video/quicktime",
        "text/x-markdown": "text/markdown",
    }
)
"""Other names of a mime type → the name upstream knows."""
