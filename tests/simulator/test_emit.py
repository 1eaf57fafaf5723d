"""Tests of the events of an answer."""

from __future__ import annotations

from typing import Any

import orjson
import pytest

from antigravity_proxy.simulator.answer import Answer, Part, Usage
from antigravity_proxy.simulator.emit import EventStyle, Origin, UsagePattern, to_events, to_frame

ORIGIN = Origin("trace", "answer-1", "gemini-pro-agent", "2026-09-05T12:00:00Z")
TAIL = {"modelVersion": "gemini-pro-agent", "createTime": "2026-09-05T12:00:00Z", "responseId": "answer-1"}
USAGE = Usage(10, 4, 2, 0)
COUNTS = {
    "promptTokenCount": 10,
    "cachedContentTokenCount": 4,
    "candidatesTokenCount": 2,
    "totalTokenCount": 12,
}
TWO_WORDS: Part = {"text": "Hello world"}


def bodies(answer: Answer, **style: Any) -> list[dict[str, Any]]:
    """Give the events without what is the same in all of them."""
    events = to_events(answer, ORIGIN, EventStyle(is_wrapped=False, **style))
    return [{name: value for name, value in event.items() if name not in TAIL} for event in events]


def candidate(*parts: Part, **finish: str) -> dict[str, Any]:
    """Give an event with one candidate."""
    content = {"role": "model", "parts": list(parts)} if parts else {"role": "model"}
    return {"candidates": [{"content": content, **finish}]}


def test_text_comes_in_words() -> None:
    """Each word is an event; the last has the reason and the counts."""
    assert bodies(Answer((TWO_WORDS,), USAGE)) == [
        candidate({"text": "Hello "}),
        {**candidate({"text": "world"}, finishReason="STOP"), "usageMetadata": COUNTS},
    ]


def test_events_are_wrapped() -> None:
    """An event stands inside response, beside the trace id, with where it comes from."""
    (event,) = to_events(Answer(({"text": "Hi"},), Usage(1, 0, 1, 0)), ORIGIN, EventStyle())
    assert event["traceId"] == "trace"
    assert event["response"].items() >= TAIL.items()


def test_calls_come_whole() -> None:
    """A call is one event, with its signature."""
    call = {"functionCall": {"name": "f", "args": {}}, "thoughtSignature": "QUJD"}
    assert bodies(Answer((call, call), USAGE))[0] == candidate(call)


def test_signature_follows_its_text() -> None:
    """The signature of a text comes after it with an empty text, a thought's as a thought."""
    parts = ({"text": "hm", "thought": True, "thoughtSignature": "QQ=="}, {"text": "x", "thoughtSignature": "Qg=="})
    assert [event["candidates"][0]["content"]["parts"] for event in bodies(Answer(parts, USAGE))] == [
        [{"text": "hm", "thought": True}],
        [{"text": "", "thought": True, "thoughtSignature": "QQ=="}],
        [{"text": "x"}],
        [{"text": "", "thoughtSignature": "Qg=="}],
    ]


def test_empty_answer_is_one_event() -> None:
    """An answer without parts is one event with a reason."""
    assert bodies(Answer((), USAGE)) == [{**candidate(finishReason="STOP"), "usageMetadata": COUNTS}]


def test_reason_may_come_alone() -> None:
    """A separate reason is an event without content, also when nothing else was said."""
    assert bodies(Answer(({"text": "x"},), USAGE), has_separate_finish=True) == [
        candidate({"text": "x"}),
        {"candidates": [{"finishReason": "STOP"}], "usageMetadata": COUNTS},
    ]
    assert len(bodies(Answer((), USAGE), has_separate_finish=True)) == 1


def test_reason_may_be_absent_or_explained() -> None:
    """Without a reason there is none; some have a message."""
    assert bodies(Answer(({"text": "x"},), USAGE, finish_reason=None), has_separate_finish=True) == [
        {**candidate({"text": "x"}), "usageMetadata": COUNTS}
    ]
    explained = Answer((), USAGE, "MALFORMED_FUNCTION_CALL", "Malformed.")
    assert bodies(explained)[0]["candidates"][0]["finishMessage"] == "Malformed."


def test_parts_may_share_an_event() -> None:
    """All parts can stand in one event, each whole and with its own signature."""
    thought = {"text": "let me see", "thought": True, "thoughtSignature": "QQ=="}
    call = {"functionCall": {"name": "f", "args": {}}, "thoughtSignature": "Qg=="}
    assert bodies(Answer((thought, TWO_WORDS, call), USAGE), is_one_event=True) == [
        {**candidate(thought, TWO_WORDS, call, finishReason="STOP"), "usageMetadata": COUNTS}
    ]


def test_end_may_be_an_empty_text() -> None:
    """The reason can stand beside a text of no characters."""
    assert bodies(Answer(({"text": "x"},), USAGE), has_empty_end=True) == [
        candidate({"text": "x"}),
        {**candidate({"text": ""}, finishReason="STOP"), "usageMetadata": COUNTS},
    ]


def test_blocked_prompt_has_no_candidate() -> None:
    """A blocked prompt gives feedback and counts only."""
    assert bodies(Answer((), USAGE, block_reason="SAFETY")) == [
        {"promptFeedback": {"blockReason": "SAFETY"}, "usageMetadata": COUNTS}
    ]


@pytest.mark.parametrize(
    ("pattern", "usages"),
    [
        (UsagePattern.TWICE, [None, COUNTS]),
        (UsagePattern.LAST, [None, COUNTS]),
        (UsagePattern.NONE, [None, None]),
        (UsagePattern.ZEROS, [None, dict.fromkeys(COUNTS, 0)]),
        (UsagePattern.ONLY_LAST_CHUNK_WITHOUT_CANDIDATES, [None, None, COUNTS]),
        (
            UsagePattern.LATE_WITHOUT_CACHED,
            [COUNTS, None, {name: COUNTS[name] for name in COUNTS if name != "cachedContentTokenCount"}],
        ),
        (
            UsagePattern.EVERY,
            [
                {"promptTokenCount": 10, "candidatesTokenCount": 1, "totalTokenCount": 11},
                {"promptTokenCount": 10, "candidatesTokenCount": 2, "totalTokenCount": 12},
            ],
        ),
    ],
    ids=lambda value: str(value)[:40],
)
def test_usage_stands_where_it_is_told(pattern: UsagePattern, usages: list[dict[str, int] | None]) -> None:
    """Token counts stand on the events the pattern names."""
    assert [event.get("usageMetadata") for event in bodies(Answer((TWO_WORDS,), USAGE), usage=pattern)] == usages


@pytest.mark.parametrize(
    ("pattern", "early"),
    [
        (UsagePattern.TWICE, {"promptTokenCount": 10, "cachedContentTokenCount": 4, "totalTokenCount": 10}),
        (UsagePattern.LAST, None),
    ],
    ids=str,
)
@pytest.mark.parametrize("count", [3, 5])
def test_long_answer_has_early_usage(pattern: UsagePattern, early: dict[str, int] | None, count: int) -> None:
    """By default the second of three or more events knows the prompt's tokens; the last has the final counts."""
    usages = [event.get("usageMetadata") for event in bodies(Answer((TWO_WORDS,) * count, USAGE), usage=pattern)]
    assert usages == [None, early, *[None] * (2 * count - 3), COUNTS]


def test_three_events_are_enough_for_early_usage() -> None:
    """Three events have counts on the second and the third."""
    events = bodies(Answer((TWO_WORDS, {"text": "x"}), USAGE))
    assert ["usageMetadata" in event for event in events] == [False, True, True]


def test_running_usage_counts_thoughts_and_calls() -> None:
    """Counts on every event grow with thoughts and calls apart."""
    parts = ({"text": "hm", "thought": True}, {"functionCall": {"name": "f", "args": {}}})
    last = bodies(Answer(parts, USAGE), usage=UsagePattern.EVERY)[-1]["usageMetadata"]
    assert last == {
        "promptTokenCount": 10,
        "thoughtsTokenCount": 1,
        "candidatesTokenCount": 3,
        "totalTokenCount": 14,
    }


def test_late_usage_always_had_something_cached() -> None:
    """The pattern that loses the cached count has one to lose."""
    first = bodies(Answer((TWO_WORDS,), Usage(1, 0, 2, 0)), usage=UsagePattern.LATE_WITHOUT_CACHED)[0]
    assert first["usageMetadata"]["cachedContentTokenCount"] == 1


def test_frame_is_a_data_line() -> None:
    """A frame is one data line and an empty one."""
    frame = to_frame({"text": "é\n"})
    assert frame.startswith(b"data: {")
    assert frame.endswith(b"}\n\n")
    assert frame.count(b"\n") == 2
    assert orjson.loads(frame[6:]) == {"text": "é\n"}
