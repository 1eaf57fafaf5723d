"""Requests that real harnesses sent, replayed as they were against the strict simulator."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from openai import OpenAI, Stream
from openai.types.chat import ChatCompletion, ChatCompletionChunk

if TYPE_CHECKING:
    from _pytest.mark.structures import ParameterSet

    from .process import Running

CAPTURES = sorted((Path(__file__).parent / "captures").glob("*.json"))
WITH_FOREIGN_SIGNATURE = ("continue-4", "hermes-agent-13")
"""Captures that carry a signature of somebody else's: it is refused once, and left out of the second attempt."""

FOREIGN_SIGNATURE = "c2lnbmF0dXJl"
"""The one they share; each is replayed with one of its own, as one that was refused is not sent again."""

PLACEHOLDER_MODEL = "m"
"""What one capture asks for in place of a model; it is replayed with a model that exists."""

LEFT_OUT = (
    "host",
    "content-length",
    "connection",
    "transfer-encoding",
    "accept-encoding",
    "x-stainless-raw-response",
)
"""Headers that belong to the captured connection, or steer the openai package itself."""


def read_capture(path: Path) -> dict[str, Any]:
    """One captured request: ``{"path", "headers": [[name, value], ...], "body", ...}``."""
    own_signature = base64.b64encode(path.stem.encode()).decode()
    capture: dict[str, Any] = json.loads(path.read_text(encoding="utf-8").replace(FOREIGN_SIGNATURE, own_signature))
    if capture["body"]["model"] == PLACEHOLDER_MODEL:
        capture["body"]["model"] = "gemini-3.7-flash"
    return capture


def test_captures_are_there() -> None:
    """The captures cover twelve clients."""
    clients = {path.stem.rsplit("-", 1)[0] for path in CAPTURES}
    assert len(CAPTURES) == 66
    assert len(clients) == 12


def capture_case(path: Path) -> ParameterSet:
    """A capture as a parameter, marked with what Google has against it."""
    refused = [pytest.mark.refused("Corrupted thought signature")] if path.stem in WITH_FOREIGN_SIGNATURE else []
    return pytest.param(path, id=path.stem, marks=refused)


@pytest.mark.parametrize("path", [capture_case(path) for path in CAPTURES])
def test_capture_is_answered(client: OpenAI, served: Running, path: Path) -> None:
    """The request gets 200 and an answer the openai package reads to its end."""
    capture = read_capture(path)
    headers = {name: value for name, value in capture["headers"] if name.lower() not in LEFT_OUT}
    url = served.url.removesuffix("/v1") + capture["path"]
    options: Any = {"headers": headers}
    if capture["body"].get("stream"):
        stream = client.post(
            url,
            cast_to=ChatCompletionChunk,
            body=capture["body"],
            options=options,
            stream=True,
            stream_cls=Stream[ChatCompletionChunk],
        )
        choices = [chunk.choices[0] for chunk in stream if chunk.choices]
        assert choices[-1].finish_reason in ("stop", "tool_calls")
        assert any(choice.delta.content or choice.delta.tool_calls for choice in choices)
    else:
        answer = client.post(url, cast_to=ChatCompletion, body=capture["body"], options=options)
        assert answer.choices[0].message.content or answer.choices[0].message.tool_calls
