"""Tests of answers in Google's form: documents, and errors with their details."""

from __future__ import annotations

import orjson
import pytest

from antigravity_proxy.simulator.google_reply import (
    EVENT_STREAM,
    JSON_CONTENT,
    ApiError,
    bad_request,
    error_info,
    error_reply,
    help_links,
    invalid_api_key,
    invalid_argument,
    json_reply,
    localized_message,
    not_found,
    retry_info,
    unauthenticated,
)


def test_body_has_code_message_and_status() -> None:
    """An error without details has exactly three keys."""
    assert ApiError(404, "Gone.").body() == {"error": {"code": 404, "message": "Gone.", "status": "NOT_FOUND"}}


def test_body_names_unknown_status() -> None:
    """An HTTP status Google has no canonical status for is UNKNOWN."""
    assert ApiError(418, "Tea.").status == "UNKNOWN"


def test_body_lists_details() -> None:
    """Details are printed in order."""
    error = ApiError(429, "No.", details=[error_info("A", "b.com"), retry_info(1.5)])
    assert error.body()["error"]["details"] == [
        {"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "A", "domain": "b.com"},
        {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "1.5s"},
    ]


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(256527.79, "256527.79s"), (0.479417207, "0.479417207s"), (39, "39s"), (0, "0s")],
    ids=["long", "short", "whole", "zero"],
)
def test_retry_info_prints_decimal_seconds(seconds: float, text: str) -> None:
    """A delay is printed as decimal seconds without trailing zeros."""
    assert retry_info(seconds)["retryDelay"] == text


def test_error_info_keeps_metadata() -> None:
    """Metadata stands in the detail when there is any."""
    assert error_info("A", "b.com", {"model": "m"})["metadata"] == {"model": "m"}


def test_bad_request_leaves_out_empty_field() -> None:
    """A violation of the body as a whole names no field."""
    assert bad_request([("", "Bad."), ("a.b", "Worse.")])["fieldViolations"] == [
        {"description": "Bad."},
        {"field": "a.b", "description": "Worse."},
    ]


def test_other_details_have_their_shapes() -> None:
    """LocalizedMessage and Help look as Google prints them."""
    assert localized_message("Hi") == {
        "@type": "type.googleapis.com/google.rpc.LocalizedMessage",
        "locale": "en-US",
        "message": "Hi",
    }
    assert help_links(("Docs", "https://example.com/"))["links"] == [
        {"description": "Docs", "url": "https://example.com/"}
    ]


def test_ready_made_errors_have_google_texts() -> None:
    """The general errors carry the texts of the real service."""
    assert invalid_argument("a", "b").message == "Request contains an invalid argument."
    assert not_found().message == "Requested entity was not found."
    assert unauthenticated().http_status == 401
    assert (invalid_api_key().http_status, invalid_api_key().details[0]["reason"]) == (400, "API_KEY_INVALID")


def test_documents_are_indented() -> None:
    """A document is printed as Google does, with two blanks per level."""
    reply = json_reply({"a": 1})
    assert (reply.status, reply.body, reply.content_type) == (200, b'{\n  "a": 1\n}', JSON_CONTENT)
    assert json_reply({}, 400).status == 400


def test_errors_keep_status_and_headers() -> None:
    """An error has its status, body and headers, whatever the content type says."""
    reply = error_reply(ApiError(503, "Busy.", headers={"Retry-After": "1"}), EVENT_STREAM)
    assert (reply.status, reply.content_type, reply.headers) == (503, EVENT_STREAM, {"Retry-After": "1"})
    assert orjson.loads(reply.body)["error"]["message"] == "Busy."
