"""Tests of what a model and a route are."""

from __future__ import annotations

from dataclasses import FrozenInstanceError

import pytest

from antigravity_proxy.catalog.model import Effort, Family, Route


def test_efforts_are_the_words_of_openai_in_order() -> None:
    """Efforts are ordered from none to the most, and spelled as clients spell them."""
    assert list(Effort) == ["none", "minimal", "low", "medium", "high", "xhigh"]


def test_families_are_the_prefixes_of_their_ids() -> None:
    """A family is called like its models."""
    assert list(Family) == ["gemini", "claude", "gpt-oss"]


def test_route_cannot_be_changed() -> None:
    """Another runtime id is another route."""
    route = Route("m", "r", Family.GEMINI, None, 5, None)
    with pytest.raises(FrozenInstanceError):
        route.runtime_id = "other"  # type: ignore[misc]
