"""Tests of the repair of a conversation."""

from __future__ import annotations

import sys
from dataclasses import replace
from itertools import count, pairwise
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from antigravity_proxy.translate import history
from antigravity_proxy.translate.events import Media, Part, Text, Thought, ToolCall, ToolResult, Turn
from antigravity_proxy.translate.history import NO_RESULT, repair

from .samples import PNG, SIGNATURE

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from types import FrameType

    from antigravity_proxy.translate.events import Role

IMAGE = Media("image/png", PNG)
ASK = Turn("user", (Text("Do it."),))


def user(*parts: Part) -> Turn:
    """A turn of the user."""
    return Turn("user", parts)


def model(*parts: Part) -> Turn:
    """A turn of the model."""
    return Turn("model", parts)


def call(call_id: str | None = "a", name: str = "read") -> ToolCall:
    """A call."""
    return ToolCall(call_id, name, {})


def result(call_id: str | None = "a", output: str = "ok", name: str | None = "read") -> ToolResult:
    """A result."""
    return ToolResult(call_id, name, output)


@pytest.mark.parametrize(
    ("turns", "expected"),
    [
        pytest.param([], (), id="nothing"),
        pytest.param([user(), model(Text("")), user(Text(" \n"))], (), id="nothing but blanks"),
        pytest.param([user(Text("a")), user(Text("b"))], (user(Text("a"), Text("b")),), id="two of the user"),
        pytest.param(
            [user(Text("a")), user(Text("b")), model(Text("c")), model(Text("d")), user(Text("e"))],
            (user(Text("a"), Text("b")), model(Text("c"), Text("d")), user(Text("e"))),
            id="two of each",
        ),
        pytest.param(
            [user(Text("a")), model(Text(""), Text(" ")), user(Text("b"))],
            (user(Text("a"), Text("b")),),
            id="empty turn between",
        ),
        pytest.param(
            [user(Text("a")), model(Text("", SIGNATURE)), user(Text("b"))],
            (user(Text("a")), model(Text("", SIGNATURE)), user(Text("b"))),
            id="empty text with a signature",
        ),
        pytest.param([user(Text("  a  "), Text(" "))], (user(Text("  a  ")),), id="blanks around words stay"),
    ],
)
def test_neighbours_of_same_role_become_one_turn(turns: list[Turn], expected: tuple[Turn, ...]) -> None:
    """Turns alternate, and what holds nothing vanishes."""
    assert repair(turns) == expected


def test_turn_of_nothing_but_thoughts_vanishes() -> None:
    """A thought that led to nothing goes, and one that led to words stays before them."""
    turns = (
        user(Text("Hi")),
        model(Thought("a"), Text(" ")),
        model(Thought("b"), Thought(""), Text("c")),
        user(Text("d")),
    )
    assert repair(turns) == (user(Text("Hi")), model(Thought("b"), Text("c")), user(Text("d")))


def test_conversation_that_opens_with_model_gets_user_in_front() -> None:
    """Upstream wants the user first, so the user says hello."""
    assert repair([model(Text("Hi.")), ASK]) == (user(Text("Hello")), model(Text("Hi.")), ASK)


def test_conversation_that_ends_with_model_gets_user_behind() -> None:
    """Upstream answers only users, so the user asks to go on."""
    assert repair([ASK, model(Text("Half an"))]) == (ASK, model(Text("Half an")), user(Text("Continue.")))


@pytest.mark.parametrize(
    ("turns", "expected"),
    [
        pytest.param(
            [ASK, model(call("a"), call("b")), user(result("b", "2")), user(result("a", "1"))],
            (ASK, model(call("a"), call("b")), user(result("a", "1"), result("b", "2"))),
            id="other order",
        ),
        pytest.param(
            [ASK, model(call("a")), user(Text("and")), user(result("a"))],
            (ASK, model(call("a")), user(result("a"), Text("and"))),
            id="behind words",
        ),
        pytest.param(
            [ASK, model(call("a")), user(Text("x")), model(Text("y")), user(result("a"))],
            (ASK, model(call("a")), user(result("a"), Text("x")), model(Text("y")), user(Text("Continue."))),
            id="turns later",
        ),
        pytest.param(
            [user(result("a")), model(call("a")), ASK],
            (user(Text("Hello")), model(call("a")), user(result("a"), Text("Do it."))),
            id="before the call",
        ),
        pytest.param(
            [ASK, model(call("a")), user(result("a", "1")), model(call("a")), user(result("a", "2"))],
            (ASK, model(call("a")), user(result("a", "1")), model(call("a")), user(result("a", "2"))),
            id="same id again",
        ),
        pytest.param(
            [ASK, model(call("a")), user(Text("Stop.")), model(call("a")), user(result("a", "2"))],
            (
                ASK,
                model(call("a")),
                user(ToolResult("a", "read", NO_RESULT, is_error=True), Text("Stop.")),
                model(call("a")),
                user(result("a", "2")),
            ),
            id="same id again after a call without a result",
        ),
        pytest.param(
            [ASK, model(call("a")), user(Text("x")), model(call("a")), user(result("a", "2"), result("a", "1"))],
            (
                ASK,
                model(call("a")),
                user(result("a", "1"), Text("x")),
                model(call("a")),
                user(result("a", "2")),
            ),
            id="nearest call first",
        ),
        pytest.param(
            [ASK, model(call("a", "x"), call("a", "y")), user(result("a", "1", None), result("a", "2", None))],
            (ASK, model(call("a", "x"), call("a", "y")), user(result("a", "1", "x"), result("a", "2", "y"))),
            id="same id twice in a turn",
        ),
        pytest.param(
            [ASK, model(call("a")), user(Text("x")), model(call(None)), user(result("a", "1"), result(None, "2"))],
            (
                ASK,
                model(call("a")),
                user(result("a", "1"), Text("x")),
                model(call(None)),
                user(result(None, "2")),
            ),
            id="id before name",
        ),
        pytest.param(
            [ASK, model(call(None, "x"), call(None, "y")), user(result("b", "2", "y"), result("a", "1", "x"))],
            (ASK, model(call(None, "x"), call(None, "y")), user(result(None, "1", "x"), result(None, "2", "y"))),
            id="ids on results alone",
        ),
        pytest.param(
            [user(result("a", "1")), model(call("b"), call("a"), call("a")), ASK],
            (
                user(Text("Hello")),
                model(call("b"), call("a"), call("a")),
                user(
                    ToolResult("b", "read", NO_RESULT, is_error=True),
                    result("a", "1"),
                    ToolResult("a", "read", NO_RESULT, is_error=True),
                    Text("Do it."),
                ),
            ),
            id="before several calls",
        ),
        pytest.param(
            [ASK, model(call(None, "x"), call(None, "y")), user(result(None, "2", "y"), result(None, "1", "x"))],
            (ASK, model(call(None, "x"), call(None, "y")), user(result(None, "1", "x"), result(None, "2", "y"))),
            id="no ids but names",
        ),
        pytest.param(
            [ASK, model(call("a", "x")), user(result(None, "1", None))],
            (ASK, model(call("a", "x")), user(result("a", "1", "x"))),
            id="neither id nor name",
        ),
        pytest.param(
            [ASK, model(call("a", "read")), user(result("a", "1", "wrong"))],
            (ASK, model(call("a", "read")), user(result("a", "1", "read"))),
            id="name of the call",
        ),
    ],
)
def test_result_follows_its_call(turns: list[Turn], expected: tuple[Turn, ...]) -> None:
    """Results stand directly behind the turn that called, in the order and under the names of its calls."""
    assert repair(turns) == expected


def test_copy_before_its_call_is_dropped() -> None:
    """A copy of a result that was used is not filed under a later call of the same id."""
    turns = [user(result("a", "1"), Text("x")), model(call("a")), user(result("a", "1")), model(call("a")), ASK]
    assert repair(turns) == (
        user(Text("x")),
        model(call("a")),
        user(result("a", "1")),
        model(call("a")),
        user(ToolResult("a", "read", NO_RESULT, is_error=True), Text("Do it.")),
    )


def test_call_without_result_gets_an_error() -> None:
    """A call that was never answered says so, instead of being hidden from the model."""
    missing = ToolResult("b", "write", NO_RESULT, is_error=True)
    turns = [ASK, model(call("a"), call("b", "write")), user(result("a"))]
    assert repair(turns) == (ASK, model(call("a"), call("b", "write")), user(result("a"), missing))


def test_call_at_the_end_gets_an_error() -> None:
    """Also a conversation that ends with a call ends with the user."""
    assert repair([ASK, model(call("a"))])[-1] == user(ToolResult("a", "read", NO_RESULT, is_error=True))


@pytest.mark.parametrize(
    ("orphan", "expected"),
    [
        pytest.param(result("z", "5"), (Text("Tool result of read: 5"),), id="with a name"),
        pytest.param(result("z", "5", None), (Text("Tool result: 5"),), id="without a name"),
        pytest.param(ToolResult("z", None, "5", media=(IMAGE,)), (Text("Tool result: 5"), IMAGE), id="with an image"),
        pytest.param(result("a", "other"), (Text("Tool result of read: other"),), id="second for the same call"),
        pytest.param(result("a"), (), id="exact copy"),
    ],
)
def test_result_nobody_called_for_becomes_words(orphan: ToolResult, expected: tuple[Part, ...]) -> None:
    """What a surplus result says is not lost, except for a copy of one that is there."""
    turns = [ASK, model(call("a")), user(result("a")), user(orphan)]
    assert repair(turns) == (ASK, model(call("a")), user(result("a"), *expected))


def test_media_of_results_come_after_all_results() -> None:
    """Upstream wants the results of a turn first, and images behind them in the order they came."""
    first, second = Media("image/png", "AAAA"), Media("image/png", "BBBB")
    turns = [
        ASK,
        model(call("a"), call("b")),
        user(ToolResult("a", "read", "1", media=(first, second))),
        user(ToolResult("b", "read", "2", media=(IMAGE,)), Text("Look.")),
    ]
    expected = user(result("a", "1"), result("b", "2"), first, second, IMAGE, Text("Look."))
    assert repair(turns)[-1] == expected


TEXTS = st.sampled_from(["", " ", "a", "b"])
IDS = st.sampled_from([None, "a", "b", "c"])
NAMES = st.sampled_from(["x", "y"])
SIGNATURES = st.sampled_from([None, None, SIGNATURE])
USER_PARTS = st.one_of(
    st.builds(Text, TEXTS),
    st.builds(
        ToolResult,
        IDS,
        st.none() | NAMES,
        TEXTS,
        st.booleans(),
        st.sampled_from([(), (), (IMAGE,)]),
    ),
    st.just(IMAGE),
)
MODEL_PARTS = st.one_of(
    st.builds(Text, TEXTS, SIGNATURES),
    st.builds(ToolCall, IDS, NAMES, st.just({}), SIGNATURES),
    st.just(IMAGE),
)
TURNS = st.lists(
    st.builds(Turn, st.just("user"), st.lists(USER_PARTS, max_size=4).map(tuple))
    | st.builds(Turn, st.just("model"), st.lists(MODEL_PARTS, max_size=4).map(tuple)),
    max_size=8,
)


def told_apart(turns: Iterable[Turn]) -> list[Turn]:
    """The same turns, with a number in every call and every result, so that none is like another."""
    numbers = count()

    def numbered(part: Part) -> Part:
        if isinstance(part, ToolCall):
            return replace(part, arguments={"n": next(numbers)})
        return replace(part, output=f"<{next(numbers)}>") if isinstance(part, ToolResult) else part

    return [Turn(turn.role, tuple(map(numbered, turn.parts))) for turn in turns]


def calls_in(turn: Turn) -> list[ToolCall]:
    """The calls of a turn."""
    return [part for part in turn.parts if isinstance(part, ToolCall)]


def results_in(turn: Turn) -> list[ToolResult]:
    """The results of a turn."""
    return [part for part in turn.parts if isinstance(part, ToolResult)]


def outputs_of(turns: Sequence[Turn]) -> list[tuple[ToolCall, str]]:
    """Each call of a repaired conversation with the output that stands in its place."""
    return [
        (call, result.output)
        for turn, answer in pairwise(turns)
        for call, result in zip(calls_in(turn), results_in(answer), strict=True)
    ]


@settings(deadline=None)
@given(TURNS)
def test_any_conversation_is_repaired(turns: list[Turn]) -> None:
    """Whatever is missing, doubled or out of order, the outcome is one upstream takes, and stays as it is."""
    repaired = repair(turns)
    assert repair(repaired) == repaired
    assert [turn.role for turn in repaired] == ["user", "model"] * (len(repaired) // 2) + ["user"] * bool(repaired)
    assert all(turn.parts for turn in repaired)
    calls: list[tuple[str | None, str | None]] = []
    for turn in repaired:
        results = results_in(turn)
        assert [(result.call_id, result.name) for result in results] == calls
        assert list(turn.parts[: len(results)]) == results
        calls = [(call.id, call.name) for call in calls_in(turn)]
    assert not calls


@settings(deadline=None)
@given(TURNS.map(told_apart))
def test_repair_loses_nothing(turns: list[Turn]) -> None:
    """All calls and words are there afterwards, in their order, and every output of a tool is there once."""
    before = [part for turn in turns for part in turn.parts]
    after = [part for turn in repair(turns) for part in turn.parts]
    kept = [part for part in before if isinstance(part, ToolCall)]
    assert [part for part in after if isinstance(part, ToolCall)] == kept
    said = [part for part in before if isinstance(part, Text) and part.text.strip()]
    assert [part for part in after if part in said and part != Text("Hello")] == said
    words = " ".join(part.output if isinstance(part, ToolResult) else getattr(part, "text", "") for part in after)
    assert all(words.count(part.output) == 1 for part in before if isinstance(part, ToolResult))


Place = tuple[int, int]
"""Number of the turn, when neighbours of one role are one, and of the part in the whole conversation."""


def places_in(turns: Iterable[Turn]) -> list[tuple[Place, Part]]:
    """Every part that says something, with its place."""
    said = [(turn.role, part) for turn in turns for part in turn.parts if part not in (Text(""), Text(" "))]
    turn, before, placed = 0, "", list[tuple[Place, Part]]()
    for number, (role, part) in enumerate(said):
        turn, before = turn + (role != before), role
        placed.append(((turn, number), part))
    return placed


def fits(call: ToolCall, result: ToolResult) -> bool:
    """Whether a result may be that of a call."""
    if call.id is not None and result.call_id is not None:
        return call.id == result.call_id
    return result.name in (None, call.name)


FEW_IDS = st.sampled_from(["a", "a", "a", "b", None])
CALLS = st.builds(Turn, st.just("model"), st.tuples(st.builds(ToolCall, FEW_IDS, NAMES, st.just({}))))
RESULTS = st.builds(Turn, st.just("user"), st.tuples(st.builds(ToolResult, FEW_IDS, st.none() | NAMES, st.just(""))))
EXCHANGES = st.lists(CALLS | RESULTS | st.just(ASK), max_size=8)
"""Conversations of little but calls and results, so that many of them have the same id."""


@settings(deadline=None, max_examples=200)
@given((TURNS | EXCHANGES).map(told_apart))
def test_result_is_filed_under_the_nearest_call(turns: list[Turn]) -> None:
    """A result goes to the nearest call of its id before it, else to the next, and becomes words only without one."""
    placed = places_in(turns)
    calls = [(place, part) for place, part in placed if isinstance(part, ToolCall)]
    results = {part.output: (place, part) for place, part in placed if isinstance(part, ToolResult)}
    answers = {call.arguments["n"]: results.get(output) for call, output in outputs_of(repair(turns))}
    for (turn, number), result in results.values():
        fitting = [(place, call) for place, call in calls if fits(call, result)]
        chosen = [(place, call) for place, call in calls if answers[call.arguments["n"]] == ((turn, number), result)]
        assert [pair for pair in chosen if pair not in fitting] == []
        if not chosen or chosen[0][0][0] > turn:
            earlier = [call for (at, _), call in fitting if not chosen or at < turn]
            assert all(answers[call.arguments["n"]] is not None for call in earlier)
        elif chosen[0][1].id is not None and chosen[0][1].id == result.call_id:
            (chosen_turn, chosen_number), chosen_call = chosen[0]
            for (at, call_number), call in fitting:
                is_nearer = chosen_turn < at < turn or (at == chosen_turn and call_number < chosen_number)
                if call.id == chosen_call.id and is_nearer:
                    answer = answers[call.arguments["n"]]
                    assert answer is not None
                    assert answer[0] < (turn, number)


@st.composite
def honest_rounds(draw: st.DrawFn) -> tuple[list[Turn], list[str]]:
    """Rounds of calls of a client that counts its ids anew in each and loses results; and what each call got."""
    turns, outputs = [ASK], list[str]()
    for _ in range(draw(st.integers(1, 4))):
        calls = [call(f"call_{number}") for number in range(draw(st.integers(1, 3)))]
        kept = draw(st.lists(st.booleans(), min_size=len(calls), max_size=len(calls)))
        given = [f"<{len(outputs) + number}>" if is_kept else NO_RESULT for number, is_kept in enumerate(kept)]
        outputs += given
        results = [result(one.id, output) for one, output in zip(calls, given, strict=True) if output != NO_RESULT]
        turns += [model(*calls), *(user(one) for one in draw(st.permutations(results))), model(Text("Well.")), ASK]
    return turns, outputs


@settings(deadline=None)
@given(honest_rounds())
def test_ids_may_be_used_again(rounds: tuple[list[Turn], list[str]]) -> None:
    """With ids that come again and results that are missing, each call has its own result or none."""
    turns, outputs = rounds
    assert [output for _, output in outputs_of(repair(turns))] == outputs


def steps_for(turns: Sequence[Turn]) -> int:
    """How many lines the repair of a conversation runs through."""
    steps = 0

    def count_line(frame: FrameType, event: str, _argument: object) -> Any:
        nonlocal steps
        if not frame.f_code.co_filename.endswith("history.py"):
            return None
        steps += event == "line"
        return count_line

    before = sys.gettrace()
    sys.settrace(count_line)
    try:
        repair(turns)
    finally:
        sys.settrace(before)
    return steps


@pytest.mark.parametrize("in_one_turn", [False, True], ids=["turn-by-turn", "in-one-turn"])
@pytest.mark.parametrize(
    ("call_id", "result_id", "name"),
    [
        ("{}", "{}", "read"),
        ("same", "same", "read"),
        (None, None, "read"),
        ("{}", None, None),
        ("{}", "no{}", "other"),
    ],
    ids=["own-ids", "one-id", "no-ids", "calls-only", "wrong"],
)
def test_pairing_takes_steps_in_proportion(
    call_id: str | None, result_id: str | None, name: str | None, *, in_one_turn: bool
) -> None:
    """Twice as many calls take about twice as many steps, whatever their ids are like."""

    def conversation(count: int) -> list[Turn]:
        calls = [call(call_id and call_id.format(number)) for number in range(count)]
        results = [result(result_id and result_id.format(number), str(number), name) for number in range(count)]
        if in_one_turn:
            return [model(*calls), user(*results)]
        return [turn for pair in zip(calls, results, strict=True) for turn in (model(pair[0]), user(pair[1]))]

    assert steps_for(conversation(400)) < 2.5 * steps_for(conversation(200))


def test_joining_copies_each_part_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neighbours of one role are joined in one go, however many they are."""
    copied = 0

    def counted(role: Role, parts: tuple[Part, ...]) -> Turn:
        nonlocal copied
        copied += len(parts)
        return Turn(role, parts)

    turns = [user(Text(str(number))) for number in range(300)]
    monkeypatch.setattr(history, "Turn", counted)
    assert repair(turns) == (user(*(part for turn in turns for part in turn.parts)),)
    assert copied == len(turns)
