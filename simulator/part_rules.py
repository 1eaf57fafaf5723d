"""What a single part of the conversation must be: one kind of data, readable, and wanted by the model.

The order of turns is another matter, see ``turn_rules``; signatures are in ``signature_rules``.

Source: SPEC.md, "Upstream protocol".
"""

from __future__ import annotations

import base64
import binascii
import re
from typing import TYPE_CHECKING, Any

from .google_reply import ApiError, invalid_argument
from .models import Family, ModelRow

if TYPE_CHECKING:
    from collections.abc import Iterator

DATA_FIELDS = ("text", "inlineData", "functionCall", "functionResponse")
"""The kinds of data; every part holds exactly one."""

ROLES_OF_FIELD = {"functionCall": "model", "functionResponse": "user"}
"""The role whose turns alone may hold the field; text and media may stand in both."""

FUNCTION_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.:-]{0,63}")
CALL_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")

EMPTY_TEXT_MESSAGES = {
    Family.GEMINI: "Unable to submit request because it must have a text parameter that is not empty.",
    Family.CLAUDE: "messages: text content blocks must be non-empty",
    Family.GPT_OSS: "messages: text content must be non-empty",
}
BLANK_TEXT_MESSAGES = {
    Family.CLAUDE: "messages: text content blocks must contain non-whitespace text",
    Family.GPT_OSS: "messages: text content must contain non-whitespace text",
}
"""The families that take no blank text; Gemini does."""


def located_parts(contents: list[dict[str, Any]]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Give each part with its printed path and the role of its turn."""
    for turn, content in enumerate(contents):
        for index, part in enumerate(content["parts"]):
            yield f"request.contents[{turn}].parts[{index}]", content["role"], part


def check_parts(contents: list[dict[str, Any]], model: ModelRow) -> None:
    """Check every part of a conversation whose turns are known to have a role and parts.

    Raises:
        ApiError: 400 for the first part that is wrong.
    """
    for index, content in enumerate(contents):
        if all(part.get("thought") for part in content["parts"]):
            raise invalid_argument(f"request.contents[{index}].parts[0]", "A turn must hold more than thoughts.")
    for path, role, part in located_parts(contents):
        field = _data_field(part, path)
        if role != ROLES_OF_FIELD.get(field, role):
            raise invalid_argument(path, f"A {field} part may not stand in a turn with role {role}.")
        _check_thought(part, field, role, path, model.family)
        match field:
            case "text":
                _check_text(part, path, model.family)
            case "inlineData":
                _check_media(part[field], role, path, model)
            case _:
                _check_function(part[field], field, path, model.family)


def check_system_instruction(instruction: dict[str, Any]) -> None:
    """Check the system instruction: role user, and nothing but text in it.

    Raises:
        ApiError: 400 when it is anything else.
    """
    path = "request.system_instruction"
    if instruction.get("role") != "user":
        raise invalid_argument(f"{path}.role", 'The role of the system instruction must be "user".')
    parts: list[dict[str, Any]] = instruction.get("parts", [])
    if not parts:
        raise invalid_argument(f"{path}.parts", "The system instruction must hold at least one part.")
    for index, part in enumerate(parts):
        if set(part) != {"text"} or not part["text"].strip():
            raise invalid_argument(f"{path}.parts[{index}]", "The system instruction holds non-empty text only.")


def decoded_size(data: str) -> int | None:
    """Give how many bytes a base64 text stands for, or None when it is not standard, padded base64."""
    try:
        return len(base64.b64decode(data, validate=True))
    except (binascii.Error, ValueError):
        return None


def _data_field(part: dict[str, Any], path: str) -> str:
    fields = [name for name in DATA_FIELDS if name in part]
    if len(fields) != 1:
        raise invalid_argument(
            path,
            f"A part must hold exactly one kind of data, this one holds {' and '.join(fields) or 'none'}.",
            message="Unable to submit request because it must have exactly one data field per part.",
        )
    return fields[0]


def _check_thought(part: dict[str, Any], field: str, role: str, path: str, family: Family) -> None:
    if family is not Family.GEMINI:
        for name in ("thought", "thoughtSignature"):
            if name in part:
                raise invalid_argument(path, f"{name} is not accepted by models other than Gemini.")
    if role != "model" and ("thought" in part or "thoughtSignature" in part):
        raise invalid_argument(path, "Thoughts and thought signatures belong to turns with role model.")
    if part.get("thought") and field != "text":
        raise invalid_argument(path, "A thought must be text.")
    if part.get("thought") and (not part["text"].strip() or "thoughtSignature" not in part):
        raise invalid_argument(path, "A thought must have words and a thoughtSignature.")


def _check_text(part: dict[str, Any], path: str, family: Family) -> None:
    text: str = part["text"]
    if not text and "thoughtSignature" not in part:
        raise invalid_argument(path, "The text is empty.", message=EMPTY_TEXT_MESSAGES[family])
    if not text.strip() and family in BLANK_TEXT_MESSAGES:
        raise invalid_argument(path, "The text is blank.", message=BLANK_TEXT_MESSAGES[family])


def _check_media(blob: dict[str, Any], role: str, path: str, model: ModelRow) -> None:
    mime_type = blob.get("mimeType")
    if mime_type not in model.mime_types:
        raise invalid_argument(
            f"{path}.inline_data.mime_type",
            f"{model.runtime_id} does not take {mime_type}.",
            message=f"Unsupported MIME type: {mime_type}",
        )
    if role == "model" and model.family is not Family.GEMINI:
        raise invalid_argument(path, "Media may not stand in a turn with role model.")
    if not decoded_size(blob.get("data", "")):
        raise invalid_argument(
            f"{path}.inline_data.data",
            "The data must be standard, padded base64 of at least one byte.",
            message="Provided data is not valid base64.",
        )


def _check_function(function: dict[str, Any], field: str, path: str, family: Family) -> None:
    if not FUNCTION_NAME.fullmatch(function.get("name", "")):
        raise invalid_function_name(f"{path}.{'function_call' if field == 'functionCall' else 'function_response'}")
    if field == "functionResponse" and "response" not in function:
        raise invalid_argument(f"{path}.function_response.response", "response is required.")
    if family is Family.GEMINI:
        if "id" in function:
            raise invalid_argument(f"{path}.id", "Gemini models take no id on function calls and responses.")
    elif not CALL_ID.fullmatch(function.get("id", "")):
        raise invalid_argument(
            f"{path}.id",
            "The id is required and consists of 1 to 64 letters, digits, underscores and hyphens.",
            message="messages: tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'",
        )


def invalid_function_name(path: str) -> ApiError:
    """Give the 400 for a function name Google would not have."""
    return invalid_argument(
        f"{path}.name",
        "The name must start with a letter or an underscore and consist of letters, digits, underscores, dots, "
        "colons and hyphens, 64 at most.",
        message=f"Invalid function name at '{path}'. Must start with a letter or an underscore.",
    )
