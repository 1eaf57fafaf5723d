"""What tests of refreshing work with."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from antigravity_proxy.accounts.store import AccountStore
from antigravity_proxy.oauth.refresh import TokenRefresher

from .token_service import IDENTITY, NOW_MS, Google

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def store(tmp_path: Path) -> AccountStore:
    """An empty store."""
    return AccountStore(tmp_path / "home" / "accounts.json", lock_timeout_s=5)


@pytest.fixture
def google() -> Google:
    """A token service."""
    return Google()


@pytest.fixture
def clock() -> list[int]:
    """The time the subject sees, as its only member."""
    return [NOW_MS]


@pytest.fixture
def refresher(store: AccountStore, google: Google, clock: list[int]) -> TokenRefresher:
    """The subject."""
    return TokenRefresher(store, IDENTITY, google.post_form, lambda: clock[0])
