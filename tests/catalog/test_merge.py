"""Tests of the built-in table and Google's catalogue as one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from antigravity_proxy.catalog.builtin import BUILT_IN_IDS, MODELS
from antigravity_proxy.catalog.discovery import read_catalog
from antigravity_proxy.catalog.merge import merge
from antigravity_proxy.catalog.model import Effort, Family
from antigravity_proxy.catalog.routing import route_model
from antigravity_proxy.errors import UnknownModelError

if TYPE_CHECKING:
    from antigravity_proxy.catalog.catalog import Catalog
    from antigravity_proxy.catalog.model import Model

KNOWN = sorted(BUILT_IN_IDS)
LOW, MEDIUM, HIGH = "gemini-9-low", "gemini-9-medium", "gemini-9-high"
TIERED = "gemini-9-tiered"


def merged(rows: dict[str, dict[str, Any]], renamed: dict[str, str] | None = None) -> Catalog:
    """The catalogue of some rows, of which Google has renamed some."""
    old_to_new = {old: {"newModelId": new} for old, new in (renamed or {}).items()}
    return merge(read_catalog({"models": rows, "deprecatedModelIds": old_to_new}), "a***@example.com")


def only(rows: dict[str, dict[str, Any]]) -> Model:
    """The one model that some rows are."""
    (model,) = merged(rows).models
    return model


def routes(model: Model) -> list[str]:
    """The runtime id behind each effort, from none to the most."""
    return [route_model(model, effort).runtime_id for effort in Effort]


def budgets(model: Model) -> list[int]:
    """The budget of each effort, from none to the most."""
    thinking = [route_model(model, effort).thinking or {} for effort in Effort]
    return [config["thinkingBudget"] for config in thinking]


def test_known_models_keep_their_entries() -> None:
    """Where Google says no more than ids, the models are ours, with the same routes."""
    catalog = merged({runtime_id: {} for runtime_id in KNOWN})
    assert catalog.source == "a***@example.com"
    assert [model.id for model in catalog.models] == [model.id for model in MODELS]
    for known, model in zip(MODELS, catalog.models, strict=True):
        assert (model.context_tokens, model.max_output_tokens) == (known.context_tokens, known.max_output_tokens)
        assert (model.inputs, model.efforts) == (known.inputs, known.efforts)
        for effort in (None, *Effort):
            assert route_model(model, effort) == route_model(known, effort)


def test_known_model_is_narrowed_but_never_widened() -> None:
    """Smaller sizes and missing kinds of media hold; larger sizes and further media do not."""
    row = {"maxTokens": 5_000, "maxOutputTokens": 400, "supportedMimeTypes": {"image/png": True, "audio/wav": True}}
    model = only({"claude-sonnet-4-6": row})
    assert (model.context_tokens, model.max_output_tokens, model.inputs) == (5_000, 400, ("text", "image"))
    route = route_model(model, None)
    assert (route.max_output_tokens, route.media_types) == (400, None)
    wide = only({"claude-sonnet-4-6": {"maxTokens": 10**9, "maxOutputTokens": 10**9}})
    assert (wide.context_tokens, wide.max_output_tokens) == (200_000, 64_000)
    blind = only({"claude-sonnet-4-6": {"supportedMimeTypes": {"text/plain": True}}})
    assert blind.inputs == ("text",)
    assert route_model(blind, None).media_types == frozenset({"text/plain"})


def test_known_model_goes_where_google_serves_it() -> None:
    """An id of ours that is not listed gives way to another of the same model, a renamed one to the new one."""
    low, high = "gemini-3.7-flash-low", "gemini-3.7-flash-high"
    assert routes(only({low: {}, high: {}})) == [low, low, low, low, high, high]
    catalog = merged({"claude-sonnet-4-6": {}, "claude-sonnet-5": {}}, {"claude-sonnet-4-6": "claude-sonnet-5"})
    assert set(routes(catalog.models[0])) == {"claude-sonnet-5"}


def test_model_that_is_not_listed_is_left_out() -> None:
    """The list holds what Google serves."""
    assert [model.id for model in merged({"gpt-oss-120b-medium": {}}).models] == ["gpt-oss-120b"]


@pytest.mark.parametrize(
    ("rows", "expected", "efforts"),
    [
        pytest.param([LOW, MEDIUM, HIGH], [LOW, LOW, LOW, MEDIUM, HIGH, HIGH], "low medium high", id="three levels"),
        pytest.param([MEDIUM, LOW], [LOW, LOW, LOW, MEDIUM, MEDIUM, MEDIUM], "low medium", id="two levels"),
        pytest.param([TIERED], [TIERED] * 6, "low medium high", id="every level"),
        pytest.param(["gemini-9"], ["gemini-9"] * 6, "low medium high", id="no level"),
        pytest.param([TIERED, HIGH], [*[TIERED] * 4, HIGH, HIGH], "low medium high", id="level and every level"),
        pytest.param(
            ["gemini-9-extra-low", "gemini-9-extra-high"],
            [*["gemini-9-extra-low"] * 3, *["gemini-9-extra-low"], *["gemini-9-extra-high"] * 2],
            "low xhigh",
            id="extra levels",
        ),
        pytest.param(
            ["gemini-9-minimal", MEDIUM],
            ["gemini-9-minimal", "gemini-9-minimal", "gemini-9-minimal", MEDIUM, MEDIUM, MEDIUM],
            "minimal medium",
            id="minimal",
        ),
        pytest.param(["claude-x-thinking"], ["claude-x-thinking"] * 6, "high", id="thinking"),
        pytest.param(["claude-x"], ["claude-x"] * 6, "high", id="Claude without level"),
        pytest.param(["gpt-oss-9"], ["gpt-oss-9"] * 6, "medium", id="GPT-OSS without level"),
    ],
)
def test_levels_of_a_new_model_are_one_public_id(rows: list[str], expected: list[str], efforts: str) -> None:
    """A model nobody knew beforehand is one id with efforts, each served by the id of its level or the nearest."""
    model = only({runtime_id: {} for runtime_id in rows})
    assert model.id in ("gemini-9", "claude-x", "gpt-oss-9")
    assert routes(model) == expected
    assert " ".join(model.efforts) == efforts


@pytest.mark.parametrize(
    ("labels", "public_id", "name"),
    [
        pytest.param({"claude-x-5-2-thinking": "Claude X 5.2 (Thinking)"}, "claude-x-5-2", "Claude X 5.2", id="dot"),
        pytest.param({"gemini-agent": "Gemini 9 Pro (High)"}, "gemini-9-pro", "Gemini 9 Pro", id="label"),
        pytest.param({"gemini-agent": "Gemini 9 (High)", LOW: "Gemini 9 (Low)"}, "gemini-9", "Gemini 9", id="both"),
        pytest.param({LOW: "Rocket (Low)"}, "gemini-9", "Rocket", id="label of something else"),
        pytest.param({LOW: ""}, "gemini-9", "gemini-9", id="no label"),
    ],
)
def test_new_model_is_called_by_its_ids(labels: dict[str, str], public_id: str, name: str) -> None:
    """The public id is the runtime ids' common name, else the label's."""
    model = only({runtime_id: {"displayName": label} for runtime_id, label in labels.items()})
    assert (model.id, model.name) == (public_id, name)


def test_label_never_hides_a_live_id() -> None:
    """A name that is another model's runtime id is not taken for a public id."""
    labels = {"gemini-agent": "Gemini 9 (High)", "gemini-9": "Gemini 10 (Low)"}
    catalog = merged({runtime_id: {"displayName": label} for runtime_id, label in labels.items()})
    assert [model.id for model in catalog.models] == ["gemini-agent", "gemini-10"]
    assert route_model(catalog.find("gemini-9"), None).runtime_id == "gemini-9"


def test_new_model_has_the_facts_of_its_rows() -> None:
    """Sizes, media and thinking of a new model are what Google says."""
    row = {
        "maxTokens": 300_000,
        "maxOutputTokens": 9_000,
        "thinkingBudget": 2_048,
        "minThinkingBudget": 1_024,
        "supportedMimeTypes": {"image/gif": True},
    }
    model = only({"claude-x-thinking": row})
    assert (model.context_tokens, model.max_output_tokens, model.inputs) == (300_000, 9_000, ("text", "image"))
    assert budgets(model) == [0, 2_048, 2_048, 2_048, 2_048, 2_048]
    route = route_model(model, None)
    assert (route.family, route.max_output_tokens, route.media_types) == (
        Family.CLAUDE,
        9_000,
        frozenset({"image/gif"}),
    )


@pytest.mark.parametrize(
    ("runtime_id", "row", "expected"),
    [
        pytest.param("gemini-9", {}, [0, 1_000, 1_000, 4_000, -1, -1], id="family"),
        pytest.param(LOW, {"thinkingBudget": 700}, [0, 700, 700, 700, 700, 700], id="own level"),
        pytest.param(HIGH, {"thinkingBudget": -1}, [0, -1, -1, -1, -1, -1], id="dynamic"),
        pytest.param("gemini-9", {"thinkingBudget": 9_000}, [0, 1_000, 1_000, 4_000, 9_000, 9_000], id="no level"),
        pytest.param("gemini-9", {"minThinkingBudget": 2_000}, [0, 2_000, 2_000, 4_000, -1, -1], id="smallest"),
        pytest.param("claude-x", {"thinkingBudget": -1}, [0, 1_024, 1_024, 1_024, 1_024, 1_024], id="not dynamic"),
    ],
)
def test_budgets_are_those_of_the_row(runtime_id: str, row: dict[str, Any], expected: list[int]) -> None:
    """Off is a budget of 0; the row's budget is for its level, and for the highest effort where it has none."""
    assert budgets(only({runtime_id: row})) == expected


def test_id_that_takes_a_level_is_sent_a_level() -> None:
    """A row's budget is not sent to an id that is known to take a level, whatever it is called."""
    model = only({"gemini-3.7-flash-tiered": {"displayName": "Gemini 9 (High)", "thinkingBudget": 5_000}})
    assert route_model(model, Effort.HIGH).thinking == {"includeThoughts": True, "thinkingLevel": "HIGH"}


def test_model_that_cannot_think_offers_no_effort() -> None:
    """Without thinking there are no efforts, and no ``thinkingConfig`` is sent."""
    model = only({"gemini-9": {"supportsThinking": False, "thinkingBudget": 5}})
    assert model.efforts == ()
    assert [route_model(model, effort).thinking for effort in Effort] == [None] * 6


def test_plain_variant_serves_who_wants_no_thoughts() -> None:
    """Of a model with a thinking and a plain id the plain one serves the effort none."""
    model = only({"claude-x-thinking": {}, "claude-x": {"supportsThinking": False}})
    assert routes(model) == ["claude-x", *["claude-x-thinking"] * 5]
    assert model.efforts == (Effort.HIGH,)


def test_runtime_id_can_be_asked_for() -> None:
    """A live id that is not listed serves as a model of its own, thinking as much as it says."""
    catalog = merged({LOW: {"maxOutputTokens": 700}, "gemini-9-plain-low": {"supportsThinking": False}})
    route = route_model(catalog.find(LOW), None)
    assert (route.model_id, route.runtime_id, route.effort, route.max_output_tokens) == (LOW, LOW, Effort.LOW, 700)
    plain = catalog.find("gemini-9-plain-low")
    assert (plain.efforts, plain.own_effort, route_model(plain, None).thinking) == ((), None, None)


def test_runtime_id_of_a_row_takes_the_media_of_the_row() -> None:
    """What Google lists for one id holds when that id is asked for."""
    model = merged({LOW: {"supportedMimeTypes": {"image/png": True}}}).find(LOW)
    assert model.inputs == ("text", "image")


def test_old_id_is_served_by_the_new_one() -> None:
    """An id that Google replaces is found, goes where Google says, and is not listed."""
    catalog = merged({"gemini-8": {}, HIGH: {}}, {"gemini-8": HIGH})
    assert [model.id for model in catalog.models] == ["gemini-9"]
    route = route_model(catalog.find("gemini-8"), None)
    assert (route.model_id, route.runtime_id) == ("gemini-8", HIGH)
    assert route_model(merged({HIGH: {}}, {"gemini-7": HIGH}).find("gemini-7"), None).runtime_id == HIGH
    lost = merged({"gemini-8": {}}, {"gemini-8": "gemini-hidden"})
    assert route_model(lost.find("gemini-8"), None).runtime_id == "gemini-8"


def test_unknown_model_names_live_ones() -> None:
    """Only what Google serves is offered in the place of an unknown model."""
    with pytest.raises(UnknownModelError, match=r"The nearest are gemini-10, gemini-9;"):
        merged({LOW: {}, "gemini-10": {}}).find("gemini-11")


IDS = st.sampled_from([*KNOWN, LOW, HIGH, TIERED, "claude-x", "gpt-oss-9-low", "Gemini-9-low", "gemini-"])
VALUES = st.none() | st.booleans() | st.integers(-2, 99_999) | st.text(max_size=9)
NUMBERS = ("maxTokens", "maxOutputTokens", "supportsThinking", "thinkingBudget", "minThinkingBudget")
ROWS = st.fixed_dictionaries(
    {},
    optional={
        **dict.fromkeys(NUMBERS, VALUES),
        "displayName": st.sampled_from(["Gemini 9 (Low)", "Gemini 3.8 Flash (High)", "(Low)", "Claude X"]) | VALUES,
        "supportedMimeTypes": st.dictionaries(st.sampled_from(["image/png", "x", "video/audio/wav"]), st.booleans()),
    },
)


@settings(deadline=None)
@given(st.dictionaries(IDS, ROWS, max_size=8), st.dictionaries(IDS, IDS, max_size=3))
def test_any_catalogue_is_usable(rows: dict[str, dict[str, Any]], renamed: dict[str, str]) -> None:
    """Every listed model and every live id has a route to a live id for every effort, and ids are listed once."""
    catalog = merged(rows, renamed)
    listed = [model.id for model in catalog.models]
    assert len(listed) == len(set(listed))
    for model_id in (*listed, *rows):
        model = catalog.find(model_id)
        for effort in (None, *Effort):
            route = route_model(model, effort)
            assert route.runtime_id in rows
            assert route.max_output_tokens > 0
