"""Tests of what upstream errors say."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from antigravity_proxy.translate.upstream_problem import (
    MAX_WAIT_S,
    MAX_WORDS,
    Problem,
    parse_duration,
    parse_retry_after,
    read_problem,
)

from .samples import json_values

NOW_S = datetime(2026, 10, 21, 7, 27, 40, tzinfo=UTC).timestamp()
GOOGLE = "type.googleapis.com/google.rpc."


def error_info(reason: str, **metadata: Any) -> dict[str, Any]:
    """The detail that gives the reason."""
    return {"@type": f"{GOOGLE}ErrorInfo", "reason": reason, "metadata": metadata}


def retry_info(delay: Any) -> dict[str, Any]:
    """The detail that says how long to wait."""
    return {"@type": f"{GOOGLE}RetryInfo", "retryDelay": delay}


def body_of(message: Any, *details: Any, **fields: Any) -> dict[str, Any]:
    """An error body."""
    return {
        "error": {"code": 429, "message": message, "status": "RESOURCE_EXHAUSTED", "details": [*details], **fields}
    }


LONG = body_of(
    "Individual quota reached. Resets in 71h15m27s.",
    error_info("QUOTA_EXHAUSTED", quotaResetDelay="71h15m27.79s", model="gemini-3.8-flash-low"),
    retry_info("256527.79s"),
)
READ = Problem(
    429,
    "RESOURCE_EXHAUSTED",
    "QUOTA_EXHAUSTED",
    "Individual quota reached. Resets in 71h15m27s.",
    {"quotaResetDelay": "71h15m27.79s", "model": "gemini-3.8-flash-low"},
    256_527.79,
)


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(LONG, id="parsed"),
        pytest.param(orjson.dumps(LONG), id="JSON"),
        pytest.param(orjson.dumps([LONG]), id="list"),
        pytest.param(b" data: " + orjson.dumps(LONG) + b"\n\n", id="event"),
        pytest.param(b"event: error\r\nid: 1\r\ndata:" + orjson.dumps(LONG) + b"\r\n\r\n", id="named event"),
        pytest.param(
            b"data: " + orjson.dumps(LONG, option=orjson.OPT_INDENT_2).replace(b"\n", b"\ndata: ") + b"\n\ndata: {}",
            id="event of many lines before another",
        ),
    ],
)
def test_problem_is_read_from_every_form(body: Any) -> None:
    """The same error says the same, whatever form its body has."""
    assert read_problem(429, body) == READ


@pytest.mark.parametrize("body", [b"<", b"<a ", b"<script ", b"<script>", b"<style>a</styl>"])
def test_markup_that_does_not_end_is_looked_at_once(body: bytes) -> None:
    """A page of nothing but beginnings is read in no time, where looking for each end would take hours."""
    assert len(read_problem(503, body * 500_000).message) <= MAX_WORDS


@pytest.mark.parametrize("text", ["1" * 1_000_000, "1h" + "1" * 1_000_000, "1." + "1" * 1_000_000])
def test_long_number_that_is_no_duration_is_looked_at_once(text: str) -> None:
    """Digits without a unit are read in no time, where a search from each of them would take hours."""
    assert parse_duration(text) is None


@pytest.mark.parametrize(
    ("body", "message"),
    [
        pytest.param(b"", "", id="nothing"),
        pytest.param(b"[]", "[]", id="empty list"),
        pytest.param(b"Service Unavailable\n", "Service Unavailable", id="text"),
        pytest.param(
            b"<html><style>p{}</style><h1>502</h1><script>x()</script><p>Bad &amp; slow</p></html>",
            "502 Bad &amp; slow",
            id="HTML",
        ),
        pytest.param(b"<p>a < b</p> > c", "a < b > c", id="signs that begin no tag"),
        pytest.param(b"<h1>502</h1><script>if (a < b) x(", "502", id="script without end"),
        pytest.param(b"\xff\xfe", "\ufffd\ufffd", id="not text"),
        pytest.param(b'{"message": "too many requests"}', "too many requests", id="message alone"),
        pytest.param(b'{"error": "invalid_request"}', "invalid_request", id="error that is text"),
        pytest.param(b'{"error": {"message": 5}}', "", id="message that is none"),
        pytest.param(b'{"error": null}', '{"error": null}', id="no error"),
        pytest.param(b'{"error": {"message": " a\\n b "}}', "a b", id="blanks"),
    ],
)
def test_problem_has_message_of_any_body(body: bytes, message: str) -> None:
    """What a body says is in the message, however little it is."""
    assert read_problem(503, body) == Problem(503, message=message)


def test_message_is_redacted_and_cut() -> None:
    """A token in upstream's words is not shown, and there are not too many of them."""
    problem = read_problem(400, body_of("ya29" + ".secret " + "x" * 1_000))
    assert problem.message.startswith("*** xxx")
    assert len(problem.message) == MAX_WORDS


@pytest.mark.parametrize(
    ("http", "code", "expected"),
    [
        pytest.param(429, 500, 429, id="status of the answer"),
        pytest.param(200, 503, 503, id="inside a stream"),
        pytest.param(200, None, 500, id="inside a stream without a code"),
        pytest.param(200, True, 500, id="inside a stream with a strange code"),
    ],
)
def test_status_is_the_one_that_tells(http: int, code: Any, expected: int) -> None:
    """The answer's status counts; inside a stream, which is a 200, the error's own code."""
    assert read_problem(http, {"error": {"code": code}}).http == expected


def test_strange_details_are_ignored() -> None:
    """Details of another shape say nothing, and of several of a kind the first one counts."""
    details = ["text", {"@type": 5}, {"@type": f"{GOOGLE}Help"}, error_info("A", n=5, a="b"), error_info("B")]
    problem = read_problem(403, body_of("x", *details, status=5))
    assert problem == Problem(403, reason="A", message="x", metadata={"a": "b"})
    assert read_problem(403, body_of("x", details={"a": 1})).reason == ""


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        pytest.param(body_of("Resets in 5s.", retry_info("39s")), 39.0, id="delay to retry"),
        pytest.param(
            body_of("x", retry_info("soon"), error_info("A", quotaResetDelay="479.417207ms")),
            0.479417207,
            id="reset of the quota when the delay is unreadable",
        ),
        pytest.param(body_of("It will reset after 1h43m56s."), 6_236.0, id="after"),
        pytest.param(body_of("quota will reset after 161h39m41s."), 581_981.0, id="after many hours"),
        pytest.param(body_of("Individual quota reached. Resets in 71h15m27s."), 256_527.0, id="in"),
        pytest.param(body_of("Quota exceeded. Resets in 6 days."), 518_400.0, id="days"),
        pytest.param(body_of("RESETS IN 2 HOURS"), 7_200.0, id="hours in capitals"),
        pytest.param(body_of("Reset in 1 minute"), 60.0, id="one minute"),
        pytest.param(body_of("resets in 30 seconds"), 30.0, id="seconds"),
        pytest.param(body_of("Resets in 6 days, 3 hours and 5 minutes."), 529_500.0, id="several words"),
        pytest.param(body_of("Your limit resets in 1 week"), 604_800.0, id="week"),
        pytest.param(body_of("Please retry in 32.5s."), 32.5, id="retry in"),
        pytest.param(body_of("Try again in 5 seconds"), 5.0, id="try again in"),
        pytest.param(body_of("It resets in 5 parsecs"), None, id="no unit"),
        pytest.param(body_of("reset after 0s"), 0.0, id="no wait"),
        pytest.param(body_of("resets in " + "9" * 5_000 + " days"), MAX_WAIT_S, id="eternity"),
        pytest.param(body_of("x", retry_info("9" * 400 + "s")), MAX_WAIT_S, id="eternity as a duration"),
        pytest.param(body_of("Resource has been exhausted (e.g. check quota)."), None, id="unknown"),
        pytest.param(body_of("x", retry_info(5)), None, id="number"),
    ],
)
def test_wait_is_read(body: dict[str, Any], expected: float | None) -> None:
    """How long to wait stands in a detail, in the metadata, or in the words; that order holds."""
    assert read_problem(429, body).wait_s == expected


def test_header_counts_when_the_body_says_nothing() -> None:
    """The wait of Retry-After is that of the problem, unless the body has one."""
    assert read_problem(503, b"", 30.0).wait_s == 30.0
    assert read_problem(503, b"").wait_s is None
    assert read_problem(503, body_of("x", retry_info("2s")), 30.0).wait_s == 2.0


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        ("30", 30.0),
        ("0", 0.0),
        ("1.5", 1.5),
        ("9" * 400, MAX_WAIT_S),
        ("Wed, 21 Oct 2026 07:28:00 GMT", 20.0),
        ("Wednesday, 21-Oct-26 07:28:00 GMT", 20.0),
        ("Wed Oct 21 07:28:00 2026", 20.0),
        ("Wed, 21 Oct 2026 07:27:00 GMT", 0.0),
        ("Wed, 21 Oct 2099 07:28:00 GMT", MAX_WAIT_S),
        ("", None),
        ("-1", None),
        ("5m", None),
        ("30s", None),
        ("soon", None),
        ("Wed, 31 Feb 2026 07:28:00 GMT", None),
        ("Wed, 21 Oct 2026 07:28:00 +999999999999999", None),
    ],
)
def test_header_is_seconds_or_a_moment(header: str, expected: float | None) -> None:
    """Retry-After is a number of seconds or a moment in one of HTTP's forms; anything else says nothing."""
    assert parse_retry_after(header, NOW_S) == expected


@settings(deadline=None)
@given(st.text(max_size=40) | st.text(st.sampled_from("WedOctGMT ,:-+0123456789"), max_size=40))
def test_header_is_never_an_error(header: str) -> None:
    """Any header is a wait between nothing and the longest, or none."""
    seconds = parse_retry_after(header, NOW_S)
    assert seconds is None or 0 <= seconds <= MAX_WAIT_S


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        pytest.param(
            body_of("x", error_info("A", quotaResetTimeStamp="2026-09-08T00:00:00Z")),
            "2026-09-08T00:00:00Z",
            id="data",
        ),
        pytest.param(body_of("It resets at 2026-09-08T02:00:00+02:00."), "2026-09-08T02:00:00+02:00", id="words"),
        pytest.param(body_of("x", error_info("A", quotaResetTimeStamp="2026-02-31T00:00:00Z")), None, id="no day"),
        pytest.param(body_of("x", error_info("A", quotaResetTimeStamp="soon")), None, id="no moment"),
        pytest.param(body_of("x"), None, id="nothing"),
    ],
)
def test_moment_of_reset_is_read(body: dict[str, Any], expected: str | None) -> None:
    """The moment of a reset stands in the metadata or in the words, and is a real one."""
    assert read_problem(429, body).resets_at == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("1h43m56s", 6_236.0, id="hours, minutes and seconds"),
        pytest.param("256527.79s", 256_527.79, id="fraction"),
        pytest.param("1d", 86_400.0, id="day"),
        pytest.param("250ms", 0.25, id="milliseconds"),
        pytest.param("5us", 5e-6, id="microseconds"),
        pytest.param("5µs", 5e-6, id="microseconds in Greek"),
        pytest.param("5ns", 5e-9, id="nanoseconds"),
        pytest.param(" 39s ", 39.0, id="blanks around"),
        pytest.param("", None, id="empty"),
        pytest.param("39", None, id="no unit"),
        pytest.param("-5s", None, id="negative"),
        pytest.param("5s later", None, id="words behind"),
        pytest.param("1h 5m", None, id="blank inside"),
    ],
)
def test_duration_is_parsed(text: str, expected: float | None) -> None:
    """Durations are read in Go's form, and nothing else is one."""
    assert parse_duration(text) == (None if expected is None else pytest.approx(expected))


@settings(deadline=None)
@given(st.integers(0, 999), st.integers(0, 59), st.integers(0, 59), st.integers(0, 999))
def test_duration_adds_up(hours: int, minutes: int, seconds: int, millis: int) -> None:
    """The parts of a duration add up to its seconds."""
    expected = hours * 3_600 + minutes * 60 + seconds + millis / 1_000
    assert parse_duration(f"{hours}h{minutes}m{seconds}s{millis}ms") == pytest.approx(expected)


@settings(deadline=None)
@given(st.text(max_size=12) | st.text(st.sampled_from("0123456789.hmsdnuµ"), max_size=12))
def test_duration_is_never_an_error(text: str) -> None:
    """Any text is a duration between nothing and the longest, or none."""
    seconds = parse_duration(text)
    assert seconds is None or 0 <= seconds <= MAX_WAIT_S


@settings(deadline=None)
@given(st.binary(max_size=60) | json_values().map(orjson.dumps) | json_values(), st.sampled_from([200, 400, 503]))
def test_any_body_is_read(body: Any, http: int) -> None:
    """Whatever upstream answers with is a problem with a status and a message."""
    for shape in (body, {"error": body}, body_of(body, body, status=body, code=body)):
        problem = read_problem(http, shape)
        assert len(problem.message) <= MAX_WORDS
        assert http in (problem.http, 200)
