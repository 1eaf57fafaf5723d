"""Tests of the refusals that do not depend on the request."""

from __future__ import annotations

import pytest

from antigravity_proxy.simulator.refusals import (
    account_banned,
    go_duration,
    insufficient_credits,
    no_capacity,
    no_licence,
    quota_exhausted,
    rate_limited,
    resource_exhausted,
    service_disabled,
    subscription_required,
    timestamp,
    verification_required,
    version_unsupported,
)

NOON_S = 1_788_609_600.0


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (256527.79, "71h15m27.79s"),
        (0.479417207, "479.417207ms"),
        (6236, "1h43m56s"),
        (60, "1m0s"),
        (5, "5s"),
        (0, "0s"),
    ],
    ids=str,
)
def test_go_duration(seconds: float, text: str) -> None:
    """Durations are printed as Go prints them."""
    assert go_duration(seconds) == text


def test_timestamp() -> None:
    """Moments are printed in UTC."""
    assert timestamp(NOON_S) == "2026-09-05T12:00:00Z"


def test_quota_exhausted_has_all_details() -> None:
    """The long quota error tells the wait in four ways."""
    error = quota_exhausted("m", 256527.79, NOON_S)
    assert error.http_status == 429
    assert error.message.startswith("Individual quota reached.")
    assert error.message.endswith("Resets in 71h15m27s.")
    info, retry = error.details
    assert (info["reason"], info["domain"]) == ("QUOTA_EXHAUSTED", "cloudcode-pa.googleapis.com")
    assert info["metadata"] == {
        "uiMessage": error.message,
        "model": "m",
        "quotaResetDelay": "71h15m27.79s",
        "quotaResetTimeStamp": "2026-09-08T11:15:27Z",
    }
    assert retry["retryDelay"] == "256527.79s"


def test_quota_exhausted_has_another_wording() -> None:
    """The capacity wording of the long quota says after instead of in."""
    message = quota_exhausted("m", 3600, NOON_S, is_individual=False).message
    assert message == "You have exhausted your capacity on this model. Your quota will reset after 1h0m0s."


def test_rate_limited_speaks_of_capacity() -> None:
    """The short rate limit has the wording of exhausted capacity, and a short delay."""
    error = rate_limited("m", 0.479417207, NOON_S)
    assert "after 0s" in error.message
    assert error.details[0]["reason"] == "RATE_LIMIT_EXCEEDED"
    assert error.details[0]["metadata"]["quotaResetDelay"] == "479.417207ms"
    assert error.details[1]["retryDelay"] == "0.479417207s"


def test_bare_exhaustion_has_no_details() -> None:
    """A bare 429 has a text and nothing else."""
    assert resource_exhausted().body() == {
        "error": {
            "code": 429,
            "message": "Resource has been exhausted (e.g. check quota).",
            "status": "RESOURCE_EXHAUSTED",
        }
    }


def test_capacity_says_when_only_sometimes() -> None:
    """A lack of capacity has a RetryInfo only when there is a delay."""
    assert len(no_capacity("m").details) == 1
    assert no_capacity("m", 39).details[1]["retryDelay"] == "39s"
    assert no_capacity("m").message == "No capacity available for model m on the server"


def test_verification_has_url() -> None:
    """The verification error carries the page to visit on a Google host."""
    metadata = verification_required().details[0]["metadata"]
    assert metadata["validation_url"].startswith("https://accounts.google.com/")
    assert verification_required("https://x.google.com/").details[0]["metadata"]["validation_url"].endswith(".com/")


def test_service_disabled_names_project() -> None:
    """The disabled service names the project as its consumer."""
    error = service_disabled("p-1")
    assert error.details[0]["metadata"]["consumer"] == "projects/p-1"
    assert error.details[0]["domain"] == "googleapis.com"
    assert [detail["@type"].rsplit(".", 1)[1] for detail in error.details] == [
        "ErrorInfo",
        "LocalizedMessage",
        "Help",
    ]


def test_licence_errors() -> None:
    """A missing subscription has a reason, a missing licence only a text."""
    assert subscription_required().details[0]["reason"] == "SUBSCRIPTION_REQUIRED"
    assert "(#3501)" in subscription_required().message
    assert no_licence().details == ()


def test_other_refusals() -> None:
    """Credits, ban and version have their statuses."""
    assert insufficient_credits().details[0]["reason"] == "INSUFFICIENT_G1_CREDITS_BALANCE"
    assert account_banned().http_status == 403
    assert version_unsupported().http_status == 400
    assert version_unsupported(403).http_status == 403
