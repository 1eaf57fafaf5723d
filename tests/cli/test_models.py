"""Tests of ``antigravity-proxy models``."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from antigravity_proxy.catalog.catalog import Catalog
from antigravity_proxy.catalog.listing import to_listing

if TYPE_CHECKING:
    from pathlib import Path

    from .conftest import Command


def test_models_are_a_table(command: Command, home: Path) -> None:
    """Each model is one line with its id, sizes, what it takes and its efforts."""
    result = command("models")
    assert result.exit_code == 0
    heading, *lines = result.stdout.splitlines()
    assert heading.split() == ["Model", "Context", "Output", "Takes", "Efforts"]
    assert [line.split()[0] for line in lines] == [model.id for model in Catalog().models]
    assert lines[0].split("  ")[-1].strip() == "low, medium, high"
    assert "1,048,576" in lines[0]
    assert "text, image, audio, video, pdf" in lines[0]
    assert not home.exists()


def test_models_are_json(command: Command) -> None:
    """With ``--json`` the list is that of the server."""
    result = command("models", "--json")
    assert result.exit_code == 0
    assert json.loads(result.stdout) == to_listing(Catalog().models)
