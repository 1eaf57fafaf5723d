"""Tests of models as clients list them."""

from __future__ import annotations

from dataclasses import replace

import orjson
import pytest

from antigravity_proxy.catalog.builtin import MODELS
from antigravity_proxy.catalog.listing import Left, read_listing, to_listing, to_row
from antigravity_proxy.catalog.model import Effort, Family, Model


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


def test_listing_is_read_back() -> None:
    """What one server lists, another command reads as the same models."""
    known = (MODELS[0], MODELS[5], MODELS[7])
    models, source = read_listing(orjson.loads(orjson.dumps(to_listing(known, "a***@example.com"))))
    assert (models, source) == (known, "a***@example.com")


def test_live_row_beats_the_table() -> None:
    """A model of the table is as Google serves it, and one that is not there has the name and sizes of its row."""
    narrow = {
        "id": "claude-opus-4-6",
        "context_length": 200_000,
        "input_modalities": ["text"],
        "reasoning_efforts": [],
    }
    new = {
        "id": "gemini-9-pro",
        "name": "Gemini 9 Pro",
        "context_length": 2_000_000,
        "max_output_tokens": 70_000,
        "input_modalities": ["image", "text", "smell"],
        "reasoning_efforts": ["high", "low", "immense"],
    }
    models, source = read_listing({"data": [narrow, new]})
    assert source == ""
    assert models == (
        replace(MODELS[6], context_tokens=200_000, inputs=("text",), efforts=()),
        Model(
            "gemini-9-pro",
            "Gemini 9 Pro",
            Family.GEMINI,
            2_000_000,
            70_000,
            ("text", "image"),
            (Effort.LOW, Effort.HIGH),
        ),
    )


def test_row_that_says_nothing_is_taken_for_the_least() -> None:
    """Without facts, or with odd ones, a known model is as in the table, and an unknown one takes text alone."""
    odd = {
        "name": "a\nb",
        "context_length": True,
        "max_output_tokens": -1,
        "input_modalities": "text",
        "reasoning_efforts": None,
        "source": 7,
    }
    for row in ({}, odd):
        models, source = read_listing({"data": [{**row, "id": "gpt-oss-120b"}, {**row, "id": "claude-9"}]})
        assert source == ""
        assert models == (
            MODELS[7],
            Model("claude-9", "claude-9", Family.CLAUDE, 128_000, 8_192, ("text",), ()),
        )


def test_models_of_one_name_are_told_apart() -> None:
    """The second model of a name is called by its id; the second row of an id does not count."""
    rows = [{"id": name, "name": "Gemini 9"} for name in ("gemini-9-a", "gemini-9-b", "gemini-9-a")]
    models, _ = read_listing({"data": rows})
    assert [(model.id, model.name) for model in models] == [("gemini-9-a", "Gemini 9"), ("gemini-9-b", "gemini-9-b")]


@pytest.mark.parametrize(
    "document",
    [
        None,
        [],
        {"data": {}},
        {"data": [5, [], {}, {"id": 5}, {"id": ""}, {"id": "a b"}, {"id": "x\n"}, {"id": "x" * 101}]},
    ],
)
def test_list_of_something_else_has_no_models(document: object) -> None:
    """Whatever another server lists, and ids that cannot be sent, are no models."""
    assert read_listing(document) == ((), "")
