"""The scenarios that change how an answer reaches the client."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from .emit import to_frame
from .google_error import ApiError
from .scenario_refusals import ERRORS, Situation
from .scenarios import Params, Scenario, make_scenario

if TYPE_CHECKING:
    from collections.abc import Callable

    from .delivery import Delivery


def changed_delivery(delivery: Delivery, scenario: Scenario, situation: Situation) -> Delivery:
    """Give the delivery as a scenario wants it; scenarios of other kinds leave it as it is."""
    if scenario.name == "in-stream-error":
        frame = to_frame(_in_stream_error(scenario.params, situation).body())
        return replace(delivery, error_after=scenario.params["after"], error_frame=frame)
    change = DELIVERY_CHANGES.get(scenario.name)
    return delivery if change is None else replace(delivery, **change(scenario.params))


def _in_stream_error(params: Params, situation: Situation) -> ApiError:
    name: str = params["refusal"]
    if name in ERRORS:
        return ERRORS[name](make_scenario(name, {}).params, situation)
    return ApiError(params["code"], params["message"])


DELIVERY_CHANGES: dict[str, Callable[[Params], dict[str, Any]]] = {
    "slow": lambda params: {"pace_s": params["pace"]},
    "stall": lambda params: {
        "stall_after": params["after"],
        "stall_s": params["seconds"],
        "begins_early": params["headers"],
    },
    "silence": lambda params: {"silence_s": params["seconds"], "begins_early": params["headers"]},
    "cut": lambda params: {
        "cut_after": params["after"],
        "is_clean_cut": params["clean"],
        "begins_early": params["headers"],
    },
    "garbage": lambda params: {"garbage_after": params["after"]},
    "comments": lambda _: {"has_comments": True},
    "crlf": lambda _: {"has_crlf": True},
    "split": lambda params: {"split_bytes": max(1, params["size"])},
    "no-final-newline": lambda _: {"has_final_newline": False},
    "done": lambda _: {"sends_done": True},
    "gzip": lambda _: {"is_gzipped": True},
}
"""Scenario name to the fields of a ``Delivery`` it sets."""
