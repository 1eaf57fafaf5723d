"""One chat completion from start to end.

Source:
    SPEC.md, "One request".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..catalog.routing import read_effort, route_to
from ..translate.candidates import CandidateReader
from ..translate.chat.reply import to_completion
from ..translate.chat.request import ChatCall
from ..translate.chat.stream import ChatStream
from ..translate.chat.wire import to_chat_request
from ..translate.structured import StructuredReader
from ..translate.target import rules_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..catalog.catalog import Catalog
    from ..catalog.model import Route
    from ..translate.chat.wire import Completion
    from ..translate.cloud_wire import Request
    from ..translate.events import Event
    from .answer import Reader


class Chat:
    """One request of a client: what to generate, and how to write the answer.

    Args:
        body: the parsed body.
        catalog: the models there are.
        new_id: makes the random part of an id: at most 32 characters of ``[A-Za-z0-9]``.
        now_s: Unix time.

    Raises:
        ProxyError: the request cannot be served as it is.
    """

    def __init__(self, body: Any, catalog: Catalog, *, new_id: Callable[[], str], now_s: float) -> None:
        self._call = ChatCall(to_chat_request(body))
        self._model = catalog.find(self._call.model)
        self._new_id = new_id
        self._id = f"chatcmpl-{new_id()}"
        self._now_s = int(now_s)
        self.route = route_to(self._model.id, read_effort(self._call.effort, self._call.effort_param))

    @property
    def wants_stream(self) -> bool:
        """Whether the client wants a stream."""
        return self._call.wants_stream

    def to_request(self, route: Route, *, use_signatures: bool) -> Request:
        """The inner request for a route."""
        return self._call.to_request(route, use_signatures=use_signatures)

    def new_reader(self, route: Route) -> Reader:
        """A reader for one answer to it."""
        reader = CandidateReader(
            self._call.names.to_client, now_s=self._now_s, keeps_signatures=rules_of(route).is_signed
        )
        tool = self._call.answer_tool(route)
        return reader if tool is None else StructuredReader(reader, tool)

    def new_stream(self) -> ChatStream:
        """A writer for the answer as a stream."""
        return ChatStream(self._id, self._now_s, self._model.id, self._new_call_id, with_usage=self._call.wants_usage)

    def to_completion(self, events: list[Event]) -> Completion:
        """The answer as a whole."""
        return to_completion(events, self._id, self._now_s, self._model.id, self._new_call_id)

    def _new_call_id(self) -> str:
        return f"call_{self._new_id()}"
