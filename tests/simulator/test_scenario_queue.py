"""Tests of markers and the queue."""

from __future__ import annotations

from typing import Any

import pytest

from antigravity_proxy.simulator.scenario_queue import ScenarioQueue, read_markers, read_scenario
from antigravity_proxy.simulator.scenarios import FOREVER, GENERATE, ScenarioError


def test_text_without_markers_is_unchanged() -> None:
    """A text without markers is given as it is, blanks included."""
    assert read_markers("  hi [[x]] ") == ("  hi [[x]] ", [])


def test_markers_are_taken_out() -> None:
    """Several markers are read and leave the text."""
    text, scenarios = read_markers("[[simulate cut after=2]] hello [[simulate text text='two words']]\nworld")
    assert text == "hello world"
    assert [(scenario.name, scenario.params, scenario.times) for scenario in scenarios] == [
        ("cut", {"after": 2, "headers": False, "clean": False}, FOREVER),
        ("text", {"text": "two words"}, FOREVER),
    ]


@pytest.mark.parametrize(
    "marker",
    [
        "[[simulate nope]]",
        "[[simulate cut 3]]",
        "[[simulate cut after='3]]",
        "[[simulate cut times=x]]",
        "[[simulate cut size=1]]",
    ],
)
def test_bad_markers_are_refused(marker: str) -> None:
    """A marker that cannot be read is an error, not a text."""
    with pytest.raises(ScenarioError):
        read_markers(marker)


def test_scenario_of_the_control_api() -> None:
    """A JSON object gives a scenario with its place, its times and its company."""
    scenario = read_scenario(
        {
            "name": "status",
            "status": 503,
            "method": "loadCodeAssist",
            "account": "A@b.c",
            "times": -1,
            "also": [{"name": "crlf"}],
        }
    )
    assert (scenario.name, scenario.params["status"], scenario.method) == ("status", 503, "loadCodeAssist")
    assert (scenario.account, scenario.model, scenario.times) == ("a@b.c", None, FOREVER)
    assert [(other.name, other.method) for other in scenario.also] == [("crlf", "loadCodeAssist")]


@pytest.mark.parametrize(
    "document",
    [
        None,
        {},
        {"name": "cut", "times": "2"},
        {"name": "cut", "also": {}},
        {"name": "cut", "also": [1]},
        {"name": "cut", "x": 1},
        {"name": "cut", "model": "gemini-3.8-flash"},
    ],
    ids=str,
)
def test_bad_documents_are_refused(document: Any) -> None:
    """A document that describes no scenario is an error."""
    with pytest.raises(ScenarioError):
        read_scenario(document)


def test_parameters_may_be_json() -> None:
    """A text that is null is an empty one, and an object is its JSON."""
    assert read_scenario({"name": "finish", "reason": None}).params["reason"] == ""
    assert read_scenario({"name": "call", "args": {"a": 1}}).params["args"] == '{"a":1}'
    model = "gemini-3.8-flash-low"
    assert read_scenario({"name": "finish", "model": model}).model == model


def test_queue_is_used_up_in_order() -> None:
    """Each request takes the first scenario that is for it, until its times are over."""
    queue = ScenarioQueue(10)
    for document in ({"name": "crlf", "times": 2}, {"name": "done", "also": [{"name": "gzip"}]}):
        queue.add(read_scenario(document))
    taken = [[scenario.name for scenario in queue.take(GENERATE, "a@b.c", "m")] for _ in range(4)]
    assert taken == [["crlf"], ["crlf"], ["done", "gzip"], []]


def test_queue_skips_what_is_for_others() -> None:
    """A scenario for another account waits for it."""
    queue = ScenarioQueue(10)
    queue.add(read_scenario({"name": "crlf", "account": "x@y.z"}))
    queue.add(read_scenario({"name": "done", "times": -1}))
    assert [scenario.name for scenario in queue.take(GENERATE, "a@b.c")] == ["done"]
    assert [scenario.name for scenario in queue] == ["crlf", "done"]
    queue.clear()
    assert queue.take(GENERATE, "x@y.z") == []


def test_queue_is_bounded() -> None:
    """No more scenarios wait than there is room for."""
    queue = ScenarioQueue(1)
    queue.add(read_scenario({"name": "crlf"}))
    with pytest.raises(ScenarioError, match="waiting already"):
        queue.add(read_scenario({"name": "crlf"}))


def test_marked_times_count_per_text_and_account() -> None:
    """A limited marker holds for the first requests that bring the same text."""
    queue = ScenarioQueue(10)
    _, limited = read_markers("[[simulate crlf times=2]]")
    _, forever = read_markers("[[simulate done]]")
    both = limited + forever

    def names(text: str, account: str) -> list[str]:
        return [scenario.name for scenario in queue.take_marked(both, text, account, "m")]

    assert [names("t", "a@b.c") for _ in range(3)] == [["crlf", "done"], ["crlf", "done"], ["done"]]
    assert names("t", "x@y.z") == ["crlf", "done"]
    assert names("u", "a@b.c") == ["crlf", "done"]


def test_marked_gone_is_for_its_models() -> None:
    """A marker for some models leaves others alone."""
    _, gone = read_markers("[[simulate gone models=m]]")
    queue = ScenarioQueue(10)
    assert len(queue.take_marked(gone, "t", None, "m")) == 1
    assert queue.take_marked(gone, "t", None, "n") == []
