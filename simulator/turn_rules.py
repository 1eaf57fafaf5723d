"""In which order turns may follow each other, and how tool results answer tool calls.

Source: SPEC.md, "Upstream protocol".
"""

from __future__ import annotations

from typing import Any

from .google_reply import ApiError, invalid_argument
from .models import Family

ROLES = frozenset({"user", "model"})

TRAILING_MODEL_TEXTS = {
    Family.GEMINI: "Requests ending with a model turn are not supported.",
    Family.CLAUDE: "This model does not support prefilled answers. The conversation must end with a user message.",
    Family.GPT_OSS: "The conversation must end with a user message.",
}
CALL_ORDER_TEXT = (
    "Please ensure that function call turn comes immediately after a user turn or after a function response turn."
)
CALL_COUNT_TEXT = (
    "Please ensure that the number of function response parts is equal to the number of function call parts of "
    "the function call turn."
)
RESPONSE_ORDER_TEXT = "Please ensure that function response turn comes immediately after a function call turn."
UNANSWERED_TEXT = (
    "messages: `tool_use` ids were found without `tool_result` blocks immediately after: {}. Each `tool_use` "
    "block must have a corresponding `tool_result` block in the next message."
)
REPEATED_ID_TEXT = "messages: `tool_use` ids must be unique"


def check_turns(contents: list[dict[str, Any]], family: Family) -> None:
    """Check roles and order of a conversation whose fields are known.

    Raises:
        ApiError: 400 for the first turn that may not stand where it does.
    """
    if not contents:
        raise invalid_argument(
            "request.contents", "contents is empty.", message="at least one contents field is required"
        )
    for index, content in enumerate(contents):
        _check_turn(content, f"request.contents[{index}]")
    _check_alternation(contents)
    if contents[-1]["role"] == "model":
        raise invalid_argument(
            f"request.contents[{len(contents) - 1}]",
            "The last turn must have the role user.",
            message=TRAILING_MODEL_TEXTS[family],
        )


def check_tool_results(contents: list[dict[str, Any]], family: Family) -> None:
    """Check that every call is answered in the turn after it: same number, order, names, and ids if there are any.

    Raises:
        ApiError: 400 when a call and its answer do not match, or an id occurs twice.
    """
    seen_ids: set[str] = set()
    calls: list[dict[str, Any]] = []
    for index, content in enumerate(contents):
        path = f"request.contents[{index}]"
        if content["role"] == "user":
            _check_answers(calls, content["parts"], path, family)
            continue
        calls = [part["functionCall"] for part in content["parts"] if "functionCall" in part]
        for call_id in [call["id"] for call in calls if "id" in call]:
            if call_id in seen_ids:
                raise invalid_argument(path, f"The id {call_id} occurs twice.", message=REPEATED_ID_TEXT)
            seen_ids.add(call_id)


def _check_turn(content: dict[str, Any], path: str) -> None:
    if content.get("role") not in ROLES:
        raise invalid_argument(
            f"{path}.role",
            "The role must be user or model.",
            message="Please use a valid role: user, model.",
        )
    if not content.get("parts"):
        raise invalid_argument(
            f"{path}.parts",
            "The turn has no parts.",
            message="Unable to submit request because it must include at least one parts field.",
        )


def _check_alternation(contents: list[dict[str, Any]]) -> None:
    before = "model"
    for index, content in enumerate(contents):
        if content["role"] == before:
            has_call = any("functionCall" in part for part in content["parts"])
            raise invalid_argument(
                f"request.contents[{index}]",
                f"A {before} turn may not follow a {before} turn."
                if index
                else "The first turn must have the role user.",
                message=CALL_ORDER_TEXT
                if has_call
                else "Please ensure that multiturn requests alternate between user and model, starting with user.",
            )
        before = content["role"]


def _check_answers(calls: list[dict[str, Any]], parts: list[dict[str, Any]], path: str, family: Family) -> None:
    answers = [part["functionResponse"] for part in parts if "functionResponse" in part]
    if len(answers) != len(calls):
        raise _wrong_count(calls, answers, path, family)
    if not all("functionResponse" in part for part in parts[: len(answers)]):
        raise invalid_argument(path, "Function responses must come first in their turn, one after the other.")
    for index, (call, answer) in enumerate(zip(calls, answers, strict=True)):
        for name in ("name", "id"):
            if call.get(name) != answer.get(name):
                raise invalid_argument(
                    f"{path}.parts[{index}].function_response.{name}",
                    f"Call number {index + 1} has the {name} {call.get(name)}, its response {answer.get(name)}.",
                )


def _wrong_count(calls: list[dict[str, Any]], answers: list[dict[str, Any]], path: str, family: Family) -> ApiError:
    if not calls:
        message = RESPONSE_ORDER_TEXT
    elif family is Family.CLAUDE:
        message = UNANSWERED_TEXT.format(", ".join(call["id"] for call in calls[len(answers) :]))
    else:
        message = CALL_COUNT_TEXT
    return invalid_argument(
        path, f"{len(calls)} function calls need as many responses, not {len(answers)}.", message=message
    )
