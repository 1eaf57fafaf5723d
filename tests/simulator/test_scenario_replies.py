"""Tests of the scenarios that refuse, and of those that change the delivery."""

from __future__ import annotations

from typing import Any

import orjson
import pytest

from antigravity_proxy.simulator.delivery import Delivery
from antigravity_proxy.simulator.google_reply import EVENT_STREAM
from antigravity_proxy.simulator.scenario_replies import Situation, changed_delivery, refusal_of
from antigravity_proxy.simulator.scenarios import make_scenario

SITUATION = Situation("gemini-pro-agent", "p-1", 1_788_609_600.0, EVENT_STREAM)


@pytest.mark.parametrize(
    ("name", "params", "status", "key_phrase"),
    [
        ("quota", {}, 429, "Individual quota reached"),
        ("quota", {"text": "capacity", "seconds": 60}, 429, "will reset after 1m0s"),
        ("rate-limit", {}, 429, "RATE_LIMIT_EXCEEDED"),
        ("bare-429", {}, 429, "Resource has been exhausted (e.g. check quota)."),
        ("wall", {}, 429, "Resets in 6 days"),
        ("wall", {"text": "weekly"}, 429, "weekly limit"),
        ("throttle", {}, 429, "Too many requests"),
        ("throttle", {"text": "rate"}, 429, "Rate limit reached"),
        ("throttle", {"text": "anything else"}, 429, "anything else"),
        ("credits", {}, 429, "INSUFFICIENT_G1_CREDITS_BALANCE"),
        ("capacity", {}, 503, "MODEL_CAPACITY_EXHAUSTED"),
        ("capacity", {"retry": 39}, 503, '"39s"'),
        ("verify", {"url": "https://accounts.google.com/x"}, 403, "https://accounts.google.com/x"),
        ("banned", {}, 403, "violation of Terms of Service"),
        ("wrong-project", {}, 403, "projects/p-1"),
        ("no-subscription", {}, 403, "(#3501)"),
        ("no-licence", {}, 403, "do not have a valid license"),
        ("unknown-model", {}, 404, "Requested entity was not found."),
        ("gone", {"models": "m"}, 404, "Requested entity was not found."),
        ("bad-field", {}, 400, "Unknown name \\\"surprise\\\" at 'request.generation_config'"),
        ("bad-token", {}, 401, "UNAUTHENTICATED"),
        ("bad-token", {"as": "api-key"}, 400, "API_KEY_INVALID"),
        ("old-version", {}, 400, "no longer supported"),
        ("old-version", {"status": 403}, 403, "no longer supported"),
        ("status", {}, 500, "INTERNAL"),
        ("oauth-error", {}, 400, "invalid_grant"),
        ("oauth-error", {"error": "temporarily_unavailable", "status": 503}, 503, "temporarily_unavailable"),
    ],
    ids=lambda value: str(value)[:40],
)
def test_refusals(name: str, params: dict[str, Any], status: int, key_phrase: str) -> None:
    """Every refusing scenario gives its status and its telling text."""
    reply = refusal_of(make_scenario(name, params), SITUATION)
    assert reply is not None
    assert reply.status == status
    assert key_phrase in reply.body.decode()


@pytest.mark.parametrize(
    ("body", "content_type", "start"),
    [
        ("json", "application/json; charset=UTF-8", b'{"error":'),
        ("array", "application/json; charset=UTF-8", b'[{"error":'),
        ("html", "text/html; charset=utf-8", b"<!DOCTYPE html>"),
        ("text", "text/plain; charset=utf-8", b"Oh no"),
        ("sse", "text/event-stream", b'data: {"error":'),
        ("empty", "text/event-stream", b""),
        ("nonsense", "application/json; charset=UTF-8", b'{"error":'),
    ],
)
def test_status_has_many_bodies(body: str, content_type: str, start: bytes) -> None:
    """Any status comes in every form front ends use."""
    params = {"status": 502, "body": body, "message": "Oh no", "retry_after": "7"}
    reply = refusal_of(make_scenario("status", params), SITUATION)
    assert reply is not None
    assert (reply.status, reply.content_type, reply.headers) == (502, content_type, {"Retry-After": "7"})
    assert reply.body.startswith(start)
    assert bool(reply.body) is bool(start)


def test_errors_have_the_content_type_of_the_call() -> None:
    """An error of the streaming call is declared as an event stream."""
    reply = refusal_of(make_scenario("bare-429", {}), SITUATION)
    assert reply is not None
    assert reply.content_type == EVENT_STREAM
    assert orjson.loads(reply.body)["error"]["code"] == 429


@pytest.mark.parametrize("name", ["crlf", "text", "in-stream-error"])
def test_other_scenarios_do_not_refuse(name: str) -> None:
    """Scenarios of other stages refuse nothing."""
    assert refusal_of(make_scenario(name, {}), SITUATION) is None


def test_old_version_may_be_an_answer() -> None:
    """The version notice as an answer is no refusal."""
    assert refusal_of(make_scenario("old-version", {"as": "answer"}), SITUATION) is None


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
