"""``streamGenerateContent``: check, refuse or answer, and stream.

Source: SPEC.md, "Upstream protocol" and "Simulator".
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from .brain import Brain
from .delivery import Delivery, to_steps
from .emit import EventStyle, Origin, to_events, to_frame
from .enforcement import Facts, check_generation
from .exchange import Exchange, play, to_response
from .fingerprint import outdated_headers
from .google_reply import EVENT_STREAM, ApiError, invalid_argument
from .question import last_text, read_question
from .refusals import no_licence, quota_exhausted, timestamp, verification_required
from .scenario_answers import Draft, changed_draft
from .scenario_queue import read_markers
from .scenario_replies import Situation, changed_delivery, refusal_of
from .scenarios import GENERATE, Scenario, ScenarioError

if TYPE_CHECKING:
    from aiohttp import web

    from .accounts import Account
    from .models import ModelRow

TRACE_HEADER = "X-Cloudaicompanion-Trace-Id"


@dataclass(frozen=True, slots=True)
class Wish:
    """What is asked of the simulator beside the question itself.

    Attributes:
        text: the last text without markers.
        scenarios: what shall happen.
        situation: what error texts may mention.
    """

    text: str
    scenarios: list[Scenario]
    situation: Situation


async def generate(exchange: Exchange, account: Account, body: dict[str, Any]) -> web.StreamResponse:
    """Serve one generation.

    Args:
        exchange: the request.
        account: the account that asks.
        body: the parsed body.

    Raises:
        ApiError: when the request breaks a rule or the account may not ask.
    """
    if exchange.request.query.get("alt") != "sse":
        raise invalid_argument("alt", 'The simulator streams events only; ask with "alt=sse".')
    model = check_generation(body, _facts(exchange, account))
    try:
        wish = _read_wish(exchange, account, model, body)
        for scenario in wish.scenarios:
            refusal = refusal_of(scenario, wish.situation)
            if refusal is not None:
                return to_response(refusal)
        _check_standing(account, model, wish.situation.now_s)
        draft = _draft(exchange, account, model, body["request"], wish)
    except ScenarioError as error:
        # Not the 400 of a request that breaks a rule: that is for clients to mend, this for whoever typed the wish.
        raise ApiError(422, f"The simulator cannot do that: {error}.") from error
    _spend(exchange, account, model)
    return await _stream(exchange, model, draft, wish)


def _facts(exchange: Exchange, account: Account) -> Facts:
    return Facts(
        project=account.standing.project or None,
        accepts_any_project=account.standing.any_project,
        is_current_client=not outdated_headers(exchange.request.headers),
        is_fresh_request_id=exchange.state.is_fresh_request_id,
        is_genuine=partial(exchange.state.signatures.is_genuine, account.email),
        has_next_models=account.standing.next_models,
        retired=account.standing.retired,
    )


def _read_wish(exchange: Exchange, account: Account, model: ModelRow, body: dict[str, Any]) -> Wish:
    queue, email = exchange.state.scenarios, account.email
    whole_text = last_text(body["request"])
    text, marked = read_markers(whole_text)
    scenarios = queue.take(GENERATE, email, model.runtime_id)
    if marked:
        scenarios += queue.take_marked(marked, whole_text, email, model.runtime_id)
    exchange.entry.scenarios += [scenario.name for scenario in scenarios]
    situation = Situation(model.runtime_id, body["project"], exchange.state.clock(), EVENT_STREAM)
    return Wish(text, scenarios, situation)


def _check_standing(account: Account, model: ModelRow, now_s: float) -> None:
    if account.standing.unverified:
        raise verification_required()
    if account.standing.unlicensed or not account.has_right_ide:
        raise no_licence()
    bucket = account.quota.scarcest(model.pool, now_s)
    if bucket.fraction <= 0:
        raise quota_exhausted(model.runtime_id, bucket.reset_time(now_s) - now_s, now_s)


def _draft(exchange: Exchange, account: Account, model: ModelRow, request: dict[str, Any], wish: Wish) -> Draft:
    state = exchange.state
    question = read_question(request, wish.text)
    brain = Brain(model.family, account.email, state.signatures, lambda: f"toolu_{state.new_id()}")
    prompt_tokens, cached_tokens = state.prompts.count_tokens(request)
    answer = brain.answer(question, prompt_tokens, cached_tokens)
    draft = Draft(answer, EventStyle(), brain, question.tools)
    for scenario in wish.scenarios:
        draft = changed_draft(draft, scenario)
    return draft


def _spend(exchange: Exchange, account: Account, model: ModelRow) -> None:
    own_cost = account.standing.quota_cost
    cost = exchange.state.config.quota_cost if own_cost is None else own_cost
    account.quota.spend(model.pool, cost, exchange.state.clock())


async def _stream(exchange: Exchange, model: ModelRow, draft: Draft, wish: Wish) -> web.StreamResponse:
    state = exchange.state
    delivery = Delivery(pace_s=state.config.pace_s)
    for scenario in wish.scenarios:
        delivery = changed_delivery(delivery, scenario, wish.situation)
    origin = Origin(state.new_id(8), state.new_id(), model.runtime_id, timestamp(wish.situation.now_s))
    headers = {"Content-Type": EVENT_STREAM, TRACE_HEADER: origin.trace_id, "Server": "ESF"}
    if delivery.is_gzipped:
        headers["Content-Encoding"] = "gzip"
    frames = (to_frame(event) for event in to_events(draft.answer, origin, draft.style))
    return await play(exchange.request, to_steps(frames, delivery), headers)
