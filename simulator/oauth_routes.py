"""The routes of a login: consent page, token endpoint, userinfo.

Source: SPEC.md, "Login".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aiohttp import web

from .authorization import (
    PAGE_HEADERS,
    Authorization,
    AuthorizationError,
    consent_page,
    error_page,
    read_authorization,
)
from .cloud_code import unary
from .exchange import Exchange, recorded, to_response
from .google_reply import HTML_CONTENT, Reply, json_reply
from .grants import GrantError, grant_owner, token_document

if TYPE_CHECKING:
    from collections.abc import Mapping

FORM_TYPE = "application/x-www-form-urlencoded"


def oauth_routes() -> list[web.RouteDef]:
    """Give the routes."""
    return [
        web.get("/o/oauth2/v2/auth", recorded(_consent)),
        web.get("/o/oauth2/v2/auth/approve", recorded(_approve)),
        web.post("/token", recorded(_token)),
        web.get("/oauth2/v1/userinfo", recorded(_userinfo)),
        web.get("/oauth2/v2/userinfo", recorded(_userinfo)),
    ]


async def _consent(exchange: Exchange) -> web.StreamResponse:
    query = exchange.request.query
    try:
        authorization = read_authorization(query, exchange.state.config.client_id)
    except AuthorizationError as error:
        exchange.entry.refusal = error.message
        return _page(error_page(error), 400)
    return _page(consent_page(query, exchange.state.accounts, authorization.login_hint))


async def _approve(exchange: Exchange) -> web.StreamResponse:
    query = exchange.request.query
    try:
        authorization = read_authorization(query, exchange.state.config.client_id)
        if query.get("decision") != "allow":
            return _redirect(authorization.answer_url(error="access_denied"))
        code = _issue_code(exchange, authorization, query)
    except AuthorizationError as error:
        exchange.entry.refusal = error.message
        return _page(error_page(error), 400)
    return _redirect(authorization.answer_url(code=code, scope=query["scope"]))


def _issue_code(exchange: Exchange, authorization: Authorization, query: Mapping[str, str]) -> str:
    email = query.get("email") or query.get("account") or authorization.login_hint
    try:
        account = exchange.state.find_or_make_account(email)
    except ValueError as error:
        raise AuthorizationError("invalid_request", f"{error}.") from error
    # Like Google, a client that was allowed before gets a refresh token only if it asks for consent again.
    is_offline = authorization.is_offline and (authorization.asks_consent or not account.has_consented)
    account.has_consented = True
    exchange.entry.account = account.email
    return exchange.state.tokens.issue_code(
        account.email, authorization.redirect_uri, authorization.challenge, is_offline=is_offline
    )


async def _token(exchange: Exchange) -> web.StreamResponse:
    request, state = exchange.request, exchange.state
    if request.content_type != FORM_TYPE:
        return _grant_response(exchange, GrantError("invalid_request", f"The body must be {FORM_TYPE}."))
    form = {name: str(value) for name, value in (await request.post()).items()}
    state.requests.keep_body(exchange.entry, form)
    exchange.entry.account = grant_owner(state, form)
    try:
        return await unary(exchange, "token", exchange.entry.account, lambda: token_document(state, form))
    except GrantError as error:
        return _grant_response(exchange, error)


async def _userinfo(exchange: Exchange) -> web.StreamResponse:
    email = exchange.token_owner()
    account = exchange.state.accounts[email]
    name = email.partition("@")[0].capitalize()
    document: dict[str, Any] = {
        "id": account.google_id,
        "email": email,
        "verified_email": True,
        "name": name,
        "given_name": name,
    }
    if account.standing.hides_id:
        del document["id"]
    return await unary(exchange, "userinfo", email, lambda: document)


def _grant_response(exchange: Exchange, error: GrantError) -> web.Response:
    exchange.entry.refusal = error.description
    return to_response(json_reply(error.document(), error.status))


def _page(html: str, status: int = 200) -> web.Response:
    return to_response(Reply(status, html.encode(), HTML_CONTENT, PAGE_HEADERS))


def _redirect(url: str) -> web.Response:
    return to_response(Reply(302, b"", HTML_CONTENT, {"Location": url, "Cache-Control": "no-store"}))
