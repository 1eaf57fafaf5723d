"""Access tokens, refresh tokens and one-time codes: who holds which, and until when."""

from __future__ import annotations

import base64
import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .memory import Newest

if TYPE_CHECKING:
    from collections.abc import Callable

ACCESS_TOKEN_LIFETIME_S = 3599
CODE_LIFETIME_S = 600


@dataclass(frozen=True, slots=True)
class AuthorizationCode:
    """What a one-time code stands for, as the browser brought it."""

    email: str
    redirect_uri: str
    challenge: str
    expires_at_s: float
    is_offline: bool


class TokenBook:
    """Issues tokens and codes and knows the newest ones.

    Args:
        clock: gives seconds since 1970.
        random_bytes: gives as many random bytes as asked for.
        capacity: how many of each kind are remembered; older ones are forgotten, which makes them invalid.
    """

    def __init__(self, clock: Callable[[], float], random_bytes: Callable[[int], bytes], capacity: int) -> None:
        self._clock = clock
        self._random_bytes = random_bytes
        self._access: Newest[str, tuple[str, float]] = Newest(capacity)
        self._refresh: Newest[str, str] = Newest(capacity)
        self._codes: Newest[str, AuthorizationCode] = Newest(capacity)

    def issue_access(self, email: str) -> str:
        """Give a new access token of an account."""
        token = f"ya29.simulated-{self._random_text(24)}"
        self._access[token] = (email, self._clock() + ACCESS_TOKEN_LIFETIME_S)
        return token

    def issue_refresh(self, email: str) -> str:
        """Give a new refresh token of an account."""
        token = f"1//simulated-{self._random_text(24)}"
        self._refresh[token] = email
        return token

    def issue_code(self, email: str, redirect_uri: str, challenge: str, *, is_offline: bool) -> str:
        """Give a one-time code for an account and the redirect URI and PKCE challenge of a login.

        ``is_offline`` says whether the exchange gives a refresh token too.
        """
        code = f"4/simulated-{self._random_text(24)}"
        expires_at_s = self._clock() + CODE_LIFETIME_S
        self._codes[code] = AuthorizationCode(email, redirect_uri, challenge, expires_at_s, is_offline)
        return code

    def access_owner(self, token: str) -> str | None:
        """Give the e-mail of the account an access token is for, or None when it is unknown or expired."""
        email, expires_at_s = self._access.get(token, (None, 0.0))
        return email if self._clock() < expires_at_s else None

    def refresh_owner(self, token: str) -> str | None:
        """Give the e-mail of the account a refresh token is for, or None when it is unknown or revoked."""
        return self._refresh.get(token)

    def newest_refresh(self, email: str) -> str | None:
        """Give the newest refresh token of an account, or None when it has none."""
        return next((token for token in reversed(self._refresh) if self._refresh[token] == email), None)

    def code_owner(self, code: str) -> str | None:
        """Give the e-mail of the account a code is for, without using it up; None when it is unknown."""
        grant = self._codes.get(code)
        return None if grant is None else grant.email

    def take_code(self, code: str) -> AuthorizationCode | None:
        """Give what a code stands for and forget it; None when it is unknown, used or expired."""
        grant = self._codes.pop(code, None)
        return grant if grant is not None and self._clock() < grant.expires_at_s else None

    def revoke_refresh(self, email: str) -> None:
        """Make all refresh tokens of an account invalid."""
        for token in [token for token, owner in self._refresh.items() if owner == email]:
            del self._refresh[token]

    def revoke_access(self, email: str) -> None:
        """Make all access tokens of an account invalid."""
        for token in [token for token, (owner, _) in self._access.items() if owner == email]:
            del self._access[token]

    def _random_text(self, size: int) -> str:
        return base64.urlsafe_b64encode(self._random_bytes(size)).decode().rstrip("=")


def challenge_of(verifier: str) -> str:
    """Give the S256 challenge of a PKCE verifier.

    Source: RFC 7636, section 4.2.
    """
    return base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).decode().rstrip("=")
