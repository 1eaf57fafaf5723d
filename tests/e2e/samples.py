"""Small real files and tools that tests send."""

from __future__ import annotations

import base64
import io
import struct
import wave
import zlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from openai.types.chat import ChatCompletionToolParam


def png(width: int = 2, height: int = 2) -> bytes:
    """A red picture."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    rows = b"".join(b"\x00" + b"\xff\x00\x00" * width for _ in range(height))
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def wav(seconds: float = 0.1) -> bytes:
    """Silence."""
    stream = io.BytesIO()
    with wave.open(stream, "wb") as out:
        out.setnchannels(1)
        out.setsampwidth(2)
        out.setframerate(8000)
        out.writeframes(b"\x00\x00" * int(8000 * seconds))
    return stream.getvalue()


MODEL = "gemini-3.8-flash"
FAMILIES = (MODEL, "claude-sonnet-4-6", "gpt-oss-120b")
"""A model of each family."""

PDF = b"%PDF-1.4\n1 0 obj<</Type/Catalog>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n"


def base64_of(data: bytes) -> str:
    """Standard base64."""
    return base64.b64encode(data).decode()


def data_url(mime_type: str, data: bytes) -> str:
    """A base64 data URL."""
    return f"data:{mime_type};base64,{base64_of(data)}"


def user(content: Any) -> list[Any]:
    """One user message: text, or a list of parts."""
    return [{"role": "user", "content": content}]


def image(data: bytes, mime_type: str = "image/png") -> Any:
    """A part with a picture."""
    return {"type": "image_url", "image_url": {"url": data_url(mime_type, data)}}


def audio(data: bytes, audio_format: str) -> Any:
    """A part with sound."""
    return {"type": "input_audio", "input_audio": {"data": base64_of(data), "format": audio_format}}


def document(filename: str, file_data: str) -> Any:
    """A part with a file."""
    return {"type": "file", "file": {"filename": filename, "file_data": file_data}}


def tool(name: str, **properties: str) -> ChatCompletionToolParam:
    """A function tool whose parameters have the given JSON types, all required."""
    return {
        "type": "function",
        "function": {
            "name": name,
            "description": f"The tool {name}.",
            "parameters": {
                "type": "object",
                "properties": {key: {"type": kind} for key, kind in properties.items()},
                "required": list(properties),
            },
        },
    }
