"""Tests of LibreChat."""

from __future__ import annotations

from antigravity_proxy.provision.librechat import CONFIG

from .golden import check_golden


def test_files_become_what_is_shown() -> None:
    """Every file of LibreChat becomes what lies beside it, and back."""
    check_golden(CONFIG, "librechat")
