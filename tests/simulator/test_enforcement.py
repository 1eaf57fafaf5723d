"""Tests of all rules together, and of those for the envelope."""

from __future__ import annotations

import contextlib
import copy
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from antigravity_proxy.simulator.enforcement import Facts, check_envelope, check_generation, check_project
from antigravity_proxy.simulator.google_reply import ApiError
from antigravity_proxy.simulator.models import MODELS_BY_ID

from .wire import CLAUDE, FLASH, PRO, call, gemini_tool, legacy_tool, model, place_of, refusal, response, tools, user


def envelope(**changes: Any) -> dict[str, Any]:
    """Give a correct envelope with some fields changed; None leaves a field out."""
    body = {
        "project": "p",
        "model": "m",
        "request": {"contents": [user("hi")]},
        "requestType": "agent",
        "userAgent": "antigravity",
        "requestId": "r1",
        **changes,
    }
    return {name: value for name, value in body.items() if value is not None}


@pytest.mark.parametrize("session", [None, "0", "-3238736544897475342"], ids=str)
def test_correct_envelope_passes(session: str | None) -> None:
    """An envelope with all fields passes, with or without a session."""
    request = {"contents": []} if session is None else {"contents": [], "sessionId": session}
    check_envelope(envelope(request=request), lambda _: True)


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"project": None}, "project"),
        ({"project": ""}, "project"),
        ({"model": None}, "model"),
        ({"request": None}, "request"),
        ({"requestId": ""}, "requestId"),
        ({"requestType": None}, "requestType"),
        ({"requestType": "web_search"}, "request_type"),
        ({"userAgent": "other"}, "user_agent"),
        ({"request": {"sessionId": "abc"}}, "request.session_id"),
        ({"request": {"sessionId": "9223372036854775808"}}, "request.session_id"),
    ],
    ids=str,
)
def test_wrong_envelope_is_refused(changes: dict[str, Any], field: str) -> None:
    """A missing or foreign field of the envelope is a 400 that names it."""
    error = refusal(lambda: check_envelope(envelope(**changes), lambda _: True))
    assert (error.http_status, place_of(error)[0]) == (400, field)


def test_used_request_id_is_refused() -> None:
    """A request id that was used before is a 400."""
    error = refusal(lambda: check_envelope(envelope(), lambda _: False))
    assert place_of(error)[0] == "request_id"


def test_foreign_project_is_refused() -> None:
    """A project that is not the account's is a 403 of a disabled service."""
    error = refusal(lambda: check_project("other", "own", accepts_any=False))
    assert (error.http_status, error.details[0]["reason"]) == (403, "SERVICE_DISABLED")
    assert refusal(lambda: check_project("made-up", None, accepts_any=False)).http_status == 403


def test_own_or_any_project_passes() -> None:
    """The account's project passes, and any if the account is served under any."""
    check_project("own", "own", accepts_any=False)
    check_project("other", "own", accepts_any=True)


FACTS = Facts(
    project="p",
    accepts_any_project=False,
    is_current_client=True,
    is_fresh_request_id=lambda _: True,
    is_genuine=lambda *_: False,
)
SENTINEL = "skip_thought_signature_validator"


def body(request: dict[str, Any], runtime_id: str = FLASH) -> dict[str, Any]:
    """Give a correct envelope around a request."""
    return {
        "project": "p",
        "model": runtime_id,
        "request": request,
        "requestType": "agent",
        "userAgent": "antigravity",
        "requestId": "r",
    }


RICH = {
    "contents": [
        user("hi", {"inlineData": {"mimeType": "image/png", "data": "aGk="}}),
        model({"text": "hm", "thought": True, "thoughtSignature": SENTINEL}, call("f", signature=SENTINEL, a=1)),
        user(response("f"), "go on"),
    ],
    "systemInstruction": user("Be brief."),
    "tools": tools(gemini_tool("f")),
    "toolConfig": {"functionCallingConfig": {"mode": "AUTO"}},
    "generationConfig": {"temperature": 1, "maxOutputTokens": 10, "thinkingConfig": {"thinkingBudget": 0}},
    "sessionId": "-1",
    "labels": {"last_step_index": "2"},
}
"""A request that uses almost every field."""


def test_correct_requests_pass() -> None:
    """A request that obeys all rules gives the row of its model."""
    assert check_generation(body(RICH), FACTS).runtime_id == FLASH
    claude = {
        "contents": [user("hi"), model(call("f", "toolu_1")), user(response("f", "toolu_1"))],
        "tools": tools(legacy_tool("f")),
    }
    assert (
        check_generation(body(claude, CLAUDE) | {"enabledCreditTypes": ["GOOGLE_ONE_AI"]}, FACTS).family == "claude"
    )


def test_history_may_name_tools_that_are_gone() -> None:
    """A call and its result need no declaration, with other tools declared or none."""
    for change in ({"tools": tools(gemini_tool("other"))}, {}):
        request = {"contents": RICH["contents"], **change}
        assert check_generation(body(request), FACTS).runtime_id == FLASH


def test_forced_call_may_not_think() -> None:
    """The rule about two fields at once is applied too."""
    thinking = {"generationConfig": {"thinkingConfig": {"thinkingBudget": 1024}}}
    forced = {"tools": tools(legacy_tool("f")), "toolConfig": {"functionCallingConfig": {"mode": "ANY"}}}
    request = {"contents": [user("hi")], **thinking, **forced}
    assert "tool_choice" in refusal(lambda: check_generation(body(request, CLAUDE), FACTS)).message


@pytest.mark.parametrize(
    ("change", "http_status"),
    [
        ({"project": "q"}, 403),
        ({"model": "gemini-3.8-flash"}, 404),
        ({"model": "MODEL_PLACEHOLDER_M320"}, 404),
        ({"model": "chat_20706"}, 404),
        ({"model": "tab_flash_lite_preview"}, 404),
        ({"model": "gemini-3.1-flash-image"}, 404),
        ({"extra": 1}, 400),
        ({"requestId": ""}, 400),
        ({"request": {}}, 400),
        ({"request": RICH | {"systemInstruction": user()}}, 400),
        ({"request": RICH | {"tools": []}}, 400),
        ({"request": RICH | {"generationConfig": {"topK": 0}}}, 400),
        ({"request": RICH | {"contents": [user("a"), model(call("f")), user(response("f"))]}}, 400),
        ({"request": RICH | {"contents": [user("a"), model(call("f", signature=SENTINEL)), user("b")]}}, 400),
        ({"request": RICH | {"contents": [user({})]}}, 400),
    ],
    ids=lambda value: str(value)[:70],
)
def test_every_kind_of_rule_is_applied(change: dict[str, Any], http_status: int) -> None:
    """A breach of any rule is refused with its status."""
    assert refusal(lambda: check_generation(body(RICH) | change, FACTS)).http_status == http_status


def test_unknown_fields_come_before_everything() -> None:
    """A body with unknown fields is refused before the project and the model are looked at."""
    wrong = body(RICH) | {"project": "q", "model": "x", "extra": 1}
    assert "Unknown name" in refusal(lambda: check_generation(wrong, FACTS)).message


def test_outdated_clients_do_not_get_new_families() -> None:
    """An outdated client is told that the newest families do not exist."""
    old = replace(FACTS, is_current_client=False)
    assert refusal(lambda: check_generation(body(RICH), old)).http_status == 404
    assert check_generation(body(RICH, PRO), old).runtime_id == PRO


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.text(max_size=4) | st.floats(allow_nan=False),
    lambda children: st.lists(children, max_size=2) | st.dictionaries(st.text(max_size=4), children, max_size=2),
    max_leaves=4,
)


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Give the path of everything inside a JSON value."""
    members = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [found for key, member in members for found in [(*path, key), *places(member, (*path, key))]]


@settings(deadline=None)
@given(st.sampled_from(places(RICH)), JSON, st.sampled_from([FLASH, CLAUDE, "gpt-oss-120b-medium"]))
def test_any_change_passes_or_is_refused(place: tuple[Any, ...], value: Any, runtime_id: str) -> None:
    """Whatever stands in place of a value, the answer is a model or an ApiError."""
    request = copy.deepcopy(RICH)
    holder: Any = request
    for key in place[:-1]:
        holder = holder[key]
    holder[place[-1]] = value
    with contextlib.suppress(ApiError):
        check_generation(body(request, runtime_id), FACTS)


@pytest.mark.parametrize(
    ("runtime_id", "facts", "is_served"),
    [
        ("gemini-4.0-flash-low", FACTS, False),
        ("gemini-4.0-flash-low", replace(FACTS, has_next_models=True), True),
        ("gemini-4.0-secret", replace(FACTS, has_next_models=True), False),
        (FLASH, replace(FACTS, retired=frozenset({FLASH})), False),
        (FLASH, FACTS, True),
    ],
)
def test_account_has_its_own_models(runtime_id: str, facts: Facts, *, is_served: bool) -> None:
    """Made-up models are for accounts that have them, and retired ones are gone."""
    assert facts.serves(MODELS_BY_ID[runtime_id]) is is_served
