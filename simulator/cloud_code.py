"""The Cloud Code calls: ``POST /v1internal:METHOD``, all but generation answered here.

Source: SPEC.md, "Upstream protocol".
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from .accounts import Tier
from .catalogue import (
    code_assist_document,
    models_document,
    onboarding_document,
    projects_document,
    quota_document,
)
from .delivery import Delivery, to_steps
from .exchange import Exchange, Handler, play, recorded, to_response
from .fields import check_message, is_list, is_object, parse_object
from .fingerprint import check_headers, header_violations, outdated_headers
from .generation import generate
from .google_reply import EVENT_STREAM, JSON_CONTENT, Reply, invalid_argument, json_reply, not_found
from .quota import Quota
from .refusals import account_banned, service_disabled, subscription_required
from .scenario_replies import Situation, changed_delivery, refusal_of
from .scenarios import GENERATE
from .wire_shapes import CONTROL_MESSAGES

if TYPE_CHECKING:
    from collections.abc import Callable

    from aiohttp import web

    from .accounts import Account

UNKNOWN_METHOD_TEXT = "Method not found."
TIERS_TO_JOIN = frozenset({"free-tier", "standard-tier"})
IDE_TYPE = "ANTIGRAVITY"

_SNAKE_HUMP = re.compile(r"_([a-z])")


def cloud_code_handler() -> Handler:
    """Give the handler of all Cloud Code calls."""
    return recorded(_call, lambda request: EVENT_STREAM if request.match_info["method"] == GENERATE else JSON_CONTENT)


async def _call(exchange: Exchange) -> web.StreamResponse:
    request, entry = exchange.request, exchange.entry
    method = request.match_info["method"]
    entry.violations += header_violations(request.headers)
    raw = await request.read()
    account = exchange.state.accounts[exchange.token_owner()]
    if method != GENERATE and method not in DOCUMENTS:
        raise not_found(UNKNOWN_METHOD_TEXT)
    check_headers(request.headers)
    body = parse_object(raw)
    exchange.state.requests.keep_body(entry, body)
    if account.standing.banned:
        raise account_banned()
    if method == GENERATE:
        return await generate(exchange, account, body)
    message, document_of = DOCUMENTS[method]
    body = _camel_keys(body) if method == "onboardUser" else body
    check_message(body, message, CONTROL_MESSAGES)
    return await unary(exchange, method, account.email, lambda: document_of(exchange, account, body))


async def unary(
    exchange: Exchange, method: str, email: str | None, make_document: Callable[[], dict[str, Any]]
) -> web.StreamResponse:
    """Answer a call that gives one document, unless a scenario wants something else.

    Args:
        exchange: the request.
        method: the name scenarios know the call by.
        email: the account that calls, if it is known.
        make_document: makes the document; not called when a scenario refuses.
    """
    scenarios = exchange.state.scenarios.take(method, email)
    exchange.entry.scenarios += [scenario.name for scenario in scenarios]
    situation = Situation("unknown", "unknown", exchange.state.clock())
    for scenario in scenarios:
        refusal = refusal_of(scenario, situation)
        if refusal is not None:
            return to_response(refusal)
    reply = json_reply(make_document())
    delivery = Delivery()
    for scenario in scenarios:
        delivery = changed_delivery(delivery, scenario, situation)
    if delivery == Delivery():
        return to_response(reply)
    return await play(exchange.request, to_steps([reply.body], delivery), delivery_headers(reply, delivery))


def delivery_headers(reply: Reply, delivery: Delivery) -> dict[str, str]:
    """Give the response headers of a reply that is delivered in steps."""
    headers = {"Content-Type": reply.content_type, "Server": "ESF"}
    return {**headers, "Content-Encoding": "gzip"} if delivery.is_gzipped else headers


def _load_code_assist(_: Exchange, account: Account, body: dict[str, Any]) -> dict[str, Any]:
    account.has_right_ide = body.get("metadata", {}).get("ideType") == IDE_TYPE
    return code_assist_document(account)


def _list_projects(_exchange: Exchange, account: Account, _body: dict[str, Any]) -> dict[str, Any]:
    return projects_document(account)


def _onboard_user(exchange: Exchange, account: Account, body: dict[str, Any]) -> dict[str, Any]:
    if body.get("tierId") not in TIERS_TO_JOIN or not account.standing.onboarding:
        raise invalid_argument("tier_id", "The account cannot be onboarded to this tier.")
    account.onboard_calls += 1
    if account.onboard_calls <= account.standing.onboard_polls:
        return {"name": f"operations/{exchange.state.new_id()}", "done": False}
    account.assign_project()
    return onboarding_document(account)


def _fetch_models(exchange: Exchange, account: Account, body: dict[str, Any]) -> dict[str, Any]:
    _check_optional_project(account, body)
    is_current = not outdated_headers(exchange.request.headers)
    host = exchange.request.url.host
    quota = Quota() if account.standing.shows_placeholders_on(host) else account.quota
    return models_document(quota, exchange.state.clock(), is_current_client=is_current, standing=account.standing)


def _retrieve_quota(exchange: Exchange, account: Account, body: dict[str, Any]) -> dict[str, Any]:
    _check_optional_project(account, body)
    if account.standing.tier is Tier.FREE:
        raise subscription_required()
    return quota_document(account.quota, exchange.state.clock())


def _check_optional_project(account: Account, body: dict[str, Any]) -> None:
    # An account without a project may ask under a made-up one; one that has a project may not.
    own = account.standing.project
    if own and body.get("project", own) != own and not account.standing.any_project:
        raise service_disabled(body["project"])


def _camel_keys(value: Any) -> Any:
    if is_object(value):
        return {_SNAKE_HUMP.sub(lambda hump: hump[1].upper(), key): _camel_keys(value[key]) for key in value}
    return [_camel_keys(member) for member in value] if is_list(value) else value


DOCUMENTS: dict[str, tuple[str, Callable[[Exchange, Account, dict[str, Any]], dict[str, Any]]]] = {
    "loadCodeAssist": ("LoadCodeAssistRequest", _load_code_assist),
    "listCloudAICompanionProjects": ("ListCloudAICompanionProjectsRequest", _list_projects),
    "onboardUser": ("OnboardUserRequest", _onboard_user),
    "fetchAvailableModels": ("FetchAvailableModelsRequest", _fetch_models),
    "retrieveUserQuotaSummary": ("RetrieveUserQuotaSummaryRequest", _retrieve_quota),
}
"""Method to the message its body is, and to what makes its answer."""
