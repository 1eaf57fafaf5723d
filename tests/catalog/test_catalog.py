"""Tests of the models there are, by id."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from antigravity_proxy.catalog.builtin import MODELS
from antigravity_proxy.catalog.catalog import Catalog
from antigravity_proxy.catalog.discovery import read_catalog
from antigravity_proxy.catalog.merge import merge
from antigravity_proxy.catalog.model import Effort, Family
from antigravity_proxy.catalog.routing import route_model
from antigravity_proxy.errors import UnknownModelError

if TYPE_CHECKING:
    from antigravity_proxy.catalog.model import Model


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.id)
def test_find_gives_model_of_id(model: Model) -> None:
    """Every public id leads to its model."""
    assert Catalog().find(model.id) is model


@pytest.mark.parametrize(
    ("model_id", "nearest"),
    [
        pytest.param("gemini-3.8-flash-lower", "gemini-3.8-flash", id="nearly a runtime id"),
        pytest.param("claude-opus", "claude-opus-4-6", id="part of an id"),
        pytest.param("gpt-4o", "gpt-oss-120b", id="model of somebody else"),
        pytest.param("Gemini-3.8-flash", "gemini-3.8-flash", id="capital"),
    ],
)
def test_unknown_model_names_nearest(model_id: str, nearest: str) -> None:
    """An id that does not exist is a 404 that names three that do, the nearest first."""
    with pytest.raises(UnknownModelError) as caught:
        Catalog().find(model_id)
    error = caught.value
    assert (error.status, error.code, error.param) == (404, "model_not_found", "model")
    assert error.message.startswith(f"There is no model '{model_id}'. The nearest are {nearest}, ")
    assert sum(model.id in error.message.partition("nearest")[2] for model in MODELS) == 3


@pytest.mark.parametrize("model_id", ["", "x" * 1_000_000], ids=["empty", "endless"])
def test_unknown_model_is_cut(model_id: str) -> None:
    """The message shows only the beginning of what was asked, and no more of it is compared."""
    with pytest.raises(UnknownModelError, match="The nearest are") as caught:
        Catalog().find(model_id)
    assert len(caught.value.message) < 300


def test_catalog_may_hold_other_models() -> None:
    """A catalogue holds the models it is given."""
    catalog = Catalog(MODELS[:1])
    assert catalog.find(MODELS[0].id) is MODELS[0]
    with pytest.raises(UnknownModelError, match=r"nearest are gemini-3\.8-flash;"):
        catalog.find("gemini-9")


def test_unlisted_model_we_know_is_found() -> None:
    """A catalogue that lacks a model of ours may be an old host's, so Google's own answer decides."""
    assert Catalog(MODELS[:1]).find(MODELS[1].id) is MODELS[1]


@pytest.mark.parametrize(
    ("runtime_id", "family", "level"),
    [
        ("gemini-3.8-flash-high", Family.GEMINI, Effort.HIGH),
        ("gemini-3-flash-agent", Family.GEMINI, Effort.HIGH),
        ("claude-opus-4-6-thinking", Family.CLAUDE, Effort.HIGH),
        ("gemini-3.7-flash-tiered", Family.GEMINI, None),
    ],
)
def test_known_runtime_id_is_a_model(runtime_id: str, family: Family, level: Effort | None) -> None:
    """Google's own id can be asked for before its catalogue was read, and thinks as much as it says."""
    model = Catalog().find(runtime_id)
    assert (model.id, model.family, model.own_effort) == (runtime_id, family, level)
    route = route_model(model, None)
    assert (route.runtime_id, route.effort) == (runtime_id, level)
    assert route_model(model, Effort.NONE).effort is Effort.NONE


def test_nearest_are_others() -> None:
    """What is gone is not offered in its own place."""
    nearest = Catalog().nearest("gemini-3.8-flash")
    assert sorted(nearest) == ["gemini-3.5-flash", "gemini-3.6-flash", "gemini-3.7-flash"]


@pytest.mark.parametrize(
    ("renamed", "current"),
    [
        ({"gemini-7": "gemini-8", "gemini-8": "gemini-9-low"}, "gemini-9-low"),
        ({"gemini-7": "gemini-8"}, "gemini-7"),
        ({"gemini-7": "gemini-8", "gemini-8": "gemini-7"}, "gemini-7"),
        ({"gemini-7": "gemini-7"}, "gemini-7"),
    ],
    ids=["two steps", "to nothing", "round", "itself"],
)
def test_replaced_id_is_followed_to_one_that_is_served(renamed: dict[str, str], current: str) -> None:
    """Google may have replaced an id several times; a chain that leads nowhere changes nothing."""
    document = {
        "models": {"gemini-9-low": {}},
        "deprecatedModelIds": {old: {"newModelId": new} for old, new in renamed.items()},
    }
    assert merge(read_catalog(document), "x").current_id("gemini-7") == current


def test_fallback_has_the_facts_of_the_live_row() -> None:
    """After a 404 another id of the same model is asked, within its own limits."""
    rows = {"gemini-9-low": {"maxOutputTokens": 500}, "gemini-9-high": {"maxOutputTokens": 900}}
    catalog = merge(read_catalog({"models": rows}), "x")
    first = route_model(catalog.find("gemini-9"), Effort.LOW)
    assert (first.runtime_id, first.max_output_tokens) == ("gemini-9-low", 500)
    second = catalog.fallback(first, [first.runtime_id])
    assert second is not None
    assert (second.model_id, second.runtime_id, second.max_output_tokens) == ("gemini-9", "gemini-9-high", 900)
    assert catalog.fallback(second, list(rows)) is None
    renamed = {"gemini-9-low": {"newModelId": "gemini-hidden"}}
    hidden = merge(read_catalog({"models": rows, "deprecatedModelIds": renamed}), "x").fallback(
        first, ["gemini-9-low"]
    )
    assert hidden is not None
    assert (hidden.runtime_id, hidden.max_output_tokens) == ("gemini-hidden", 65_536)
