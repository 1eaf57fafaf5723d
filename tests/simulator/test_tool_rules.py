"""Tests of the tool rules."""

from __future__ import annotations

from typing import Any

import pytest

from antigravity_proxy.simulator.models import Family
from antigravity_proxy.simulator.tool_rules import check_tools

from .wire import gemini_tool, legacy_tool, place_of, refusal, tools

GEMINI, CLAUDE, GPT_OSS = Family.GEMINI, Family.CLAUDE, Family.GPT_OSS


def config(mode: str, *allowed: str) -> dict[str, Any]:
    """Give a toolConfig."""
    calling: dict[str, Any] = {"mode": mode}
    return {"functionCallingConfig": {**calling, "allowedFunctionNames": list(allowed)} if allowed else calling}


@pytest.mark.parametrize(
    ("request_fields", "family"),
    [
        ({}, GEMINI),
        ({"tools": tools(gemini_tool("a"), gemini_tool("b"))}, GEMINI),
        ({"tools": tools(legacy_tool("a"))}, CLAUDE),
        ({"tools": tools(legacy_tool("a"))}, GPT_OSS),
        ({"tools": tools(gemini_tool("a")), "toolConfig": config("AUTO")}, GEMINI),
        ({"tools": tools(gemini_tool("a")), "toolConfig": config("ANY", "a")}, GEMINI),
        ({"tools": tools(legacy_tool("a")), "toolConfig": config("VALIDATED")}, CLAUDE),
    ],
    ids=["none", "two", "claude", "gpt", "auto", "named", "validated"],
)
def test_good_tools_pass(request_fields: dict[str, Any], family: Family) -> None:
    """Declarations in the family's form pass, with or without a setting."""
    check_tools(request_fields, family)


@pytest.mark.parametrize(
    ("request_fields", "family", "field"),
    [
        ({"tools": []}, GEMINI, "request.tools"),
        ({"tools": [{}]}, GEMINI, "request.tools"),
        ({"tools": tools()}, GEMINI, "request.tools"),
        ({"tools": tools(gemini_tool("a")) * 2}, GEMINI, "request.tools"),
        ({"tools": tools(gemini_tool("1a"))}, GEMINI, "request.tools[0].function_declarations[0].name"),
        ({"tools": tools({"parametersJsonSchema": {}})}, GEMINI, "request.tools[0].function_declarations[0].name"),
        (
            {"tools": tools(gemini_tool("a"), gemini_tool("a"))},
            GEMINI,
            "request.tools[0].function_declarations[1].name",
        ),
        ({"tools": tools(legacy_tool("a"))}, GEMINI, "request.tools[0].function_declarations[0]"),
        ({"tools": tools(gemini_tool("a"))}, CLAUDE, "request.tools[0].function_declarations[0]"),
        ({"tools": tools(gemini_tool("a"))}, GPT_OSS, "request.tools[0].function_declarations[0]"),
        (
            {"tools": tools({**gemini_tool("a"), **legacy_tool("a")})},
            GEMINI,
            "request.tools[0].function_declarations[0]",
        ),
        ({"tools": tools({"name": "a"})}, GEMINI, "request.tools[0].function_declarations[0]"),
        (
            {"tools": tools(gemini_tool("a", {"type": "string"}))},
            GEMINI,
            "request.tools[0].function_declarations[0].parameters_json_schema.type",
        ),
        (
            {"tools": tools(legacy_tool("a", {"type": "object", "required": ["x"]}))},
            CLAUDE,
            "request.tools[0].function_declarations[0].parameters.required[0]",
        ),
        ({"toolConfig": config("AUTO")}, GEMINI, "request.tool_config"),
        (
            {"tools": tools(gemini_tool("a")), "toolConfig": {}},
            GEMINI,
            "request.tool_config.function_calling_config.mode",
        ),
        (
            {"tools": tools(gemini_tool("a")), "toolConfig": config("AUTO", "a")},
            GEMINI,
            "request.tool_config.function_calling_config.allowed_function_names",
        ),
        (
            {"tools": tools(gemini_tool("a")), "toolConfig": config("ANY", "b")},
            GEMINI,
            "request.tool_config.function_calling_config.allowed_function_names",
        ),
        (
            {
                "tools": tools(gemini_tool("a")),
                "toolConfig": {"functionCallingConfig": {"mode": "ANY", "allowedFunctionNames": []}},
            },
            GEMINI,
            "request.tool_config.function_calling_config.allowed_function_names",
        ),
    ],
    ids=lambda value: str(value)[:70],
)
def test_bad_tools_are_refused(request_fields: dict[str, Any], family: Family, field: str) -> None:
    """A wrong declaration or setting is a 400 that names the place."""
    error = refusal(lambda: check_tools(request_fields, family))
    assert (error.http_status, place_of(error)[0]) == (400, field)
