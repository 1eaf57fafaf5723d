"""Tests that requests have the shapes that are written down for them."""

from __future__ import annotations

from typing import Any

import pytest

from antigravity_proxy.catalog.builtin import MODELS
from antigravity_proxy.catalog.model import Effort, Model
from antigravity_proxy.catalog.routing import route_to
from antigravity_proxy.translate.chat.request import ChatCall
from antigravity_proxy.translate.chat.wire import to_chat_request
from antigravity_proxy.translate.cloud_wire import Envelope, InlineData, Part
from antigravity_proxy.translate.envelope import to_envelope

from .samples import PNG
from .shapes import misfits

IMAGE = {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PNG}"}}
CALL = {"id": "1", "type": "function", "function": {"name": "read", "arguments": "{}"}}
RICH: dict[str, Any] = {
    "model": "m",
    "messages": [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "Read it."},
        {"role": "assistant", "tool_calls": [CALL, CALL]},
        {"role": "tool", "tool_call_id": "1", "content": "It."},
    ],
    "tools": [{"type": "function", "function": {"name": "read", "description": "Reads.", "parameters": {}}}],
    "tool_choice": {"type": "function", "function": {"name": "read"}},
    "response_format": {"type": "json_schema", "json_schema": {"schema": {"type": "object"}}},
    "temperature": 1,
    "top_p": 0.5,
    "top_k": 3,
    "stop": "END",
    "seed": 7,
}


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.id)
def test_rich_request_has_the_shape_of_an_envelope(model: Model) -> None:
    """A request with a bit of everything has the fields of its shape, all that it must have and no others."""
    messages = (
        [*RICH["messages"], {"role": "user", "content": [IMAGE]}] if "image" in model.inputs else RICH["messages"]
    )
    route = route_to(model.id, Effort.HIGH)
    request = ChatCall(to_chat_request({**RICH, "messages": messages})).to_request(route)
    envelope = to_envelope(request, "-7", project="demo", runtime_id=route.runtime_id, request_id="1")
    assert list(misfits(envelope, Envelope)) == []


@pytest.mark.parametrize(
    ("value", "shape", "found"),
    [
        ({"text": "a", "thoughts": True}, Part, ["value has thoughts"]),
        (
            {"inlineData": {"mimeType": 5}},
            Part,
            ["value.inlineData.mimeType is of type int", "value.inlineData has no data"],
        ),
        ({"data": ""}, InlineData, ["value has no mimeType"]),
        ([], InlineData, ["value is no object"]),
    ],
)
def test_other_shapes_are_found(value: Any, shape: Any, found: list[str]) -> None:
    """The comparison finds what does not belong."""
    assert list(misfits(value, shape)) == found
