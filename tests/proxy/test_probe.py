"""Tests of the smallest request."""

from __future__ import annotations

import pytest

from antigravity_proxy.catalog.builtin import MODELS
from antigravity_proxy.catalog.model import Effort, Model
from antigravity_proxy.catalog.routing import reroute, route_to
from antigravity_proxy.proxy.probe import Probe
from antigravity_proxy.translate.events import Text

from ..translate.samples import event_of
from ..translate.test_upstream_accepts import check_request


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.id)
async def test_probe_is_what_upstream_takes(model: Model) -> None:
    """Every model takes the probe, which asks for no thoughts and hardly any text."""
    route = route_to(model.id, Effort.NONE)
    request = await Probe(now_s=0).to_request(route)
    check_request(request, route)
    assert request["generationConfig"]["maxOutputTokens"] == 16


async def test_unknown_family_gets_no_thinking() -> None:
    """A runtime id whose thinking is not known is sent none."""
    route = reroute(route_to("gemini-3.8-flash", None), "other-1")
    request = await Probe(now_s=0).to_request(route)
    assert "thinkingConfig" not in request["generationConfig"]


def test_answer_to_a_probe_is_read() -> None:
    """What comes back is read like any answer."""
    route = route_to("gemini-3.8-flash", Effort.NONE)
    event = {"candidates": [{"content": {"role": "model", "parts": [{"text": "OK"}]}}]}
    assert Probe(now_s=0).new_reader(route).feed(event_of(event)) == [Text("OK")]
