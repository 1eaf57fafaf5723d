"""Tests of the account file as bytes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from antigravity_proxy.accounts.account import Account, Tokens
from antigravity_proxy.accounts.file_format import is_newer, read_document, write_document
from antigravity_proxy.accounts.pool import Pool
from antigravity_proxy.errors import StoreError

from .samples import CREATED_MS, EXPIRES_MS, make_account, make_entry

PATH = Path("/home/me/accounts.json")
WHOLE_DOCUMENT = """\
{
  "version": 2,
  "activeAccountId": "google:2",
  "autoFailover": true,
  "accounts": {
    "email:1": {
      "type": "oauth",
      "access": "access-1",
      "refresh": "refresh-1",
      "expires": 1757000000000
    },
    "google:2": {
      "type": "oauth",
      "access": "access-2",
      "refresh": "refresh-2",
      "expires": 1757000000000,
      "projectId": "demo",
      "email": "zo\u00eb@example.com",
      "createdAt": 1756000000000,
      "note": "m\\ud800ine",
      "plan": {
        "tier": 1.5
      }
    },
    "google:3": {
      "type": "apikey",
      "anything": []
    }
  },
  "foreignCredentials": {
    "other-provider": {
      "any": "thing"
    }
  },
  "newField": [
    null,
    12345678901234567890
  ]
}
"""

ODD_ID = "Its id is not of 1 to 200 characters that can be shown."


def plain(text: str) -> str:
    """Neither encrypt nor decrypt."""
    return text


def dumped(document: Any) -> bytes:
    """The JSON of a document."""
    return json.dumps(document).encode()


def read(document: Any) -> Pool:
    """The pool of a document with plain tokens."""
    return read_document(dumped(document), path=PATH, unseal=plain)


def test_document_survives_unchanged() -> None:
    """Reading and writing gives the same bytes, with every unknown and unusable part in place."""
    data = WHOLE_DOCUMENT.encode()
    assert write_document(read_document(data, path=PATH, unseal=plain), seal=plain) == data


def test_read_document_gives_pool() -> None:
    """Every field of a version 2 document finds its place."""
    pool = read_document(WHOLE_DOCUMENT.encode(), path=PATH, unseal=plain)
    assert pool.active == Account(
        id="google:2",
        tokens=Tokens("access-2", "refresh-2", EXPIRES_MS),
        email="zo\u00eb@example.com",
        project_id="demo",
        created_ms=CREATED_MS,
        extra={"note": "m\ud800ine", "plan": {"tier": 1.5}},
    )
    assert pool.auto_failover
    assert pool.foreign == {"other-provider": {"any": "thing"}}
    assert pool.extra == {"newField": [None, 12345678901234567890]}
    assert [entry.id for entry in pool.unreadable] == ["google:3"]


def test_empty_pool_is_document_of_its_own() -> None:
    """A pool without accounts is written as a document without accounts, and read as such."""
    data = write_document(Pool(), seal=plain)
    assert json.loads(data) == {"version": 2, "autoFailover": False, "accounts": {}, "foreignCredentials": {}}
    assert data.endswith(b"}\n")
    assert read_document(data, path=PATH, unseal=plain) == Pool()


def test_read_document_accepts_byte_order_mark() -> None:
    """A file saved by an editor that adds a byte order mark is read."""
    data = b"\xef\xbb\xbf" + WHOLE_DOCUMENT.encode()
    assert len(read_document(data, path=PATH, unseal=plain).accounts) == 2


def test_tokens_pass_through_cipher() -> None:
    """Tokens, and nothing else, are sealed on writing and unsealed on reading."""
    pool = Pool(accounts=(make_account("me@example.com"),))
    data = write_document(pool, seal=lambda token: token[::-1])
    assert b"access-me@example.com" not in data
    assert b'"moc.elpmaxe@em-sseccA"'.lower() in data
    assert read_document(data, path=PATH, unseal=lambda token: token[::-1]) == pool


def test_unsealable_account_is_kept_verbatim() -> None:
    """An account whose tokens cannot be decrypted is reported with the reason and written back as it was."""

    def unseal(text: str) -> str:
        if text == "access-lost":
            raise StoreError("The key is gone.", path=PATH)
        return text

    document = {"version": 2, "accounts": {"a": make_entry("lost"), "b": make_entry("kept")}}
    pool = read_document(dumped(document), path=PATH, unseal=unseal)
    assert [account.id for account in pool.accounts] == ["b"]
    assert [(entry.id, entry.reason) for entry in pool.unreadable] == [("a", "The key is gone.")]
    assert [(entry.email, entry.created_ms) for entry in pool.unreadable] == [("lost@example.com", CREATED_MS)]
    assert json.loads(write_document(pool, seal=plain))["accounts"] == document["accounts"]


@pytest.mark.parametrize(
    ("key", "entry", "reason"),
    [
        pytest.param("x", "text", "It is no JSON object.", id="no object"),
        pytest.param("", make_entry(), ODD_ID, id="empty id"),
        pytest.param("x" * 201, make_entry(), ODD_ID, id="long id"),
        pytest.param("a\x1b[31m", make_entry(), ODD_ID, id="escape in id"),
        pytest.param(
            "\ud800",
            make_entry(),
            ODD_ID,
            id="half character",
        ),
        pytest.param("x", make_entry(type="apikey"), "Its type is not oauth.", id="type"),
        pytest.param("x", make_entry(type=[]), "Its type is not oauth.", id="type is a list"),
        pytest.param("x", make_entry(access=""), "Its access token is missing", id="empty access"),
        pytest.param("x", make_entry(access="a\nb"), "Its access token is missing", id="access with line end"),
        pytest.param("x", make_entry(access="\ud800"), "Its access token is missing", id="access of a surrogate"),
        pytest.param("x", make_entry(refresh=None), "Its refresh token is missing", id="no refresh"),
        pytest.param("x", make_entry(expires=-1), "Its expires is no time", id="expires before 1970"),
        pytest.param("x", make_entry(expires="1"), "Its expires is no time", id="expires text"),
        pytest.param("x", make_entry(expires=True), "Its expires is no time", id="expires true"),
        pytest.param(
            "x",
            make_entry(projectId=1),
            "Its projectId is no text, or has characters that cannot be shown.",
            id="project",
        ),
        pytest.param(
            "x", make_entry(email=[]), "Its email is no text, or has characters that cannot be shown.", id="email"
        ),
        pytest.param(
            "x",
            make_entry(email="a\nb"),
            "Its email is no text, or has characters that cannot be shown.",
            id="line end",
        ),
        pytest.param(
            "x",
            make_entry(projectId="\ud800"),
            "Its projectId is no text, or has characters that cannot be shown.",
            id="half character",
        ),
        pytest.param("x", make_entry(createdAt="now"), "Its createdAt is no time", id="created"),
    ],
)
def test_invalid_account_does_not_spoil_document(key: str, entry: Any, reason: str) -> None:
    """One unusable entry is kept as it is, with the reason, beside usable ones."""
    document = {"version": 2, "accounts": {key: entry, "good": make_entry("good")}}
    pool = read(document)
    assert [account.id for account in pool.accounts] == ["good"]
    assert [(bad.id, bad.raw) for bad in pool.unreadable] == [(key, entry)]
    assert pool.unreadable[0].reason.startswith(reason)
    assert json.loads(write_document(pool, seal=plain))["accounts"] == document["accounts"]


@pytest.mark.parametrize(
    "fields",
    [
        pytest.param({"projectId": None, "email": None, "createdAt": None}, id="null"),
        pytest.param({"projectId": "", "email": "", "createdAt": None}, id="empty"),
    ],
)
def test_optional_fields_may_be_empty(fields: dict[str, Any]) -> None:
    """A field that is null or empty counts as absent."""
    account = read({"version": 2, "accounts": {"x": make_entry(**fields)}}).accounts[0]
    assert (account.project_id, account.email, account.created_ms) == (None, None, None)


def test_times_may_be_fractions() -> None:
    """A time with a fraction is read as whole milliseconds."""
    entry = make_entry(expires=EXPIRES_MS + 0.5, createdAt=7.9)
    account = read({"version": 2, "accounts": {"x": entry}}).accounts[0]
    assert (account.tokens.expires_ms, account.created_ms) == (EXPIRES_MS, 7)


def test_legacy_document_migrates() -> None:
    """A version 1 document becomes a pool of one account with failover off and the rest untouched."""
    entry = make_entry("legacy", note="mine")
    del entry["createdAt"]
    pool = read({"version": 1, "credentials": {"antigravity": entry, "other": {"any": "thing"}}, "theme": "dark"})
    expected = Account(
        id="email:2aa1d6a92ecb81306d94281a",
        tokens=Tokens("access-legacy", "refresh-legacy", EXPIRES_MS),
        email="legacy@example.com",
        project_id="demo",
        extra={"note": "mine"},
    )
    assert pool == Pool(
        accounts=(expected,),
        foreign={"other": {"any": "thing"}},
        extra={"theme": "dark"},
    )
    assert pool.active == expected


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        pytest.param({"email": None, "projectId": "proj-1"}, "project:920581d82c9c3a08fc5cc38e", id="project"),
        pytest.param({"email": None, "projectId": None}, "legacy:default", id="nothing"),
    ],
)
def test_legacy_account_gets_id(fields: dict[str, Any], expected: str) -> None:
    """Without an address the id of a migrated account comes from its project, else it is a fixed one."""
    document = {"version": 1, "credentials": {"antigravity": make_entry(**fields)}}
    assert read(document).active_id == expected


@pytest.mark.parametrize("entry", ["text", {}], ids=["no object", "no tokens"])
def test_invalid_legacy_account_is_kept(entry: Any) -> None:
    """An unusable account of version 1 is kept as it is."""
    pool = read({"version": 1, "credentials": {"antigravity": entry}})
    assert [(bad.id, bad.raw) for bad in pool.unreadable] == [("legacy:default", entry)]


def test_legacy_document_may_have_no_account() -> None:
    """A version 1 file of other providers alone is a pool without accounts."""
    assert read({"version": 1, "credentials": {"other": 1}}) == Pool(foreign={"other": 1})


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        pytest.param(b"", "it is not JSON", id="empty"),
        pytest.param(b"{", "it is not JSON", id="cut"),
        pytest.param(b"\xff", "it is not JSON", id="not text"),
        pytest.param(b"[" * 100_000, "it is not JSON", id="too deep"),
        pytest.param(b'{"version":2,"x":1e999}', "it is not JSON", id="infinite number"),
        pytest.param(b'{"version":2,"x":NaN}', "it is not JSON", id="not a number"),
        pytest.param(b"[]", "it is no JSON object", id="list"),
        pytest.param(b"{}", "it states no version", id="no version"),
        pytest.param(b'{"version":0}', "it states no version", id="version zero"),
        pytest.param(b'{"version":"2"}', "it states no version", id="version text"),
        pytest.param(b'{"version":2,"accounts":[]}', "its accounts are", id="accounts list"),
        pytest.param(b'{"version":2,"foreignCredentials":[]}', "its foreignCredentials are", id="foreign list"),
        pytest.param(b'{"version":1,"credentials":[]}', "its credentials are", id="credentials list"),
    ],
)
def test_damaged_document_is_refused(data: bytes, reason: str) -> None:
    """A file that is no account document is refused with its name and the reason."""
    with pytest.raises(StoreError, match=reason) as caught:
        read_document(data, path=PATH, unseal=plain)
    assert str(PATH) in str(caught.value)
    assert caught.value.path == PATH
    assert not is_newer(data)


def test_newer_document_is_refused() -> None:
    """A file of a newer version is refused with the advice to update."""
    data = b'{"version":3,"accounts":[]}'
    with pytest.raises(StoreError, match=r"file version 3.*Update antigravity-proxy"):
        read_document(data, path=PATH, unseal=plain)
    assert is_newer(data)


def test_proxy_is_sealed_like_a_token() -> None:
    """An account's own proxy is written encrypted, is read back, and is also taken in plain."""
    proxy = "http://user:word@own.example:3128"
    data = write_document(Pool((Account("x", Tokens("a", "r", 1), proxy=proxy),)), seal=lambda text: f"sealed-{text}")
    assert json.loads(data)["accounts"]["x"]["proxy"] == f"sealed-{proxy}"
    read = read_document(data, path=PATH, unseal=lambda text: text.removeprefix("sealed-"))
    assert [account.proxy for account in read.accounts] == [proxy]
    plain = dumped({"version": 2, "accounts": {"x": make_entry(proxy=proxy)}})
    assert [account.proxy for account in read_document(plain, path=PATH, unseal=str).accounts] == [proxy]
    assert proxy not in repr(read)


@pytest.mark.parametrize("proxy", ["", 5, {}, "socks5://own:1", "own:1"])
def test_account_whose_proxy_cannot_be_used_does_not_serve(proxy: Any) -> None:
    """An account is not served past the proxy it should have."""
    read = read_document(dumped({"version": 2, "accounts": {"x": make_entry(proxy=proxy)}}), path=PATH, unseal=str)
    assert [entry.reason for entry in read.unreadable] == ["Its proxy is no URL such as http://proxy.example:3128."]


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=5,
)


@settings(deadline=None)
@given(
    document=st.fixed_dictionaries(
        {
            "version": st.just(2),
            "accounts": st.dictionaries(st.text(max_size=5), json_values | st.just(make_entry())),
        },
        optional={"activeAccountId": json_values, "autoFailover": json_values, "future": json_values},
    )
)
def test_written_document_is_fixed_point(document: dict[str, Any]) -> None:
    """Whatever the accounts are, what was written reads as the same pool and is written as the same bytes."""
    pool = read(document)
    data = write_document(pool, seal=plain)
    again = read_document(data, path=PATH, unseal=plain)
    assert again == pool
    assert write_document(again, seal=plain) == data
    assert json.loads(data)["accounts"] == document["accounts"]


def test_time_of_a_choice_is_kept() -> None:
    """When somebody chose the active account stands in the file, and comes back."""
    pool = Pool((make_account("a@example.com"),), chosen_ms=7)
    data = write_document(pool, seal=str)
    assert json.loads(data)["chosenAt"] == 7
    assert read_document(data, path=Path("accounts.json"), unseal=str).chosen_ms == 7


def test_choice_of_an_entry_without_a_name_is_kept() -> None:
    """An entry that cannot be read may have the empty id, and be the chosen one."""
    pool = read({"version": 2, "accounts": {"": make_entry("a@example.com")}, "activeAccountId": ""})
    data = write_document(pool, seal=plain)
    assert json.loads(data)["activeAccountId"] == ""
    assert read_document(data, path=PATH, unseal=plain) == pool
