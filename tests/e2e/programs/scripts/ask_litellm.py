"""Ask one prompt with the LiteLLM SDK, running the tool until the model answers in words.

Usage: ask_litellm.py URL MODEL PROMPT NOTE
"""

import sys
from pathlib import Path

import litellm

URL, MODEL, PROMPT, NOTE = sys.argv[1:]
TOOL = {
    "type": "function",
    "function": {"name": "read_note", "description": "Read the note.", "parameters": {"type": "object"}},
}
messages = [{"role": "user", "content": PROMPT}]
while True:
    chunks = litellm.completion(
        model=MODEL, api_base=URL, api_key="local", messages=messages, tools=[TOOL], stream=True
    )
    message = litellm.stream_chunk_builder(list(chunks)).choices[0].message
    if not message.tool_calls:
        break
    text = Path(NOTE).read_text(encoding="utf-8")
    messages.append(message.model_dump())
    messages += [{"role": "tool", "tool_call_id": call.id, "content": text} for call in message.tool_calls]
print(message.content)
