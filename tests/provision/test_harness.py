"""Tests of what a harness is."""

from __future__ import annotations

from pathlib import Path

from antigravity_proxy.provision.harness import Harness, no_targets, nowhere
from antigravity_proxy.provision.places import Places


def test_program_without_files_is_nowhere() -> None:
    """A program that has only something to print has no files, and is not found."""
    places = Places(Path("/u"), {}, Path("/c"))
    harness = Harness("x", "X", lambda _: "Go on.")
    assert harness.targets is no_targets
    assert harness.targets(places) == ()
    assert not nowhere(places)
