"""Tests of the benchmark's check: right answers pass, and each way of being wrong is noticed."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from antigravity_proxy.bench.check import WrongAnswerError, check_answer
from antigravity_proxy.bench.scenario import Scenario, find_scenario
from antigravity_proxy.bench.target import CLOUD_CODE, OPENAI
from antigravity_proxy.bench.upstream import LAST_CHUNK, STREAM_HEAD, stream_of, to_answer, to_chunk, whole_of

if TYPE_CHECKING:
    from collections.abc import Iterable

SCENARIO = Scenario(12, line_end="lf", variant=3)
DONE = b"data: [DONE]\n\n"


def chunk(delta: dict[str, Any], reason: str | None = None) -> bytes:
    """One frame of a translated stream."""
    value = {"choices": [{"index": 0, "delta": delta, "finish_reason": reason}]}
    return b"data: " + json.dumps(value, ensure_ascii=False).encode() + b"\n\n"


TEXTS = [chunk({"content": text}) for text in SCENARIO.sent_texts]
END = chunk({}, "stop")


def stream(frames: Iterable[bytes], end: bytes = LAST_CHUNK) -> bytes:
    """Frames as an HTTP answer."""
    return STREAM_HEAD + b"".join(map(to_chunk, frames)) + end


RIGHT = stream([*TEXTS, END, DONE])


def whole(text: str, reason: str = "stop") -> bytes:
    """A translated answer that is not streamed."""
    choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": reason}
    return to_answer(json.dumps({"choices": [choice]}))


def test_right_answers_pass() -> None:
    """Upstream's own bytes and their translation are right, streamed and whole."""
    text = "".join(SCENARIO.sent_texts)
    assert check_answer(OPENAI, RIGHT, SCENARIO, is_stream=True) == 12
    assert check_answer(OPENAI, whole(text), SCENARIO, is_stream=False) == 1
    assert check_answer(CLOUD_CODE, stream_of(SCENARIO, is_wrapped=True), SCENARIO, is_stream=True) == 12
    assert check_answer(CLOUD_CODE, whole_of(SCENARIO, is_wrapped=True), SCENARIO, is_stream=False) == 1


OTHER = chunk({"content": Scenario(12, line_end="lf", variant=4).sent_texts[4]})
MERGED = chunk({"content": SCENARIO.sent_texts[3] + SCENARIO.sent_texts[4]})
ERROR = b'data: {"error": {"message": "x"}}\n\n'


@pytest.mark.parametrize(
    "wrong",
    [
        pytest.param(stream([*TEXTS, END]), id="no [DONE]"),
        pytest.param(stream([*TEXTS, END, DONE, DONE]), id="[DONE] twice"),
        pytest.param(stream([*TEXTS[:4], *TEXTS[5:], END, DONE]), id="a delta missing"),
        pytest.param(stream([*TEXTS[:4], *TEXTS[3:], END, DONE]), id="a delta twice"),
        pytest.param(stream([*TEXTS[:3], TEXTS[4], TEXTS[3], *TEXTS[5:], END, DONE]), id="two deltas swapped"),
        pytest.param(stream([*TEXTS[:3], MERGED, *TEXTS[5:], END, DONE]), id="two deltas merged"),
        pytest.param(stream([*TEXTS[:4], OTHER, *TEXTS[5:], END, DONE]), id="a delta of another stream"),
        pytest.param(RIGHT.replace(b"2.3 ", b"2.4 "), id="one letter wrong"),
        pytest.param(stream([t.replace(b"\\t", b" ") for t in TEXTS] + [END, DONE]), id="an escape lost"),
        pytest.param(stream([t.replace("🙂".encode(), b"?") for t in TEXTS] + [END, DONE]), id="an emoji lost"),
        pytest.param(stream([*TEXTS, DONE]), id="no finish reason"),
        pytest.param(stream([*TEXTS, END, END, DONE]), id="finish reason twice"),
        pytest.param(stream([*TEXTS, chunk({}, "length"), DONE]), id="another finish reason"),
        pytest.param(stream([*TEXTS[:5], ERROR, *TEXTS[5:], END, DONE]), id="an error"),
        pytest.param(stream([*TEXTS[:5], b"data: {\n\n", *TEXTS[5:], END, DONE]), id="no JSON"),
        pytest.param(stream([*TEXTS[:5], b"data: []\n\n", *TEXTS[5:], END, DONE]), id="another shape"),
        pytest.param(stream([*TEXTS, END, DONE], b""), id="cut off"),
        pytest.param(RIGHT.replace(b"\r\n\r\n", b"\r\n\r\n1", 1), id="a wrong chunk size"),
        pytest.param(RIGHT + b"x", id="bytes after the end"),
        pytest.param(RIGHT.replace(b"200 OK", b"500 No", 1), id="another status"),
        pytest.param(b"HTTP/1.1 200 OK\r\n", id="half a head"),
    ],
)
def test_wrong_stream_is_noticed(wrong: bytes) -> None:
    """A stream that is wrong in one place fails."""
    with pytest.raises(WrongAnswerError):
        check_answer(OPENAI, wrong, SCENARIO, is_stream=True)


@pytest.mark.parametrize(
    "wrong",
    [
        pytest.param(whole("".join(SCENARIO.sent_texts)[:-1]), id="text"),
        pytest.param(whole("".join(SCENARIO.sent_texts), "length"), id="reason"),
        pytest.param(whole("".join(SCENARIO.sent_texts))[:-1], id="length"),
        pytest.param(to_answer('{"choices": []}'), id="shape"),
    ],
)
def test_wrong_whole_answer_is_noticed(wrong: bytes) -> None:
    """An answer that is not streamed and wrong in one place fails."""
    with pytest.raises(WrongAnswerError):
        check_answer(OPENAI, wrong, SCENARIO, is_stream=False)


def test_relay_must_not_change_a_byte() -> None:
    """The answer of a relay is upstream's, to the byte, also where the text would be the same."""
    changed = stream_of(SCENARIO, is_wrapped=True).replace(b'"index":0', b'"index":1')
    with pytest.raises(WrongAnswerError, match="bytes are not those of upstream"):
        check_answer(CLOUD_CODE, changed, SCENARIO, is_stream=True)


@pytest.mark.parametrize(
    "scenario", [Scenario(3), Scenario(200, 64, 5, "lf", 7), Scenario(5, checksum="0123abcd")], ids=repr
)
def test_scenario_travels_in_the_prompt(scenario: Scenario) -> None:
    """What a prompt asks for is read from it again."""
    assert find_scenario(f'{{"text": "{scenario.token} Please answer."}}'.encode()) == scenario
