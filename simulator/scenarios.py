"""The ways the simulator can be told to fail or to behave oddly, as one table, and one such wish as a value.

A wish comes in a marker inside the last user text, ``[[simulate NAME key=value]]``, or over the control API.

Source: SPEC.md, "Simulator".
"""

from __future__ import annotations

from dataclasses import dataclass, field
from difflib import get_close_matches
from enum import StrEnum
from typing import Any

import orjson

from .fields import is_list, is_object
from .refusals import VERIFY_URL

ParamValue = str | int | float | bool
Params = dict[str, Any]
"""The parameters of a scenario: names to values, each of the type of its default."""

GENERATE = "streamGenerateContent"
METHODS = (
    GENERATE,
    "loadCodeAssist",
    "listCloudAICompanionProjects",
    "onboardUser",
    "fetchAvailableModels",
    "retrieveUserQuotaSummary",
    "token",
    "userinfo",
)
"""The calls a scenario can be for."""

NEAREST = 3
MAX_SHOWN = 40
"""As much of an unknown name is shown."""

FOREVER = -1
"""``times`` of a scenario that does not end."""


class Stage(StrEnum):
    """Which part of the answer a scenario changes."""

    REFUSAL = "refusal"
    ANSWER = "answer"
    DELIVERY = "delivery"


ANY_METHOD = frozenset({Stage.REFUSAL, Stage.DELIVERY})
"""Stages that every call has; the others belong to generation alone."""


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of scenario.

    Attributes:
        stage: what it changes.
        sentence: what happens, for people.
        params: names to default values; the type of the default is the type of the parameter.
    """

    stage: Stage
    sentence: str
    params: dict[str, ParamValue] = field(default_factory=dict[str, ParamValue])


KINDS: dict[str, Kind] = {
    "quota": Kind(
        Stage.REFUSAL,
        "429: the quota is used up for hours. The service has two wordings for it; text chooses one, individual or "
        "capacity.",
        {"seconds": 256527.79, "text": "individual"},
    ),
    "rate-limit": Kind(Stage.REFUSAL, "429: too many requests, try again after a moment.", {"seconds": 0.479417207}),
    "bare-429": Kind(Stage.REFUSAL, "429 with the general text and no details."),
    "wall": Kind(
        Stage.REFUSAL, "429 without a time, in the wording of a long limit; text is days or weekly.", {"text": "days"}
    ),
    "throttle": Kind(
        Stage.REFUSAL,
        "429 without a time, in the wording of a short limit; text is requests or rate.",
        {"text": "requests"},
    ),
    "credits": Kind(Stage.REFUSAL, "429: not enough paid credits."),
    "capacity": Kind(Stage.REFUSAL, "503: no capacity; with retry seconds if not 0.", {"retry": 0.0}),
    "verify": Kind(Stage.REFUSAL, "403: the owner must verify the account at the url.", {"url": VERIFY_URL}),
    "banned": Kind(Stage.REFUSAL, "403: the account is closed because of the terms of service."),
    "wrong-project": Kind(Stage.REFUSAL, "403: the service is off in the project of the request."),
    "no-subscription": Kind(Stage.REFUSAL, "403: the account has no subscription (#3501)."),
    "no-licence": Kind(Stage.REFUSAL, "403: the account has no licence, in a bare text."),
    "unknown-model": Kind(Stage.REFUSAL, "404: the model does not exist."),
    "gone": Kind(
        Stage.REFUSAL,
        "404 for these models, by Google's own names such as gemini-3.8-flash-low, separated by commas; for all when "
        "empty.",
        {"models": ""},
    ),
    "bad-field": Kind(
        Stage.REFUSAL,
        "400: a field of the request is unknown.",
        {"field": "surprise", "path": "request.generation_config"},
    ),
    "bad-token": Kind(
        Stage.REFUSAL,
        "401: the access token is not valid; as api-key it is a 400 that calls it an API key.",
        {"as": "token"},
    ),
    "old-version": Kind(
        Stage.REFUSAL,
        "The client is too old. As error it comes with that status, as answer it is the text of a normal 200.",
        {"as": "error", "status": 400},
    ),
    "status": Kind(
        Stage.REFUSAL,
        "Any status; body is json, array, html, text, sse, empty or brotli; retry_after sets the header.",
        {"status": 500, "body": "json", "message": "Internal error encountered.", "retry_after": ""},
    ),
    "oauth-error": Kind(
        Stage.REFUSAL, "An error in the form of the token endpoint.", {"error": "invalid_grant", "status": 400}
    ),
    "empty": Kind(Stage.ANSWER, "200 without any part."),
    "only-thoughts": Kind(Stage.ANSWER, "200 with thoughts and nothing else."),
    "text": Kind(Stage.ANSWER, "Answers exactly this text.", {"text": "Hello from the simulator."}),
    "call": Kind(
        Stage.ANSWER,
        "Calls this function with these arguments, a JSON object.",
        {"function": "", "args": "{}"},
    ),
    "parallel": Kind(Stage.ANSWER, "Calls n functions at once, the declared ones in turn.", {"n": 2}),
    "image": Kind(Stage.ANSWER, "Answers with a picture after the text."),
    "big": Kind(Stage.ANSWER, "Answers n events with a word of size characters each.", {"n": 1000, "size": 8}),
    "finish": Kind(
        Stage.ANSWER,
        "Ends with this reason, or with none if it is empty; separate puts it into an event of its own.",
        {"reason": "SAFETY", "separate": False},
    ),
    "blocked": Kind(Stage.ANSWER, "The prompt is blocked: no candidate at all.", {"reason": "PROHIBITED_CONTENT"}),
    "malformed-call": Kind(Stage.ANSWER, "The model's function call was malformed: no parts, only that reason."),
    "usage": Kind(
        Stage.ANSWER,
        "Where token counts are: none, every event, last (that alone), twice, late-without-cached, "
        "only-last-chunk-without-candidates, or zeros.",
        {"pattern": "none"},
    ),
    "shape": Kind(
        Stage.ANSWER,
        "An odd but valid form; kind is several-parts (thought, text and call in one event), thought-false, "
        "gemini-ids, empty-stop (the reason beside an empty text), claude-signatures, same-ids or no-args.",
        {"kind": "several-parts"},
    ),
    "unwrapped": Kind(Stage.ANSWER, "Events without the envelope of response and traceId."),
    "slow": Kind(Stage.DELIVERY, "Pauses for pace seconds between events.", {"pace": 1.0}),
    "stall": Kind(
        Stage.DELIVERY,
        "Pauses once after so many events; headers=true sends the headers before a pause at 0.",
        {"after": 1, "seconds": 60.0, "headers": False},
    ),
    "silence": Kind(
        Stage.DELIVERY,
        "Never answers, and breaks the connection after so many seconds.",
        {"seconds": 3600.0, "headers": False},
    ),
    "chatter": Kind(
        Stage.DELIVERY,
        "After so many events comments alone (or empty events), one every pace seconds; then breaks the connection.",
        {"after": 1, "seconds": 60.0, "pace": 0.05, "events": False},
    ),
    "trickle": Kind(
        Stage.DELIVERY,
        "After so many events one that never ends, a byte of it every pace seconds; then breaks the connection.",
        {"after": 1, "seconds": 60.0, "pace": 0.05},
    ),
    "cut": Kind(
        Stage.DELIVERY,
        "Breaks the connection after so many events; clean ends the body properly instead.",
        {"after": 1, "headers": False, "clean": False},
    ),
    "in-stream-error": Kind(
        Stage.DELIVERY,
        "After so many events an error event; refusal names a scenario whose error it is, else code and message.",
        {"after": 1, "refusal": "", "code": 429, "message": "Resource has been exhausted (e.g. check quota)."},
    ),
    "garbage": Kind(Stage.DELIVERY, "After so many events a line that is no JSON.", {"after": 1}),
    "comments": Kind(Stage.DELIVERY, "A comment line before each event."),
    "crlf": Kind(Stage.DELIVERY, "Lines end with CR LF."),
    "split": Kind(Stage.DELIVERY, "Writes of size bytes, also inside characters.", {"size": 1}),
    "no-final-newline": Kind(Stage.DELIVERY, "The last line has no end."),
    "done": Kind(Stage.DELIVERY, "The stream ends with [DONE]."),
    "gzip": Kind(Stage.DELIVERY, "The body is compressed."),
}
"""Every scenario by its name."""


class ScenarioError(ValueError):
    """A wish the simulator cannot fulfil: no such scenario, or no such parameter."""


@dataclass(frozen=True, slots=True)
class Scenario:
    """One wish.

    Attributes:
        name: which scenario.
        params: all its parameters.
        method: the call it is for.
        account: e-mail of the only account it is for, or None.
        model: the only runtime id it is for, or None.
        times: for how many requests, or ``FOREVER``.
        also: further scenarios for the same requests.
    """

    name: str
    params: Params
    method: str = GENERATE
    account: str | None = None
    model: str | None = None
    times: int = 1
    also: tuple[Scenario, ...] = ()

    def is_for(self, method: str, account: str | None, model: str | None) -> bool:
        """Say whether the scenario is for such a request; models of ``gone`` are looked at too."""
        gone: str = self.params.get("models", "")
        return (
            self.method == method
            and self.account in (None, account)
            and self.model in (None, model)
            and (not gone or model in gone.split(","))
        )


def make_scenario(name: str, params: dict[str, Any], method: str = GENERATE) -> Scenario:
    """Give a scenario for one request, with defaults for the parameters that are not given.

    Args:
        name: a key of ``KINDS``.
        params: names to values, either of the right type or as text.
        method: the call it is for.

    Raises:
        ScenarioError: when the scenario, a parameter or the method does not exist, or they do not go together.
    """
    kind = KINDS.get(name)
    if kind is None:
        nearest = ", ".join(get_close_matches(name, KINDS, n=NEAREST, cutoff=0.0))
        raise ScenarioError(
            f"unknown scenario {name[:MAX_SHOWN]!r}; the nearest are {nearest}, and docs/simulator.md lists all"
        )
    if method not in METHODS:
        raise ScenarioError(f"unknown method {method!r}; there are {', '.join(METHODS)}")
    if method != GENERATE and kind.stage not in ANY_METHOD:
        raise ScenarioError(f"scenario {name!r} is for {GENERATE} only")
    for param in params:
        if param not in kind.params:
            raise ScenarioError(f"scenario {name!r} has no {param!r}; it has {', '.join(kind.params) or 'none'}")
    return Scenario(
        name,
        {
            param: _read_param(f"{name} {param}", params[param], default) if param in params else default
            for param, default in kind.params.items()
        },
        method,
    )


def _read_param(label: str, value: object, default: ParamValue) -> ParamValue:
    if isinstance(default, bool):
        return str(value).lower() in ("1", "true", "yes")
    if isinstance(default, str):
        if value is None:
            return ""
        if is_object(value):
            return orjson.dumps(value).decode()
        return ",".join(str(item) for item in value) if is_list(value) else str(value)
    try:
        return type(default)(str(value))
    except ValueError as error:
        raise ScenarioError(f"{label} must be a number, not {value!r}") from error
