"""The people who have an account with the pretended Google, and what may be wrong with each account."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field, fields, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from .quota import Quota

if TYPE_CHECKING:
    from collections.abc import Mapping


class Tier(StrEnum):
    """The plan of an account."""

    FREE = "free"
    PAID = "paid"


class ProjectPlace(StrEnum):
    """Which call tells the project of an account: ``loadCodeAssist`` in one of two shapes, or the project list."""

    LOAD = "load"
    LOAD_OBJECT = "load-object"
    LIST = "list"


@dataclass(frozen=True, slots=True)
class Standing:
    """What an account is allowed and how it behaves. These names are also the options of the control API.

    Attributes:
        tier: the plan; only paid ones have a quota summary.
        project: its project; empty while it has none.
        project_place: which call tells the project.
        onboarding: whether ``onboardUser`` creates a project for it.
        onboard_polls: how many calls of ``onboardUser`` answer "not done yet" first.
        any_project: whether it is served under whatever project a request names.
        banned: whether it is closed because of the terms of service.
        unverified: whether its owner has to verify it first.
        unlicensed: whether it has no licence.
        rotate_refresh_token: whether every refresh replaces the refresh token.
        hides_id: whether it is not said which number Google knows its owner by.
        next_models: whether it is served made-up models that no client can know beforehand.
        retired_models: runtime ids it is not served any more, separated by commas.
        quota_cost: share of a five-hour quota an answer costs; None for the simulator's own setting.
        quota_placeholder: whether the list of models shows every quota as full instead of what is left.
        quota_placeholder_host: on which host name alone it does so; empty for all.
    """

    tier: Tier = Tier.PAID
    project: str = ""
    project_place: ProjectPlace = ProjectPlace.LOAD
    onboarding: bool = True
    onboard_polls: int = 1
    any_project: bool = False
    banned: bool = False
    unverified: bool = False
    unlicensed: bool = False
    rotate_refresh_token: bool = False
    hides_id: bool = False
    next_models: bool = False
    retired_models: str = ""
    quota_cost: float | None = None
    quota_placeholder: bool = False
    quota_placeholder_host: str = ""

    def shows_placeholders_on(self, host: str | None) -> bool:
        """Whether the list of models shows full quotas there that are not true."""
        return self.quota_placeholder and self.quota_placeholder_host in ("", host)

    @property
    def retired(self) -> frozenset[str]:
        """The runtime ids it is not served any more."""
        return frozenset(self.retired_models.replace(" ", "").split(",")) - {""}


STANDING_OPTIONS = tuple(option.name for option in fields(Standing))


@dataclass(slots=True)
class Account:
    """One account.

    Attributes:
        email: its address, in lower case.
        standing: what it is allowed.
        created_s: when it was made, in seconds since 1970.
        quota: what it has left.
        onboard_calls: how often ``onboardUser`` was called for it.
        has_right_ide: whether it last introduced itself with the right kind of IDE.
        has_consented: whether its owner has allowed the client before.
    """

    email: str
    standing: Standing
    created_s: float
    quota: Quota = field(default_factory=Quota)
    onboard_calls: int = 0
    has_right_ide: bool = True
    has_consented: bool = False

    @property
    def google_id(self) -> str:
        """The number Google knows the person by; always the same for an address."""
        return google_id(self.email)

    def assign_project(self) -> str:
        """Give the account its project if it has none, and return it."""
        if not self.standing.project:
            self.standing = replace(self.standing, project=default_project(self.email))
        return self.standing.project


DEMO_ACCOUNTS: tuple[tuple[str, Standing], ...] = (
    ("ada@example.com", Standing()),
    ("ben@example.com", Standing(project_place=ProjectPlace.LOAD_OBJECT)),
    ("cleo@example.com", Standing(tier=Tier.FREE)),
)
"""The accounts a newcomer may choose from: two paid ones, and a free one that has no project yet."""


def google_id(email: str) -> str:
    """Give the 21 digits Google would know the owner of an address by."""
    digest = hashlib.sha256(f"google-id:{email}".encode()).digest()
    return f"1{int.from_bytes(digest[:10], 'big') % 10**20:020d}"


def account_id(email: str) -> str:
    """Give the id under which a client stores the account.

    Source: SPEC.md, "Account id": ``google:`` and 24 hexadecimal digits of the SHA-256 of the Google id.
    """
    return "google:" + hashlib.sha256(google_id(email).encode()).hexdigest()[:24]


def default_project(email: str) -> str:
    """Give the name of the project made for an address."""
    return f"simulated-{hashlib.sha256(f'project:{email}'.encode()).hexdigest()[:10]}"


def standing_from(options: Mapping[str, Any], before: Standing) -> Standing:
    """Give a standing changed by options as they come over the control API.

    Args:
        options: names of ``Standing`` fields to new values; ``project`` may be null for none.
        before: what holds for everything that is not named.

    Raises:
        ValueError: when an option does not exist or has a value of the wrong kind.
    """
    changes: dict[str, Any] = {}
    for name, value in options.items():
        if name not in STANDING_OPTIONS:
            raise ValueError(f"unknown option {name!r}; there are {', '.join(STANDING_OPTIONS)}")
        changes[name] = _read_option(name, value, getattr(before, name))
    return replace(before, **changes)


def _read_option(name: str, value: object, before: object) -> object:
    if name == "quota_cost":
        is_right = value is None or (isinstance(value, (int, float)) and 0 <= value <= 1)
    elif name == "project":
        value = value or ""
        is_right = isinstance(value, str)
    elif isinstance(before, StrEnum):
        return type(before)(str(value))
    else:
        is_right = type(value) is type(before)
    if not is_right:
        raise ValueError(f"option {name!r} cannot be {value!r}")
    return value
