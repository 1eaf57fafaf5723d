"""Start the proxy, ask it three things with the openai package, and stop it.

Needs ``pip install openai``. The built-in simulator answers, also when an account is saved. An API key in
``ANTIGRAVITY_PROXY_API_KEY`` is what the proxy wants, and what this sends.
"""

from __future__ import annotations

import base64
import json
import os
import re
import struct
import subprocess
import sys
import zlib
from typing import TYPE_CHECKING, Any

from openai import DefaultHttpxClient, OpenAI

if TYPE_CHECKING:
    from collections.abc import Iterable

    from openai.types.chat import ChatCompletionChunk

MODEL = "gemini-3.8-flash"
API_KEY = os.environ.get("ANTIGRAVITY_PROXY_API_KEY") or "local"
WEATHER_TOOL: Any = {
    "type": "function",
    "function": {
        "name": "get_weather",
        "description": "Tell the weather of a city.",
        "parameters": {
            "type": "object",
            "properties": {"city": {"type": "string"}},
            "required": ["city"],
        },
    },
}


def main() -> int:
    """Run the demonstration."""
    command = [sys.executable, "-m", "antigravity_proxy", "serve", "--simulate", "--port", "0"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as server:  # noqa: S603
        try:
            url = wait_until_ready(server)
            # The proxy is on this machine, so no HTTP proxy of the environment lies on the way.
            direct = DefaultHttpxClient(trust_env=False)
            with OpenAI(base_url=url, api_key=API_KEY, http_client=direct) as client:
                ask_for_text(client)
                ask_with_a_tool(client)
                ask_about_a_picture(client)
        finally:
            server.terminate()
    print("\nThe proxy has stopped.")
    return server.returncode


def wait_until_ready(server: subprocess.Popen[str]) -> str:
    """Show what the server says until it is ready, and give its URL."""
    for line in server.stderr or ():
        print("  |", line.rstrip())
        if (ready := re.search(r"ready at (\S+)", line)) is not None:
            return ready[1]
    raise SystemExit("The proxy ended before it was ready.")


def ask_for_text(client: OpenAI) -> None:
    """A streamed answer, with thoughts."""
    print("\n> Hello! What are you?")
    messages: Any = [{"role": "user", "content": "Hello! What are you?"}]
    show(client.chat.completions.create(model=MODEL, messages=messages, reasoning_effort="low", stream=True))


def ask_with_a_tool(client: OpenAI) -> None:
    """A tool round trip: the model calls, we answer, the model goes on."""
    question = "Please call get_weather for Zurich."
    print(f"\n> {question}")
    messages: list[Any] = [{"role": "user", "content": question}]
    answer = client.chat.completions.create(model=MODEL, messages=messages, tools=[WEATHER_TOOL])
    message = answer.choices[0].message
    messages.append(message.to_dict())
    for call in message.tool_calls or []:
        if call.type == "function":
            print(f"[the model calls {call.function.name}({call.function.arguments})]")
            result = json.dumps({"sky": "sunny", "degrees": 21})
            messages.append({"role": "tool", "tool_call_id": call.id, "content": result})
    show(client.chat.completions.create(model=MODEL, messages=messages, tools=[WEATHER_TOOL], stream=True))


def ask_about_a_picture(client: OpenAI) -> None:
    """A question about an image."""
    print("\n> What is in this picture?")
    picture = f"data:image/png;base64,{base64.b64encode(red_square()).decode()}"
    content = [
        {"type": "text", "text": "What is in this picture?"},
        {"type": "image_url", "image_url": {"url": picture}},
    ]
    messages: Any = [{"role": "user", "content": content}]
    show(client.chat.completions.create(model=MODEL, messages=messages, stream=True))


def show(chunks: Iterable[ChatCompletionChunk]) -> None:
    """Print an answer while it comes."""
    for chunk in chunks:
        delta = chunk.choices[0].delta
        print(delta.content or getattr(delta, "reasoning_content", None) or "", end="", flush=True)
    print()


def red_square() -> bytes:
    """A picture of eight by eight red points."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", 8, 8, 8, 2, 0, 0, 0)
    rows = (b"\x00" + b"\xff\x00\x00" * 8) * 8
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


if __name__ == "__main__":
    sys.exit(main())
