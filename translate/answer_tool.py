"""A tool whose arguments are the answer, for families that cannot bind their text to a schema.

Source:
    SPEC.md, "Options".
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain, count
from typing import TYPE_CHECKING, Any

from .json_text import as_list, as_object, to_json
from .refs import inline_answer_refs
from .tools import Tool

if TYPE_CHECKING:
    from collections.abc import Iterable

NAME = "final_answer"
DESCRIPTION = "Give the final answer to the user. Call this exactly once, with the whole answer."
TEXT_KEY = "json"
TEXT_DESCRIPTION = "The whole answer: the text of one JSON object."
VALUE_KEY = "value"


@dataclass(frozen=True, slots=True)
class AnswerTool:
    """The tool, and where in its arguments the answer stands.

    Attributes:
        tool: what is declared.
        key: the argument that holds the answer; None when all arguments together are it.
        is_text: whether that argument is the answer's text already.
    """

    tool: Tool
    key: str | None = None
    is_text: bool = False

    @property
    def gives_object(self) -> bool:
        """Whether the answer is a JSON object."""
        return self.key is None or self.is_text

    def is_complete(self, answer: dict[str, Any]) -> bool:
        """Whether an answer that is an object has all properties that were asked for as required."""
        if self.key is not None:
            return True
        parameters = as_object(self.tool.parameters)
        required = (name for name in as_list(parameters.get("required")) if isinstance(name, str))
        # Names that are no properties are not sent as required, so nobody can be blamed for them.
        properties = _properties_to_give(parameters)
        return all(name in answer for name in required if name in properties)

    def to_text(self, arguments: dict[str, Any]) -> str:
        """The answer in the arguments of a call, as text.

        Raises:
            ValueError: it is nested too deep to be written.
        """
        if self.key is None or self.key not in arguments:
            return to_json(arguments)
        answer = arguments[self.key]
        return answer if self.is_text and isinstance(answer, str) else to_json(answer)


def to_answer_tool(schema: dict[str, Any] | None, taken: Iterable[str]) -> AnswerTool:
    """The tool for a schema, or for any JSON object.

    Arguments are always an object, so a schema of another kind is put under a key; and an object whose keys are not
    told is asked for as text, as a model fills in only what is declared.

    Args:
        schema: what the answer must follow; None for any object.
        taken: names of the client's own tools.
    """
    used = frozenset(taken)
    names = chain((NAME,), (f"{NAME}_{number}" for number in count(2)))
    name = next(name for name in names if name not in used)
    written_out = inline_answer_refs(schema or {}, is_bound=False)
    if not _is_object_schema(written_out):
        return AnswerTool(Tool(name, DESCRIPTION, _one_property(VALUE_KEY, written_out)), VALUE_KEY)
    if _properties_to_give(written_out):
        return AnswerTool(Tool(name, DESCRIPTION, written_out))
    description = f"{TEXT_DESCRIPTION} It follows this JSON Schema: {to_json(schema)}" if schema else TEXT_DESCRIPTION
    text = {"type": "string", "description": description}
    return AnswerTool(Tool(name, DESCRIPTION, _one_property(TEXT_KEY, text)), TEXT_KEY, is_text=True)


def _properties_to_give(schema: dict[str, Any]) -> set[str]:
    """The properties that may have a value at all."""
    return {name for name, value in as_object(schema.get("properties")).items() if value is not False}


def _is_object_schema(schema: dict[str, Any]) -> bool:
    is_object_type = str(schema.get("type", "object")).lower() == "object"
    return is_object_type and not {"anyOf", "oneOf", "allOf", "enum", "const"} & schema.keys()


def _one_property(key: str, schema: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": {key: schema}, "required": [key]}
