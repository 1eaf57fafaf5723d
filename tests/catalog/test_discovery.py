"""Tests of what Google says it serves."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from antigravity_proxy.catalog.discovery import LiveCatalog, LiveModel, find_live_fallback, is_visible, read_catalog
from antigravity_proxy.catalog.model import Effort
from antigravity_proxy.catalog.routing import route_to


def live(*runtime_ids: str, label: str = "", renamed: tuple[str, str] = ("", "")) -> LiveCatalog:
    """The catalogue of these ids, all with this label, and one renaming."""
    rows = {runtime_id: {"displayName": label} for runtime_id in runtime_ids}
    return read_catalog({"models": rows, "deprecatedModelIds": {renamed[0]: {"newModelId": renamed[1]}}})


@pytest.mark.parametrize(
    ("runtime_id", "label", "expected"),
    [
        pytest.param(
            "gemini-3.8-flash-low",
            "Gemini 3.8 Flash (Low)",
            ("gemini-3.8-flash", Effort.LOW),
            id="id and label agree",
        ),
        pytest.param(
            "gemini-3.5-flash-low", "Gemini 3.5 Flash (Medium)", ("gemini-3.5-flash", Effort.MEDIUM), id="label wins"
        ),
        pytest.param(
            "gemini-3-flash-agent", "Gemini 3.5 Flash (High)", ("gemini-3.5-flash", Effort.HIGH), id="alias"
        ),
        pytest.param(
            "gemini-pro-agent",
            " Gemini  3.1 Pro ( HIGH ) ",
            ("gemini-3.1-pro", Effort.HIGH),
            id="blanks and capitals",
        ),
        pytest.param(
            "claude-opus-4-6-thinking",
            "Claude Opus 4.6 (Thinking)",
            ("claude-opus-4.6", Effort.HIGH),
            id="thinking",
        ),
        pytest.param(
            "gpt-oss-120b-medium", "GPT-OSS 120B (Medium)", ("gpt-oss-120b", Effort.MEDIUM), id="hyphen in the label"
        ),
        pytest.param("gemini-3.7-flash-tiered", "Gemini 3.7 Flash", ("gemini-3.7-flash", None), id="every level"),
        pytest.param("gemini-3-flash", "Gemini 3 Flash", ("gemini-3-flash", None), id="no level"),
        pytest.param("gemini-3.5-flash-extra-low", None, ("gemini-3.5-flash", Effort.LOW), id="no label"),
        pytest.param("gemini-9-a", "Gemini 9 (Extra High)", ("gemini-9", Effort.XHIGH), id="level of two words"),
        pytest.param("gemini-9-high", "Gemini 9 (EXTRA  low)", ("gemini-9", Effort.LOW), id="level with blanks"),
        pytest.param("gemini-9-extra-high", 5, ("gemini-9", Effort.XHIGH), id="strange label"),
        pytest.param("gemini-9-high", "Gemini 9 (Preview)", ("gemini-9", Effort.HIGH), id="other words in brackets"),
        pytest.param("Gemini-9-High", None, ("gemini-9", Effort.HIGH), id="capitals in the id"),
    ],
)
def test_live_model_has_name_and_level(runtime_id: str, label: Any, expected: tuple[str, Effort | None]) -> None:
    """A row is a model at a level; its label says so, and without one its id."""
    catalog = read_catalog({"models": {runtime_id: {"displayName": label}}})
    (model,) = catalog.models
    assert (model.runtime_id, model.base, model.level) == (runtime_id, *expected)


@pytest.mark.parametrize(
    ("runtime_id", "row", "expected"),
    [
        pytest.param("gemini-3.8-flash-low", {}, True, id="chat model"),
        pytest.param("Claude-new", {"isInternal": False}, True, id="capital"),
        pytest.param("gpt-oss-120b", {}, True, id="oss"),
        pytest.param("gemini-x", {"isInternal": True}, False, id="internal"),
        pytest.param("chat_20706", {}, False, id="chat"),
        pytest.param("tab_flash", {}, False, id="tab"),
        pytest.param("MODEL_PLACEHOLDER_M1", {}, False, id="enum"),
        pytest.param("gemini-3.1-flash-image", {}, False, id="images"),
        pytest.param("gemini 3.8", {}, False, id="blank"),
        pytest.param("gemini-3.8 flash", {}, False, id="blank inside"),
        pytest.param("gemini-3.8\r\nX-Evil: 1", {}, False, id="line ends"),
        pytest.param("gemini-3.8\x00", {}, False, id="control character"),
        pytest.param("gemini-\u0663", {}, False, id="not ASCII"),
        pytest.param("gpt-4o", {}, False, id="model of somebody else"),
    ],
)
def test_row_is_visible_when_it_can_be_chatted_with(runtime_id: str, row: dict[str, Any], *, expected: bool) -> None:
    """Rows for other uses are hidden."""
    assert is_visible(runtime_id, row) is expected
    assert bool(read_catalog({"models": {runtime_id: row}}).models) is expected


def test_catalog_keeps_order_and_renamings() -> None:
    """Models are in Google's order; what is going away leads to what takes its place."""
    catalog = live("gemini-b", "tab_x", "gemini-a", renamed=("gemini-3.1-pro-high", "gemini-pro-agent"))
    assert [model.runtime_id for model in catalog.models] == ["gemini-b", "gemini-a"]
    assert catalog.renamed == {"gemini-3.1-pro-high": "gemini-pro-agent"}


@pytest.mark.parametrize(
    "document",
    [
        pytest.param(None, id="none"),
        pytest.param([], id="list"),
        pytest.param({}, id="empty"),
        pytest.param({"models": [], "deprecatedModelIds": "x"}, id="other shapes"),
        pytest.param({"models": {}, "deprecatedModelIds": {"a": None, "b": {"newModelId": ""}}}, id="no new id"),
    ],
)
def test_document_of_another_shape_is_empty(document: Any) -> None:
    """What cannot be read counts as absent."""
    assert read_catalog(document) == LiveCatalog()


def test_row_of_another_shape_has_only_its_id() -> None:
    """A row that is no object is a model all the same, as its id can be requested."""
    assert read_catalog({"models": {"gemini-9-low": 5}}).models == (
        LiveModel("gemini-9-low", "gemini-9", Effort.LOW, "gemini-9"),
    )


def test_row_says_what_the_model_takes() -> None:
    """Sizes, thinking and media types are read, the latter by the names that are sent."""
    row = {
        "displayName": "Gemini 9 (Low)",
        "maxTokens": 1000,
        "maxOutputTokens": 100,
        "supportsThinking": True,
        "thinkingBudget": 50,
        "minThinkingBudget": 32,
        "supportedMimeTypes": {"image/png": True, "audio/webm;codecs=opus": True, "video/mp4": False},
    }
    assert read_catalog({"models": {"gemini-9-low": row}}).models == (
        LiveModel(
            "gemini-9-low",
            "gemini-9",
            Effort.LOW,
            "Gemini 9",
            context_tokens=1000,
            max_output_tokens=100,
            thinks=True,
            budget=50,
            min_budget=32,
            media_types=frozenset({"image/png", "audio/webm"}),
        ),
    )


@pytest.mark.parametrize("value", [None, 0, -5, 1.5, "9", True, [], {}], ids=str)
def test_value_of_another_shape_counts_as_absent(value: Any) -> None:
    """A size that is none is not believed."""
    row = dict.fromkeys(("maxTokens", "maxOutputTokens", "thinkingBudget", "minThinkingBudget"), value)
    (model,) = read_catalog({"models": {"gemini-9-low": row}}).models
    assert (model.context_tokens, model.max_output_tokens, model.budget, model.min_budget) == (None,) * 4


def test_model_without_images_takes_text_alone() -> None:
    """A row that names no type and says that it takes no images takes no media."""
    rows = {"gemini-9": {"supportsImages": False}, "gemini-8": {"supportsImages": True}}
    assert [model.media_types for model in read_catalog({"models": rows}).models] == [frozenset(), None]


def test_model_that_cannot_think_has_the_level_none() -> None:
    """A row that is of no level because it cannot think serves those who want no thoughts."""
    rows = {"gemini-9": {"supportsThinking": False}, "gemini-9-low": {"supportsThinking": False}}
    assert [model.level for model in read_catalog({"models": rows}).models] == [Effort.NONE, Effort.LOW]


def test_label_of_something_else_leaves_the_name_of_the_id() -> None:
    """A label that is no model's name says the level alone."""
    (model,) = read_catalog({"models": {"gemini-9-low": {"displayName": "Rocket (High)"}}}).models
    assert (model.base, model.level, model.name) == ("gemini-9", Effort.HIGH, "Rocket")


ALL = ("gemini-3.8-flash-tiered", "gemini-3.8-flash-low", "gemini-3.8-flash-medium", "gemini-3.8-flash-high")


@pytest.mark.parametrize(
    ("effort", "served", "expected"),
    [
        pytest.param(Effort.MEDIUM, ALL[1:], "gemini-3.8-flash-medium", id="level"),
        pytest.param(Effort.HIGH, ALL, "gemini-3.8-flash-high", id="level before every level"),
        pytest.param(Effort.HIGH, ALL[:3], "gemini-3.8-flash-tiered", id="every level"),
        pytest.param(Effort.LOW, ALL[::-1], "gemini-3.8-flash-low", id="level in another order"),
        pytest.param(
            Effort.XHIGH,
            ["gemini-3.8-flash-high", "gemini-3.8-flash-extra-high"],
            "gemini-3.8-flash-extra-high",
            id="nearest of two levels",
        ),
        pytest.param(
            Effort.NONE,
            ["gemini-3.8-flash-tiered", "gemini-3.8-flash-low", "gemini-3.8-flash-minimal"],
            "gemini-3.8-flash-minimal",
            id="lowest",
        ),
        pytest.param(None, ALL[2:0:-1], "gemini-3.8-flash-low", id="no effort"),
        pytest.param(Effort.NONE, ALL[2:0:-1], "gemini-3.8-flash-low", id="none"),
        pytest.param(Effort.MINIMAL, ALL[2:0:-1], "gemini-3.8-flash-low", id="minimal"),
        pytest.param(Effort.XHIGH, ALL[1:], "gemini-3.8-flash-high", id="xhigh"),
        pytest.param(Effort.HIGH, ALL[1:3], "gemini-3.8-flash-medium", id="nearest level"),
        pytest.param(Effort.HIGH, ["gemini-3.7-flash-high", "gemini-3.8-pro-high"], None, id="another model"),
        pytest.param(Effort.HIGH, [], None, id="nothing"),
    ],
)
def test_live_fallback_serves_same_model(effort: Effort | None, served: list[str], expected: str | None) -> None:
    """Another id of the same model stands in: of that level, else of every level, else of the nearest."""
    assert find_live_fallback(live(*served), route_to("gemini-3.8-flash", effort), ["gemini-3.8-flash"]) == expected


@pytest.mark.parametrize(
    ("model_id", "runtime_id", "label"),
    [
        pytest.param("claude-opus-4-6", "claude-new", "Claude Opus 4.6 (Thinking)", id="name of the model"),
        pytest.param("gemini-3.5-flash", "gemini-x", "Gemini 3.5 Flash (Low)", id="label"),
        pytest.param("gemini-9-new", "gemini-9-new-low", "", id="model we do not know"),
    ],
)
def test_live_fallback_is_found_by_name(model_id: str, runtime_id: str, label: str) -> None:
    """An id that says nothing is known by its label."""
    assert find_live_fallback(live(runtime_id, label=label), route_to(model_id, Effort.LOW), []) == runtime_id


def test_live_fallback_was_not_tried() -> None:
    """An id that answered 404 is not tried again."""
    route = route_to("gemini-3.8-flash", Effort.LOW)
    assert find_live_fallback(live(*ALL[:2]), route, ALL[1:2]) == "gemini-3.8-flash-tiered"
    assert find_live_fallback(live(*ALL[:2]), route, ALL[:2]) is None


def test_renaming_comes_first() -> None:
    """Google's own word for what takes an id's place beats our search, unless it was tried."""
    catalog = live(*ALL, renamed=("gemini-3.8-flash-low", "gemini-new"))
    route = route_to("gemini-3.8-flash", Effort.LOW)
    assert find_live_fallback(catalog, route, ["gemini-3.7-flash-tiered", "gemini-3.8-flash-low"]) == "gemini-new"
    assert find_live_fallback(catalog, route, ["gemini-3.8-flash-low", "gemini-new"]) == "gemini-3.8-flash-tiered"


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=12) | st.sampled_from(ALL),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(ALL) | st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=10,
)
ROWS = st.dictionaries(
    st.sampled_from(ALL) | st.text(max_size=12),
    st.fixed_dictionaries({}, optional={"displayName": VALUES, "isInternal": VALUES, "newModelId": VALUES}) | VALUES,
    max_size=4,
)


@settings(deadline=None)
@given(VALUES | st.fixed_dictionaries({"models": ROWS, "deprecatedModelIds": ROWS}), st.lists(st.sampled_from(ALL)))
def test_any_document_is_read(document: Any, tried: list[str]) -> None:
    """Whatever Google answers, a live fallback is a new id or none."""
    found = find_live_fallback(read_catalog(document), route_to("gemini-3.8-flash", Effort.LOW), tried)
    assert found is None or (found and found not in tried)
