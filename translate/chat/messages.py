"""Messages of a chat to turns.

Source:
    https://platform.openai.com/docs/api-reference/chat/create#chat-create-messages and SPEC.md, "Messages".
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ...errors import RequestError
from ..events import Media, Text, Thought, ToolCall, ToolResult, Turn
from ..json_text import MAX_JSON_DEPTH, as_list, as_object, is_deeper_than, is_list, is_object, parse_json
from ..signatures import standard_signature
from ..target import rules_of
from .parts import read_answer, read_content, read_result

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ..events import Part
    from ..target import Target

INSTRUCTION_ROLES = ("system", "developer")
INSTRUCTION_SEPARATOR = "\n\n"

DETAIL_TEXTS = {"reasoning.text": "text", "reasoning.summary": "summary"}
"""Type of an entry of ``reasoning_details`` → where it holds words."""


THOUGHT_KEYS = ("reasoning_content", "reasoning", "reasoning_details")
"""Where a message holds thoughts."""


@dataclass(frozen=True, slots=True)
class Conversation:
    """What a client sent, before repair.

    Attributes:
        instructions: all system and developer messages in one text; empty when there are none.
        turns: one per message that is not an instruction.
    """

    instructions: str
    turns: tuple[Turn, ...]


def unsigned_call_ids(messages: Sequence[dict[str, Any]]) -> list[str]:
    """The ids of all calls of a conversation that come without their thought signatures."""
    calls = [call for message in messages for call in map(as_object, as_list(message.get("tool_calls")))]
    return [call["id"] for call in calls if isinstance(call.get("id"), str) and _signature_in(call) is None]


def to_conversation(messages: Sequence[dict[str, Any]], target: Target) -> Conversation:
    """Read the messages of a request.

    Raises:
        RequestError: a message or one of its parts cannot be sent; names it.
    """
    instructions: list[str] = []
    turns: list[Turn] = []
    for index, message in enumerate(messages):
        param = f"messages[{index}]"
        role = message.get("role")
        if role in INSTRUCTION_ROLES:
            if (text := _words(message, target, param)).strip():
                instructions.append(text)
            continue
        read = _READERS.get(role) if isinstance(role, str) else None
        if read is None:
            raise RequestError(
                f"{param}.role is {str(role)[:40]!r}; known roles are system, developer, user, assistant and tool.",
                param=f"{param}.role",
            )
        turns.append(read(message, target, param))
    return Conversation(INSTRUCTION_SEPARATOR.join(instructions), tuple(turns))


def _words(message: dict[str, Any], target: Target, param: str) -> str:
    parts = read_content(message.get("content"), target, f"{param}.content")
    if any(isinstance(part, Media) for part in parts):
        raise RequestError(f"{param} is an instruction with media in it. Put media into a user message.", param=param)
    return "\n".join(part.text for part in parts if isinstance(part, Text) and part.text)


def _user_turn(message: dict[str, Any], target: Target, param: str) -> Turn:
    return Turn("user", tuple(read_content(message.get("content"), target, f"{param}.content")))


def _assistant_turn(message: dict[str, Any], target: Target, param: str) -> Turn:
    parts: list[Part] = list(read_answer(message.get("content"), target, f"{param}.content"))
    if isinstance(message.get("refusal"), str):
        parts.append(Text(message["refusal"]))
    is_signed = rules_of(target).is_signed
    if rules_of(target).takes_thoughts and (thoughts := to_thoughts(message)):
        parts.insert(0, Thought(thoughts))
    if is_signed:
        _sign_last_text(parts, _signature_in(message))
    if is_list(calls := message.get("tool_calls")) or (calls := message.get("function_call")) is not None:
        entries = calls if is_list(calls) else [{"function": calls}]
        calls_made = (_to_call(entry, is_signed=is_signed) for entry in entries)
        parts.extend(call for call in calls_made if call is not None)
    return Turn("model", tuple(parts))


def to_thoughts(message: dict[str, Any]) -> str:
    """The thoughts a client sends back with a message; empty when there are none.

    Of ``reasoning_content``, ``reasoning`` and ``reasoning_details`` the first that has words counts: clients say the
    same thing twice. Details that are encrypted have none.
    """
    if message.keys().isdisjoint(THOUGHT_KEYS):
        return ""
    details = (as_object(detail) for detail in as_list(message.get("reasoning_details")))
    words = (detail.get(DETAIL_TEXTS.get(str(detail.get("type")), "")) for detail in details)
    told = (message.get("reasoning_content"), message.get("reasoning"))
    joined = "".join(text for text in words if isinstance(text, str))
    return next((text for text in (*told, joined) if isinstance(text, str) and text.strip()), "")


def _sign_last_text(parts: list[Part], signature: str | None) -> None:
    if signature is None:
        return
    for index in range(len(parts) - 1, -1, -1):
        if isinstance(part := parts[index], Text):
            parts[index] = Text(part.text, signature)
            return


def _to_call(call: Any, *, is_signed: bool) -> ToolCall | None:
    """The call, or None for one without a name, which was none: an error would end the conversation for good."""
    if not is_object(call):
        return None
    function = call.get("function")
    custom = call.get("custom")
    if is_object(custom):
        function = {"name": custom.get("name"), "arguments": {"input": custom.get("input")}}
    if not is_object(function):
        return None
    name = function.get("name")
    if not isinstance(name, str) or not name:
        return None
    call_id = call.get("id")
    return ToolCall(
        id=call_id if isinstance(call_id, str) and call_id else None,
        name=name,
        arguments=to_arguments(function.get("arguments")),
        signature=_signature_in(call) if is_signed else None,
    )


def to_arguments(value: Any) -> dict[str, Any]:
    """The arguments of a replayed call as an object.

    Blank text means none; JSON that is not an object means none; text that is not JSON, or too deep to be sent, is
    kept under ``_raw``, so that the model sees what it wrote.
    """
    if not isinstance(value, str) or not value.strip():
        return as_object(value)
    try:
        parsed = parse_json(value)
    except ValueError:
        return {"_raw": value}
    # Each level has a bracket, and most arguments have so few that they need no second look.
    may_be_deep = value.count("{") + value.count("[") > MAX_JSON_DEPTH
    return {"_raw": value} if may_be_deep and is_deeper_than(parsed, MAX_JSON_DEPTH) else as_object(parsed)


def _signature_in(holder: dict[str, Any]) -> str | None:
    if "extra_content" not in holder:
        return None
    google = as_object(as_object(holder.get("extra_content")).get("google"))
    return standard_signature(google.get("thought_signature"))


def _result_turn(message: dict[str, Any], target: Target, param: str) -> Turn:
    call_id = message.get("tool_call_id")
    name = message.get("name")
    parts = read_result(message.get("content"), target, f"{param}.content")
    result = ToolResult(
        call_id=call_id if isinstance(call_id, str) and call_id else None,
        name=name if isinstance(name, str) and name else None,
        output="\n".join(part.text for part in parts if isinstance(part, Text)),
        media=tuple(part for part in parts if isinstance(part, Media)),
    )
    return Turn("user", (result,))


_READERS: dict[str, Callable[[dict[str, Any], Target, str], Turn]] = {
    "user": _user_turn,
    "assistant": _assistant_turn,
    "tool": _result_turn,
    "function": _result_turn,
}
