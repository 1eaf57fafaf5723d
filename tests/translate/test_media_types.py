"""Tests of the tables of mime types."""

from __future__ import annotations

import pytest

from antigravity_proxy.translate.media_types import (
    ALL_TYPES,
    AUDIO_FORMATS,
    AUDIO_TYPES,
    DOCUMENT_TYPES,
    EXTENSIONS,
    IMAGE_TYPES,
    PLAIN_TEXT,
    SYNONYMS,
    TEXT_EXTENSIONS,
    UNTOLD_TYPES,
    VIDEO_TYPES,
)


def test_kinds_of_media_do_not_overlap() -> None:
    """Each type is an image, a sound, a film or a document."""
    assert len(ALL_TYPES) == len(IMAGE_TYPES) + len(AUDIO_TYPES) + len(VIDEO_TYPES) + len(DOCUMENT_TYPES)
    assert PLAIN_TEXT in DOCUMENT_TYPES


@pytest.mark.parametrize("audio_format", AUDIO_FORMATS)
def test_audio_format_leads_to_a_sound(audio_format: str) -> None:
    """Every format of a client is a sound that models take."""
    assert AUDIO_FORMATS[audio_format] in AUDIO_TYPES


@pytest.mark.parametrize("extension", EXTENSIONS)
def test_extension_leads_to_a_known_type(extension: str) -> None:
    """Every end of a file name is a type that models take, save GIF, which is refused by its name."""
    assert EXTENSIONS[extension] in ALL_TYPES | {"image/gif"}


@pytest.mark.parametrize("extension", ["go", "rs", "c", "h", "hpp", "java", "sh", "sql", "yml", "diff", "tsx", "ts"])
def test_source_code_is_plain_text(extension: str) -> None:
    """Programs and settings are text, which upstream has no other names for."""
    assert EXTENSIONS[extension] == PLAIN_TEXT


def test_each_extension_stands_in_one_table() -> None:
    """No end of a file name is said to be text and something else."""
    assert len(set(TEXT_EXTENSIONS)) == len(TEXT_EXTENSIONS)
    assert {EXTENSIONS[extension] for extension in TEXT_EXTENSIONS} == {PLAIN_TEXT}


def test_untold_type_is_not_taken() -> None:
    """A type that says nothing is not one that models take, nor another name of one."""
    assert not UNTOLD_TYPES & (ALL_TYPES | set(SYNONYMS))


@pytest.mark.parametrize("synonym", SYNONYMS)
def test_synonym_leads_to_a_known_type(synonym: str) -> None:
    """Every other name of a type stands for one that models take, and is not such a one itself."""
    assert SYNONYMS[synonym] in ALL_TYPES
    assert synonym not in ALL_TYPES
