"""Cuts an answer into the events of the stream: a word at a time, a call in one piece.

Source: SPEC.md, "Upstream protocol".
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Any

import orjson

from .answer import Answer, Part, count_tokens, is_thought, words

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

Event = dict[str, Any]


class UsagePattern(StrEnum):
    """On which events ``usageMetadata`` stands.

    ``TWICE``, the default, is on the last, and on the second of three or more, which only knows the prompt.
    """

    TWICE = "twice"
    LAST = "last"
    NONE = "none"
    EVERY = "every"
    LATE_WITHOUT_CACHED = "late-without-cached"
    ONLY_LAST_CHUNK_WITHOUT_CANDIDATES = "only-last-chunk-without-candidates"
    ZEROS = "zeros"


@dataclass(frozen=True, slots=True)
class EventStyle:
    """How events are written.

    Attributes:
        usage: where the token counts stand.
        has_separate_finish: whether the finish reason comes in an event of its own.
        is_one_event: whether all parts stand in one event, uncut.
        has_empty_end: whether the last event with content has an empty text and nothing else.
        is_wrapped: whether events stand inside ``response``, beside a ``traceId``.
    """

    usage: UsagePattern = UsagePattern.TWICE
    has_separate_finish: bool = False
    is_one_event: bool = False
    has_empty_end: bool = False
    is_wrapped: bool = True


@dataclass(frozen=True, slots=True)
class Origin:
    """What every event of one answer says about where it comes from.

    Attributes:
        trace_id: also sent as a response header.
        response_id: the id of the answer.
        model_version: the runtime id.
        create_time: RFC 3339 in UTC.
    """

    trace_id: str
    response_id: str
    model_version: str
    create_time: str


def to_events(answer: Answer, origin: Origin, style: EventStyle) -> Iterator[Event]:
    """Give the events of an answer as they stand on the wire, wrapped or not."""
    tail: Event = {
        "modelVersion": origin.model_version,
        "createTime": origin.create_time,
        "responseId": origin.response_id,
    }
    for body in _with_usage(_bodies(answer, style), answer, style.usage):
        response = {**body, **tail}
        yield {"response": response, "traceId": origin.trace_id} if style.is_wrapped else response


def to_frame(event: Event) -> bytes:
    """Give an event as a frame of the stream."""
    return b"data: " + orjson.dumps(event) + b"\n\n"


def _bodies(answer: Answer, style: EventStyle) -> Iterator[Event]:
    if answer.block_reason is not None:
        yield {"promptFeedback": {"blockReason": answer.block_reason}}
        return
    finish = _finish(answer)
    held: list[Part] | None = None
    for parts in _contents(answer, style):
        if held is not None:
            yield _candidate(held, {})
        held = parts
    if style.has_separate_finish and finish:
        if held is not None:
            yield _candidate(held, {})
        yield {"candidates": [finish]}
    else:
        yield _candidate(held or [], finish)


def _candidate(parts: list[Part], finish: Event) -> Event:
    content: Event = {"role": "model", "parts": parts} if parts else {"role": "model"}
    return {"candidates": [{"content": content, **finish}]}


def _finish(answer: Answer) -> Event:
    finish = {"finishReason": answer.finish_reason, "finishMessage": answer.finish_message}
    return {name: value for name, value in finish.items() if value is not None}


def _contents(answer: Answer, style: EventStyle) -> Iterator[list[Part]]:
    if style.is_one_event:
        yield list(answer.parts)
    else:
        yield from _pieces(answer.parts)
    if style.has_empty_end:
        yield [{"text": ""}]


def _pieces(parts: Iterable[Part]) -> Iterator[list[Part]]:
    """Give the parts of each event; the signature of a text comes after it, with an empty text."""
    for part in parts:
        if "text" not in part:
            yield [part]
            continue
        rest = {name: value for name, value in part.items() if name not in ("text", "thoughtSignature")}
        for word in words(part["text"]):
            yield [{"text": word, **rest}]
        if "thoughtSignature" in part:
            yield [{"text": "", **rest, "thoughtSignature": part["thoughtSignature"]}]


def _with_usage(bodies: Iterable[Event], answer: Answer, pattern: UsagePattern) -> Iterator[Event]:
    usage = _usage_metadata(answer, pattern)
    if pattern is UsagePattern.EVERY:
        yield from _with_running_usage(bodies, answer)
        return
    held: Event | None = None
    for index, body in enumerate(bodies):
        if held is not None:
            has_early_usage = index == 2 and pattern is UsagePattern.TWICE
            yield {**held, "usageMetadata": _prompt_metadata(answer)} if has_early_usage else held
        is_first_of_two = index == 0 and pattern is UsagePattern.LATE_WITHOUT_CACHED
        held = {**body, "usageMetadata": usage} if is_first_of_two else body
    last: Event = held or {}
    match pattern:
        case UsagePattern.NONE:
            yield last
        case UsagePattern.ONLY_LAST_CHUNK_WITHOUT_CANDIDATES:
            yield last
            yield {"usageMetadata": usage}
        case UsagePattern.LATE_WITHOUT_CACHED:
            yield last
            late = {name: count for name, count in usage.items() if name != "cachedContentTokenCount"}
            yield {"usageMetadata": late}
        case _:
            yield {**last, "usageMetadata": usage}


def _with_running_usage(bodies: Iterable[Event], answer: Answer) -> Iterator[Event]:
    prompt = answer.usage.prompt
    counts = {"thoughtsTokenCount": 0, "candidatesTokenCount": 0}
    for body in bodies:
        for candidate in body.get("candidates", []):
            for part in candidate.get("content", {}).get("parts", []):
                name = "thoughtsTokenCount" if is_thought(part) else "candidatesTokenCount"
                counts[name] += count_tokens(part.get("text", part.get("functionCall", "")))
        running = {name: count for name, count in counts.items() if count}
        total = prompt + sum(counts.values())
        yield {**body, "usageMetadata": {"promptTokenCount": prompt, **running, "totalTokenCount": total}}


def _prompt_metadata(answer: Answer) -> dict[str, int]:
    return replace(answer.usage, answer=0, thoughts=0).metadata()


def _usage_metadata(answer: Answer, pattern: UsagePattern) -> dict[str, int]:
    usage = answer.usage.metadata()
    if pattern is UsagePattern.ZEROS:
        return dict.fromkeys(usage, 0)
    if pattern is UsagePattern.LATE_WITHOUT_CACHED:
        return {**usage, "cachedContentTokenCount": max(1, answer.usage.cached)}
    return usage
