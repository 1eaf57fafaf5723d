"""The four ways to ask with the openai package, behind one face: synchronous or asynchronous, whole or streamed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from openai.lib.streaming.chat import ChatCompletionStreamState
from pydantic import BaseModel

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Iterable

    from openai import AsyncOpenAI, OpenAI
    from openai.types.chat import ChatCompletion, ChatCompletionChunk, ParsedChatCompletion

Model = TypeVar("Model", bound=BaseModel)
WITH_USAGE: Any = {"stream_options": {"include_usage": True}}


class Caller(Protocol):
    """Asks for one answer."""

    async def ask(self, **request: Any) -> ChatCompletion:
        """The answer, put together by the openai package if it comes in chunks."""
        ...

    async def parse(self, wanted: type[Model], **request: Any) -> ParsedChatCompletion[Model]:
        """The answer in the form of a pydantic model."""
        ...


class Streamer(Caller, Protocol):
    """Asks for one answer in chunks."""

    def chunks(self, **request: Any) -> AsyncGenerator[ChatCompletionChunk, None]:
        """The chunks while they come; whoever leaves the loop closes the stream."""
        ...


@dataclass(frozen=True, slots=True)
class SyncWhole:
    """``create`` and ``parse``."""

    client: OpenAI

    async def ask(self, **request: Any) -> ChatCompletion:
        """The answer."""
        answer: ChatCompletion = self.client.chat.completions.create(**request)
        return answer

    async def parse(self, wanted: type[Model], **request: Any) -> ParsedChatCompletion[Model]:
        """The answer in the form of a pydantic model."""
        return self.client.chat.completions.parse(response_format=wanted, **request)


@dataclass(frozen=True, slots=True)
class AsyncWhole:
    """``create`` and ``parse``, awaited."""

    client: AsyncOpenAI

    async def ask(self, **request: Any) -> ChatCompletion:
        """The answer."""
        answer: ChatCompletion = await self.client.chat.completions.create(**request)
        return answer

    async def parse(self, wanted: type[Model], **request: Any) -> ParsedChatCompletion[Model]:
        """The answer in the form of a pydantic model."""
        return await self.client.chat.completions.parse(response_format=wanted, **request)


@dataclass(frozen=True, slots=True)
class SyncStream:
    """``create`` with ``stream``, and the ``stream`` helper."""

    client: OpenAI

    async def chunks(self, **request: Any) -> AsyncGenerator[ChatCompletionChunk, None]:
        """The chunks while they come."""
        with self.client.chat.completions.create(stream=True, **request) as stream:
            for chunk in stream:
                yield chunk

    async def ask(self, **request: Any) -> ChatCompletion:
        """The answer, put together."""
        return put_together([chunk async for chunk in self.chunks(**WITH_USAGE, **request)])

    async def parse(self, wanted: type[Model], **request: Any) -> ParsedChatCompletion[Model]:
        """The answer in the form of a pydantic model."""
        with self.client.chat.completions.stream(response_format=wanted, **request) as events:
            return events.get_final_completion()


@dataclass(frozen=True, slots=True)
class AsyncStream:
    """``create`` with ``stream``, and the ``stream`` helper, awaited."""

    client: AsyncOpenAI

    async def chunks(self, **request: Any) -> AsyncGenerator[ChatCompletionChunk, None]:
        """The chunks while they come."""
        async with await self.client.chat.completions.create(stream=True, **request) as stream:
            async for chunk in stream:
                yield chunk

    async def ask(self, **request: Any) -> ChatCompletion:
        """The answer, put together."""
        return put_together([chunk async for chunk in self.chunks(**WITH_USAGE, **request)])

    async def parse(self, wanted: type[Model], **request: Any) -> ParsedChatCompletion[Model]:
        """The answer in the form of a pydantic model."""
        async with self.client.chat.completions.stream(response_format=wanted, **request) as events:
            return await events.get_final_completion()


def put_together(chunks: Iterable[ChatCompletionChunk]) -> ChatCompletion:
    """The answer that chunks make, in the reading of the openai package."""
    state = ChatCompletionStreamState[None]()
    for chunk in chunks:
        state.handle_chunk(chunk)
    return state.get_final_completion()
