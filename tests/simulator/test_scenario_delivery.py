"""Tests of the scenarios that change the delivery."""

from __future__ import annotations

from typing import Any

import orjson
import pytest

from antigravity_proxy.simulator.delivery import Delivery
from antigravity_proxy.simulator.scenario_delivery import changed_delivery
from antigravity_proxy.simulator.scenario_refusals import Situation
from antigravity_proxy.simulator.scenarios import make_scenario

SITUATION = Situation("gemini-pro-agent", "p", 0.0)


def changed(name: str, **params: Any) -> Delivery:
    """Give a plain delivery as a scenario wants it."""
    return changed_delivery(Delivery(), make_scenario(name, params), SITUATION)


@pytest.mark.parametrize(
    ("name", "params", "delivery"),
    [
        ("slow", {"pace": 0.5}, Delivery(pace_s=0.5)),
        ("stall", {"after": 2, "seconds": 3}, Delivery(stall_after=2, stall_s=3.0)),
        ("stall", {"after": 0, "headers": 1}, Delivery(stall_after=0, stall_s=60.0, begins_early=True)),
        ("silence", {}, Delivery(silence_s=3600.0)),
        ("cut", {"after": 0}, Delivery(cut_after=0)),
        ("cut", {"clean": True, "headers": True}, Delivery(cut_after=1, is_clean_cut=True, begins_early=True)),
        ("garbage", {}, Delivery(garbage_after=1)),
        ("comments", {}, Delivery(has_comments=True)),
        ("crlf", {}, Delivery(has_crlf=True)),
        ("split", {"size": 0}, Delivery(split_bytes=1)),
        ("no-final-newline", {}, Delivery(has_final_newline=False)),
        ("done", {}, Delivery(sends_done=True)),
        ("gzip", {}, Delivery(is_gzipped=True)),
        ("text", {}, Delivery()),
    ],
    ids=lambda value: str(value)[:40],
)
def test_delivery_is_changed(name: str, params: dict[str, Any], delivery: Delivery) -> None:
    """Each scenario sets its fields; scenarios of other stages set none."""
    assert changed(name, **params) == delivery


def test_error_frame_has_code_and_message() -> None:
    """An error inside the stream stands outside the envelope."""
    delivery = changed("in-stream-error", after=2, code=503, message="Busy")
    assert delivery.error_after == 2
    assert orjson.loads(delivery.error_frame.removeprefix(b"data: ")) == {
        "error": {"code": 503, "message": "Busy", "status": "UNAVAILABLE"}
    }


def test_error_frame_may_be_a_refusal() -> None:
    """An error inside the stream may be any of the refusals, with details."""
    frame = changed("in-stream-error", refusal="quota").error_frame
    assert b"QUOTA_EXHAUSTED" in frame
