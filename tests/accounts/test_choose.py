"""Tests of the choice of account."""

from __future__ import annotations

import pytest

from antigravity_proxy.accounts.choose import choose
from antigravity_proxy.accounts.pool import Pool, Unreadable
from antigravity_proxy.errors import NoAccountError

from .samples import make_account


def test_choose_returns_active_account() -> None:
    """The active account serves."""
    one, two = make_account("one@example.com"), make_account("two@example.com")
    assert choose(Pool(accounts=(one, two), active_id=two.id)) == two


def test_choose_says_how_to_add_account_when_pool_is_empty() -> None:
    """An empty pool names the command that fills it."""
    with pytest.raises(NoAccountError, match="antigravity-proxy accounts import FILE"):
        choose(Pool())


def test_choose_gives_each_reason_once_when_no_account_is_usable() -> None:
    """When all entries are unusable, the message says why, not that there are none."""
    entries = tuple(Unreadable(id=name, raw={}, reason="The key is gone.") for name in ("a", "b"))
    with pytest.raises(NoAccountError) as caught:
        choose(Pool(unreadable=entries))
    assert str(caught.value).endswith("can be used. The key is gone.")
