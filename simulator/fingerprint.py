"""Judges the headers of a Cloud Code call: three are wanted, some give an outdated client away, others are refused.

The service serves an outdated client, but with the catalogue of its time; so these headers are no reason for a 400.

Source: SPEC.md, "Headers".
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from .google_reply import INVALID_ARGUMENT_TEXT, ApiError, bad_request

if TYPE_CHECKING:
    from collections.abc import Mapping

USER_AGENT_FORM = re.compile(
    r"antigravity/cli/(\d{1,9})\.(\d{1,9})\.(\d{1,9}) "
    r"\(aidev_client; os_type=[a-z0-9]+; arch=[a-z0-9_]+; cl=(\d{1,18}); auth_method=consumer\)"
)
OLDEST_VERSION = (1, 1, 23)
OLDEST_CHANGELIST = 974_125_021
"""``cl`` of the oldest client that is a current one."""

FORBIDDEN_HEADERS = ("X-Goog-Api-Client", "Client-Metadata", "anthropic-beta")
"""Headers of earlier clients, which get an earlier catalogue."""

TRANSPORT_HEADERS = frozenset(
    {"host", "content-length", "transfer-encoding", "connection", "accept-encoding", "accept", "user-agent"}
)
"""Headers any HTTP client sends."""

WANTED_HEADERS = frozenset({"authorization", "content-type"})


def header_violations(headers: Mapping[str, str]) -> list[str]:
    """Give one sentence for every header that is wrong, missing or not wanted.

    Args:
        headers: the request's headers; looked up without regard to case.
    """
    return [*outdated_headers(headers), *foreign_headers(headers)]


def check_headers(headers: Mapping[str, str]) -> None:
    """Check that no header is one that neither a current nor an outdated client sends.

    Raises:
        ApiError: 400 that names all that are.
    """
    found = foreign_headers(headers)
    if found:
        raise ApiError(400, INVALID_ARGUMENT_TEXT, details=[bad_request([("", sentence) for sentence in found])])


def foreign_headers(headers: Mapping[str, str]) -> list[str]:
    """Give one sentence for every header that no client of the service sends."""
    found: list[str] = []
    if headers.get("Content-Type") != "application/json":
        found.append("Content-Type must be exactly application/json")
    known = TRANSPORT_HEADERS | WANTED_HEADERS | {name.lower() for name in FORBIDDEN_HEADERS}
    return found + [f"{name} is not a header of this client" for name in headers if name.lower() not in known]


def outdated_headers(headers: Mapping[str, str]) -> list[str]:
    """Give one sentence for every header by which the service takes a client for an outdated one."""
    found: list[str] = []
    if not _is_current(headers.get("User-Agent", "")):
        found.append("User-Agent is not that of a current client")
    found += [f"{name} must not be sent" for name in FORBIDDEN_HEADERS if name in headers]
    if headers.get("Accept", "*/*") != "*/*":
        found.append("Accept must be absent or */*")
    return found


def _is_current(user_agent: str) -> bool:
    match = USER_AGENT_FORM.fullmatch(user_agent)
    if match is None:
        return False
    *version, changelist = map(int, match.groups())
    return tuple(version) >= OLDEST_VERSION and changelist >= OLDEST_CHANGELIST
