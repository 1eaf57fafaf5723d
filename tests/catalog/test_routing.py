"""Tests of the way from a public model to a runtime id."""

from __future__ import annotations

from typing import Any

import pytest

from antigravity_proxy.catalog.model import Effort, Family, Route
from antigravity_proxy.catalog.routing import (
    EFFORT_WORDS,
    fallback_route,
    family_of,
    output_cap,
    read_effort,
    reroute,
    resolve_runtime_id,
    route_to,
    static_fallback,
    thinking_config,
    without_thinking,
)
from antigravity_proxy.errors import RequestError


def one_for_all(runtime_id: str) -> dict[str, str]:
    """The same runtime id for every effort."""
    return {str(effort): runtime_id for effort in Effort}


ROUTES: dict[str, dict[str, str]] = {
    "gemini-3.8-flash": {
        "none": "gemini-3.8-flash-low",
        "minimal": "gemini-3.8-flash-low",
        "low": "gemini-3.8-flash-low",
        "medium": "gemini-3.8-flash-medium",
        "high": "gemini-3.8-flash-high",
        "xhigh": "gemini-3.8-flash-high",
    },
    "gemini-3.7-flash": one_for_all("gemini-3.7-flash-tiered"),
    "gemini-3.6-flash": {
        "none": "gemini-3.6-flash-low",
        "minimal": "gemini-3.6-flash-low",
        "low": "gemini-3.6-flash-low",
        "medium": "gemini-3.6-flash-medium",
        "high": "gemini-3.6-flash-high",
        "xhigh": "gemini-3.6-flash-high",
    },
    "gemini-3.5-flash": {
        "none": "gemini-3.5-flash-extra-low",
        "minimal": "gemini-3.5-flash-extra-low",
        "low": "gemini-3.5-flash-low",
        "medium": "gemini-3.5-flash-low",
        "high": "gemini-3-flash-agent",
        "xhigh": "gemini-3-flash-agent",
    },
    "gemini-3.1-pro": {
        "none": "gemini-3.1-pro-low",
        "minimal": "gemini-3.1-pro-low",
        "low": "gemini-3.1-pro-low",
        "medium": "gemini-3.1-pro-low",
        "high": "gemini-pro-agent",
        "xhigh": "gemini-pro-agent",
    },
    "claude-sonnet-4-6": one_for_all("claude-sonnet-4-6"),
    "claude-opus-4-6": one_for_all("claude-opus-4-6-thinking"),
    "gpt-oss-120b": one_for_all("gpt-oss-120b-medium"),
    "unknown-model": one_for_all("unknown-model"),
}


@pytest.mark.parametrize(
    ("model_id", "effort", "runtime_id"),
    [
        pytest.param(model_id, Effort(effort), runtime_id, id=f"{model_id}-{effort}")
        for model_id, row in ROUTES.items()
        for effort, runtime_id in row.items()
    ],
)
def test_effort_leads_to_runtime_id(model_id: str, effort: Effort, runtime_id: str) -> None:
    """Every effort of every model has a runtime id; a model we do not know is its own."""
    assert resolve_runtime_id(model_id, effort) == runtime_id


@pytest.mark.parametrize("model_id", ROUTES)
def test_no_effort_leads_where_none_does(model_id: str) -> None:
    """A client that says nothing gets the fastest."""
    assert resolve_runtime_id(model_id, None) == ROUTES[model_id]["none"]


@pytest.mark.parametrize(
    ("runtime_id", "family"),
    [
        pytest.param("gemini-pro-agent", Family.GEMINI, id="gemini"),
        pytest.param("claude-opus-4-6-thinking", Family.CLAUDE, id="claude"),
        pytest.param("gpt-oss-120b-medium", Family.GPT_OSS, id="gpt-oss"),
        pytest.param("something-new", Family.GEMINI, id="unknown"),
    ],
)
def test_family_is_that_of_the_prefix(runtime_id: str, family: Family) -> None:
    """The beginning of a runtime id tells its family."""
    assert family_of(runtime_id) is family


@pytest.mark.parametrize(
    ("runtime_id", "cap"),
    [
        pytest.param("gemini-3.8-flash-tiered", 65_536, id="3.8"),
        pytest.param("gemini-3.7-flash-tiered", 65_536, id="3.7"),
        pytest.param("gemini-3.6-flash-low", 65_536, id="3.6"),
        pytest.param("gemini-3-flash-agent", 65_536, id="3.5"),
        pytest.param("gemini-3.1-pro-low", 65_535, id="pro"),
        pytest.param("gemini-pro-agent", 65_535, id="pro, high"),
        pytest.param("gemini-99-new", 65_536, id="new Gemini"),
        pytest.param("claude-sonnet-4-6", 64_000, id="sonnet"),
        pytest.param("claude-opus-4-6-thinking", 64_000, id="opus"),
        pytest.param("gpt-oss-120b-medium", 32_768, id="oss"),
        pytest.param("something-new", 8_192, id="unknown"),
    ],
)
def test_output_cap_is_that_of_the_prefix(runtime_id: str, cap: int) -> None:
    """The beginning of a runtime id tells its longest answer."""
    assert output_cap(runtime_id) == cap


def budget(tokens: int) -> dict[str, Any]:
    """The thinking of so many tokens."""
    return {"includeThoughts": tokens != 0, "thinkingBudget": tokens}


@pytest.mark.parametrize(
    ("runtime_id", "expected"),
    [
        pytest.param("gemini-3.8-flash-low", [0, 1_000, 1_000, 4_000, -1, -1], id="3.8"),
        pytest.param("gemini-3.6-flash-low", [0, 1_000, 1_000, 4_000, -1, -1], id="3.6"),
        pytest.param("gemini-3.5-flash-low", [0, 1_000, 1_000, 4_000, 10_000, 10_000], id="3.5"),
        pytest.param("gemini-3-flash-agent", [0, 1_000, 1_000, 4_000, 10_000, 10_000], id="3.5, high"),
        pytest.param("gemini-3.1-pro-low", [0, 1_001, 1_001, 1_001, 10_001, 10_001], id="pro"),
        pytest.param("gemini-pro-agent", [0, 1_001, 1_001, 1_001, 10_001, 10_001], id="pro, high"),
        pytest.param("claude-opus-4-6-thinking", [0, 1_024, 1_024, 1_024, 1_024, 1_024], id="claude"),
        pytest.param("gpt-oss-120b-medium", [0, 8_192, 8_192, 8_192, 8_192, 8_192], id="oss"),
    ],
)
def test_thinking_has_budget_of_effort(runtime_id: str, expected: list[int]) -> None:
    """Each effort has its budget; none, and saying nothing, turn thinking off."""
    assert [thinking_config(runtime_id, effort) for effort in Effort] == [budget(tokens) for tokens in expected]
    assert thinking_config(runtime_id, None) == budget(0)


@pytest.mark.parametrize(
    ("effort", "expected"),
    [
        pytest.param(None, {"includeThoughts": False, "thinkingLevel": "LOW"}, id="nothing"),
        pytest.param(Effort.NONE, {"includeThoughts": False, "thinkingLevel": "LOW"}, id="none"),
        pytest.param(Effort.LOW, {"includeThoughts": True, "thinkingLevel": "LOW"}, id="low"),
        pytest.param(Effort.MEDIUM, {"includeThoughts": True, "thinkingLevel": "MEDIUM"}, id="medium"),
        pytest.param(Effort.HIGH, {"includeThoughts": True, "thinkingLevel": "HIGH"}, id="high"),
        pytest.param(Effort.XHIGH, {"includeThoughts": True, "thinkingLevel": "HIGH"}, id="xhigh"),
    ],
)
def test_thinking_has_level_where_runtime_id_takes_one(effort: Effort | None, expected: dict[str, Any]) -> None:
    """The runtime id for every level is told the level, and no budget."""
    assert thinking_config("gemini-3.7-flash-tiered", effort) == expected


def test_thinking_is_left_out_for_unknown_runtime_id() -> None:
    """What an unknown model takes is not guessed."""
    assert thinking_config("something-new", Effort.HIGH) is None


@pytest.mark.parametrize(
    ("word", "effort"),
    [
        pytest.param(None, None, id="absent"),
        pytest.param("", None, id="empty"),
        pytest.param("auto", None, id="auto"),
        pytest.param("off", Effort.NONE, id="off"),
        pytest.param("none", Effort.NONE, id="none"),
        pytest.param("max", Effort.XHIGH, id="max"),
        *(pytest.param(str(effort), effort, id=f"own word {effort}") for effort in Effort),
    ],
)
def test_effort_is_read(word: str | None, effort: Effort | None) -> None:
    """Clients have many words for an effort."""
    assert read_effort(word) is effort


def test_every_effort_has_a_word() -> None:
    """There is no effort that cannot be asked for."""
    assert set(EFFORT_WORDS.values()) == {None, *Effort}


def test_unknown_effort_is_refused() -> None:
    """A word that means nothing is a 400 that names those that do."""
    with pytest.raises(RequestError, match="known are none, minimal, low, medium, high, xhigh") as caught:
        read_effort("enormous" * 100)
    assert (caught.value.status, caught.value.param) == (400, "reasoning_effort")
    assert len(caught.value.message) < 200


def test_unknown_effort_is_refused_where_it_stands() -> None:
    """A client that said it in another place is told that place."""
    with pytest.raises(RequestError, match=r"reasoning\.effort is 'enormous'; known are none") as caught:
        read_effort("enormous", "reasoning.effort")
    assert caught.value.param == "reasoning.effort"


def test_route_holds_all_that_request_needs() -> None:
    """A route knows its family, its caps and its thinking."""
    assert route_to("gemini-3.1-pro", Effort.HIGH) == Route(
        model_id="gemini-3.1-pro",
        runtime_id="gemini-pro-agent",
        family=Family.GEMINI,
        effort=Effort.HIGH,
        max_output_tokens=65_535,
        thinking={"includeThoughts": True, "thinkingBudget": 10_001},
    )


def test_reroute_takes_facts_of_new_runtime_id() -> None:
    """After a 404 the same request goes to another runtime id, with that one's thinking."""
    first = route_to("gemini-3.8-flash", Effort.LOW)
    fallback = static_fallback(first.runtime_id, first.effort)
    assert (first.runtime_id, fallback) == ("gemini-3.8-flash-low", "gemini-3.7-flash-tiered")
    assert reroute(first, "gemini-3.7-flash-tiered") == Route(
        model_id="gemini-3.8-flash",
        runtime_id="gemini-3.7-flash-tiered",
        family=Family.GEMINI,
        effort=Effort.LOW,
        max_output_tokens=65_536,
        thinking={"includeThoughts": True, "thinkingLevel": "LOW"},
    )


@pytest.mark.parametrize(
    ("runtime_id", "effort", "expected"),
    [
        pytest.param("gemini-3.8-flash-high", Effort.HIGH, "gemini-3.7-flash-tiered", id="3.8, high"),
        pytest.param("gemini-3.8-flash", None, "gemini-3.7-flash-tiered", id="3.8"),
        pytest.param("gemini-3.8-flash-tiered", None, "gemini-3.7-flash-tiered", id="3.8, all"),
        pytest.param("gemini-3.7-flash-low", None, "gemini-3.6-flash-low", id="3.7, low"),
        pytest.param("gemini-3.7-flash-medium", None, "gemini-3.6-flash-medium", id="3.7, medium"),
        pytest.param("gemini-3.7-flash-high", Effort.LOW, "gemini-3.6-flash-high", id="3.7, high"),
        pytest.param("gemini-3.7-flash-tiered", Effort.MEDIUM, "gemini-3.6-flash-medium", id="3.7, all"),
        pytest.param("gemini-3.7-flash-tiered", None, "gemini-3.6-flash-low", id="3.7, all, no effort"),
        pytest.param("gemini-3.7-flash", None, "gemini-3.6-flash-low", id="3.7"),
        pytest.param("gemini-3.6-flash-low", Effort.LOW, None, id="3.6"),
        pytest.param("claude-sonnet-4-6", Effort.HIGH, None, id="sonnet"),
        pytest.param("something-new", None, None, id="unknown"),
    ],
)
def test_static_fallback_is_the_next_older_model(
    runtime_id: str, effort: Effort | None, expected: str | None
) -> None:
    """The newest models have an older one that stands in, at the level of the runtime id or else of the effort."""
    assert static_fallback(runtime_id, effort) == expected


def test_fallback_route_is_that_of_the_fallback() -> None:
    """The route after a 404 is that of the older model, if there is one."""
    first = route_to("gemini-3.8-flash", Effort.LOW)
    assert fallback_route(first) == reroute(first, "gemini-3.7-flash-tiered")
    assert fallback_route(route_to("claude-sonnet-4-6", None)) is None


@pytest.mark.parametrize(
    ("model_id", "thinking"),
    [
        ("gemini-3.8-flash", {"includeThoughts": False, "thinkingBudget": 0}),
        ("gemini-3.7-flash", {"includeThoughts": False, "thinkingLevel": "LOW"}),
        ("something-new", None),
    ],
)
def test_route_without_thinking_thinks_as_little_as_it_can(model_id: str, thinking: dict[str, object] | None) -> None:
    """The same runtime id is asked for no thoughts, in the form it takes."""
    route = without_thinking(route_to(model_id, Effort.HIGH))
    assert (route.effort, route.thinking) == (Effort.NONE, thinking)
