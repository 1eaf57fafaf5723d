"""Everything one simulator knows: accounts, tokens, signatures, scenarios and what it was sent."""

from __future__ import annotations

import hashlib
import re
from typing import TYPE_CHECKING, Any

from .accounts import DEMO_ACCOUNTS, Account, Standing, Tier, standing_from
from .fields import is_object
from .memory import Newest, PromptMemory, SignatureLedger
from .quota import Quota
from .request_log import RequestLog, Running
from .scenario_queue import ScenarioQueue
from .tokens import TokenBook

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from .config import SimulatorConfig

EMAIL = re.compile(r"[^@\s]{1,64}@[^@\s]{1,190}")
ACTS = frozenset({"quota", "revoke_refresh_tokens", "expire_access_tokens"})
"""Options of an account that are no lasting part of its standing."""


class SimulatorState:
    """The memory of one simulator; nothing is kept anywhere else.

    Args:
        config: the settings.
        clock: gives seconds since 1970.
        random_bytes: gives as many random bytes as asked for.
    """

    def __init__(
        self, config: SimulatorConfig, clock: Callable[[], float], random_bytes: Callable[[int], bytes]
    ) -> None:
        self.config = config
        self.clock = clock
        self.random_bytes = random_bytes
        self.accounts: Newest[str, Account] = Newest(config.max_remembered)
        self.tokens = TokenBook(clock, random_bytes, config.max_remembered)
        self.signatures = SignatureLedger(random_bytes, config.max_remembered)
        self.prompts = PromptMemory(config.max_sessions)
        self.requests = RequestLog(config.max_requests, config.max_body_chars)
        self.scenarios = ScenarioQueue(config.max_remembered)
        self.running = Running()
        self._request_ids: Newest[bytes, None] = Newest(config.max_remembered)
        for email, standing in DEMO_ACCOUNTS if config.has_demo_accounts else ():
            self.find_or_make_account(email, standing)

    def new_id(self, size: int = 12) -> str:
        """Give a fresh hexadecimal id of twice ``size`` characters."""
        return self.random_bytes(size).hex()

    def find_or_make_account(self, email: str, standing: Standing | None = None) -> Account:
        """Give the account of an address; a new one has its project unless it is on the free plan.

        Raises:
            ValueError: when the text is no e-mail address.
        """
        email = read_email(email)
        if email not in self.accounts:
            account = self.accounts[email] = Account(email, standing or Standing(), self.clock())
            if account.standing.tier is not Tier.FREE:
                account.assign_project()
        return self.accounts[email]

    def change_account(self, email: str, options: Mapping[str, Any]) -> Account:
        """Make or change an account.

        Args:
            email: its address.
            options: names of ``Standing`` to values, where a project of null means none; also ``quota``, bucket
                names to fractions from 0 to 1, and the acts ``revoke_refresh_tokens`` and
                ``expire_access_tokens``, which are done when true.

        Raises:
            ValueError: when an option does not exist or its value is no such thing.
        """
        rest = {name: value for name, value in options.items() if name not in ACTS}
        email = read_email(email)
        before = self.accounts.get(email)
        quota = read_fractions(options.get("quota", {}))
        standing = standing_from(rest, before.standing if before else Standing())
        account = before or self.find_or_make_account(email, standing)
        account.standing = standing
        if before is None and "project" not in rest and standing.tier is not Tier.FREE:
            account.assign_project()
        for name, fraction in quota.items():
            account.quota.buckets[name].set_fraction(fraction, self.clock())
        if options.get("revoke_refresh_tokens"):
            self.tokens.revoke_refresh(email)
        if options.get("expire_access_tokens"):
            self.tokens.revoke_access(email)
        return account

    def is_fresh_request_id(self, request_id: str) -> bool:
        """Say whether a request id is new, and remember it."""
        digest = hashlib.blake2b(request_id.encode(), digest_size=16).digest()
        is_fresh = digest not in self._request_ids
        self._request_ids[digest] = None
        return is_fresh


def read_email(text: str) -> str:
    """Give an e-mail address in the form it is stored in.

    Raises:
        ValueError: when the text is none.
    """
    email = text.strip().lower()
    if not EMAIL.fullmatch(email):
        raise ValueError(f"{email[:100]!r} is no e-mail address")
    return email


def read_fractions(value: object) -> dict[str, float]:
    """Give the fractions of quota buckets that come over the control API.

    Raises:
        ValueError: when there is no such bucket, or a fraction is not from 0 to 1.
    """
    if not is_object(value):
        raise ValueError("quota must be an object of bucket names to fractions")
    names = Quota().buckets
    for name, fraction in value.items():
        if name not in names:
            raise ValueError(f"unknown bucket {name!r}; there are {', '.join(names)}")
        if not isinstance(fraction, (int, float)) or not 0 <= fraction <= 1:
            raise ValueError(f"the fraction of {name!r} must be from 0 to 1, not {fraction!r}")
    return value
