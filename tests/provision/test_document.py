"""Tests of what all harnesses' files have in common."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from antigravity_proxy.errors import ProvisionError
from antigravity_proxy.provision import (
    aider,
    cline,
    continue_dev,
    dsh,
    goose,
    hermes,
    librechat,
    litellm,
    llm,
    opencode,
    pi,
    zed,
)
from antigravity_proxy.provision.document import Document, remembering

from .golden import ROUTE, WITH_KEY

if TYPE_CHECKING:
    from antigravity_proxy.provision.tree import Node

YAML_DOCUMENTS: list[Document] = [
    aider.CONNECTION, aider.BEHAVIOUR, continue_dev.CONFIG, dsh.PATCH, dsh.SETTINGS, dsh.CREDENTIALS, hermes.CONFIG,
    librechat.CONFIG, litellm.CONFIG, llm.MODELS,
]  # fmt: skip
JSON_DOCUMENTS: list[Document] = [
    aider.LIMITS, cline.CONFIG, goose.CONFIG, llm.KEYS, opencode.CONFIG, pi.CONFIG, zed.CONFIG,
]  # fmt: skip
BROKEN = [(document, "a: ]\n") for document in YAML_DOCUMENTS] + [
    (document, '{"a": 1,,}') for document in JSON_DOCUMENTS
]


@pytest.mark.parametrize(("document", "text"), BROKEN)
def test_broken_file_is_refused(document: Document, text: str) -> None:
    """A file that does not parse is refused with its place, for writing and for taking away."""
    with pytest.raises(ProvisionError, match=r"^line 1, column \d"):
        document.provisioned(text, WITH_KEY, add_models=False)
    with pytest.raises(ProvisionError, match=r"^line 1, column \d"):
        document.withdrawn(text, "", WITH_KEY)


@pytest.mark.parametrize("document", [*YAML_DOCUMENTS, *JSON_DOCUMENTS])
def test_nothing_is_taken_from_a_file_without_us(document: Document) -> None:
    """A file that has nothing of ours stays as it is when we are taken away."""
    text = document.fresh or ("{}" if document in JSON_DOCUMENTS else "# mine\n")
    if document is not goose.CONFIG:
        assert document.withdrawn(text, text, ROUTE) == text


@pytest.mark.parametrize("document", [*YAML_DOCUMENTS, *JSON_DOCUMENTS])
def test_all_are_documents(document: object) -> None:
    """Whatever its file is like, a document is asked in the same way."""
    assert isinstance(document, Document)


@pytest.mark.parametrize("document", [*YAML_DOCUMENTS, *JSON_DOCUMENTS])
def test_run_parses_each_text_once(document: Document) -> None:
    """However many models there are, a run reads a text before the change, after it, and on the way back."""
    syntax = document.syntax
    assert syntax is not None
    parsed: list[str] = []

    def parse(text: str) -> Node | None:
        parsed.append(text)
        return syntax.parse(text)

    counted = remembering(replace(document, syntax=replace(syntax, parse=parse)))
    written = counted.provisioned(document.fresh, WITH_KEY, add_models=False)
    assert counted.provisioned(written, WITH_KEY, add_models=True) == written
    moved = replace(WITH_KEY, base_url="http://127.0.0.1:51200/v1", key="rotated")
    again = counted.provisioned(written, moved, add_models=False)
    assert len(parsed) <= 3
    counted.withdrawn(again, document.fresh, moved)
    assert len(parsed) == len(set(parsed)) <= 6


def test_file_that_is_no_tree_is_not_remembered() -> None:
    """A file of variables has no tree to keep."""
    assert remembering(dsh.KEY) is dsh.KEY
