"""Tests of tokens and codes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from antigravity_proxy.simulator.tokens import TokenBook, challenge_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from .conftest import Clock


@pytest.fixture
def book(clock: Clock, random_bytes: Callable[[int], bytes]) -> TokenBook:
    """Give a book that remembers three of each."""
    return TokenBook(clock, random_bytes, 3)


def test_access_token_expires(book: TokenBook, clock: Clock) -> None:
    """An access token is good for 3599 seconds."""
    token = book.issue_access("a@b.c")
    assert token.startswith("ya29.")
    clock.now_s += 3598
    assert book.access_owner(token) == "a@b.c"
    clock.now_s += 1
    assert book.access_owner(token) is None
    assert book.access_owner("other") is None


def test_refresh_token_is_good_until_revoked(book: TokenBook) -> None:
    """A refresh token has no end but revocation, which leaves other accounts alone."""
    first, second, other = book.issue_refresh("a@b.c"), book.issue_refresh("a@b.c"), book.issue_refresh("x@y.z")
    assert first.startswith("1//")
    assert book.newest_refresh("a@b.c") == second
    book.revoke_refresh("a@b.c")
    assert [book.refresh_owner(token) for token in (first, second, other)] == [None, None, "x@y.z"]
    assert book.newest_refresh("a@b.c") is None


def test_access_tokens_can_be_revoked(book: TokenBook) -> None:
    """Revocation takes the access tokens of one account."""
    token, other = book.issue_access("a@b.c"), book.issue_access("x@y.z")
    book.revoke_access("a@b.c")
    assert (book.access_owner(token), book.access_owner(other)) == (None, "x@y.z")


def test_code_works_once(book: TokenBook) -> None:
    """A code stands for its login and can be taken once."""
    code = book.issue_code("a@b.c", "http://localhost:1/", "challenge", is_offline=True)
    grant = book.take_code(code)
    assert grant is not None
    assert (grant.email, grant.redirect_uri, grant.challenge, grant.is_offline) == (
        "a@b.c",
        "http://localhost:1/",
        "challenge",
        True,
    )
    assert book.take_code(code) is None


def test_code_expires(book: TokenBook, clock: Clock) -> None:
    """A code is good for ten minutes."""
    code = book.issue_code("a@b.c", "http://localhost:1/", "challenge", is_offline=True)
    clock.now_s += 600
    assert book.take_code(code) is None


def test_old_tokens_are_forgotten(book: TokenBook) -> None:
    """Only so many tokens are remembered."""
    tokens = [book.issue_access("a@b.c") for _ in range(4)]
    assert [book.access_owner(token) for token in tokens] == [None, "a@b.c", "a@b.c", "a@b.c"]


def test_challenge_of_the_rfc() -> None:
    """The example of RFC 7636, appendix B, holds."""
    assert (
        challenge_of("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk") == "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
    )
