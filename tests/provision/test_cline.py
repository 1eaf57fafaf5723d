"""Tests of Cline."""

from __future__ import annotations

from antigravity_proxy.provision.cline import CONFIG

from .golden import WITH_KEY, check_golden


def test_files_become_what_is_shown() -> None:
    """Every file of Cline becomes what lies beside it, and back."""
    check_golden(CONFIG, "cline", route=WITH_KEY)
