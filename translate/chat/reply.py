"""Neutral events to a whole chat completion.

Source:
    https://platform.openai.com/docs/api-reference/chat/object and SPEC.md, "Answers".
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..events import Finish, Media, Text, Thought, Usage
from .stream import to_call, to_extra, to_finish_reason, to_image, to_usage

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from ..events import Event, ToolCall
    from . import wire


def to_completion(
    events: Iterable[Event], answer_id: str, created_s: int, model: str, id_of: Callable[[ToolCall], str]
) -> wire.Completion:
    """All events of one answer as one completion.

    Args:
        events: in order, with the Finish at the end.
        answer_id: the completion's id, ``chatcmpl-...``.
        created_s: Unix time.
        model: public id.
        id_of: makes the id of a tool call.
    """
    message = _Message(id_of)
    reason = "stop"
    usage: Usage | None = None
    for event in events:
        if isinstance(event, Usage):
            usage = event
        elif isinstance(event, Finish):
            reason = to_finish_reason(event, has_calls=bool(message.calls))
        else:
            message.take(event)
    completion: wire.Completion = {
        "id": answer_id,
        "object": "chat.completion",
        "created": created_s,
        "model": model,
        "choices": [{"index": 0, "message": message.to_json(), "finish_reason": reason}],
    }
    if usage is not None:
        completion["usage"] = to_usage(usage)
    return completion


class _Message:
    """Collects the parts of the one message."""

    def __init__(self, id_of: Callable[[ToolCall], str]) -> None:
        self._id_of = id_of
        self._texts: list[str] = []
        self._thoughts: list[str] = []
        self._images: list[wire.Image] = []
        self._signature: str | None = None
        self.calls: list[wire.ToolCall] = []

    def take(self, event: Text | Thought | Media | ToolCall) -> None:
        if isinstance(event, Text):
            self._texts.append(event.text)
            self._signature = event.signature or self._signature
        elif isinstance(event, Thought):
            self._thoughts.append(event.text)
        elif isinstance(event, Media):
            self._images.append(to_image(event))
        else:
            self.calls.append(to_call(event, self._id_of(event)))

    def to_json(self) -> wire.Message:
        message: wire.Message = {"role": "assistant", "content": "".join(self._texts) or None}
        if thoughts := "".join(self._thoughts):
            message["reasoning_content"] = thoughts
        if self._images:
            message["images"] = self._images
        if self.calls:
            message["tool_calls"] = self.calls
        if self._signature is not None:
            message["extra_content"] = to_extra(self._signature)
        return message
