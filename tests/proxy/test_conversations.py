"""Tests of which account serves which conversation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from antigravity_proxy.proxy import conversations as module
from antigravity_proxy.proxy.conversations import Conversations

if TYPE_CHECKING:
    import pytest


def test_oldest_conversations_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only so many conversations are remembered, and an account's count goes down with them."""
    monkeypatch.setattr(module, "MAX_CONVERSATIONS", 2)
    conversations = Conversations()
    for name in ("1", "2", "3"):
        conversations.assign(name, "a")
    conversations.assign("3", "b")
    assert [conversations.account_of(name) for name in ("1", "2", "3")] == [None, "a", "b"]
    assert (conversations.uses_of("a"), conversations.uses_of("b")) == (1, 1)
