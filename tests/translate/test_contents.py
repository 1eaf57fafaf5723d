"""Tests of turns in Cloud Code's words."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from antigravity_proxy.translate.contents import signatures_in, to_call_id, to_contents
from antigravity_proxy.translate.events import Media, Part, Text, Thought, ToolCall, ToolResult, Turn
from antigravity_proxy.translate.history import repair
from antigravity_proxy.translate.signatures import SENTINEL, KnownSignatures, Remembered
from antigravity_proxy.translate.tools import ToolNames

from .samples import CLAUDE, GEMINI, GPT_OSS, PNG, SIGNATURE, SampleTarget

if TYPE_CHECKING:
    from antigravity_proxy.translate.cloud_wire import Content

CALL_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")
OTHERS = [pytest.param(CLAUDE, id="claude"), pytest.param(GPT_OSS, id="gpt-oss")]
REFUSED = KnownSignatures(is_refused=lambda _: True)


def contents_of(target: SampleTarget, *turns: Turn, **options: Any) -> list[Content]:
    """What is sent of these turns."""
    return to_contents(turns, target, ToolNames([]), **options)


def exchange(call: ToolCall, **fields: Any) -> tuple[Turn, Turn]:
    """A call and its result."""
    return Turn("model", (call,)), Turn("user", (ToolResult(call.id, call.name, "done", **fields),))


def test_parts_have_their_fields() -> None:
    """Text and media have a field of their own."""
    turn = Turn("user", (Text("Look:"), Media("image/png", PNG)))
    assert contents_of(GEMINI, turn) == [
        {"role": "user", "parts": [{"text": "Look:"}, {"inlineData": {"mimeType": "image/png", "data": PNG}}]}
    ]


def test_thought_is_signed_with_the_sentinel() -> None:
    """A thought of the history is marked as one, and leads what came of it."""
    thought = {"text": "hmm", "thought": True, "thoughtSignature": SENTINEL}
    assert contents_of(GEMINI, Turn("model", (Thought("hmm"), Text("Hi")))) == [
        {"role": "model", "parts": [thought, {"text": "Hi"}]}
    ]


def test_thought_of_a_turn_without_more_is_left_out() -> None:
    """A turn of which only a thought would be left after a refused signature is left out."""
    turn = Turn("model", (Thought("hmm"), Text("", SIGNATURE)))
    assert contents_of(GEMINI, turn, signatures=REFUSED) == []


def test_gemini_call_is_signed_and_has_no_id() -> None:
    """A replayed call whose signature is lost carries the sentinel, and neither call nor result an id."""
    assert contents_of(GEMINI, *exchange(ToolCall("call_1", "read", {"path": "a"}))) == [
        {
            "role": "model",
            "parts": [{"functionCall": {"name": "read", "args": {"path": "a"}}, "thoughtSignature": SENTINEL}],
        },
        {"role": "user", "parts": [{"functionResponse": {"name": "read", "response": {"output": "done"}}}]},
    ]


@pytest.mark.parametrize("target", OTHERS)
def test_other_call_has_id_and_is_not_signed(target: SampleTarget) -> None:
    """For Claude and GPT-OSS call and result carry the same id and no signature, even if the client has one."""
    assert contents_of(target, *exchange(ToolCall("a/b c", "read", {}, SIGNATURE))) == [
        {"role": "model", "parts": [{"functionCall": {"name": "read", "args": {}, "id": "a_b_c"}}]},
        {
            "role": "user",
            "parts": [{"functionResponse": {"name": "read", "response": {"output": "done"}, "id": "a_b_c"}}],
        },
    ]


@pytest.mark.parametrize(
    ("part", "options", "expected"),
    [
        pytest.param(Text("Hi", SIGNATURE), {}, [{"text": "Hi", "thoughtSignature": SIGNATURE}], id="text"),
        pytest.param(Text("", SIGNATURE), {}, [{"text": "", "thoughtSignature": SIGNATURE}], id="empty text"),
        pytest.param(Text("Hi", SIGNATURE), {"signatures": REFUSED}, [{"text": "Hi"}], id="text after a refusal"),
        pytest.param(Text("", SIGNATURE), {"signatures": REFUSED}, [], id="empty text after a refusal"),
        pytest.param(
            ToolCall("a", "read", {}, SIGNATURE),
            {},
            [{"functionCall": {"name": "read", "args": {}}, "thoughtSignature": SIGNATURE}],
            id="call",
        ),
        pytest.param(
            ToolCall("a", "read", {}, SIGNATURE),
            {"signatures": REFUSED},
            [{"functionCall": {"name": "read", "args": {}}, "thoughtSignature": SENTINEL}],
            id="call after a refusal",
        ),
    ],
)
def test_gemini_signature_is_sent_back(part: Part, options: dict[str, Any], expected: list[dict[str, Any]]) -> None:
    """The client's copy goes back on the part that carried it, unless upstream refused it."""
    parts = [part for content in contents_of(GEMINI, Turn("model", (part,)), **options) for part in content["parts"]]
    assert parts == expected


@pytest.mark.parametrize(
    ("call", "family", "expected"),
    [
        (ToolCall("a", "read", {}), "gemini", "QUJD"),
        (ToolCall("a", "read", {}, SIGNATURE), "gemini", SIGNATURE),
        (ToolCall("b", "read", {}), "gemini", SENTINEL),
        (ToolCall(None, "read", {}), "gemini", SENTINEL),
        (ToolCall("a", "read", {}), "claude", SENTINEL),
    ],
    ids=["remembered", "copy-first", "unknown", "no-id", "other-family"],
)
def test_remembered_signature_is_sent_back(call: ToolCall, family: str, expected: str) -> None:
    """Without the client's copy ours is sent back, but only to the family that gave it."""
    known = KnownSignatures({"a": Remembered(family, "QUJD")})
    contents = contents_of(GEMINI, *exchange(call), signatures=known)
    assert contents[0]["parts"][0]["thoughtSignature"] == expected
    assert signatures_in(contents) == {expected} - {SENTINEL}


def test_remembered_signature_that_was_refused_is_not_sent() -> None:
    """Ours goes the way of the client's copy when Google has refused it."""
    known = KnownSignatures({"a": Remembered("gemini", SIGNATURE)}, lambda signature: signature == SIGNATURE)
    contents = contents_of(GEMINI, *exchange(ToolCall("a", "read", {})), signatures=known)
    assert contents[0]["parts"][0]["thoughtSignature"] == SENTINEL


@pytest.mark.parametrize("target", OTHERS)
def test_remembered_signature_is_nothing_to_others(target: SampleTarget) -> None:
    """What Gemini gave is never sent to another family."""
    known = KnownSignatures({"a": Remembered("gemini", SIGNATURE)})
    assert signatures_in(contents_of(target, *exchange(ToolCall("a", "read", {})), signatures=known)) == set()


def test_parallel_calls_are_all_signed() -> None:
    """Of calls side by side each one has its own signature or the sentinel."""
    calls = (ToolCall("a", "read", {}, SIGNATURE), ToolCall("b", "read", {}))
    [content] = contents_of(GEMINI, Turn("model", calls))
    assert [part["thoughtSignature"] for part in content["parts"]] == [SIGNATURE, SENTINEL]


@pytest.mark.parametrize(
    ("target", "options"),
    [
        pytest.param(GEMINI, {"signatures": REFUSED}, id="after a refusal"),
        pytest.param(CLAUDE, {}, id="claude"),
        pytest.param(GPT_OSS, {}, id="gpt-oss"),
    ],
)
def test_turn_without_parts_vanishes(target: SampleTarget, options: dict[str, Any]) -> None:
    """A turn of which nothing is left without its signature vanishes, and its neighbours become one."""
    turns = (
        Turn("user", (Text("a"),)),
        Turn("model", (Text("", SIGNATURE),)),
        Turn("user", (Text("b"),)),
        Turn("model", (Text(" ", SIGNATURE), Text("c"))),
    )
    assert contents_of(target, *turns, **options) == [
        {"role": "user", "parts": [{"text": "a"}, {"text": "b"}]},
        {"role": "model", "parts": [{"text": "c"}]},
    ]


@pytest.mark.parametrize("target", OTHERS)
def test_blank_text_is_left_out(target: SampleTarget) -> None:
    """Text that only carried a signature is nothing for a family without signatures."""
    turns = (Turn("user", (Text("a"),)), Turn("model", (Text(" ", SIGNATURE), Text("b"))))
    assert contents_of(target, *turns)[1] == {"role": "model", "parts": [{"text": "b"}]}


def test_failure_is_an_error() -> None:
    """A result that tells of a failure stands under ``error``."""
    [_, content] = contents_of(GEMINI, *exchange(ToolCall(None, "read", {}), is_error=True))
    assert content["parts"] == [{"functionResponse": {"name": "read", "response": {"error": "done"}}}]


def test_names_are_those_of_upstream() -> None:
    """Calls and results use the names under which tools are declared."""
    names = ToolNames(["read file", "read/file"])
    contents = to_contents(exchange(ToolCall("a", "read/file", {})), CLAUDE, names)
    assert contents[0]["parts"][0]["functionCall"]["name"] == "read_file_2"
    assert contents[1]["parts"][0]["functionResponse"]["name"] == "read_file_2"


def test_repeated_ids_are_told_apart() -> None:
    """An id that a client uses again gets a number, on the call and on its result."""
    contents = contents_of(CLAUDE, *exchange(ToolCall("a", "read", {})), *exchange(ToolCall("a", "read", {})))
    parts: list[Any] = [next(iter(content["parts"][0].values())) for content in contents]
    assert [part["id"] for part in parts] == ["a", "a", "a_2", "a_2"]


def test_missing_id_is_the_same_every_time() -> None:
    """A call without an id is named after its tool, so that the prompt stays the same and is cached."""
    turns = (*exchange(ToolCall(None, "read file", {})), *exchange(ToolCall("", "read file", {})))
    contents = contents_of(CLAUDE, *turns)
    assert [contents[index]["parts"][0]["functionCall"]["id"] for index in (0, 2)] == ["read_file", "read_file_2"]
    assert contents == contents_of(CLAUDE, *turns)


@pytest.mark.parametrize(
    ("call_id", "expected"),
    [
        pytest.param("a/b c", "a_b_c", id="other characters"),
        pytest.param("call_1-A", "call_1-A", id="good"),
        pytest.param("é" * 70, "_" * 64, id="long"),
    ],
)
def test_call_id_is_rewritten(call_id: str, expected: str) -> None:
    """An id holds letters, digits, underscores and hyphens, at most 64."""
    assert to_call_id(call_id) == expected


@settings(deadline=None)
@given(
    st.lists(
        st.tuples(
            st.none() | st.text(max_size=70) | st.text(st.sampled_from("a_2/"), max_size=4),
            st.text(min_size=1, max_size=3),
        ),
        min_size=1,
        max_size=12,
    )
)
def test_call_ids_are_good_and_different(calls: list[tuple[str | None, str]]) -> None:
    """Any ids become ones upstream takes, no two the same, and each result has the id of its call."""
    turns = repair([Turn("model", (ToolCall(call_id, name, {}),)) for call_id, name in calls])
    parts = [part for content in to_contents(turns, CLAUDE, ToolNames([])) for part in content["parts"]]
    sent = [part["functionCall"]["id"] for part in parts if "functionCall" in part]
    assert all(CALL_ID.fullmatch(call_id) for call_id in sent)
    assert len(set(sent)) == len(calls)
    assert sent == [part["functionResponse"]["id"] for part in parts if "functionResponse" in part]
