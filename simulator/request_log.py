"""The requests: a log of what clients have sent, and the number being served.

The log holds enough to assert on, never a secret, never a picture.
"""

from __future__ import annotations

import asyncio
from collections import deque
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from .fields import is_list, is_object

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator, Mapping

MAX_TEXT = 8_192
"""Characters of one text that are kept."""

SECRET_NAMES = frozenset(
    {"authorization", "client_secret", "refresh_token", "access_token", "code", "code_verifier", "cookie"}
)
"""Headers and form fields of which only the beginning is kept."""

SHOWN_OF_SECRET = 12


@dataclass(slots=True)
class LoggedRequest:
    """One request, filled in while it is served.

    Attributes:
        number: counts the requests of this simulator from 1.
        at_s: when it came, in seconds since 1970.
        method: the HTTP method.
        path: the path with its query.
        headers: its headers as sent, secrets cut.
        body: its parsed body, secrets cut and media replaced by their length; None when there is none.
        account: e-mail of the account whose token it carried.
        status: HTTP status of the answer; None while or when there is none.
        violations: how its headers break the rules for them.
        refusal: why it was refused, in the words of the answer.
        scenarios: the names of the scenarios that changed its answer.
        is_aborted: whether the client went away before the end.
        aborted_after_s: seconds until it did.
    """

    number: int
    at_s: float
    method: str
    path: str
    headers: dict[str, str]
    body: Any = None
    account: str | None = None
    status: int | None = None
    violations: list[str] = field(default_factory=list[str])
    refusal: str | None = None
    scenarios: list[str] = field(default_factory=list[str])
    is_aborted: bool = False
    aborted_after_s: float | None = None

    def document(self) -> dict[str, Any]:
        """Give the entry as JSON for the control API."""
        return {
            "number": self.number,
            "at": self.at_s,
            "method": self.method,
            "path": self.path,
            "headers": self.headers,
            "body": self.body,
            "account": self.account,
            "status": self.status,
            "violations": self.violations,
            "refusal": self.refusal,
            "scenarios": self.scenarios,
            "aborted": self.is_aborted,
            "abortedAfter": self.aborted_after_s,
        }


class RequestLog:
    """The newest requests.

    Args:
        capacity: how many are kept.
        max_body_chars: how many characters of each body are kept.
    """

    def __init__(self, capacity: int, max_body_chars: int) -> None:
        self._entries: deque[LoggedRequest] = deque(maxlen=capacity)
        self._max_body_chars = max_body_chars
        self._count = 0

    def add(self, at_s: float, method: str, path: str, headers: Mapping[str, str]) -> LoggedRequest:
        """Open the entry of a request that has just come."""
        self._count += 1
        shown = {str(name): _cut_secret(name, value) for name, value in headers.items()}
        entry = LoggedRequest(self._count, at_s, method, path, shown)
        self._entries.append(entry)
        return entry

    def keep_body(self, entry: LoggedRequest, body: Any) -> None:
        """Put what may be kept of a body into its entry."""
        entry.body = _Shortening(self._max_body_chars).shorten(body)

    def clear(self) -> None:
        """Forget all entries."""
        self._entries.clear()

    def __iter__(self) -> Iterator[LoggedRequest]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)


class Running:
    """The number of requests being served."""

    def __init__(self) -> None:
        self.count = 0
        self._idle = asyncio.Event()
        self._idle.set()

    @contextmanager
    def one(self) -> Generator[None]:
        """Count one request while it is served."""
        self.count += 1
        self._idle.clear()
        try:
            yield
        finally:
            self.count -= 1
            if not self.count:
                self._idle.set()

    async def wait_until_idle(self) -> None:
        """Wait until no request is being served."""
        await self._idle.wait()


def _cut_secret(name: str, value: str) -> str:
    if name.lower() not in SECRET_NAMES or len(value) <= SHOWN_OF_SECRET:
        return value
    return f"{value[:SHOWN_OF_SECRET]}… ({len(value)} characters)"


class _Shortening:
    """Copies a JSON value until a number of characters is used up."""

    def __init__(self, max_chars: int) -> None:
        self._left = max_chars

    def shorten(self, value: Any, name: str = "") -> Any:
        if isinstance(value, str):
            return self._shorten_text(value, name)
        if self._left <= 0:
            return "…"
        if is_object(value):
            if "mimeType" in value and isinstance(value.get("data"), str):
                value = {**value, "data": f"({len(value['data'])} base64 characters)"}
            return {key: self.shorten(member, key) for key, member in value.items()}
        if is_list(value):
            return [self.shorten(member) for member in value]
        self._left -= 1
        return value

    def _shorten_text(self, text: str, name: str) -> str:
        text = _cut_secret(name, text)
        longest = max(0, min(self._left, MAX_TEXT))
        self._left -= min(len(text), longest) + len(name)
        return text if len(text) <= longest else f"{text[:longest]}… ({len(text)} characters)"
