"""An answer that must be JSON, of families that give it through a tool: nothing but that JSON comes out.

Source:
    SPEC.md, "Options".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..errors import UpstreamGarbledError
from .events import Event, Finish, FinishReason, Text, ToolCall
from .json_text import is_object, parse_json
from .problems import notice_error

if TYPE_CHECKING:
    from .answer_tool import AnswerTool
    from .candidates import CandidateReader


class StructuredReader:
    """Reads one answer whose text is the arguments of a tool.

    The first usable call of the tool is the answer. Words beside it are dropped, as they would spoil the JSON; so
    words are held back until the end. They are the answer when no tool was called although one had to be, and they
    come out as they are beside calls of the client's own tools.

    Args:
        reader: reads the same answer without knowing the tool.
        tool: the tool.
    """

    def __init__(self, reader: CandidateReader, tool: AnswerTool) -> None:
        self._reader = reader
        self._tool = tool
        self._held: list[Text] = []
        self._has_calls = False
        self._answer: str | None = None
        self._unusable: tuple[str, UpstreamGarbledError] | None = None

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
        """
        return [out for one in self._reader.feed(event) for out in self._sift(one)]

    def finish(self) -> list[Event]:
        """What is left to say when the stream has ended.

        Raises:
            UpstreamGarbledError: the answer is not the JSON that was asked for, and it was not cut short.
            UpstreamRefusedError: it is Google's notice that the client is too old.
        """
        ending = self._reader.finish()
        if self._answer is not None:
            return [Text(self._answer), *ending]
        if self._has_calls:
            return [*self._held, *ending]
        is_whole = any(isinstance(event, Finish) and event.reason is FinishReason.STOP for event in ending)
        if self._unusable is not None:
            text, error = self._unusable
            if is_whole:
                raise error
            return [Text(text), *ending]
        if self._held and is_whole:
            said = "".join(text.text for text in self._held)
            if (notice := notice_error(said)) is not None:
                raise notice
            self._check(said)
        return [*self._held, *ending]

    def _sift(self, event: Event) -> list[Event]:
        if isinstance(event, Text):
            self._held.append(event)
            return []
        if isinstance(event, ToolCall) and event.name == self._tool.tool.name:
            if self._answer is None:
                self._take(self._tool.to_text(event.arguments))
            return []
        self._has_calls = self._has_calls or isinstance(event, ToolCall)
        return [event]

    def _take(self, text: str) -> None:
        try:
            self._check(text)
        except UpstreamGarbledError as error:
            self._unusable = (text, error)
        else:
            self._answer = text

    def _check(self, text: str) -> None:
        value = read_json(text)
        if not self._tool.gives_object:
            return
        if not is_object(value):
            raise _broken("did not answer with a JSON object, as response_format demands")
        if not self._tool.is_complete(value):
            raise _broken("left out a part of the answer that the schema requires")


def read_json(text: str) -> Any:
    """The value of a whole answer.

    Raises:
        UpstreamGarbledError: it is not JSON.
    """
    try:
        return parse_json(text)
    except ValueError as exc:
        raise _broken("did not answer in JSON, as response_format demands") from exc


def _broken(what: str) -> UpstreamGarbledError:
    return UpstreamGarbledError(f"The model {what}. Send the request again.")
