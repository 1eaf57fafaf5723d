"""Tests of Goose."""

from __future__ import annotations

from antigravity_proxy.provision.goose import CONFIG

from .golden import WITH_KEY, check_golden


def test_files_become_what_is_shown() -> None:
    """Every file of Goose becomes what lies beside it, and back."""
    check_golden(CONFIG, "goose")


def test_key_is_read_from_a_variable() -> None:
    """A proxy with a key of its own makes Goose read it from a variable; the file never holds it."""
    text = CONFIG.provisioned("", WITH_KEY, add_models=False)
    assert '"requires_auth": true' in text
    assert "key-of-mine" not in text


def test_whole_file_goes() -> None:
    """The file is all ours, so nothing of it stays."""
    assert CONFIG.withdrawn(CONFIG.provisioned("", WITH_KEY, add_models=False), "", WITH_KEY) == ""
