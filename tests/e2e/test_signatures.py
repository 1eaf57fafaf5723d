"""Tests of thought signatures with clients that keep only the id, the name and the arguments of a call."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Any

import pytest

from antigravity_proxy.translate.signatures import SENTINEL

from .clients import open_client
from .process import run_command, save_account
from .samples import MODEL, tool, user

if TYPE_CHECKING:
    from pathlib import Path

    from openai import OpenAI

    from .process import Running
    from .simulator_control import SimulatorControl

TURNS = 30
CLAUDE = "claude-sonnet-4-6"
TOOLS = [tool("read_file", path="string"), tool("list_folder", path="string")]


class Agent:
    """A conversation whose client keeps of each call what OpenAI's own API knows of it, and nothing else.

    Attributes:
        messages: the conversation so far.
        signatures: of every call that came with one, as the client saw it and did not keep it, by id.
    """

    def __init__(self, client: OpenAI) -> None:
        self.client = client
        self.messages: list[Any] = user("Please call read_file and list_folder.")
        self.signatures: dict[str, str] = {}

    def take_turn(self, model: str = MODEL, *, stream: bool = False) -> None:
        """Ask once, and answer each call."""
        calls = self._streamed(model) if stream else self._whole(model)
        assert calls
        self.messages.append({"role": "assistant", "content": None, "tool_calls": calls})
        self.messages += [{"role": "tool", "tool_call_id": call["id"], "content": "done"} for call in calls]

    def _whole(self, model: str) -> list[dict[str, Any]]:
        answer = self.client.chat.completions.create(model=model, messages=self.messages, tools=TOOLS)
        return [self._kept(call) for call in answer.choices[0].message.tool_calls or ()]

    def _streamed(self, model: str) -> list[dict[str, Any]]:
        with self.client.chat.completions.stream(model=model, messages=self.messages, tools=TOOLS) as stream:
            chunks = [event.chunk for event in stream if event.type == "chunk"]
        deltas = [delta for chunk in chunks for choice in chunk.choices for delta in choice.delta.tool_calls or ()]
        return [self._kept(delta) for delta in deltas]

    def _kept(self, call: Any) -> dict[str, Any]:
        extra = (call.model_extra or {}).get("extra_content", {}).get("google", {})
        if "thought_signature" in extra:
            self.signatures[call.id] = extra["thought_signature"]
        function = {"name": call.function.name, "arguments": call.function.arguments}
        return {"id": call.id, "type": "function", "function": function}

    def expected(self) -> list[str]:
        """The signatures that belong to the calls of the conversation, in order."""
        calls = [call for message in self.messages for call in message.get("tool_calls", ())]
        return [self.signatures.get(call["id"], SENTINEL) for call in calls]


def sent_signatures(request: dict[str, Any]) -> list[str]:
    """The signatures of all calls that a request carried."""
    parts = [part for content in request["request"]["contents"] for part in content["parts"]]
    return [part["thoughtSignature"] for part in parts if "functionCall" in part and "thoughtSignature" in part]


def as_bytes(signatures: list[str]) -> list[bytes]:
    """Signatures as the service compares them."""
    return [text.encode() if text == SENTINEL else base64.b64decode(text) for text in signatures]


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])
def test_30_turns_send_back_every_signature(client: OpenAI, simulator: SimulatorControl, *, stream: bool) -> None:
    """Thirty turns with parallel calls later every call still carries the bytes that first came with it."""
    simulator.plan({"name": "parallel", "n": 2, "times": TURNS})
    agent = Agent(client)
    for _ in range(TURNS):
        expected = agent.expected()
        agent.take_turn(stream=stream)
        assert as_bytes(sent_signatures(simulator.generations()[-1])) == as_bytes(expected)
    assert len(agent.expected()) == 2 * TURNS
    assert len(agent.signatures) >= TURNS
    assert len(simulator.generations()) == TURNS


def test_signatures_survive_a_restart(tmp_path: Path, served: Running, simulator: SimulatorControl) -> None:
    """A server that was stopped in the middle of a conversation goes on with the same signatures."""
    extra = save_account(served, tmp_path)
    simulator.plan({"name": "parallel", "n": 2, "times": 6})
    signatures: dict[str, str] = {}
    messages: list[Any] = []
    for _ in range(2):
        with run_command("serve", "--port", "0", home=tmp_path, extra=extra) as running:
            with open_client(running.url) as own:
                agent = Agent(own)
                agent.messages = messages or agent.messages
                agent.signatures = signatures
                for _ in range(3):
                    expected = agent.expected()
                    agent.take_turn()
                    assert as_bytes(sent_signatures(simulator.generations()[-1])) == as_bytes(expected)
                messages = agent.messages
            assert running.stop() == 0
    assert len(signatures) >= 6
    assert (tmp_path / "state.db").stat().st_mode & 0o777 == 0o600


def test_signatures_stay_in_their_family(client: OpenAI, simulator: SimulatorControl) -> None:
    """Claude gets no signature, and Gemini its own ones back, with the sentinel for the calls that Claude made."""
    simulator.plan({"name": "parallel", "n": 2, "times": 4})
    agent = Agent(client)
    agent.take_turn()
    of_gemini = agent.expected()
    assert SENTINEL not in of_gemini[:1]
    agent.take_turn(CLAUDE)
    assert sent_signatures(simulator.generations()[-1]) == []
    agent.take_turn()
    assert as_bytes(sent_signatures(simulator.generations()[-1])) == as_bytes([*of_gemini, SENTINEL, SENTINEL])
    agent.take_turn(CLAUDE)
    assert sent_signatures(simulator.generations()[-1]) == []


@pytest.mark.refused("Corrupted thought signature")
def test_refused_signature_is_paid_for_once(client: OpenAI, simulator: SimulatorControl) -> None:
    """After Google has refused a signature once, the conversation goes on without a refusal each time."""
    foreign = {"google": {"thought_signature": base64.b64encode(b"from elsewhere").decode()}}
    function = {"name": "read_file", "arguments": "{}"}
    agent = Agent(client)
    agent.messages += [
        {"role": "assistant", "tool_calls": [{"id": "a", "function": function, "extra_content": foreign}]},
        {"role": "tool", "tool_call_id": "a", "content": "done"},
    ]
    for calls in (2, 1, 1):
        before = len(simulator.generations())
        client.chat.completions.create(model=MODEL, messages=agent.messages)
        assert len(simulator.generations()) - before == calls
