"""Tests of the models there are, by id."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from antigravity_proxy.catalog.builtin import MODELS
from antigravity_proxy.catalog.catalog import Catalog
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
        pytest.param("gemini-3.8-flash-low", "gemini-3.8-flash", id="runtime id"),
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
        catalog.find(MODELS[1].id)
