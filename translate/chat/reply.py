"""Neutral events to a whole chat completion.

Source:
    https://platform.openai.com/docs/api-reference/chat/object and SPEC.md, "Answers".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..events import Finish, Media, Text, Thought, Usage
from .stream import to_call, to_extra, to_finish_reason, to_image, to_usage

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from ..events import Event, ToolCall


def to_completion(
    events: Iterable[Event], answer_id: str, created_s: int, model: str, new_call_id: Callable[[], str]
) -> dict[str, Any]:
    """All events of one answer as one completion.

    Args:
        events: in order, with the Finish at the end.
        answer_id: the completion's id, ``chatcmpl-...``.
        created_s: Unix time.
        model: public id.
        new_call_id: makes the id of a tool call.

    Returns:
        ``{"id", "object": "chat.completion", "created", "model", "choices": [...], "usage"?}``.
    """
    message = _Message(new_call_id)
    completion: dict[str, Any] = {"id": answer_id, "object": "chat.completion", "created": created_s, "model": model}
    reason = "stop"
    for event in events:
        if isinstance(event, Usage):
            completion["usage"] = to_usage(event)
        elif isinstance(event, Finish):
            reason = to_finish_reason(event, has_calls=bool(message.calls))
        else:
            message.take(event)
    completion["choices"] = [{"index": 0, "message": message.to_json(), "finish_reason": reason}]
    return completion


class _Message:
    """Collects the parts of the one message."""

    def __init__(self, new_call_id: Callable[[], str]) -> None:
        self._new_call_id = new_call_id
        self._texts: list[str] = []
        self._thoughts: list[str] = []
        self._images: list[dict[str, Any]] = []
        self._signature: str | None = None
        self.calls: list[dict[str, Any]] = []

    def take(self, event: Text | Thought | Media | ToolCall) -> None:
        if isinstance(event, Text):
            self._texts.append(event.text)
            self._signature = event.signature or self._signature
        elif isinstance(event, Thought):
            self._thoughts.append(event.text)
        elif isinstance(event, Media):
            self._images.append(to_image(event))
        else:
            self.calls.append(to_call(event, self._new_call_id()))

    def to_json(self) -> dict[str, Any]:
        fields: dict[str, Any] = {
            "reasoning_content": "".join(self._thoughts),
            "images": self._images,
            "tool_calls": self.calls,
        }
        return {
            "role": "assistant",
            "content": "".join(self._texts) or None,
            **{name: value for name, value in fields.items() if value},
            **to_extra(self._signature),
        }
