"""Tests of the message tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from antigravity_proxy.simulator.fields import Kind, check_message
from antigravity_proxy.simulator.wire_shapes import CONTROL_MESSAGES, GENERATION_MESSAGES

from .wire import refusal

if TYPE_CHECKING:
    from antigravity_proxy.simulator.fields import Messages


@pytest.mark.parametrize("table", [CONTROL_MESSAGES, GENERATION_MESSAGES], ids=["control", "generation"])
def test_every_message_that_is_named_exists(table: Messages) -> None:
    """A field that holds a message names one of the same table, and an enum has members."""
    for fields in table.values():
        for field in fields.values():
            assert field.kind is not Kind.MESSAGE or field.type_name in table
            assert field.kind is not Kind.ENUM or field.members


@pytest.mark.parametrize(
    ("name", "body"),
    [
        ("LoadCodeAssistRequest", {"metadata": {"ideType": "ANTIGRAVITY"}}),
        ("OnboardUserRequest", {"tierId": "free-tier", "metadata": {"ideType": "ANTIGRAVITY", "ideVersion": "1"}}),
        ("FetchAvailableModelsRequest", {"project": "p"}),
        ("RetrieveUserQuotaSummaryRequest", {}),
        ("ListCloudAICompanionProjectsRequest", {}),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_known_bodies_pass(name: str, body: dict[str, Any]) -> None:
    """The bodies clients are known to send are described."""
    check_message(body, name, CONTROL_MESSAGES)


@pytest.mark.parametrize(
    ("name", "body"),
    [
        ("LoadCodeAssistRequest", {"metadata": {"ideType": "CLOUD_CODE"}}),
        ("LoadCodeAssistRequest", {"metadata": {"platform": "DARWIN"}}),
        ("FetchAvailableModelsRequest", {"cloudaicompanionProject": "p"}),
        ("RetrieveUserQuotaSummaryRequest", {"metadata": {}}),
        ("ListCloudAICompanionProjectsRequest", {"project": "p"}),
    ],
    ids=["ide", "platform", "models project", "quota metadata", "list project"],
)
def test_known_mistakes_are_refused(name: str, body: dict[str, Any]) -> None:
    """The mistakes clients are known to have made are no part of the tables."""
    assert refusal(lambda: check_message(body, name, CONTROL_MESSAGES)).http_status == 400


@pytest.mark.parametrize(
    "request_field",
    [
        {"safetySettings": []},
        {"generationConfig": {"presencePenalty": 1}},
        {"generation_config": {}},
        {"tools": [{"googleSearch": {}}]},
        {"contents": [{"parts": [{"fileData": {}}]}]},
        {"generationConfig": {"thinkingConfig": {"thinkingLevel": "high"}}},
        {"generationConfig": {"responseSchema": {"additionalProperties": False}}},
        {"generationConfig": {"responseSchema": {"type": ["string", "null"]}}},
        {"tools": [{"functionDeclarations": [{"parameters": {"nullable": True}}]}]},
        {"tools": [{"functionDeclarations": [{"parameters": {"properties": {"a": {"anyOf": []}}}}]}]},
        {"tools": [{"functionDeclarations": [{"parameters": {"properties": {"a": True}}}]}]},
        {"tools": [{"functionDeclarations": [{"parameters": {"enum": [1]}}]}]},
        {"toolConfig": {"functionCallingConfig": {"mode": "auto"}}},
    ],
    ids=lambda value: str(value)[:60],
)
def test_unknown_request_fields_are_refused(request_field: dict[str, Any]) -> None:
    """What the service does not know is refused wherever it stands."""
    body = {"request": request_field}
    assert refusal(lambda: check_message(body, "GenerateContentRequest", GENERATION_MESSAGES)).http_status == 400


def test_property_names_are_free() -> None:
    """A property may have the name of a keyword nobody knows."""
    schema = {"type": "object", "properties": {"$ref": {"type": "string"}, "anyOf": {"items": {}}}}
    body = {"request": {"tools": [{"functionDeclarations": [{"parameters": schema}]}]}}
    check_message(body, "GenerateContentRequest", GENERATION_MESSAGES)
