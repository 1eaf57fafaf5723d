"""Tests of chat bodies that nobody should send, over real sockets; ``make fuzz`` sends ten thousand of them."""

from __future__ import annotations

import json
import logging
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from .chat_bodies import anything, chat_bodies, deep, either, texts
from .conftest import EMAIL

if TYPE_CHECKING:
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


OTHER_ROUTES = (
    "/api/login/x/paste",
    "/api/login/x/cancel",
    "/v1/chat/completions",
    "/api/quota/refresh",
    "/v1/nothing",
)


@over_one_server
@given(path=either(*OTHER_ROUTES), body=anything | deep)
async def test_any_json_is_taken_or_refused_everywhere(
    lab: Lab, caplog: pytest.LogCaptureFixture, path: str, body: Any
) -> None:
    """Whichever route is sent whatever JSON, it is never a failure of ours."""
    caplog.clear()
    data = json.dumps(body).encode()
    async with lab.http.post(f"{lab.url}{path}", data=data, headers={"Content-Type": "application/json"}) as response:
        assert response.status in {200, 400, 404}, await response.text()
        json.loads(await response.read())
    assert [record.getMessage() for record in caplog.records if record.levelno >= logging.ERROR] == []


FIELDS = either("file", "file", "model", "language", "prompt", "response_format", "temperature", "stream")
FILE_TYPES = either("audio/wav", "audio/ogg", "text/plain", "application/octet-stream", "a/b; c=d", "é\r\nX: y")


@st.composite
def forms(draw: st.DrawFn) -> bytes:
    """A form with some fields and files."""
    written = b""
    for _ in range(draw(st.integers(0, 6))):
        name, filename = draw(FIELDS | texts), draw(st.none() | either("a.ogg", "a.wav") | texts)
        head = f'Content-Disposition: form-data; name="{name}"'
        if filename is not None:
            head += f'; filename="{filename}"\r\nContent-Type: {draw(FILE_TYPES)}'
        content: bytes = draw(st.binary(max_size=50) | texts.map(lambda text: text.encode(errors="replace")))
        written += b"--x\r\n" + head.encode(errors="replace") + b"\r\n\r\n" + content + b"\r\n"
    end: bytes = draw(either(b"--x--\r\n", b"--x--\r\n", b"--x", b""))
    return written + end


@pytest.mark.filterwarnings("ignore::aiohttp.BadContentDispositionHeader")
@pytest.mark.filterwarnings("ignore::aiohttp.BadContentDispositionParam")
@over_one_server
@given(form=forms())
async def test_any_form_is_taken_or_refused(lab: Lab, caplog: pytest.LogCaptureFixture, form: bytes) -> None:
    """Whatever a form for a transcript holds, it is no failure of ours, and Google is sent nothing it refuses."""
    caplog.clear()
    headers = {"Content-Type": "multipart/form-data; boundary=x"}
    async with lab.http.post(f"{lab.url}/v1/audio/transcriptions", data=form, headers=headers) as response:
        assert response.status in {200, 400}, await response.text()
    assert take_refusals(lab) == set()
    assert [record.getMessage() for record in caplog.records if record.levelno >= logging.ERROR] == []
