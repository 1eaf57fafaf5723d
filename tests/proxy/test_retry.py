"""Tests of what is tried after a failed attempt."""

from __future__ import annotations

import pytest

from antigravity_proxy.errors import (
    AccountError,
    ApiKeyError,
    CapacityError,
    EmptyAnswerError,
    LicenceError,
    LoginRequiredError,
    ModelGoneError,
    NoAccountError,
    ProjectError,
    ProxyError,
    QuotaExhaustedError,
    RateLimitedError,
    RequestError,
    UpstreamError,
    UpstreamForbiddenError,
    UpstreamGarbledError,
    UpstreamRefusedError,
    UpstreamTimeoutError,
    UpstreamUnauthorizedError,
    UpstreamUnreachableError,
    VerificationRequiredError,
)
from antigravity_proxy.proxy.retry import Decision, Ladder, Step, decide, for_other_account, is_exhausted

BAD_SIGNATURE = UpstreamRefusedError("x", body="Corrupted thought signature.")
MISSING_SIGNATURE = UpstreamRefusedError(
    "x", body="Function call is missing a thought_signature in functionCall parts."
)


def steps_after(error: ProxyError) -> list[tuple[Step, float]]:
    """All steps and waits that follow when the same error comes again and again."""
    taken: list[tuple[Step, float]] = []
    ladder = Ladder()
    while not taken or taken[-1][0] is not Step.GIVE_UP:
        decision = decide(error, ladder)
        taken.append((decision.step, decision.wait_s))
        ladder = decision.ladder
    return taken


@pytest.mark.parametrize(
    ("error", "steps"),
    [
        (EmptyAnswerError("x"), [(Step.AGAIN, 0.5), (Step.AGAIN, 1.0)]),
        (UpstreamGarbledError("x"), [(Step.AGAIN, 0.5), (Step.AGAIN, 1.0)]),
        (CapacityError("x"), [(Step.AGAIN, 0.5), (Step.AGAIN, 1.0)]),
        (RateLimitedError("x"), [(Step.AGAIN, 0.5), (Step.AGAIN, 1.0)]),
        (RateLimitedError("x", retry_after_s=0.4), [(Step.AGAIN, 0.4), (Step.AGAIN, 0.4)]),
        (CapacityError("x", retry_after_s=5), [(Step.AGAIN, 5), (Step.AGAIN, 5)]),
        (UpstreamError("x", upstream_status=500), [(Step.AGAIN, 0.5), (Step.AGAIN, 1.0)]),
        (UpstreamTimeoutError("x", upstream_status=504), [(Step.AGAIN, 0.5), (Step.AGAIN, 1.0)]),
        (ModelGoneError("x"), [(Step.STATIC_FALLBACK, 0), (Step.LIVE_FALLBACK, 0)]),
        (UpstreamUnauthorizedError("x"), [(Step.NEW_TOKEN, 0)]),
        (ProjectError("x"), [(Step.NEW_PROJECT, 0)]),
        (UpstreamUnreachableError("x"), [(Step.AGAIN, 0)]),
        (BAD_SIGNATURE, [(Step.WITHOUT_SIGNATURES, 0)]),
        (MISSING_SIGNATURE, [(Step.WITHOUT_SIGNATURES, 0)]),
        *(
            (error, [])
            for error in (
                AccountError("x"),
                ApiKeyError("x"),
                CapacityError("x", retry_after_s=5.1),
                LicenceError("x"),
                LoginRequiredError("x"),
                NoAccountError("x"),
                ProxyError("x"),
                QuotaExhaustedError("x"),
                RateLimitedError("x", retry_after_s=39),
                RequestError("x"),
                UpstreamError("x", upstream_status=302),
                UpstreamTimeoutError("x", upstream_status=408),
                UpstreamForbiddenError("x"),
                UpstreamRefusedError("x", body="Request contains an invalid argument."),
                UpstreamTimeoutError("x"),
                VerificationRequiredError("x"),
            )
        ),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, ProxyError) else "",
)
def test_every_error_has_its_steps(error: ProxyError, steps: list[tuple[Step, float]]) -> None:
    """Each kind of error is answered with its steps, each once, and then given up."""
    assert steps_after(error) == [*steps, (Step.GIVE_UP, 0)]


def test_empty_and_garbled_answers_share_their_waits() -> None:
    """Two attempts more are all there is, whatever mixture of empty and broken answers comes."""
    first = decide(EmptyAnswerError("x"), Ladder())
    second = decide(UpstreamGarbledError("x"), first.ladder)
    third = decide(EmptyAnswerError("x"), second.ladder)
    assert [first.wait_s, second.wait_s, third.step] == [0.5, 1.0, Step.GIVE_UP]


def test_stated_wait_is_spread() -> None:
    """What Google states is waited for and a little more; what it does not state is as planned."""
    assert decide(RateLimitedError("x", retry_after_s=0.4), Ladder(), jitter_s=0.3).wait_s == pytest.approx(0.7)
    assert decide(RateLimitedError("x"), Ladder(), jitter_s=0.3).wait_s == 0.5


@pytest.mark.parametrize(("left_s", "step"), [(0.5, Step.GIVE_UP), (0.6, Step.AGAIN)])
def test_wait_that_does_not_fit_is_not_begun(left_s: float, step: Step) -> None:
    """When the time for the first content would end before the next attempt, the client hears the error at once."""
    assert decide(CapacityError("x"), Ladder(), left_s=left_s).step is step


@pytest.mark.parametrize(
    ("error", "waits_s", "expected"),
    [
        (CapacityError("x"), (), True),
        (CapacityError("x"), (1.0,), False),
        (CapacityError("x", retry_after_s=1), (), False),
        (QuotaExhaustedError("x"), (), False),
    ],
    ids=["asked-often", "not-yet", "told-when", "other-kind"],
)
def test_error_is_exhausted_after_all_waits(error: ProxyError, waits_s: tuple[float, ...], *, expected: bool) -> None:
    """A client need not ask again at once for what was asked three times, unless it knows when to."""
    assert is_exhausted(error, Ladder(waits_s=waits_s)) is expected


def test_different_errors_climb_their_own_rungs() -> None:
    """A step that was taken for one error leaves those of another untouched."""
    ladder = decide(UpstreamUnauthorizedError("x"), Ladder()).ladder
    ladder = decide(ModelGoneError("x"), ladder).ladder
    assert decide(ModelGoneError("x"), ladder).step is Step.LIVE_FALLBACK
    assert decide(ProjectError("x"), ladder).step is Step.NEW_PROJECT
    assert decide(UpstreamUnauthorizedError("x"), ladder) == Decision(Step.GIVE_UP, ladder)


def test_deciding_changes_no_ladder() -> None:
    """A ladder is a value: the decision carries the next one."""
    ladder = Ladder()
    assert decide(ProjectError("x"), ladder).ladder == Ladder(frozenset({Step.NEW_PROJECT}))
    assert ladder == Ladder()


def test_another_account_may_need_what_the_first_one_tried() -> None:
    """Only steps about the model stay taken, and waits that were used up stay so."""
    ladder = Ladder(frozenset({Step.NEW_TOKEN, Step.STATIC_FALLBACK, Step.WITHOUT_SIGNATURES}), waits_s=())
    assert for_other_account(ladder) == Ladder(frozenset({Step.STATIC_FALLBACK}), waits_s=())
