"""What ``streamGenerateContent`` demands of the fields around the conversation.

Source: SPEC.md, "Upstream protocol".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .fields import is_int64
from .google_error import invalid_argument
from .refusals import service_disabled

if TYPE_CHECKING:
    from collections.abc import Callable

REQUEST_TYPE = "agent"
CLIENT_NAME = "antigravity"
REQUIRED_FIELDS = ("project", "model", "request", "requestType", "userAgent", "requestId")


def check_envelope(body: dict[str, Any], is_fresh_request_id: Callable[[str], bool]) -> None:
    """Check the envelope; its fields are known to exist with the right types, or to be absent.

    Args:
        body: the whole request.
        is_fresh_request_id: says whether an id was never used before.

    Raises:
        ApiError: 400 when a field is missing, has a foreign value, or the request id was used before.
    """
    for name in REQUIRED_FIELDS:
        if not body.get(name):
            raise invalid_argument(name, f"{name} is required.")
    if body["requestType"] != REQUEST_TYPE:
        raise invalid_argument("request_type", f'request_type must be "{REQUEST_TYPE}".')
    if body["userAgent"] != CLIENT_NAME:
        raise invalid_argument("user_agent", f'user_agent must be "{CLIENT_NAME}".')
    if not is_fresh_request_id(body["requestId"]):
        raise invalid_argument("request_id", "request_id was used by an earlier request; it must be unique.")
    _check_session(body["request"])


def check_project(project: str, own_project: str | None, *, accepts_any: bool) -> None:
    """Check that the project is the account's own.

    Args:
        project: what the request names.
        own_project: the account's project, or None while it has none.
        accepts_any: whether the account is served under whatever project it names.

    Raises:
        ApiError: 403 in the words of a project in which the service is off.
    """
    if not accepts_any and project != own_project:
        raise service_disabled(project)


def _check_session(request: dict[str, Any]) -> None:
    session = request.get("sessionId")
    if session is not None and not is_int64(session):
        raise invalid_argument("request.session_id", "session_id must be a signed 64-bit decimal number.")
