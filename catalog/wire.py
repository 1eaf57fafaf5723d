"""Models as they stand on the wire.

Source:
    https://platform.openai.com/docs/api-reference/models/list and SPEC.md, "Model list".
"""

from __future__ import annotations

from typing import Literal, TypedDict


class ModelRow(TypedDict):
    """One model; the fields after ``owned_by`` are read by harnesses."""

    id: str
    object: Literal["model"]
    created: int
    owned_by: str
    name: str
    context_length: int
    max_output_tokens: int
    input_modalities: list[str]
    output_modalities: list[str]
    reasoning_efforts: list[str]
    source: str
    quota_remaining: float | None
    quota_resets_at: str | None


class ModelList(TypedDict):
    """All models."""

    object: Literal["list"]
    data: list[ModelRow]
