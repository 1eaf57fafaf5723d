"""The real openai package against a real server: models and transcriptions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import openai
import pytest

if TYPE_CHECKING:
    from openai import AsyncOpenAI, OpenAI

NOTE: Any = ("note.ogg", b"OggS sound", "audio/ogg")

LIVE_MODEL = "gemini-3-flash"
"""A model of Google's alone: when it was found, the server knows what Google serves."""


def test_models_are_listed_and_found(client: OpenAI) -> None:
    """The list has Google's models with what harnesses read, and each is found by its id."""
    assert client.models.retrieve(LIVE_MODEL).id == LIVE_MODEL
    models = client.models.list().data
    assert len(models) == 9
    assert {model.owned_by for model in models} == {"antigravity"}
    assert [client.models.retrieve(model.id) for model in models] == models
    row = cast("Any", client.models.retrieve("gemini-3.1-pro"))
    assert (row.context_length, row.max_output_tokens) == (1_048_576, 65_535)
    assert row.reasoning_efforts == ["low", "high"]
    assert "audio" in row.input_modalities


async def test_models_are_listed_asynchronously(client: OpenAI, async_client: AsyncOpenAI) -> None:
    """The asynchronous client sees the same models."""
    assert (await async_client.models.retrieve(LIVE_MODEL)).id == LIVE_MODEL
    models = [model async for model in async_client.models.list()]
    assert models == client.models.list().data
    assert await async_client.models.retrieve(models[0].id) == models[0]


def test_transcription_gives_text(client: OpenAI) -> None:
    """A voice note is written down, as JSON and as plain text."""
    answer = client.audio.transcriptions.create(model="whisper-1", file=NOTE)
    assert "audio/ogg of 10 bytes" in answer.text
    plain = client.audio.transcriptions.create(model="whisper-1", file=NOTE, response_format="text")
    assert "audio/ogg of 10 bytes" in str(plain)


async def test_transcription_gives_text_asynchronously(async_client: AsyncOpenAI) -> None:
    """The asynchronous client gets its voice note written down too."""
    answer = await async_client.audio.transcriptions.create(model="whisper-1", file=NOTE)
    assert "audio/ogg of 10 bytes" in answer.text


def test_unknown_paths_are_json_404s(client: OpenAI) -> None:
    """Paths that harnesses probe are 404 in OpenAI's shape."""
    with pytest.raises(openai.NotFoundError):
        client.embeddings.create(model="x", input="y")
