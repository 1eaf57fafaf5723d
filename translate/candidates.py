"""Upstream events to neutral events: the one place that knows the shape of an answer.

Source:
    https://ai.google.dev/api/generate-content#v1beta.GenerateContentResponse and SPEC.md, "Answers".
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from msgspec import UNSET

from ..errors import MalformedCallError, UpstreamGarbledError
from .answer_wire import AnswerBody, AnswerEvent, Candidate, Content, Part, UsageMetadata
from .events import Event, Finish, FinishReason, Media, Text, Thought, ToolCall, Usage, has_substance
from .json_text import MAX_JSON_DEPTH, as_object, is_deeper_than, is_object
from .problems import to_error
from .upstream_problem import read_problem

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

FINISH_REASONS: Mapping[str, FinishReason | None] = MappingProxyType(
    {
        "STOP": FinishReason.STOP,
        "OTHER": FinishReason.STOP,
        "MAX_TOKENS": FinishReason.LENGTH,
        "SAFETY": FinishReason.CONTENT_FILTER,
        "RECITATION": FinishReason.CONTENT_FILTER,
        "LANGUAGE": FinishReason.CONTENT_FILTER,
        "BLOCKLIST": FinishReason.CONTENT_FILTER,
        "PROHIBITED_CONTENT": FinishReason.CONTENT_FILTER,
        "SPII": FinishReason.CONTENT_FILTER,
        "MODEL_ARMOR": FinishReason.CONTENT_FILTER,
        "IMAGE_SAFETY": FinishReason.CONTENT_FILTER,
        "IMAGE_PROHIBITED_CONTENT": FinishReason.CONTENT_FILTER,
        "IMAGE_RECITATION": FinishReason.CONTENT_FILTER,
        "IMAGE_OTHER": FinishReason.STOP,
        "NO_IMAGE": FinishReason.STOP,
        "MALFORMED_FUNCTION_CALL": None,
        "MALFORMED_RESPONSE": None,
        "UNEXPECTED_TOOL_CALL": None,
        "TOO_MANY_TOOL_CALLS": None,
        "MISSING_THOUGHT_SIGNATURE": None,
    }
)
"""Google's word → ours; None is an answer that failed. A word that is not here counts as STOP."""

UNSAID = ("", "FINISH_REASON_UNSPECIFIED")
"""What stands for a reason that upstream has not said."""

MAX_COUNT = 2**53
"""Larger counts are cut down to it: no answer has so many tokens, and no client reads such numbers."""


class CandidateReader:
    """Reads one answer: fed upstream's events in order, it gives out neutral ones.

    Usage and the end are given out by ``finish``, once, as upstream repeats counts and may send them after the end.

    Args:
        to_client: the client's spelling of a tool's name.
        now_s: Unix time, to say when the wait in an error is over.
        keeps_signatures: False drops signatures: only the family that gave them takes them back.
    """

    def __init__(
        self,
        to_client: Callable[[str], str],
        *,
        now_s: float,
        keeps_signatures: bool,
    ) -> None:
        self._to_client = to_client
        self._now_s = now_s
        self._keeps_signatures = keeps_signatures
        self._prompt: int | None = None
        self._cached: int | None = None
        self._answer: int | None = None
        self._thoughts: int | None = None
        self._finish: str | None = None
        self._block: str | None = None
        self._is_finished = False
        self._has_gone_on = False

    @property
    def is_finished(self) -> bool:
        """Whether upstream has said why the answer ends, with or after its last content."""
        return self._is_finished

    @property
    def has_gone_on(self) -> bool:
        """Whether content came after a reason once, so that a reason is no sign of the end."""
        return self._has_gone_on

    def feed(self, event: Any) -> list[Event]:
        """Take one parsed event.

        Raises:
            ProxyError: the event is an error of upstream.
            UpstreamGarbledError: the event has another shape, or says that the model's tool call was broken.
        """
        if not isinstance(event, AnswerEvent):
            raise UpstreamGarbledError("Google sent an event that is not an object. Send the request again.")
        if event.error is not None:
            raise to_error(read_problem(200, {"error": event.error}), self._now_s)
        body = event if event.response is UNSET else event.response
        if not isinstance(body, AnswerBody):
            raise UpstreamGarbledError("Google sent an answer that is not an object. Send the request again.")
        if isinstance(body.usage_metadata, UsageMetadata):
            self._take_usage(body.usage_metadata)
        if not body.candidates:
            if isinstance(reason := as_object(body.prompt_feedback).get("blockReason"), str):
                self._block = reason
                self._is_finished = True
            return []
        candidate = body.candidates[0] if isinstance(body.candidates, list) else None
        if not isinstance(candidate, Candidate):
            raise UpstreamGarbledError("Google sent a candidate that is not an object. Send the request again.")
        events = self._read_parts(candidate.content)
        if self._is_finished and any(map(has_substance, events)):
            self._is_finished, self._has_gone_on = False, True
        if candidate.finish_reason is not None:
            self._take_finish(candidate.finish_reason)
        return events

    def finish(self) -> list[Event]:
        """What is left to say when the stream has ended: the usage, if upstream told it, and the end."""
        events: list[Event] = []
        counts = (self._prompt, self._cached, self._answer, self._thoughts)
        if any(count is not None for count in counts):
            prompt, cached, answer, thoughts = (min(max(0, count or 0), MAX_COUNT) for count in counts)
            events.append(Usage(prompt=prompt, cached=min(cached, prompt), answer=answer, thoughts=thoughts))
        if self._block is not None and self._finish is None:
            events.append(Finish(FinishReason.CONTENT_FILTER, self._block))
        else:
            upstream_reason = self._finish or "STOP"
            reason = FINISH_REASONS.get(upstream_reason) or FinishReason.STOP
            events.append(Finish(reason, upstream_reason))
        return events

    def _read_parts(self, content: Any) -> list[Event]:
        events: list[Event] = []
        if not isinstance(content, Content) or not isinstance(content.parts, list):
            return events
        for part in content.parts:
            if not isinstance(part, Part):
                continue
            text = part.text
            if (
                part.thought_signature is part.function_call is part.thought is None
                and isinstance(text, str)
                and text
            ):
                events.append(Text(text))  # nearly all parts are this one
            elif (event := self._read_part(part)) is not None:
                events.append(event)
        return events

    def _read_part(self, part: Part) -> Event | None:
        signature = _text_or_none(part.thought_signature) if self._keeps_signatures else None
        if is_object(part.function_call):
            return self._read_call(part.function_call, signature)
        text = part.text
        if isinstance(text, str) and (text or signature):
            return Thought(text, signature) if part.thought is True else Text(text, signature)
        media = as_object(part.inline_data)
        mime_type, data = _text_or_none(media.get("mimeType")), _text_or_none(media.get("data"))
        return None if mime_type is None or data is None else Media(mime_type, data)

    def _read_call(self, call: dict[str, Any], signature: str | None) -> Event:
        upstream_name, arguments = _text_or_none(call.get("name")), as_object(call.get("args"))
        if upstream_name is None:
            raise UpstreamGarbledError("Google sent a tool call without a name. Send the request again.")
        if is_deeper_than(arguments, MAX_JSON_DEPTH):
            raise UpstreamGarbledError("Google sent a tool call that is nested too deep. Send the request again.")
        return ToolCall(_text_or_none(call.get("id")), self._to_client(upstream_name), arguments, signature)

    def _take_usage(self, usage: UsageMetadata) -> None:
        # A later event may leave out a count, such as the cached one: the earlier one stands.
        if type(count := usage.prompt_token_count) is int:
            self._prompt = count
        if type(count := usage.cached_content_token_count) is int:
            self._cached = count
        if type(count := usage.candidates_token_count) is int:
            self._answer = count
        if type(count := usage.thoughts_token_count) is int:
            self._thoughts = count

    def _take_finish(self, reason: Any) -> None:
        if not isinstance(reason, str) or reason in UNSAID:
            return
        if FINISH_REASONS.get(reason, FinishReason.STOP) is None:
            raise MalformedCallError(
                f"The model wrote a tool call that cannot be read ({reason}). Send the request again."
            )
        self._is_finished = True
        # A plain end after a telling one, in an event of its own, does not take it back.
        if self._finish is None or FINISH_REASONS.get(self._finish, FinishReason.STOP) is FinishReason.STOP:
            self._finish = reason


def _text_or_none(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None
