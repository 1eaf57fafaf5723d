"""Tests of the mime types in Google's catalogue."""

from __future__ import annotations

from typing import Any

import pytest

from antigravity_proxy.catalog.media import inputs_of, read_media_types


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("image/png", "image/png"),
        ("audio/webm;codecs=opus", "audio/webm"),
        ("video/audio/wav", "audio/wav"),
        ("video/audio/s16le", "audio/pcm"),
        (" Audio/MP3 ; rate=1", "audio/mpeg"),
        ("text/rtf", "application/rtf"),
        ("new", "new"),
    ],
)
def test_names_are_those_that_are_sent(name: str, expected: str) -> None:
    """Parameters and Google's odd prefixes are left out, and synonyms replaced."""
    assert read_media_types({name: True}) == frozenset({expected})


@pytest.mark.parametrize("value", [None, [], "image/png", {}, {"image/png": False, "audio/wav": 1}])
def test_nothing_named_is_unknown(value: Any) -> None:
    """A row that names no type says nothing of what the model takes."""
    assert read_media_types(value) is None


def test_inputs_are_in_order() -> None:
    """The kinds a model takes come in one order, and text always."""
    types = ["application/pdf", "video/mp4", "audio/wav", "image/png"]
    assert inputs_of(types) == ("text", "image", "audio", "video", "pdf")
    assert inputs_of(["text/plain", "application/json"]) == inputs_of([]) == ("text",)
