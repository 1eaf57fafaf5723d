"""What ``tools`` and ``toolConfig`` must look like for each family.

Source: SPEC.md, "Tools".
"""

from __future__ import annotations

from typing import Any

from .google_reply import invalid_argument
from .models import Family
from .part_rules import FUNCTION_NAME, invalid_function_name
from .schema_rules import check_json_schema, check_message_schema, check_root_type

TOOLS_PATH = "request.tools"
CALLING_PATH = "request.tool_config.function_calling_config"


def check_tools(request: dict[str, Any], family: Family) -> None:
    """Check the tools of a request whose fields are known, and how they may be called.

    Raises:
        ApiError: 400 for the first declaration or setting that is wrong.
    """
    names = _check_declarations(request["tools"], family) if "tools" in request else []
    if "toolConfig" in request:
        _check_config(request["toolConfig"], names)


def _check_declarations(tools: list[dict[str, Any]], family: Family) -> list[str]:
    if len(tools) != 1 or not tools[0].get("functionDeclarations"):
        raise invalid_argument(TOOLS_PATH, "tools must be one entry with at least one function declaration.")
    names: list[str] = []
    for index, declaration in enumerate(tools[0]["functionDeclarations"]):
        path = f"{TOOLS_PATH}[0].function_declarations[{index}]"
        name: str = declaration.get("name", "")
        if not FUNCTION_NAME.fullmatch(name):
            raise invalid_function_name(path)
        if name in names:
            message = f"Duplicate function declaration found: {name}"
            raise invalid_argument(f"{path}.name", f"{name} is declared twice.", message=message)
        _check_schema(declaration, path, family)
        names.append(name)
    return names


def _check_schema(declaration: dict[str, Any], path: str, family: Family) -> None:
    is_gemini = family is Family.GEMINI
    wanted, other = ("parametersJsonSchema", "parameters") if is_gemini else ("parameters", "parametersJsonSchema")
    if other in declaration:
        raise invalid_argument(path, f"This model takes the schema as {wanted}, not as {other}.")
    if wanted not in declaration:
        raise invalid_argument(path, f"{wanted} is required.")
    schema: Any = declaration[wanted]
    if is_gemini:
        path = f"{path}.parameters_json_schema"
        check_json_schema(schema, path)
    else:
        path = f"{path}.parameters"
        check_message_schema(schema, path)
    check_root_type(schema, path)


def _check_config(config: dict[str, Any], names: list[str]) -> None:
    if not names:
        raise invalid_argument(
            "request.tool_config",
            "toolConfig needs tools.",
            message="Function calling config is set without function_declarations.",
        )
    calling: dict[str, Any] = config.get("functionCallingConfig", {})
    if "mode" not in calling:
        raise invalid_argument(f"{CALLING_PATH}.mode", "mode is required.")
    if "allowedFunctionNames" not in calling:
        return
    allowed: list[str] = calling["allowedFunctionNames"]
    if calling["mode"] != "ANY":
        raise invalid_argument(
            f"{CALLING_PATH}.allowed_function_names",
            "allowedFunctionNames needs the mode ANY.",
            message="Allowed function names should only be set when function calling mode is ANY.",
        )
    if not allowed or not set(allowed) <= set(names):
        raise invalid_argument(
            f"{CALLING_PATH}.allowed_function_names",
            "Every allowed function must be declared, and there must be one.",
            message="Allowed function names should be a subset of the function declarations.",
        )
