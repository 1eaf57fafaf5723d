"""What an upstream error says, whatever form its body has.

Source:
    https://cloud.google.com/apis/design/errors and SPEC.md, "Errors".
"""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

from .json_text import as_list, as_object, is_list, is_object, parse_json
from .redact import redact

MAX_WORDS = 500
"""Longest quotation of upstream's words in a message, in characters."""

MAX_WAIT_S = 366 * 86_400.0
"""Longest wait that is believed."""

DURATION = re.compile(r"(\d+(?:\.\d+)?)(ms|us|µs|ns|d|h|m|s)")
WHOLE_DURATION = re.compile(rf"(?:{DURATION.pattern})+")
NUMBER = re.compile(r"\d+(?:\.\d+)?", re.ASCII)
SECONDS = {"d": 86_400.0, "h": 3_600.0, "m": 60.0, "s": 1.0, "ms": 1e-3, "us": 1e-6, "µs": 1e-6, "ns": 1e-9}
WORDED = re.compile(r"(\d+) (week|day|hour|minute|second)", re.IGNORECASE)
UNITS = {"week": 604_800.0, "day": 86_400.0, "hour": 3_600.0, "minute": 60.0, "second": 1.0}
WAIT_IN_WORDS = re.compile(
    r"(?:resets?|retry|try again) (?:in|after) (?:"
    r"(?P<go>(?:\d+(?:\.\d+)?(?:ms|d|h|m|s))+)|"
    r"(?P<words>(?:\d+ (?:week|day|hour|minute|second)s?(?:,| and)? ?)+))",
    re.IGNORECASE,
)
"""How Google writes a wait into a sentence: as Go does (``Resets in 71h15m27s``), or in words (``in 6 days``)."""

TIMESTAMP = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)")
"""A moment as RFC 3339 writes it."""

RESET_IN_WORDS = re.compile(rf"resets? (?:at|on) ({TIMESTAMP.pattern})", re.IGNORECASE)

MARKUP = re.compile(r"<(script|style)\b.*?(?:</\1>|\Z)|<[^<>]*>", re.DOTALL | re.IGNORECASE)
"""What of a page is no text. Whatever does not end is looked at once: the rest of the page, or up to the next tag."""


@dataclass(frozen=True, slots=True)
class Problem:
    """What an upstream error says, in parts.

    Attributes:
        http: status of the answer, or the ``code`` of an error inside a stream; 500 when that has none.
        status: Google's canonical word, such as ``RESOURCE_EXHAUSTED``.
        reason: of its ErrorInfo, such as ``QUOTA_EXHAUSTED``.
        message: its words, redacted and cut.
        metadata: of its ErrorInfo.
        wait_s: how long it says to wait, in seconds.
        resets_at: the moment until which it says to wait, RFC 3339.
    """

    http: int
    status: str = ""
    reason: str = ""
    message: str = ""
    metadata: dict[str, str] = field(default_factory=dict[str, str])
    wait_s: float | None = None
    resets_at: str | None = None


def read_problem(http: int, body: bytes | Any, retry_after_s: float | None = None) -> Problem:
    """Read an upstream error, whatever form it has: JSON, JSON in a list, an SSE event, HTML, or nothing.

    Args:
        http: status of the answer.
        body: its bytes, or a value that is parsed already.
        retry_after_s: what the header of that name says, which counts when the body says nothing of a wait.
    """
    value = _parse_body(body) if isinstance(body, bytes) else body
    if is_list(value):
        value = value[0] if value else None
    error = as_object(value).get("error")
    if not is_object(error):
        words = error or as_object(value).get("message")
        plain = body if isinstance(body, bytes) else b""
        error = {"message": words if isinstance(words, str) else _strip_html(plain)}
    code = error.get("code")
    info = _detail(error, "ErrorInfo")
    metadata = {key: item for key, item in as_object(info.get("metadata")).items() if isinstance(item, str)}
    message = _text(error.get("message"))
    return Problem(
        http=http if http != 200 else code if type(code) is int and 400 <= code < 600 else 500,
        status=_text(error.get("status")),
        reason=_text(info.get("reason")),
        message=_quote(message),
        metadata=metadata,
        wait_s=_wait(_detail(error, "RetryInfo").get("retryDelay"), metadata, message, retry_after_s),
        resets_at=_reset(metadata, message),
    )


def quote_body(body: bytes) -> str:
    """The words of a body that is no JSON, without markup and tokens, and cut."""
    return _quote(_strip_html(body))


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _parse_body(body: bytes) -> Any:
    for text in (body, _first_data(body)):
        with suppress(ValueError):
            return parse_json(text)
    return None


def _first_data(body: bytes) -> bytes:
    """The data of the first event in an event stream, whatever stands before it."""
    data: list[bytes] = []
    for line in body.strip().splitlines():
        if line.startswith(b"data:"):
            data.append(line.removeprefix(b"data:"))
        elif data and not line:
            break
    return b"\n".join(data)


def _strip_html(body: bytes) -> str:
    return " ".join(MARKUP.sub(" ", body.decode("utf-8", "replace")).split())


def _quote(text: str) -> str:
    return redact(" ".join(text.split()))[:MAX_WORDS]


def _detail(error: dict[str, Any], kind: str) -> dict[str, Any]:
    details = [as_object(detail) for detail in as_list(error.get("details"))]
    found = [detail for detail in details if _text(detail.get("@type")).endswith(f".{kind}")]
    return found[0] if found else {}


def _wait(retry_delay: Any, metadata: dict[str, str], message: str, retry_after_s: float | None) -> float | None:
    for text in (_text(retry_delay), metadata.get("quotaResetDelay", "")):
        if (seconds := parse_duration(text)) is not None:
            return seconds
    if (found := WAIT_IN_WORDS.search(message)) is None:
        return retry_after_s
    if found["go"]:
        return parse_duration(found["go"])
    parts = WORDED.findall(found["words"])
    return min(sum(float(count) * UNITS[unit.lower()] for count, unit in parts), MAX_WAIT_S)


def _reset(metadata: dict[str, str], message: str) -> str | None:
    in_words = RESET_IN_WORDS.search(message)
    stated = metadata.get("quotaResetTimeStamp", "") or (in_words[1] if in_words is not None else "")
    return stated if TIMESTAMP.fullmatch(stated) and _is_moment(stated) else None


def _is_moment(text: str) -> bool:
    try:
        datetime.fromisoformat(text)
    except ValueError:  # it has the form of a time and is none, as the 31st of February
        return False
    return True


def parse_retry_after(header: str, now_s: float) -> float | None:
    """Seconds to wait by a ``Retry-After``, which is a number of them or a moment; None when it is neither.

    Args:
        header: its value.
        now_s: Unix time.

    Returns:
        0 to MAX_WAIT_S.

    Source:
        RFC 9110, sections 5.6.7 and 10.2.3.
    """
    if NUMBER.fullmatch(header):
        return min(float(header), MAX_WAIT_S)
    try:
        moment = parsedate_to_datetime(header)
        wait_s = moment.replace(tzinfo=moment.tzinfo or UTC).timestamp() - now_s
    except (ValueError, OverflowError):
        return None
    return min(max(wait_s, 0.0), MAX_WAIT_S)


def parse_duration(text: str) -> float | None:
    """Seconds of a duration in Go's form (``1h43m56s``, ``479.4ms``, ``39s``); None when it is none.

    Returns:
        At most MAX_WAIT_S.
    """
    text = text.strip()
    # A search in a text that is none would begin anew at each digit of a long number.
    if WHOLE_DURATION.fullmatch(text) is None:
        return None
    return min(sum(float(number) * SECONDS[unit] for number, unit in DURATION.findall(text)), MAX_WAIT_S)
