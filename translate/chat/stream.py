"""Neutral events to the frames of a streamed chat completion.

Source:
    https://platform.openai.com/docs/api-reference/chat/streaming and SPEC.md, "Answers".
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import orjson

from ..events import Finish, Media, Text, Thought, ToolCall, Usage
from ..json_text import to_json
from ..sse import DONE, encode_frame

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ..events import Event
    from . import wire


DELTA_TAIL = b',"finish_reason":null}]}\n\n'
TEXT_TAIL = b"}" + DELTA_TAIL


class ChatStream:
    """Writes one answer as chunks: fed events, it gives out the bytes of their frames.

    What is the same in every chunk is encoded once; per event only its delta is, and of plain text only the text.

    Args:
        answer_id: the completion's id, ``chatcmpl-...``.
        created_s: Unix time.
        model: public id.
        id_of: makes the id of a tool call, unique and at most 64 characters of ``[A-Za-z0-9_-]``.
        with_usage: whether a last chunk without choices tells the token counts.
    """

    def __init__(
        self, answer_id: str, created_s: int, model: str, id_of: Callable[[ToolCall], str], *, with_usage: bool
    ) -> None:
        self._chunk_head: wire.ChunkHead = {
            "id": answer_id,
            "object": "chat.completion.chunk",
            "created": created_s,
            "model": model,
        }
        self._head = b"data: " + orjson.dumps(self._chunk_head)[:-1] + b',"choices":[{"index":0,"delta":'
        self._text_head = self._head + b'{"content":'
        self._id_of = id_of
        self._with_usage = with_usage
        self._calls = 0
        self._started = False
        self._usage: Usage | None = None

    def feed(self, events: Sequence[Event]) -> bytes:
        """The frames of some events, joined; the first one opens the message."""
        frames = [] if self._started else self._open(events)
        for event in events:
            if isinstance(event, Text) and event.signature is None:
                frames.append(self._text_head + orjson.dumps(event.text) + TEXT_TAIL)
            elif isinstance(event, Usage):
                self._usage = event
            elif isinstance(event, Finish):
                frames.extend(self._end(event))
            else:
                frames.append(self._delta(self._to_delta(event)))
        return b"".join(frames)

    def _open(self, events: Sequence[Event]) -> list[bytes]:
        if all(isinstance(event, Usage) for event in events):
            return []
        self._started = True
        return [self._delta({"role": "assistant", "content": ""})]

    def _delta(self, delta: wire.Delta, tail: bytes = DELTA_TAIL) -> bytes:
        return self._head + orjson.dumps(delta) + tail

    def _to_delta(self, event: Text | Thought | Media | ToolCall) -> wire.Delta:
        if isinstance(event, Text):
            delta: wire.Delta = {"content": event.text}
            return delta if event.signature is None else {**delta, "extra_content": to_extra(event.signature)}
        if isinstance(event, Thought):
            return {"reasoning_content": event.text}
        if isinstance(event, Media):
            return {"images": [to_image(event)]}
        call: wire.ToolCallDelta = {"index": self._calls, **to_call(event, self._id_of(event))}
        self._calls += 1
        return {"tool_calls": [call]}

    def _end(self, finish: Finish) -> list[bytes]:
        reason = to_finish_reason(finish, has_calls=self._calls > 0)
        frames = [self._delta({}, b',"finish_reason":' + orjson.dumps(reason) + b"}]}\n\n")]
        if self._with_usage and self._usage is not None:
            chunk: wire.Chunk = {**self._chunk_head, "choices": [], "usage": to_usage(self._usage)}
            frames.append(encode_frame(chunk))
        return [*frames, DONE]


def to_extra(signature: str) -> wire.ExtraContent:
    """The ``extra_content`` that carries a thought signature to the client and back."""
    return {"google": {"thought_signature": signature}}


def to_image(media: Media) -> wire.Image:
    """An image the model made, as OpenAI-compatible gateways send it."""
    return {"type": "image_url", "image_url": {"url": f"data:{media.mime_type};base64,{media.data}"}}


def to_call(call: ToolCall, call_id: str) -> wire.ToolCall:
    """A tool call as clients know it: whole, with its arguments as JSON text."""
    called: wire.ToolCall = {
        "id": call_id,
        "type": "function",
        "function": {"name": call.name, "arguments": to_json(call.arguments)},
    }
    if call.signature is not None:
        called["extra_content"] = to_extra(call.signature)
    return called


def to_finish_reason(finish: Finish, *, has_calls: bool) -> str:
    """OpenAI's word for why the answer ended; a call that was made comes before all."""
    return "tool_calls" if has_calls else finish.reason.value


def to_usage(usage: Usage) -> wire.Usage:
    """Token counts as OpenAI adds them up: cached ones are part of the prompt, thoughts part of the completion."""
    completion = usage.answer + usage.thoughts
    body: wire.Usage = {
        "prompt_tokens": usage.prompt,
        "completion_tokens": completion,
        "total_tokens": usage.prompt + completion,
    }
    if usage.cached > 0:
        body["prompt_tokens_details"] = {"cached_tokens": usage.cached}
    if usage.thoughts > 0:
        body["completion_tokens_details"] = {"reasoning_tokens": usage.thoughts}
    return body
