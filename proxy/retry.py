"""What to try after a failed attempt, as a pure decision.

Source:
    SPEC.md, "Attempts".
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from enum import Enum, auto

from ..errors import (
    CapacityError,
    EmptyAnswerError,
    ModelGoneError,
    ProjectError,
    ProxyError,
    RateLimitedError,
    UpstreamError,
    UpstreamGarbledError,
    UpstreamUnauthorizedError,
    UpstreamUnreachableError,
)
from ..translate.problems import is_signature_refusal, retry_after

PASSING = (EmptyAnswerError, UpstreamGarbledError, RateLimitedError, CapacityError)
"""Errors that may be over in a moment: the same is asked again, of the same account."""

PASSING_STATUSES = frozenset({500, 502, 503, 504})
"""Statuses of Google's own failures, which may be over in a moment too."""

WAITS_S = (0.5, 1.0)
"""Waits before the second and the third attempt, where Google does not say how long to wait."""

LONGEST_WAIT_S = 5.0
"""A longer wait is left to the client, who learns of it, or to another account."""


class Step(Enum):
    """What comes after a failed attempt."""

    GIVE_UP = auto()
    AGAIN = auto()
    STATIC_FALLBACK = auto()
    LIVE_FALLBACK = auto()
    WITHOUT_SIGNATURES = auto()
    NEW_TOKEN = auto()
    NEW_PROJECT = auto()


@dataclass(frozen=True, slots=True)
class Ladder:
    """What has been tried for one request; every rung is taken once.

    Attributes:
        steps: those that were taken.
        waits_s: waits that are left for what may be over in a moment.
    """

    steps: frozenset[Step] = frozenset()
    waits_s: tuple[float, ...] = WAITS_S


@dataclass(frozen=True, slots=True)
class Decision:
    """The next step, how long to wait before it, and the ladder after it."""

    step: Step
    ladder: Ladder
    wait_s: float = 0.0


MODEL_STEPS = frozenset({Step.STATIC_FALLBACK, Step.LIVE_FALLBACK})
"""Steps that are about the model, and not about the account that is asked."""

RUNGS: tuple[tuple[type[ProxyError], tuple[Step, ...]], ...] = (
    (ModelGoneError, (Step.STATIC_FALLBACK, Step.LIVE_FALLBACK)),
    (UpstreamUnauthorizedError, (Step.NEW_TOKEN,)),
    (ProjectError, (Step.NEW_PROJECT,)),
    (UpstreamUnreachableError, (Step.AGAIN,)),
)
"""Kind of error → the steps that may help, each taken at most once for a request."""


def decide(error: ProxyError, ladder: Ladder, *, left_s: float = math.inf, jitter_s: float = 0.0) -> Decision:
    """What to do about an error that came before any content was sent to the client.

    Args:
        error: what happened.
        ladder: what was tried before.
        left_s: how long there is for all further attempts.
        jitter_s: added to a wait that Google states, so that requests it was stated to do not come back together.
    """
    if is_passing(error) and ladder.waits_s:
        planned_s, *rest = ladder.waits_s
        stated_s = error.retry_after_s if isinstance(error, UpstreamError) else None
        wait_s = planned_s if stated_s is None else stated_s + jitter_s
        if (stated_s or 0.0) <= LONGEST_WAIT_S and wait_s < left_s:
            return Decision(Step.AGAIN, replace(ladder, waits_s=tuple(rest)), wait_s)
    steps = next((steps for kind, steps in RUNGS if isinstance(error, kind)), ())
    if is_signature_refusal(error):
        steps = (Step.WITHOUT_SIGNATURES,)
    for step in steps:
        if step not in ladder.steps:
            return Decision(step, replace(ladder, steps=ladder.steps | {step}))
    return Decision(Step.GIVE_UP, ladder)


def is_passing(error: ProxyError) -> bool:
    """Whether the same request may succeed a moment later."""
    return isinstance(error, PASSING) or (
        isinstance(error, UpstreamError) and error.upstream_status in PASSING_STATUSES
    )


def is_exhausted(error: ProxyError, ladder: Ladder) -> bool:
    """Whether this program has asked so often that a client who asks at once does no better."""
    return is_passing(error) and not ladder.waits_s and retry_after(error) is None


def for_other_account(ladder: Ladder) -> Ladder:
    """The ladder when another account is asked: what was tried with the first one can help again."""
    return replace(ladder, steps=ladder.steps & MODEL_STEPS)
