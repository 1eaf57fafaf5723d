"""Tests of how an answer is to be made."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from antigravity_proxy.catalog.builtin import MODELS
from antigravity_proxy.catalog.model import Effort
from antigravity_proxy.catalog.routing import route_to
from antigravity_proxy.translate.options import Options, fit_budget, to_generation_config

from .samples import CLAUDE, GEMINI, GPT_OSS, SampleTarget

PLAIN = SampleTarget("plain", "gemini", 65_536, None)


def test_config_holds_only_largest_answer_when_nothing_is_asked() -> None:
    """Without a wish of the client the answer may be as long as the model can."""
    assert to_generation_config(Options(), PLAIN) == {"maxOutputTokens": 65_536}


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        pytest.param(Options(temperature=0.5), {"temperature": 0.5}, id="temperature"),
        pytest.param(Options(temperature=3.5), {"temperature": 2}, id="hot"),
        pytest.param(Options(temperature=-1.0), {"temperature": 0}, id="cold"),
        pytest.param(Options(top_p=0.9), {"topP": 0.9}, id="top p"),
        pytest.param(Options(top_p=1.5), {"topP": 1}, id="large top p"),
        pytest.param(Options(top_p=-0.5), {"topP": 0}, id="small top p"),
        pytest.param(Options(top_k=40), {"topK": 40}, id="top k"),
        pytest.param(Options(top_k=1), {"topK": 1}, id="smallest top k"),
        pytest.param(Options(top_k=0), {}, id="no top k"),
        pytest.param(Options(top_k=-1), {}, id="negative top k"),
        pytest.param(Options(top_k=10**300), {"topK": 2_147_483_647}, id="large top k"),
        pytest.param(Options(stop=("a", "b")), {"stopSequences": ["a", "b"]}, id="stop"),
        pytest.param(Options(seed=7), {"seed": 7}, id="seed"),
        pytest.param(Options(seed=-1), {"seed": 2_147_483_647}, id="negative seed"),
        pytest.param(Options(seed=2**64 + 3), {"seed": 3}, id="large seed"),
        pytest.param(Options(is_json=True), {"responseMimeType": "application/json"}, id="JSON"),
        pytest.param(
            Options(is_json=True, response_schema={"type": "string", "pattern": "x"}),
            {
                "responseMimeType": "application/json",
                "responseSchema": {"type": "string", "description": "(pattern: x)"},
            },
            id="schema",
        ),
        pytest.param(Options(include_thoughts=True, thinking_budget=5_000), {}, id="thoughts of a model without"),
    ],
)
def test_option_has_its_field(options: Options, expected: dict[str, Any]) -> None:
    """Each wish has a field of its own and is brought into the range upstream takes."""
    assert to_generation_config(options, PLAIN) == {"maxOutputTokens": 65_536, **expected}


@pytest.mark.parametrize(
    ("model_id", "max_tokens", "expected"),
    [
        pytest.param("gemini-3.1-pro", 10_000_000, 65_535, id="far too many"),
        pytest.param("gemini-3.1-pro", 65_536, 65_535, id="one too many"),
        pytest.param("claude-sonnet-4-6", None, 64_000, id="none asked"),
        pytest.param("claude-sonnet-4-6", 100_000, 64_000, id="too many"),
        pytest.param("claude-sonnet-4-6", 2_048, 2_048, id="fewer"),
        pytest.param("gpt-oss-120b", 1, 1, id="one"),
        pytest.param("gpt-oss-120b", 0, 32_768, id="zero"),
        pytest.param("gpt-oss-120b", -1, 32_768, id="negative"),
    ],
)
def test_max_tokens_are_clamped(model_id: str, max_tokens: int | None, expected: int) -> None:
    """The length is always sent and at most what the runtime id takes; less than 1 is how some say "no limit"."""
    config = to_generation_config(Options(max_tokens=max_tokens), route_to(model_id, Effort.LOW))
    assert config["maxOutputTokens"] == expected


@pytest.mark.parametrize(
    ("target", "options", "expected"),
    [
        pytest.param(GEMINI, Options(), (True, 4_000), id="of the effort"),
        pytest.param(GEMINI, Options(thinking_budget=9_000), (True, 9_000), id="of the client"),
        pytest.param(GEMINI, Options(thinking_budget=-1), (True, -1), id="left to the model"),
        pytest.param(GEMINI, Options(thinking_budget=-7), (True, -1), id="negative"),
        pytest.param(GEMINI, Options(thinking_budget=0), (False, 0), id="off"),
        pytest.param(GEMINI, Options(include_thoughts=False), (False, 4_000), id="hidden"),
        pytest.param(GEMINI, Options(include_thoughts=True), (True, 4_000), id="shown"),
        pytest.param(GEMINI, Options(max_tokens=1_000), (True, 500), id="room for an answer"),
        pytest.param(GEMINI, Options(max_tokens=100), (False, 0), id="no room"),
        pytest.param(GEMINI, Options(thinking_budget=1), (True, 128), id="smallest"),
        pytest.param(CLAUDE, Options(thinking_budget=1), (True, 1_024), id="smallest of Claude"),
        pytest.param(CLAUDE, Options(thinking_budget=-1), (True, 1_024), id="Claude does not choose itself"),
        pytest.param(GPT_OSS, Options(thinking_budget=-1), (True, 1_024), id="nor does GPT-OSS"),
        pytest.param(CLAUDE, Options(max_tokens=2_047), (False, 0), id="no room for Claude"),
    ],
)
def test_thinking_fits_model_and_length(target: SampleTarget, options: Options, expected: tuple[bool, int]) -> None:
    """The client's budget beats the effort's, leaves room for an answer, and is one the family takes."""
    thinking = to_generation_config(options, target)["thinkingConfig"]
    assert (thinking["includeThoughts"], thinking["thinkingBudget"]) == expected


@pytest.mark.parametrize("effort", [Effort.LOW, Effort.MEDIUM, Effort.HIGH])
def test_level_is_kept_as_it_is(effort: Effort) -> None:
    """A runtime id that takes a level gets no budget, whatever the client names."""
    route = route_to("gemini-3.7-flash", effort)
    config = to_generation_config(Options(thinking_budget=5_000), route)
    assert config["thinkingConfig"] == {"includeThoughts": True, "thinkingLevel": effort.upper()}
    hidden = to_generation_config(Options(include_thoughts=False), route)
    assert hidden["thinkingConfig"] == {"includeThoughts": False, "thinkingLevel": effort.upper()}
    short = to_generation_config(Options(max_tokens=10), route)
    assert (short["maxOutputTokens"], short["thinkingConfig"]) == (10, config["thinkingConfig"])


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.id)
def test_wish_to_see_thoughts_makes_no_model_think(model: Any) -> None:
    """Without an effort or a budget there are no thoughts to show."""
    route = route_to(model.id, None)
    assert to_generation_config(Options(include_thoughts=True), route) == to_generation_config(Options(), route)
    assert to_generation_config(Options(), route)["thinkingConfig"]["includeThoughts"] is False


def test_route_is_not_changed() -> None:
    """The thinking of a route serves the next request as well."""
    to_generation_config(Options(include_thoughts=False, thinking_budget=5), GEMINI)
    assert GEMINI.thinking == {"includeThoughts": True, "thinkingBudget": 4_000}


@settings(deadline=None)
@given(st.integers(-5, 100_000), st.integers(1, 70_000), st.sampled_from([128, 1_024]))
def test_budget_leaves_room(budget: int, max_tokens: int, smallest: int) -> None:
    """A budget is off, the model's own choice, or between the smallest and half of the answer."""
    fitted = fit_budget(budget, max_tokens, smallest)
    assert fitted in (0, -1) or smallest <= fitted <= max_tokens // 2
    assert (fitted == -1) is (budget < 0)
    if smallest <= budget <= max_tokens // 2:
        assert fitted == budget


@settings(deadline=None)
@given(
    st.sampled_from(MODELS),
    st.none() | st.sampled_from(Effort),
    st.none() | st.integers(-5, 10**9),
    st.none() | st.integers(-5, 10**9),
)
def test_config_is_within_limits(
    model: Any, effort: Effort | None, max_tokens: int | None, thinking_budget: int | None
) -> None:
    """Whatever is asked of whichever model, the length and the budget are ones it takes."""
    route = route_to(model.id, effort)
    config = to_generation_config(Options(max_tokens=max_tokens, thinking_budget=thinking_budget), route)
    assert 1 <= config["maxOutputTokens"] <= model.max_output_tokens
    budget = config["thinkingConfig"].get("thinkingBudget", 0)
    assert budget == 0 or (budget == -1 and route.family == "gemini") or 0 < budget < config["maxOutputTokens"]
