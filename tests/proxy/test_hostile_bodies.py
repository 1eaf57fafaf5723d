"""Tests of chat bodies that nobody should send, over real sockets; ``make fuzz`` sends ten thousand of them."""

from __future__ import annotations

import json
import logging
from typing import TYPE_CHECKING, Any

from hypothesis import HealthCheck, given, settings

from .chat_bodies import chat_bodies
from .conftest import EMAIL

if TYPE_CHECKING:
    import pytest

    from .conftest import Lab

BODIES = 200 if settings().derandomize else 10_000
FOREIGN_SIGNATURE = "Corrupted thought signature."
"""What Google alone can find out: the request is then sent once more without."""

FULL = {"gemini-5h": 1, "gemini-weekly": 1, "3p-5h": 1, "3p-weekly": 1}
over_one_server = settings(suppress_health_check=list(HealthCheck), deadline=None, max_examples=BODIES)


def take_refusals(lab: Lab) -> set[str]:
    """Why the simulator has refused what it was sent; it forgets it, and fills up the quota."""
    refusals = {entry["refusal"] for entry in lab.simulator.requests()}
    lab.simulator.state.requests.clear()
    lab.simulator.add_account(EMAIL, quota=FULL)
    return refusals - {None, FOREIGN_SIGNATURE}


@over_one_server
@given(body=chat_bodies())
async def test_any_body_is_served_or_the_clients_fault(lab: Lab, caplog: pytest.LogCaptureFixture, body: Any) -> None:
    """Whatever a body holds, it is answered, or refused as the client's fault before Google could refuse it."""
    caplog.clear()
    data = json.dumps(body).encode()
    async with lab.http.post(
        f"{lab.url}/v1/chat/completions", data=data, headers={"Content-Type": "application/json"}
    ) as response:
        answer = await response.read()
        assert response.status in {200, 400, 404}, answer
    if response.status == 200 and response.content_type == "text/event-stream":
        assert answer.endswith(b"data: [DONE]\n\n"), answer
    else:
        document = json.loads(answer)
        assert response.status == 200 or set(document["error"]) >= {"message", "type", "param", "code"}
        assert len(answer) < 20_000
    assert take_refusals(lab) == set()
    assert [record.getMessage() for record in caplog.records if record.levelno >= logging.ERROR] == []
