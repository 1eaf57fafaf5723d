"""Tests of account values, ids and masking."""

from __future__ import annotations

import pytest

from antigravity_proxy.accounts.account import (
    Account,
    account_id,
    is_token,
    mask_email,
    mask_emails,
    same_email,
    show_id,
)

from .samples import EXPIRES_MS, make_account, make_tokens


@pytest.mark.parametrize(
    ("email", "masked"),
    [
        pytest.param("user@example.com", "u***r@example.com", id="long local part"),
        pytest.param("ab@example.com", "a***@example.com", id="two characters"),
        pytest.param("a@example.com", "a***@example.com", id="one character"),
        pytest.param("abc@example.com", "a***c@example.com", id="three characters"),
        pytest.param("a@b@example.com", "a***b@example.com", id="two signs"),
        pytest.param("invalid-email", "[redacted-email]", id="no sign"),
        pytest.param("@example.com", "[redacted-email]", id="no local part"),
        pytest.param("user@", "[redacted-email]", id="no domain"),
        pytest.param("", "[redacted-email]", id="empty"),
    ],
)
def test_mask_email_hides_local_part(email: str, masked: str) -> None:
    """Only the ends of the local part stay visible."""
    assert mask_email(email) == masked


@pytest.mark.parametrize(
    ("known", "expected"),
    [
        pytest.param({"google_id": "google-user-1"}, "google:5bd39a3d505d21099461dc1b", id="google id"),
        pytest.param({"email": "me@example.com"}, "email:8c2a47d3bdb8d3096a6479f5", id="email"),
        pytest.param({"email": " ME@Example.com "}, "email:8c2a47d3bdb8d3096a6479f5", id="email in other case"),
        pytest.param({"email": "legacy@example.com"}, "email:2aa1d6a92ecb81306d94281a", id="other email"),
        pytest.param({"project_id": "proj-1"}, "project:920581d82c9c3a08fc5cc38e", id="project"),
        pytest.param({"email": "  ", "project_id": "proj-1"}, "project:920581d82c9c3a08fc5cc38e", id="blank email"),
        pytest.param({}, "legacy:default", id="nothing"),
        pytest.param(
            {"google_id": "google-user-1", "email": "me@example.com", "project_id": "proj-1"},
            "google:5bd39a3d505d21099461dc1b",
            id="everything",
        ),
        pytest.param(
            {"email": "me@example.com", "project_id": "proj-1"},
            "email:8c2a47d3bdb8d3096a6479f5",
            id="email before project",
        ),
    ],
)
def test_account_id_uses_best_knowledge(known: dict[str, str], expected: str) -> None:
    """The id is derived from the Google id, else the address, else the project."""
    assert account_id(**known) == expected


def test_account_id_accepts_lone_surrogate() -> None:
    """Text that no encoding can hold still gives an id."""
    assert account_id(project_id="\ud800").startswith("project:")


@pytest.mark.parametrize(
    ("beyond_ms", "expected"),
    [
        pytest.param(1, False, id="more than the margin left"),
        pytest.param(0, True, id="exactly the margin left"),
        pytest.param(-100_000, True, id="expired"),
    ],
)
def test_needs_refresh_keeps_margin(beyond_ms: int, *, expected: bool) -> None:
    """A token is refreshed when no more than the account's margin is left of its life."""
    account = make_account("me@example.com")
    assert account.needs_refresh(EXPIRES_MS - account.refresh_margin_ms - beyond_ms) is expected


def test_refresh_margins_are_spread() -> None:
    """Each account has a margin of its own, the same every time, from one minute to one and a half."""
    accounts = [make_account(f"google:{number}") for number in range(100)] + [make_account("\ud800")]
    margins = [account.refresh_margin_ms for account in accounts]
    assert margins == [account.refresh_margin_ms for account in accounts]
    assert all(60_000 <= margin < 90_000 for margin in margins)
    assert len(set(margins)) > 90


def test_label_is_masked_email() -> None:
    """An account is named by its masked address."""
    assert make_account("user@example.com").label == "u***r@example.com"


def test_label_is_id_when_email_unknown() -> None:
    """An account without an address is named by its id."""
    assert Account(id="project:1", tokens=make_tokens()).label == "project:1"


def test_repr_shows_no_secret() -> None:
    """Printing an account shows neither a token, nor the address, nor unknown fields."""
    text = repr(make_account("user@example.com", extra={"idToken": "hidden"}))
    assert "access" not in text.replace("access=", "")
    assert "refresh-" not in text
    assert "user@" not in text
    assert "hidden" not in text
    assert str(EXPIRES_MS) in text


def test_account_is_hashable_with_unknown_fields() -> None:
    """An account with unknown fields can be put into a set."""
    account = make_account("user@example.com", extra={"a": []})
    assert {account, account} == {account}


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        pytest.param("Me@example.com", "me@Example.com ", True, id="other case"),
        pytest.param("me@example.com", "you@example.com", False, id="different"),
        pytest.param(None, None, False, id="both unknown"),
        pytest.param("me@example.com", None, False, id="one unknown"),
    ],
)
def test_same_email_ignores_case(one: str | None, other: str | None, *, expected: bool) -> None:
    """Addresses are compared without case, and unknown ones are never the same."""
    assert same_email(one, other) is expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        pytest.param("abc-._~+/=123", True, id="token"),
        pytest.param("", False, id="empty"),
        pytest.param("a\r\nb", False, id="line end"),
        pytest.param("caf\u00e9", False, id="not ASCII"),
        pytest.param(None, False, id="none"),
        pytest.param(5, False, id="number"),
    ],
)
def test_is_token_wants_printable_ascii(value: object, *, expected: bool) -> None:
    """Only text that a header can carry is a token."""
    assert is_token(value) is expected


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("user ada@example.com, and <b.c+d@e-f.co.uk>", "user a***a@example.com, and <b***d@e-f.co.uk>"),
        ("a***a@example.com", "a***a@example.com"),
        ("no @ address@ at all", "no @ address@ at all"),
    ],
)
def test_addresses_in_a_text_are_masked(text: str, masked: str) -> None:
    """Every address is masked once, whatever stands around it."""
    assert mask_emails(text) == masked


@pytest.mark.parametrize(
    ("account_id", "shown"), [("google:1", "google:1"), ("a\n\x1b[31m", "a\\n\\x1b[31m"), ("\ud800", "\\ud800")]
)
def test_id_that_cannot_be_shown_is_escaped(account_id: str, shown: str) -> None:
    """An id of a file that somebody made does nothing to a terminal."""
    assert show_id(account_id) == shown
