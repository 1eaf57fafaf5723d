"""The control API under ``/simulator``: look at the state, change accounts, queue scenarios, read the log.

Source: SPEC.md, "Simulator".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import orjson
from aiohttp import web

from .documents import account_document, account_record, accounts_document, client_document
from .exchange import STATE
from .fields import is_list, is_object
from .models import MODELS
from .scenario_queue import read_scenario
from .scenarios import KINDS, METHODS, Scenario

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from .state import SimulatorState

LINKS = (
    ("/simulator/state", "accounts, quota and models"),
    ("/simulator/requests", "what clients have sent"),
    ("/simulator/scenarios", "how the simulator can be told to fail"),
    ("/simulator/accounts.json", "an account document to import, with tokens"),
    ("/simulator/client.json", "the OAuth client document"),
)


def control_routes() -> list[web.RouteDef]:
    """Give the routes."""
    return [
        web.get("/", _index),
        web.get("/simulator/state", _show_state),
        web.post("/simulator/accounts", _controlled(_change_account)),
        web.get("/simulator/accounts.json", _show_accounts),
        web.get("/simulator/client.json", _show_client),
        web.get("/simulator/scenarios", _show_scenarios),
        web.post("/simulator/scenarios", _controlled(_add_scenarios)),
        web.delete("/simulator/scenarios", _clear_scenarios),
        web.get("/simulator/requests", _show_requests),
        web.delete("/simulator/requests", _clear_requests),
    ]


def queue_scenarios(state: SimulatorState, documents: list[Any]) -> None:
    """Put scenarios into the queue, all of them or none.

    Raises:
        ValueError: when a document describes no scenario.
    """
    for scenario in [read_scenario(document) for document in documents]:
        state.scenarios.add(scenario)


def _controlled(
    change: Callable[[SimulatorState, dict[str, Any]], dict[str, Any]],
) -> Callable[[web.Request], Awaitable[web.Response]]:
    """Give a handler for a change that comes as a JSON object; what is wrong with it is a 400 with a sentence."""

    async def handle(request: web.Request) -> web.Response:
        # A page of another site can send text/plain without asking, but not application/json.
        if request.content_type != "application/json":
            return _json({"error": "send application/json"}, 415)
        try:
            body: object = orjson.loads(await request.read())
            if not is_object(body):
                raise ValueError("the body must be a JSON object")  # noqa: TRY301
            return _json(change(request.app[STATE], body))
        except ValueError as error:
            return _json({"error": str(error)}, 400)

    return handle


def _change_account(state: SimulatorState, body: dict[str, Any]) -> dict[str, Any]:
    account = state.change_account(str(body.pop("email", "")), body)
    return account_document(state, account) | {"record": account_record(state, account)}


def _add_scenarios(state: SimulatorState, body: dict[str, Any]) -> dict[str, Any]:
    documents: object = body.get("scenarios")
    if not is_list(documents):
        raise ValueError('the body must be {"scenarios": [{"name": …}]}')
    queue_scenarios(state, documents)
    return {"waiting": [_scenario_document(scenario) for scenario in state.scenarios]}


async def _index(request: web.Request) -> web.Response:
    links = "".join(f'<li><a href="{path}">{path}</a>: {what}' for path, what in LINKS)
    page = (
        '<!DOCTYPE html><html lang="en"><meta charset="utf-8"><title>Simulator</title><h1>Pretend Google</h1>'
        "<p>This is the simulator of antigravity-proxy. It speaks the protocol of Google's Cloud Code service and "
        f"is as strict; nothing leaves this machine.</p><p>Base URL: {_base_url(request)}</p><ul>{links}</ul></html>"
    )
    return web.Response(text=page, content_type="text/html")


async def _show_state(request: web.Request) -> web.Response:
    state = request.app[STATE]
    return _json(
        {
            "now": state.clock(),
            "accounts": [account_document(state, account) for account in state.accounts.values()],
            "models": [row.runtime_id for row in MODELS],
            "requests": len(state.requests),
            "waitingScenarios": len(list(state.scenarios)),
        }
    )


async def _show_accounts(request: web.Request) -> web.Response:
    state = request.app[STATE]
    email = request.query.get("email")
    try:
        accounts = list(state.accounts.values()) if email is None else [state.find_or_make_account(email)]
    except ValueError as error:
        return _json({"error": str(error)}, 400)
    return _json(accounts_document(state, accounts))


async def _show_client(request: web.Request) -> web.Response:
    return _json(client_document(request.app[STATE].config, _base_url(request)))


async def _show_scenarios(request: web.Request) -> web.Response:
    return _json(
        {
            "waiting": [_scenario_document(scenario) for scenario in request.app[STATE].scenarios],
            "methods": METHODS,
            "known": {
                name: {"stage": kind.stage, "sentence": kind.sentence, "params": kind.params}
                for name, kind in KINDS.items()
            },
        }
    )


async def _clear_scenarios(request: web.Request) -> web.Response:
    request.app[STATE].scenarios.clear()
    return web.Response(status=204)


async def _show_requests(request: web.Request) -> web.Response:
    return _json({"requests": [entry.document() for entry in request.app[STATE].requests]})


async def _clear_requests(request: web.Request) -> web.Response:
    request.app[STATE].requests.clear()
    return web.Response(status=204)


def _scenario_document(scenario: Scenario) -> dict[str, Any]:
    return {
        "name": scenario.name,
        **scenario.params,
        "method": scenario.method,
        "account": scenario.account,
        "model": scenario.model,
        "times": scenario.times,
        "also": [_scenario_document(other) for other in scenario.also],
    }


def _base_url(request: web.Request) -> str:
    return f"http://{request.host}"


def _json(document: Any, status: int = 200) -> web.Response:
    return web.Response(status=status, body=orjson.dumps(document), content_type="application/json")
