"""What to try after a failed attempt, as a pure decision.

Source:
    SPEC.md, "Attempts".
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum, auto

from ..errors import (
    EmptyAnswerError,
    ModelGoneError,
    ProjectError,
    ProxyError,
    UpstreamGarbledError,
    UpstreamUnauthorizedError,
    UpstreamUnreachableError,
)
from ..translate.problems import is_signature_refusal

REPEATED = (EmptyAnswerError, UpstreamGarbledError)
"""Errors after which the same is asked again, a little later each time."""

EMPTY_WAITS_S = (0.5, 1.0)
"""Waits before the second and the third attempt at an answer that came empty or broken."""


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
        waits_s: waits that are left for answers that come empty or broken.
    """

    steps: frozenset[Step] = frozenset()
    waits_s: tuple[float, ...] = EMPTY_WAITS_S


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


def decide(error: ProxyError, ladder: Ladder) -> Decision:
    """What to do about an error that came before any content was sent to the client."""
    if isinstance(error, REPEATED) and ladder.waits_s:
        wait_s, *rest = ladder.waits_s
        return Decision(Step.AGAIN, replace(ladder, waits_s=tuple(rest)), wait_s)
    steps = next((steps for kind, steps in RUNGS if isinstance(error, kind)), ())
    if is_signature_refusal(error):
        steps = (Step.WITHOUT_SIGNATURES,)
    for step in steps:
        if step not in ladder.steps:
            return Decision(step, replace(ladder, steps=ladder.steps | {step}))
    return Decision(Step.GIVE_UP, ladder)


def for_other_account(ladder: Ladder) -> Ladder:
    """The ladder when another account is asked: what was tried with the first one can help again."""
    return replace(ladder, steps=ladder.steps & MODEL_STEPS)
