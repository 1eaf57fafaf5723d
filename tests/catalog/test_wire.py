"""Tests that models have the shape that is written down for them."""

from __future__ import annotations

from antigravity_proxy.catalog.builtin import MODELS
from antigravity_proxy.catalog.listing import to_listing
from antigravity_proxy.catalog.wire import ModelList

from ..translate.shapes import misfits


def test_model_list_has_its_shape() -> None:
    """The list of models has the fields of its shape."""
    assert list(misfits(to_listing(MODELS, "built-in"), ModelList)) == []
