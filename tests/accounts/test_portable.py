"""Tests of accounts as a file that travels."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from antigravity_proxy.accounts.account import Account, Tokens
from antigravity_proxy.accounts.pool import Pool, Unreadable
from antigravity_proxy.accounts.portable import read_import, write_export
from antigravity_proxy.errors import StoreError

from .samples import make_entry

PATH = Path("/home/me/brought.json")


def dumped(document: Any) -> bytes:
    """The JSON of a document."""
    return json.dumps(document).encode()


@pytest.mark.parametrize(
    "document",
    [
        pytest.param({"version": 2, "accounts": {"x": make_entry()}}, id="version 2"),
        pytest.param({"accounts": {"x": make_entry()}}, id="accounts alone"),
        pytest.param({"version": 1, "credentials": {"antigravity": make_entry()}}, id="version 1"),
    ],
)
def test_import_accepts_known_formats(document: Any) -> None:
    """Accounts are taken from every format that a user may bring."""
    pool = read_import(dumped(document), path=PATH)
    assert [account.tokens.refresh for account in pool.accounts] == ["refresh-first"]


def test_export_is_what_an_import_takes() -> None:
    """An export has the usable accounts with plain tokens and proxies, which is active, and nothing else."""
    first = Account("a", Tokens("a-1", "r-1", 5), email="a@b.c", proxy="http://own:1", extra={"note": "mine"})
    second = Account("b", Tokens("a-2", "r-2", 6), project_id="demo", created_ms=7)
    lost = Unreadable("c", {"access": "enc:v1:x"}, "No key.")
    pool = Pool((first, second), "b", foreign={"other": {"key": "k"}}, extra={"future": 1}, unreadable=(lost,))
    data = write_export(pool)
    assert json.loads(data) == {
        "version": 2,
        "activeAccountId": "b",
        "autoFailover": False,
        "accounts": {
            "a": {
                "type": "oauth", "access": "a-1", "refresh": "r-1", "expires": 5, "email": "a@b.c",
                "proxy": "http://own:1", "note": "mine",
            },
            "b": {
                "type": "oauth", "access": "a-2", "refresh": "r-2", "expires": 6, "projectId": "demo", "createdAt": 7,
            },
        },
        "foreignCredentials": {},
    }  # fmt: skip
    assert read_import(data, path=PATH) == Pool((first, second), "b")


@pytest.mark.parametrize("field", ["access", "refresh", "proxy"])
def test_import_refuses_encrypted_tokens(field: str) -> None:
    """Encrypted tokens are refused with what to import instead."""
    document = {"version": 2, "accounts": {"x": make_entry(), "y": make_entry(**{field: "enc:v1:abc"})}}
    with pytest.raises(StoreError, match=r"where they were written\. Import the file the account first came from"):
        read_import(dumped(document), path=PATH)


def test_import_takes_refresh_token_alone() -> None:
    """A file written by hand may leave the access token to be asked for."""
    document = {
        "accounts": {"google:me": {"email": "me@example.com", "refresh": "one", "expires": 9e15}, "google:2": 5}
    }
    (account,) = read_import(dumped(document), path=PATH).accounts
    assert account.tokens == Tokens("none", "one", 0)
    assert account.needs_refresh(1)


@pytest.mark.parametrize(
    ("document", "reason"),
    [
        pytest.param({"version": 2}, "holds no usable .* Import the file of a program", id="no accounts"),
        pytest.param({"accounts": {"x": {"refresh": "(token)  "}}}, "without blanks", id="template"),
        pytest.param({"accounts": {"x": {"refresh": "..."}}}, "refresh token is missing", id="dots"),
        pytest.param(
            {"accounts": {"x": make_entry(refresh="")}}, "f\\*\\*\\*t@example.com: Its refresh", id="invalid"
        ),
        pytest.param(
            {"accounts": {"x": {"refresh_token": "one"}}},
            r"Write refresh in place of refresh_token\.$",
            id="misnamed",
        ),
        pytest.param(
            {"version": 2, "accounts": {"x": {"accessToken": "a", "refreshToken": "r", "expires": 1}}},
            r"Write access in place of accessToken\.",
            id="misnamed access",
        ),
        pytest.param({"installed": {}}, "is no account file. It must be JSON such as", id="something else"),
        pytest.param({"accounts": []}, "no account file. It must be JSON such as", id="accounts are a list"),
        pytest.param({"version": 2, "accounts": 1}, "It must be JSON such as", id="accounts are no object"),
    ],
)
def test_import_refuses_file_without_account(document: Any, reason: str) -> None:
    """A file without a usable account is refused with the reason of each entry."""
    with pytest.raises(StoreError, match=reason):
        read_import(dumped(document), path=PATH)
