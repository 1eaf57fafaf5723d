"""Everything that can go wrong at Google's, as one table: what is done to a request, and what its client sees.

``make faults`` prints it, and the tests run it; both against the simulator over real sockets with the openai package.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

Plan = dict[str, Any]
"""What the simulator is told: a scenario with its parameters."""

ANSWER = "answer"
WORDS = "You said: Hi\n(This is the simulator of antigravity-proxy; no Google model was asked.)"
"""What an ordinary answer to the question says."""

FOREVER = {"times": -1}
WORD_BY_WORD: Plan = {"name": "slow", "pace": 0.004}
"""So that the first words are on their way before something goes wrong."""

CLASSES = {
    400: "BadRequestError",
    401: "AuthenticationError",
    403: "PermissionDeniedError",
    404: "NotFoundError",
    429: "RateLimitError",
}
"""Status → what the openai package raises; everything from 500 on is an InternalServerError."""


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that goes wrong.

    Attributes:
        name: of the scenario of the simulator, with what makes it different from others of its kind.
        place: where it strikes.
        plans: what the simulator is told.
        whole: what a client sees that wants a whole answer.
        stream: what a client sees that wants a stream.
        account: what the account is like that asks, if it is not an ordinary one.
        request: what is asked beside the usual.
        text: what an answer says to the letter, and of what a broken one says the beginning.
        is_slow: whether it is a matter of time limits.
    """

    name: str
    place: str
    plans: tuple[Plan, ...]
    whole: str
    stream: str
    account: dict[str, Any] | None = None
    request: dict[str, Any] = field(default_factory=dict[str, Any])
    text: str = WORDS
    is_slow: bool = False

    @property
    def id(self) -> str:
        """Its name among all faults."""
        return f"{self.name}, {self.place}"


def raised(status: int, code: str) -> str:
    """What a client sees of an HTTP error."""
    return f"{CLASSES.get(status, 'InternalServerError')} {status} {code}"


def broken(code: str, *, after_text: bool = True) -> str:
    """What a client sees of a stream that breaks off."""
    return f"APIError {code}{' after text' if after_text else ''}"


def answer(reason: str = "stop") -> str:
    """What a client sees of an answer."""
    return ANSWER if reason == "stop" else f"{ANSWER} {reason}"


REFUSALS: tuple[tuple[Plan, int, str, bool], ...] = (
    ({"name": "quota"}, 429, "insufficient_quota", False),
    ({"name": "quota", "text": "capacity"}, 429, "insufficient_quota", False),
    ({"name": "rate-limit"}, 429, "rate_limit_exceeded", True),
    ({"name": "bare-429"}, 429, "rate_limit_exceeded", True),
    ({"name": "wall"}, 429, "insufficient_quota", False),
    ({"name": "wall", "text": "weekly"}, 429, "insufficient_quota", False),
    ({"name": "throttle"}, 429, "rate_limit_exceeded", True),
    ({"name": "throttle", "text": "rate"}, 429, "rate_limit_exceeded", True),
    ({"name": "credits"}, 429, "insufficient_quota", False),
    ({"name": "capacity"}, 503, "no_capacity", True),
    ({"name": "verify"}, 403, "verification_required", False),
    ({"name": "banned"}, 403, "account_banned", False),
    ({"name": "wrong-project"}, 403, "project_unusable", True),
    ({"name": "no-subscription"}, 403, "subscription_required", False),
    ({"name": "no-licence"}, 403, "subscription_required", False),
    ({"name": "unknown-model"}, 404, "model_not_found", True),
    ({"name": "gone"}, 404, "model_not_found", True),
    ({"name": "bad-field"}, 400, "upstream_refused", False),
    ({"name": "bad-token"}, 401, "upstream_unauthorized", True),
)
"""Scenario, the status and code of a client when it stays, and whether another attempt helps when it does not."""

STATUSES: tuple[tuple[Plan, int, str, bool], ...] = (
    ({"name": "rate-limit", "seconds": 39}, 429, "rate_limit_exceeded", False),
    ({"name": "capacity", "retry": 39}, 503, "no_capacity", False),
    ({"name": "bad-token", "as": "api-key"}, 401, "upstream_unauthorized", True),
    ({"name": "old-version"}, 400, "client_outdated", False),
    ({"name": "old-version", "status": 403}, 400, "client_outdated", False),
    ({"name": "status", "status": 302, "body": "empty"}, 502, "upstream_failed", False),
    ({"name": "status", "status": 418}, 400, "upstream_refused", False),
    ({"name": "status", "status": 429, "body": "array"}, 429, "rate_limit_exceeded", True),
    ({"name": "status", "status": 500}, 502, "upstream_failed", True),
    ({"name": "status", "status": 502, "body": "html"}, 502, "upstream_failed", True),
    ({"name": "status", "status": 503, "body": "text"}, 503, "unavailable", True),
    ({"name": "status", "status": 503, "body": "sse"}, 503, "unavailable", True),
    ({"name": "status", "status": 504, "body": "empty"}, 504, "upstream_timeout", True),
    ({"name": "status", "status": 400, "body": "brotli"}, 400, "upstream_refused", False),
    ({"name": "status", "status": 403, "body": "brotli"}, 403, "upstream_forbidden", False),
    ({"name": "status", "status": 429, "body": "brotli"}, 429, "rate_limit_exceeded", True),
    ({"name": "status", "status": 503, "body": "brotli"}, 503, "unavailable", True),
    ({"name": "status", "status": 200, "body": "html"}, 502, "upstream_garbled", True),
    ({"name": "status", "status": 200, "body": "brotli"}, 502, "upstream_garbled", True),
)
"""The same for what can only come as a status."""

IN_STREAM: tuple[tuple[int, int, str], ...] = (
    (500, 502, "upstream_failed"),
    (503, 503, "unavailable"),
    (400, 400, "upstream_refused"),
)
"""Code of an error in a stream, and the status and code that a client gets."""

BREAKS: tuple[tuple[Plan, str], ...] = (
    ({"name": "cut", "headers": True}, "upstream_garbled"),
    ({"name": "garbage"}, "upstream_garbled"),
)
"""How an answer breaks at any place, and the code of that."""

THINKING = {"reasoning_effort": "high"}
ODD_BUT_WHOLE: tuple[tuple[Plan, str, str, dict[str, Any]], ...] = (
    ({"name": "slow", "pace": 0.01}, answer(), WORDS, {}),
    ({"name": "comments"}, answer(), WORDS, {}),
    ({"name": "crlf"}, answer(), WORDS, {}),
    ({"name": "split", "size": 1}, answer(), WORDS, {}),
    ({"name": "no-final-newline"}, answer(), WORDS, {}),
    ({"name": "done"}, answer(), WORDS, {}),
    ({"name": "gzip"}, answer(), WORDS, {}),
    ({"name": "unwrapped"}, answer(), WORDS, {}),
    ({"name": "text", "text": "Hello."}, answer(), "Hello.", {}),
    ({"name": "big", "n": 3_000}, answer(), "xxxxxxx " * 3_000, {}),
    ({"name": "image"}, answer(), WORDS, {}),
    ({"name": "call", "function": "f", "args": {"a": 1}}, answer("tool_calls"), "", {}),
    ({"name": "parallel", "n": 3}, answer("tool_calls"), "", {}),
    ({"name": "blocked"}, answer("content_filter"), "", {}),
    ({"name": "finish", "reason": "SAFETY"}, answer("content_filter"), WORDS, {}),
    ({"name": "finish", "reason": "MAX_TOKENS"}, answer("length"), WORDS, {}),
    ({"name": "finish", "reason": "OTHER", "separate": True}, answer(), WORDS, {}),
    ({"name": "finish", "reason": "absent"}, answer(), WORDS, {}),
    ({"name": "shape", "kind": "several-parts"}, answer("tool_calls"), WORDS, THINKING),
    ({"name": "shape", "kind": "thought-false"}, answer(), WORDS, {}),
    ({"name": "shape", "kind": "gemini-ids"}, answer("tool_calls"), "", {}),
    ({"name": "shape", "kind": "empty-stop"}, answer(), WORDS, {}),
    ({"name": "shape", "kind": "same-ids"}, answer("tool_calls"), "", {}),
    ({"name": "shape", "kind": "no-args"}, answer("tool_calls"), "", {}),
    ({"name": "shape", "kind": "claude-signatures"}, answer("tool_calls"), "", {"model": "claude-sonnet-4-6"}),
    ({"name": "cut", "after": 3, "clean": True}, answer(), "You said: Hi\n", {}),
    *(
        ({"name": "usage", "pattern": pattern}, answer(), WORDS, {})
        for pattern in (
            "none",
            "every",
            "last",
            "twice",
            "late-without-cached",
            "only-last-chunk-without-candidates",
            "zeros",
        )
    ),
)
"""Forms that an answer may have, what a client sees of it and reads in it, and what is asked beside the usual."""

EMPTY: tuple[tuple[Plan, str], ...] = (
    ({"name": "empty"}, "empty_answer"),
    ({"name": "cut", "after": 0, "clean": True}, "empty_answer"),
    ({"name": "malformed-call"}, "malformed_tool_call"),
)
"""Answers with nothing in them, and the code of that."""

COLD = {"expired": True}
HOMELESS = {"with_project": False, "project": "p-1"}
BESIDE: tuple[tuple[Plan, dict[str, Any], str, bool], ...] = (
    ({"name": "oauth-error", "method": "token"}, COLD, raised(401, "login_required"), False),
    ({"name": "oauth-error", "method": "token", "status": 503}, COLD, raised(502, "upstream_failed"), True),
    (
        {"name": "status", "method": "token", "status": 500, "body": "html"},
        COLD,
        raised(502, "upstream_failed"),
        True,
    ),
    (
        {"name": "status", "method": "token", "status": 403, "body": "brotli"},
        COLD,
        raised(502, "upstream_failed"),
        False,
    ),
    ({"name": "cut", "method": "token", "after": 0}, COLD, raised(502, "upstream_unreachable"), True),
    ({"name": "garbage", "method": "token", "after": 0}, COLD, raised(502, "upstream_garbled"), True),
    ({"name": "verify", "method": "loadCodeAssist"}, HOMELESS, raised(403, "verification_required"), False),
    ({"name": "rate-limit", "method": "loadCodeAssist"}, HOMELESS, raised(429, "rate_limit_exceeded"), True),
    ({"name": "status", "method": "loadCodeAssist", "status": 500}, HOMELESS, raised(502, "upstream_failed"), True),
    ({"name": "cut", "method": "loadCodeAssist", "after": 0}, HOMELESS, raised(502, "upstream_unreachable"), True),
    ({"name": "garbage", "method": "loadCodeAssist", "after": 0}, HOMELESS, raised(502, "upstream_garbled"), True),
)
"""Faults of calls beside generation, for an account that needs the call; as in REFUSALS."""

UNKNOWN = {"model": "gemini-9.9-flash"}
UNASKED: tuple[tuple[Plan, int, str], ...] = (
    ({"name": "status", "status": 500}, 502, "upstream_failed"),
    ({"name": "bad-token"}, 401, "upstream_unauthorized"),
    ({"name": "verify"}, 403, "verification_required"),
    ({"name": "cut", "after": 0}, 502, "upstream_unreachable"),
    ({"name": "garbage", "after": 0}, 502, "upstream_garbled"),
)
"""Scenario of the catalogue, and the status and code of a client whose model nobody can be asked for."""

LONG_S = 30.0


def all_faults() -> Iterator[Fault]:
    """Every fault at every place."""
    for plan, status, code, can_pass in (*REFUSALS, *STATUSES):
        yield from _both("status", plan, raised(status, code), can_pass=can_pass)
    for refusal, status, code, can_pass in REFUSALS:
        if len(refusal) == 1:
            name = refusal["name"]
            yield from _in_stream(name, {"refusal": name}, raised(status, code), code, can_pass=can_pass)
    for upstream_code, status, code in IN_STREAM:
        plan = {"code": upstream_code, "message": "Simulated."}
        yield from _in_stream(
            f"code {upstream_code}", plan, raised(status, code), code, can_pass=upstream_code != 400
        )
    yield from _both(
        "before headers", {"name": "cut", "after": 0}, raised(502, "upstream_unreachable"), can_pass=True
    )
    for plan, code in BREAKS:
        yield from _anywhere(plan["name"], plan, raised(502, code), code, can_pass=True)
    for plan, code in EMPTY:
        place = "first event" if "after" in plan else "whole answer"
        yield from _both(place, plan, raised(502, code), can_pass=True)
    yield from _thoughts()
    for plan, seen, text, request in ODD_BUT_WHOLE:
        place = "after text" if "after" in plan else "whole answer"
        yield Fault(_named(plan), place, (plan,), seen, seen, request=request, text=text)
    yield Fault(
        "old-version as answer",
        "whole answer",
        ({"name": "old-version", "as": "answer"},),
        raised(400, "client_outdated"),
        raised(400, "client_outdated"),
    )
    for plan, account, seen, can_pass in BESIDE:
        yield from _both(plan["method"], plan, seen, can_pass=can_pass, account=account)
    yield from _new_tokens()
    gone: Plan = {"name": "gone", **FOREVER}
    for plan in ({"name": "status", "status": 500}, {"name": "bad-token"}, {"name": "garbage", "after": 0}):
        catalogue = {**plan, "method": "fetchAvailableModels", **FOREVER}
        seen = raised(404, "model_not_found")
        yield Fault(_named(plan), "catalogue after a 404", (gone, catalogue), seen, seen)
    yield from _look_ups()
    yield from _silences()


def _named(plan: Plan) -> str:
    told = {key: value for key, value in plan.items() if key not in ("name", "method", "after")}
    return " ".join((plan["name"], *(key if value is True else str(value) for key, value in told.items())))


def _both(
    place: str, plan: Plan, seen: str, *, can_pass: bool, account: dict[str, Any] | None = None
) -> Iterator[Fault]:
    """A fault before the first content that stays, and the same once."""
    name = _named(plan)
    yield Fault(name, place, ({**plan, **FOREVER},), seen, seen, account)
    then = ANSWER if can_pass else seen
    yield Fault(f"{name} once", place, (plan,), then, then, account)


def _in_stream(name: str, plan: Plan, seen: str, code: str, *, can_pass: bool) -> Iterator[Fault]:
    yield from _anywhere(f"{name} in the stream", {"name": "in-stream-error", **plan}, seen, code, can_pass=can_pass)


def _anywhere(name: str, plan: Plan, seen: str, code: str, *, can_pass: bool) -> Iterator[Fault]:
    """A fault of the answer before its first event and after some text, each staying and once."""
    then = ANSWER if can_pass else seen
    first = {**plan, "after": 0}
    later = {**plan, "after": 3, "also": [WORD_BY_WORD]}
    yield Fault(name, "first event", ({**first, **FOREVER},), seen, seen)
    yield Fault(f"{name} once", "first event", (first,), then, then)
    yield Fault(name, "after text", ({**later, **FOREVER},), seen, broken(code))
    yield Fault(f"{name} once", "after text", (later,), then, broken(code))


def _thoughts() -> Iterator[Fault]:
    seen, code = raised(502, "empty_answer"), "empty_answer"
    plan: Plan = {"name": "only-thoughts", "also": [WORD_BY_WORD]}
    yield Fault("only-thoughts", "whole answer", ({**plan, **FOREVER},), seen, broken(code), request=THINKING)
    yield Fault("only-thoughts once", "whole answer", (plan,), ANSWER, broken(code), request=THINKING)


def _new_tokens() -> Iterator[Fault]:
    """Faults of the new token that a refused one asks for."""
    place, refused = "token after a 401", {"name": "bad-token"}
    for plan, _, seen, can_pass in BESIDE:
        if plan["method"] == "token":
            then = ANSWER if can_pass else seen
            yield Fault(f"{_named(plan)} once", place, (refused, plan), then, then, {})
            yield Fault(_named(plan), place, (refused, {**plan, **FOREVER}), seen, seen, {})


def _look_ups() -> Iterator[Fault]:
    """Faults of the catalogue, when a client wants a model that is not known."""
    for plan, status, code in UNASKED:
        catalogue = {**plan, "method": "fetchAvailableModels", **FOREVER}
        seen = raised(status, code)
        yield Fault(_named(plan), "look-up of a model", (catalogue,), seen, seen, {}, UNKNOWN)


def _silences() -> Iterator[Fault]:
    """Faults that only a time limit ends."""
    late, code = raised(504, "upstream_timeout"), "upstream_timeout"
    for has_headers in (False, True):
        place = "after headers" if has_headers else "before headers"
        silence: Plan = {"name": "silence", "seconds": LONG_S, "headers": has_headers}
        yield Fault("silence", place, (silence,), late, broken(code, after_text=False), is_slow=True)
        stall: Plan = {"name": "stall", "after": 0, "seconds": 0.2, "headers": has_headers}
        yield Fault("stall that ends", place, (stall,), ANSWER, ANSWER, is_slow=True)
    for has_events in (False, True):
        chatter: Plan = {"name": "chatter", "after": 0, "seconds": LONG_S, "events": has_events}
        name = "chatter of empty events" if has_events else "chatter"
        yield Fault(name, "first event", (chatter,), late, broken(code, after_text=False), is_slow=True)
        later = {**chatter, "after": 3, "also": [WORD_BY_WORD]}
        yield Fault(name, "after text", (later,), late, broken(code), is_slow=True)
    for after, place in ((0, "first event"), (3, "after text")):
        trickle: Plan = {"name": "trickle", "after": after, "seconds": LONG_S, "also": [WORD_BY_WORD]}
        yield Fault("trickle", place, (trickle,), late, broken(code, after_text=after > 0), is_slow=True)
    stalling = {"name": "stall", "after": 3, "seconds": LONG_S, "also": [WORD_BY_WORD]}
    yield Fault("stall", "after text", (stalling,), late, broken(code), is_slow=True)
    refused = {**stall, "headers": True, "also": [{"name": "in-stream-error", "after": 0, "refusal": "quota"}]}
    yield Fault(
        "quota in the stream",
        "after comments",
        (refused,),
        raised(429, "insufficient_quota"),
        broken("insufficient_quota", after_text=False),
        is_slow=True,
    )
    looked_up: Plan = {"name": "silence", "seconds": LONG_S, "method": "fetchAvailableModels"}
    yield Fault("silence", "look-up of a model", (looked_up,), late, late, {}, UNKNOWN, is_slow=True)
    for method, account in (("token", COLD), ("loadCodeAssist", HOMELESS)):
        # A refresh that was begun is seen to its end, as Google may have rotated the refresh token.
        silent: Plan = {"name": "silence", "seconds": 1.6, "method": method}
        yield Fault("silence", method, (silent,), late, broken(code, after_text=False), account, is_slow=True)


FAULTS = tuple(all_faults())
