"""An answer that must be JSON, of families that give it through a tool: nothing but that JSON comes out.

Source:
    SPEC.md, "Options".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..errors import UpstreamGarbledError
from .events import Event, Finish, FinishReason, Text, ToolCall
from .json_text import parse_json

if TYPE_CHECKING:
    from .answer_tool import AnswerTool
    from .candidates import CandidateReader


class StructuredReader:
    """Reads one answer whose text is the arguments of a tool.

    The first call of the tool is the answer. Words beside it are dropped, as they would spoil the JSON; so words are
    held back until the end. They are the answer when no tool was called although one had to be, and they come out as
    they are beside calls of the client's own tools.

    Args:
        reader: reads the same answer without knowing the tool.
        tool: the tool.
    """

    def __init__(self, reader: CandidateReader, tool: AnswerTool) -> None:
        self._reader = reader
        self._tool = tool
        self._held: list[Text] = []
        self._is_answered = False
        self._has_calls = False

    @property
    def is_finished(self) -> bool:
        """Whether upstream has said why the answer ends."""
        return self._reader.is_finished

    @property
    def has_gone_on(self) -> bool:
        """Whether content came after it had said so once."""
        return self._reader.has_gone_on

    def feed(self, event: Any) -> list[Event]:
        """Take one parsed event.

        Raises:
            ProxyError: as for CandidateReader.
            UpstreamGarbledError: the answer is no JSON.
        """
        return [out for one in self._reader.feed(event) for out in self._sift(one)]

    def finish(self) -> list[Event]:
        """What is left to say when the stream has ended.

        Raises:
            UpstreamGarbledError: the answer is no JSON, and it is not because it was cut short.
        """
        ending = self._reader.finish()
        if self._is_answered or not self._held:
            return ending
        is_whole = any(isinstance(event, Finish) and event.reason is FinishReason.STOP for event in ending)
        if is_whole and not self._has_calls:
            check_json("".join(text.text for text in self._held), is_object=self._tool.gives_object)
        return [*self._held, *ending]

    def _sift(self, event: Event) -> list[Event]:
        if isinstance(event, Text):
            self._held.append(event)
            return []
        if not isinstance(event, ToolCall):
            return [event]
        if event.name == self._tool.tool.name:
            return self._answer(event)
        self._has_calls = True
        return [event]

    def _answer(self, call: ToolCall) -> list[Event]:
        if self._is_answered:
            return []
        text = self._tool.to_text(call.arguments)
        check_json(text, is_object=self._tool.gives_object)
        if not self._tool.is_complete(call.arguments):
            raise _broken("left out a part of the answer that the schema requires")
        self._is_answered = True
        return [Text(text)]


def check_json(text: str, *, is_object: bool) -> None:
    """Make sure that a whole answer is JSON.

    Args:
        text: the answer.
        is_object: whether it must be an object.

    Raises:
        UpstreamGarbledError: it is not.
    """
    try:
        value = parse_json(text)
    except ValueError as exc:
        raise _broken("did not answer in JSON, as response_format demands") from exc
    if is_object and not isinstance(value, dict):
        raise _broken("did not answer with a JSON object, as response_format demands")


def _broken(what: str) -> UpstreamGarbledError:
    return UpstreamGarbledError(f"The model {what}. Send the request again.")
