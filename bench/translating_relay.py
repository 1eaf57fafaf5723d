"""A relay that translates what the benchmark sends, and no more, the plain way: one write for each event."""

from __future__ import annotations

from typing import Any

import aiohttp
import orjson
from aiohttp import web

from .relay_options import run, serve

HEADERS = {"Content-Type": "application/json", "Authorization": "Bearer bench"}
ROLES = {"user": "user", "assistant": "model"}


def to_part(part: dict[str, Any]) -> dict[str, Any]:
    """One content part for Code Assist."""
    if part["type"] == "text":
        return {"text": part["text"]}
    if part["type"] == "image_url":
        head, _, data = part["image_url"]["url"].partition(";base64,")
        return {"inlineData": {"mimeType": head.removeprefix("data:"), "data": data}}
    audio = part["input_audio"]
    return {"inlineData": {"mimeType": f"audio/{audio['format']}", "data": audio["data"]}}


def to_envelope(body: dict[str, Any]) -> dict[str, Any]:
    """A chat request for Code Assist."""
    system: list[Any] = []
    contents: list[Any] = []
    for message in body["messages"]:
        content = message["content"]
        parts = [{"text": content}] if isinstance(content, str) else [to_part(part) for part in content]
        if message["role"] == "system":
            system += parts
        else:
            contents.append({"role": ROLES[message["role"]], "parts": parts})
    config = {"temperature": body.get("temperature"), "maxOutputTokens": body.get("max_tokens")}
    request = {"contents": contents, "systemInstruction": {"parts": system}, "generationConfig": config}
    return {"model": body["model"], "project": "bench-project", "request": request}


def read_event(data: bytes) -> tuple[str, str | None]:
    """The text of an event, and why the answer ends."""
    candidate = orjson.loads(data)["response"]["candidates"][0]
    return "".join(part["text"] for part in candidate["content"]["parts"]), candidate.get("finishReason")


def to_frame(head: dict[str, Any], delta: dict[str, Any], reason: str | None = None) -> bytes:
    """One frame of a stream."""
    choices = [{"index": 0, "delta": delta, "finish_reason": reason}]
    return b"data: " + orjson.dumps({**head, "choices": choices}) + b"\n\n"


async def main(port: int, host: str, upstream_port: int) -> None:
    """Serve until the process is stopped."""
    session = aiohttp.ClientSession(
        connector=aiohttp.TCPConnector(limit=0), timeout=aiohttp.ClientTimeout(total=None), headers=HEADERS
    )
    base = f"http://{host}:{upstream_port}/v1internal"

    async def handle(request: web.Request) -> web.StreamResponse:
        body = orjson.loads(await request.read())
        envelope = orjson.dumps(to_envelope(body))
        head = {"id": "chatcmpl-bench", "object": "chat.completion.chunk", "created": 1, "model": body["model"]}
        if not body.get("stream"):
            async with session.post(f"{base}:generateContent", data=envelope) as upstream:
                text, _ = read_event(await upstream.read())
            message = {"role": "assistant", "content": text}
            choices = [{"index": 0, "message": message, "finish_reason": "stop"}]
            answer = orjson.dumps({**head, "object": "chat.completion", "choices": choices})
            return web.Response(body=answer, content_type="application/json")
        async with session.post(f"{base}:streamGenerateContent?alt=sse", data=envelope) as upstream:
            response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
            await response.prepare(request)
            rest = b""
            async for data in upstream.content.iter_any():
                *lines, rest = (rest + data).split(b"\n")
                for line in lines:
                    if line.startswith(b"data: "):
                        text, reason = read_event(line[6:])
                        await response.write(to_frame(head, {"content": text}))
                        if reason:
                            await response.write(to_frame(head, {}, "stop"))
            await response.write_eof(b"data: [DONE]\n\n")
        return response

    await serve(handle, port)


if __name__ == "__main__":
    run(main)
