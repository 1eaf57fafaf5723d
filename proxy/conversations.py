"""Which account serves which conversation, where accounts are used in parallel.

Source:
    SPEC.md, "Failover".
"""

from __future__ import annotations

from collections import Counter, OrderedDict

MAX_CONVERSATIONS = 10_000
"""As many conversations are remembered with the account that serves them."""


class Conversations:
    """Which account serves which conversation; the oldest conversations are forgotten."""

    def __init__(self) -> None:
        self._accounts: OrderedDict[str, str] = OrderedDict()
        self._uses: Counter[str] = Counter()

    def account_of(self, conversation: str) -> str | None:
        """The id of the account that serves a conversation."""
        return self._accounts.get(conversation)

    def uses_of(self, account_id: str) -> int:
        """How many conversations an account serves."""
        return self._uses[account_id]

    def assign(self, conversation: str, account_id: str) -> None:
        """Let an account serve a conversation from now on."""
        if (before := self._accounts.pop(conversation, None)) is not None:
            self._uses[before] -= 1
        self._accounts[conversation] = account_id
        self._uses[account_id] += 1
        if len(self._accounts) > MAX_CONVERSATIONS:
            _, forgotten = self._accounts.popitem(last=False)
            self._uses[forgotten] -= 1
