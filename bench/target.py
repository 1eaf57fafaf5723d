"""One thing that is measured: where it is and how it is asked."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from .check import Shape

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .scenario import Scenario

OPENAI = Shape(is_translated=True)
CLOUD_CODE = Shape(is_translated=False)
PROMPT = "{token} Please answer at the length that the scenario says."
GREETING = ("Hello.", "Hello, how can I help?")
INSTRUCTION = "You are a terse assistant."


@dataclass(frozen=True, slots=True)
class Target:
    """One row of processes.

    Attributes:
        name: in the tables.
        port: where it listens.
        shape: how it is asked and answers.
        model: asked for.
        headers: sent along.
        is_ours: whether a wrong answer of it fails the run.
        is_rough: measured in few rounds, as other gateways are too slow to need more.
    """

    name: str
    port: int
    shape: Shape
    model: str = "gemini-3.8-flash"
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    is_ours: bool = True
    is_rough: bool = False

    def to_request(self, scenario: Scenario, *, is_stream: bool, media: tuple[str, str] | None = None) -> bytes:
        """A request as bytes; ``media`` is a mime type with base64."""
        prompt = PROMPT.format(token=scenario.token)
        write = _to_chat if self.shape.is_translated else _to_cloud_code
        path, body = write(self.model, prompt, media, is_stream=is_stream)
        data = json.dumps(body).encode()
        headers = {
            "Host": f"127.0.0.1:{self.port}",
            "Content-Type": "application/json",
            "Content-Length": str(len(data)),
            "Accept": "*/*",
            **self.headers,
        }
        lines = (f"POST {path} HTTP/1.1", *(f"{name}: {value}" for name, value in headers.items()), "", "")
        return "\r\n".join(lines).encode() + data


def _to_chat(
    model: str, prompt: str, media: tuple[str, str] | None, *, is_stream: bool
) -> tuple[str, dict[str, Any]]:
    content: list[dict[str, Any]] = [{"type": "text", "text": prompt}]
    if media is not None:
        mime_type, data = media
        if mime_type.startswith("image/"):
            content.append({"type": "image_url", "image_url": {"url": f"data:{mime_type};base64,{data}"}})
        else:
            content.append({"type": "input_audio", "input_audio": {"data": data, "format": "wav"}})
    said, answered = GREETING
    body: dict[str, Any] = {
        "model": model,
        "stream": is_stream,
        "temperature": 0.5,
        "max_tokens": 8192,
        "messages": [
            {"role": "system", "content": INSTRUCTION},
            {"role": "user", "content": said},
            {"role": "assistant", "content": answered},
            {"role": "user", "content": prompt if media is None else content},
        ],
    }
    if is_stream:
        body["stream_options"] = {"include_usage": True}
    return "/v1/chat/completions", body


def _to_cloud_code(
    model: str, prompt: str, media: tuple[str, str] | None, *, is_stream: bool
) -> tuple[str, dict[str, Any]]:
    parts: list[dict[str, Any]] = [{"text": prompt}]
    if media is not None:
        parts.append({"inlineData": {"mimeType": media[0], "data": media[1]}})
    said, answered = GREETING
    request = {
        "contents": [
            {"role": "user", "parts": [{"text": said}]},
            {"role": "model", "parts": [{"text": answered}]},
            {"role": "user", "parts": parts},
        ],
        "systemInstruction": {"parts": [{"text": INSTRUCTION}]},
        "generationConfig": {"temperature": 0.5, "maxOutputTokens": 8192},
    }
    method = "streamGenerateContent?alt=sse" if is_stream else "generateContent"
    return f"/v1internal:{method}", {"model": model, "project": "bench-project", "request": request}
