"""Whole answers in the form of a Google API: a document, or a refusal with its HTTP status and the JSON body.

``ApiError`` is an answer the simulator gives on purpose, in somebody else's name, so it is no ``ProxyError``.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import orjson

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

JSON_CONTENT = "application/json; charset=UTF-8"
EVENT_STREAM = "text/event-stream"
HTML_CONTENT = "text/html; charset=utf-8"
RPC_TYPE = "type.googleapis.com/google.rpc."

CANONICAL_STATUS: dict[int, str] = {
    400: "INVALID_ARGUMENT",
    401: "UNAUTHENTICATED",
    403: "PERMISSION_DENIED",
    404: "NOT_FOUND",
    408: "DEADLINE_EXCEEDED",
    409: "ABORTED",
    429: "RESOURCE_EXHAUSTED",
    499: "CANCELLED",
    500: "INTERNAL",
    501: "UNIMPLEMENTED",
    502: "UNAVAILABLE",
    503: "UNAVAILABLE",
    504: "DEADLINE_EXCEEDED",
}
"""The canonical status Google prints beside each HTTP status; anything else is ``UNKNOWN``."""

INVALID_ARGUMENT_TEXT = "Request contains an invalid argument."
NOT_FOUND_TEXT = "Requested entity was not found."
UNAUTHENTICATED_TEXT = (
    "Request had invalid authentication credentials. Expected OAuth 2 access token, login cookie or other "
    "valid authentication credential. See https://developers.google.com/identity/sign-in/web/devconsole-project."
)
INVALID_KEY_TEXT = "API key not valid. Please pass a valid API key."

Detail = dict[str, Any]
"""One member of ``error.details``; its ``@type`` says which."""


class ApiError(Exception):
    """An error answer of a Google API.

    Args:
        http_status: the HTTP status of the answer, also printed as ``error.code``.
        message: ``error.message``, the text people see.
        details: ``error.details``; the key is left out when there are none.
        headers: further response headers, such as ``Retry-After``.
    """

    def __init__(
        self,
        http_status: int,
        message: str,
        *,
        details: Sequence[Detail] = (),
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(message)
        self.http_status = http_status
        self.message = message
        self.status = CANONICAL_STATUS.get(http_status, "UNKNOWN")
        self.details = tuple(details)
        self.headers = dict(headers or {})

    def body(self) -> dict[str, Any]:
        """Give the JSON document of the answer: ``{"error": {"code", "message", "status", "details"?}}``."""
        error: dict[str, Any] = {"code": self.http_status, "message": self.message, "status": self.status}
        if self.details:
            error["details"] = [dict(detail) for detail in self.details]
        return {"error": error}


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer.

    Attributes:
        status: its HTTP status.
        body: its bytes.
        content_type: what they are.
        headers: further headers.
    """

    status: int
    body: bytes
    content_type: str = JSON_CONTENT
    headers: dict[str, str] = field(default_factory=dict[str, str])


def json_reply(document: Any, status: int = 200) -> Reply:
    """Give a document as Google prints it, indented."""
    return Reply(status, orjson.dumps(document, option=orjson.OPT_INDENT_2))


def error_reply(error: ApiError, content_type: str = JSON_CONTENT) -> Reply:
    """Give an error; the streaming method declares even a plain body as an event stream."""
    body = orjson.dumps(error.body(), option=orjson.OPT_INDENT_2)
    return Reply(error.http_status, body, content_type, error.headers)


def error_info(reason: str, domain: str, metadata: Mapping[str, str] | None = None) -> Detail:
    """Give an ``ErrorInfo`` detail."""
    detail: Detail = {"@type": f"{RPC_TYPE}ErrorInfo", "reason": reason, "domain": domain}
    if metadata:
        detail["metadata"] = dict(metadata)
    return detail


def retry_info(delay_s: float) -> Detail:
    """Give a ``RetryInfo`` detail; the delay is printed as decimal seconds, such as ``0.479s``."""
    return {"@type": f"{RPC_TYPE}RetryInfo", "retryDelay": f"{delay_s:.9f}".rstrip("0").rstrip(".") + "s"}


def bad_request(violations: Sequence[tuple[str, str]]) -> Detail:
    """Give a ``BadRequest`` detail from (field path, description) pairs."""
    return {
        "@type": f"{RPC_TYPE}BadRequest",
        "fieldViolations": [
            {"field": field, "description": description} if field else {"description": description}
            for field, description in violations
        ],
    }


def localized_message(message: str) -> Detail:
    """Give a ``LocalizedMessage`` detail in English."""
    return {"@type": f"{RPC_TYPE}LocalizedMessage", "locale": "en-US", "message": message}


def help_links(*links: tuple[str, str]) -> Detail:
    """Give a ``Help`` detail from (description, url) pairs."""
    return {
        "@type": f"{RPC_TYPE}Help",
        "links": [{"description": description, "url": url} for description, url in links],
    }


def invalid_argument(field: str, description: str, *, message: str = INVALID_ARGUMENT_TEXT) -> ApiError:
    """Give the 400 for a request whose fields are all known but which is wrong as a whole.

    The real service often says only that something is invalid. The simulator keeps that message and adds what
    it found as a ``BadRequest`` detail, so that a developer need not guess.

    Args:
        field: the place at fault, in the snake_case path form Google prints.
        description: what is wrong there.
        message: the text of the answer where the real service has a text of its own for the case.
    """
    return ApiError(400, message, details=[bad_request([(field, description)])])


def unauthenticated() -> ApiError:
    """Give the 401 for a missing, unknown or expired access token."""
    return ApiError(401, UNAUTHENTICATED_TEXT)


def invalid_api_key() -> ApiError:
    """Give the 400 some front ends answer for a bad access token, in the words of a bad API key."""
    metadata = {"service": "cloudcode-pa.googleapis.com"}
    details = [error_info("API_KEY_INVALID", "googleapis.com", metadata), localized_message(INVALID_KEY_TEXT)]
    return ApiError(400, INVALID_KEY_TEXT, details=details)


def not_found(message: str = NOT_FOUND_TEXT) -> ApiError:
    """Give the 404 for a model or method that does not exist."""
    return ApiError(404, message)
