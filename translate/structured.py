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
    held back until it is clear what they are. They are the answer when the tool was not called although it had to be,
    and they come out as they are beside calls of the client's own tools.

    Args:
        reader: reads the same answer without knowing the tool.
        tool: the tool.
    """

    def __init__(self, reader: CandidateReader, tool: AnswerTool) -> None:
        self._reader = reader
        self._tool = tool
        self._held: list[Event] = []
        self._is_answered = False
        self._has_calls = False

    @property
    def is_finished(self) -> bool:
        """Whether upstream has said why the answer ends."""
        return self._reader.is_finished

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
        if any(isinstance(event, Finish) and event.reason is FinishReason.STOP for event in ending):
            text = "".join(event.text for event in self._held if isinstance(event, Text))
            if text:
                check_json(text)
        return [*self._release(), *ending]

    def _sift(self, event: Event) -> list[Event]:
        if isinstance(event, ToolCall) and event.name == self._tool.tool.name:
            return self._answer(event)
        if isinstance(event, ToolCall):
            self._has_calls = True
            return [*self._release(), event]
        if not isinstance(event, Text) or self._has_calls:
            return [event]
        if not self._is_answered:
            self._held.append(event)
        return []

    def _answer(self, call: ToolCall) -> list[Event]:
        if self._is_answered:
            return []
        text = self._tool.to_text(call.arguments)
        check_json(text)
        self._is_answered = True
        self._held.clear()
        return [Text(text)]

    def _release(self) -> list[Event]:
        released, self._held = self._held, []
        return released


def check_json(text: str) -> None:
    """Make sure that a whole answer is JSON.

    Raises:
        UpstreamGarbledError: it is not.
    """
    try:
        parse_json(text)
    except ValueError as exc:
        raise UpstreamGarbledError(
            "The model did not answer in JSON, as response_format demands. Send the request again."
        ) from exc
