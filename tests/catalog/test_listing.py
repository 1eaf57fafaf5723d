"""Tests of models as clients list them."""

from __future__ import annotations

import orjson

from antigravity_proxy.catalog.builtin import MODELS
from antigravity_proxy.catalog.listing import Left, to_listing, to_row


def test_row_has_fields_of_openai_and_of_harnesses() -> None:
    """A row is an OpenAI model, with the sizes, inputs and efforts harnesses read."""
    assert to_row(MODELS[0], "built-in", Left(0.5, "2026-09-08T00:00:00Z")) == {
        "id": "gemini-3.8-flash",
        "object": "model",
        "created": 0,
        "owned_by": "antigravity",
        "name": "Gemini 3.8 Flash",
        "context_length": 1_048_576,
        "max_output_tokens": 65_536,
        "input_modalities": ["text", "image", "audio", "video", "pdf"],
        "output_modalities": ["text"],
        "reasoning_efforts": ["low", "medium", "high"],
        "source": "built-in",
        "quota_remaining": 0.5,
        "quota_resets_at": "2026-09-08T00:00:00Z",
    }


def test_row_does_not_say_max_tokens() -> None:
    """Some harnesses would take it for the size of the context."""
    assert all("max_tokens" not in to_row(model, "x", Left()) for model in MODELS)


def test_listing_holds_all_models() -> None:
    """The list is in the order of the catalogue and can be encoded."""
    listing = to_listing(MODELS, "a***@example.com")
    assert listing == {"object": "list", "data": [to_row(model, "a***@example.com", Left()) for model in MODELS]}
    rows = orjson.loads(orjson.dumps(listing))["data"]
    assert [row["id"] for row in rows] == [
        "gemini-3.8-flash",
        "gemini-3.7-flash",
        "gemini-3.6-flash",
        "gemini-3.5-flash",
        "gemini-3.1-pro",
        "claude-sonnet-4-6",
        "claude-opus-4-6",
        "gpt-oss-120b",
    ]
    assert {row["owned_by"] for row in rows} == {"antigravity"}
    assert rows[-1]["reasoning_efforts"] == ["medium"]
