"""The scenarios every call has: those that refuse it, and those that change how the answer reaches the client."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import orjson

from .delivery import BEGUN_EVENT, COMMENT, EMPTY_EVENT
from .emit import to_frame
from .google_reply import (
    EVENT_STREAM,
    HTML_CONTENT,
    JSON_CONTENT,
    ApiError,
    Reply,
    bad_request,
    error_reply,
    invalid_api_key,
    json_reply,
    not_found,
    unauthenticated,
)
from .refusals import (
    THROTTLE_TEXTS,
    WALL_TEXTS,
    account_banned,
    insufficient_credits,
    no_capacity,
    no_licence,
    quota_exhausted,
    rate_limited,
    resource_exhausted,
    service_disabled,
    subscription_required,
    verification_required,
    version_unsupported,
)
from .scenarios import Params, Scenario, make_scenario

if TYPE_CHECKING:
    from collections.abc import Callable

    from .delivery import Delivery
    from .scenarios import Params, Scenario


MIN_PACE_S = 0.001
"""Chatter that is faster would leave nobody else a turn."""


@dataclass(frozen=True, slots=True)
class Situation:
    """What an error text may mention.

    Attributes:
        model: the runtime id asked for.
        project: the project asked under.
        now_s: now, in seconds since 1970.
        error_type: the content type of error bodies of the call.
    """

    model: str
    project: str
    now_s: float
    error_type: str = JSON_CONTENT


def refusal_of(scenario: Scenario, situation: Situation) -> Reply | None:
    """Give the refusal a scenario wishes for, or None when it is of another kind."""
    if scenario.name in ERRORS:
        return error_reply(ERRORS[scenario.name](scenario.params, situation), situation.error_type)
    if scenario.name == "old-version" and scenario.params["as"] == "error":
        return error_reply(version_unsupported(scenario.params["status"]), situation.error_type)
    if scenario.name == "status":
        return _any_status(scenario.params)
    if scenario.name == "oauth-error":
        document = {"error": scenario.params["error"], "error_description": "Simulated."}
        return json_reply(document, scenario.params["status"])
    return None


def changed_delivery(delivery: Delivery, scenario: Scenario, situation: Situation) -> Delivery:
    """Give the delivery as a scenario wants it; scenarios of other kinds leave it as it is."""
    if scenario.name == "in-stream-error":
        frame = to_frame(_in_stream_error(scenario.params, situation).body())
        return replace(delivery, error_after=scenario.params["after"], error_frame=frame)
    change = DELIVERY_CHANGES.get(scenario.name)
    return delivery if change is None else replace(delivery, **change(scenario.params))


def _quota(params: Params, situation: Situation) -> ApiError:
    is_individual = params["text"] == "individual"
    return quota_exhausted(situation.model, params["seconds"], situation.now_s, is_individual=is_individual)


def _rate_limit(params: Params, situation: Situation) -> ApiError:
    return rate_limited(situation.model, params["seconds"], situation.now_s)


def _capacity(params: Params, situation: Situation) -> ApiError:
    return no_capacity(situation.model, params["retry"] or None)


def _bad_field(params: Params, _: Situation) -> ApiError:
    where = f"Unknown name \"{params['field']}\" at '{params['path']}': Cannot find field."
    message = f"Invalid JSON payload received. {where}"
    return ApiError(400, message, details=[bad_request([(params["path"], message)])])


ERRORS: dict[str, Callable[[Params, Situation], ApiError]] = {
    "quota": _quota,
    "rate-limit": _rate_limit,
    "bare-429": lambda _params, _situation: resource_exhausted(),
    "wall": lambda params, _: resource_exhausted(_wording(WALL_TEXTS, params)),
    "throttle": lambda params, _: resource_exhausted(_wording(THROTTLE_TEXTS, params)),
    "credits": lambda _params, _situation: insufficient_credits(),
    "capacity": _capacity,
    "verify": lambda params, _: verification_required(params["url"]),
    "banned": lambda _params, _situation: account_banned(),
    "wrong-project": lambda _, situation: service_disabled(situation.project),
    "no-subscription": lambda _params, _situation: subscription_required(),
    "no-licence": lambda _params, _situation: no_licence(),
    "unknown-model": lambda _params, _situation: not_found(),
    "gone": lambda _params, _situation: not_found(),
    "bad-field": _bad_field,
    "bad-token": lambda params, _: invalid_api_key() if params["as"] == "api-key" else unauthenticated(),
}
"""Scenario name to the error it gives."""


def _wording(texts: dict[str, str], params: Params) -> str:
    text: str = params["text"]
    return texts.get(text, text)


def _any_status(params: Params) -> Reply:
    error = ApiError(params["status"], params["message"])
    body, content_type = STATUS_BODIES.get(params["body"], STATUS_BODIES["json"])(error)
    headers = {"Retry-After": params["retry_after"]} if params["retry_after"] else {}
    if params["body"] == "brotli":
        headers["Content-Encoding"] = "br"
    return Reply(error.http_status, body, content_type, headers)


BROTLI_OF_NOTHING = b"\x06"
"""Source: RFC 7932, section 9.2."""


def _html(error: ApiError) -> tuple[bytes, str]:
    title = f"Error {error.http_status} (Simulated)!!1"
    page = f"<!DOCTYPE html><html lang=en><title>{title}</title><p><b>{error.http_status}.</b> {error.message}</html>"
    return page.encode(), HTML_CONTENT


STATUS_BODIES: dict[str, Callable[[ApiError], tuple[bytes, str]]] = {
    "json": lambda error: (orjson.dumps(error.body()), JSON_CONTENT),
    "array": lambda error: (orjson.dumps([error.body()]), JSON_CONTENT),
    "html": _html,
    "text": lambda error: (error.message.encode(), "text/plain; charset=utf-8"),
    "sse": lambda error: (b"data: " + orjson.dumps(error.body()) + b"\n\n", EVENT_STREAM),
    "empty": lambda _: (b"", EVENT_STREAM),
    "brotli": lambda _: (BROTLI_OF_NOTHING, JSON_CONTENT),
}
"""The forms in which front ends of Google deliver an error."""


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
    "chatter": lambda params: {
        "chatter_after": params["after"],
        "chatter_s": params["seconds"],
        "chatter_pace_s": max(params["pace"], MIN_PACE_S),
        "chatter": EMPTY_EVENT if params["events"] else COMMENT,
    },
    "trickle": lambda params: {
        "chatter_after": params["after"],
        "chatter_s": params["seconds"],
        "chatter_pace_s": max(params["pace"], MIN_PACE_S),
        "chatter_start": BEGUN_EVENT,
        "chatter": b"x",
    },
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
