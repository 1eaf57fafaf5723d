"""One chat completion from start to end.

Source:
    SPEC.md, "One request".
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..catalog.routing import read_effort, route_model
from ..translate.candidates import CandidateReader
from ..translate.chat.reply import to_completion
from ..translate.chat.stream import ChatStream
from ..translate.contents import signatures_in
from ..translate.signatures import NOTHING_KNOWN
from ..translate.structured import StructuredReader
from ..translate.target import rules_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..catalog.catalog import Catalog
    from ..catalog.model import Route
    from ..translate.chat.request import ChatCall
    from ..translate.chat.wire import Completion
    from ..translate.cloud_wire import Request
    from ..translate.events import Event, ToolCall
    from .answer import Reader
    from .large_work import LargeWork
    from .signature_memory import SignatureMemory


class Chat:
    """One request of a client: what to generate, and how to write the answer.

    Args:
        call: the request, as it was read.
        catalog: the models there are.
        memory: remembers the thought signatures of answers.
        large_work: translates it, when it is large.
        size: how much work its body is.
        new_id: makes the random part of an id: at most 32 characters of ``[A-Za-z0-9]``.
        now_s: Unix time.

    Raises:
        ProxyError: the request cannot be served as it is.
    """

    def __init__(
        self,
        call: ChatCall,
        catalog: Catalog,
        memory: SignatureMemory,
        large_work: LargeWork,
        *,
        size: int,
        new_id: Callable[[], str],
        now_s: float,
    ) -> None:
        self._call = call
        self._model = catalog.find(self._call.model)
        self._memory = memory
        self._large_work = large_work
        self._size = size
        self._signatures = NOTHING_KNOWN
        self._new_id = new_id
        self._id = f"chatcmpl-{new_id()}"
        self._now_s = int(now_s)
        self._family = self._model.family
        self.route = route_model(self._model, read_effort(self._call.effort, self._call.effort_param))

    @property
    def wants_stream(self) -> bool:
        """Whether the client wants a stream."""
        return self._call.wants_stream

    async def recall_signatures(self) -> None:
        """Look up the thought signatures of calls that the client sent back without them."""
        if rules_of(self.route).is_signed:
            call_ids = await self._large_work.run(self._call.unsigned_call_ids, self._size)
            self._signatures = await self._memory.recall(call_ids)

    async def to_request(self, route: Route) -> Request:
        """The inner request for a route."""
        return await self._large_work.run(lambda: self._call.to_request(route, self._signatures), self._size)

    async def refuse_signatures(self, route: Route) -> None:
        """Not send the signatures of the request again, in this conversation or a later one."""
        request = await self.to_request(route)
        self._memory.refuse(signatures_in(request["contents"]))

    def new_reader(self, route: Route) -> Reader:
        """A reader for one answer to it."""
        self._family = route.family
        reader = CandidateReader(
            self._call.names.to_client, now_s=self._now_s, keeps_signatures=rules_of(route).is_signed
        )
        tool = self._call.answer_tool(route)
        return reader if tool is None else StructuredReader(reader, tool)

    def new_stream(self) -> ChatStream:
        """A writer for the answer as a stream."""
        return ChatStream(self._id, self._now_s, self._model.id, self._id_of, with_usage=self._call.wants_usage)

    def to_completion(self, events: list[Event]) -> Completion:
        """The answer as a whole."""
        return to_completion(events, self._id, self._now_s, self._model.id, self._id_of)

    def _id_of(self, call: ToolCall) -> str:
        call_id = f"call_{self._new_id()}"
        if call.signature is not None:
            self._memory.remember(call_id, self._family, call.signature)
        return call_id
