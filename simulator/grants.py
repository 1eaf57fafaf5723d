"""The token endpoint: a code or a refresh token in, an access token out.

Source: SPEC.md, "Login"; RFC 6749, sections 4.1.3, 5.1, 5.2 and 6.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .authorization import SCOPES
from .tokens import ACCESS_TOKEN_LIFETIME_S, challenge_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .state import SimulatorState


class GrantError(Exception):
    """The token endpoint refuses.

    Args:
        code: the OAuth error code.
        description: the sentence beside it.
        status: the HTTP status.
    """

    def __init__(self, code: str, description: str, status: int = 400) -> None:
        super().__init__(description)
        self.code = code
        self.description = description
        self.status = status

    def document(self) -> dict[str, str]:
        """Give the body of the answer."""
        return {"error": self.code, "error_description": self.description}


def grant_owner(state: SimulatorState, form: Mapping[str, str]) -> str | None:
    """Give the e-mail a token request is for, as far as it can be told; nothing is used up."""
    tokens = state.tokens
    return tokens.refresh_owner(form.get("refresh_token", "")) or tokens.code_owner(form.get("code", ""))


def token_document(state: SimulatorState, form: Mapping[str, str]) -> dict[str, Any]:
    """Serve a token request.

    Raises:
        GrantError: when the client, the grant or a parameter is wrong.
    """
    config = state.config
    if form.get("client_id") != config.client_id:
        raise GrantError("invalid_client", "The OAuth client was not found.", 401)
    if form.get("client_secret") != config.client_secret:
        raise GrantError("invalid_client", "The provided client secret is invalid.", 401)
    match form.get("grant_type"):
        case "authorization_code":
            return _exchange_code(state, form)
        case "refresh_token":
            return _refresh(state, form)
        case other:
            raise GrantError("unsupported_grant_type", f"Invalid grant_type: {other}")


def _exchange_code(state: SimulatorState, form: Mapping[str, str]) -> dict[str, Any]:
    grant = state.tokens.take_code(form.get("code", ""))
    if grant is None:
        raise GrantError("invalid_grant", "Malformed auth code.")
    if form.get("redirect_uri") != grant.redirect_uri:
        raise GrantError("redirect_uri_mismatch", "Bad Request")
    if "code_verifier" not in form:
        raise GrantError("invalid_grant", "Missing code verifier.")
    if challenge_of(form["code_verifier"]) != grant.challenge:
        raise GrantError("invalid_grant", "Invalid code verifier.")
    document = _access_document(state, grant.email)
    if grant.is_offline:
        document["refresh_token"] = state.tokens.issue_refresh(grant.email)
    return document


def _refresh(state: SimulatorState, form: Mapping[str, str]) -> dict[str, Any]:
    token = form.get("refresh_token", "")
    email = state.tokens.refresh_owner(token)
    if email is None or email not in state.accounts:
        raise GrantError("invalid_grant", "Token has been expired or revoked.")
    document = _access_document(state, email)
    if state.accounts[email].standing.rotate_refresh_token:
        state.tokens.revoke_refresh(email)
        document["refresh_token"] = state.tokens.issue_refresh(email)
    return document


def _access_document(state: SimulatorState, email: str) -> dict[str, Any]:
    return {
        "access_token": state.tokens.issue_access(email),
        "expires_in": ACCESS_TOKEN_LIFETIME_S,
        "scope": " ".join(SCOPES),
        "token_type": "Bearer",
    }
