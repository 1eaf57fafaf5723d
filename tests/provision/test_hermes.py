"""Tests of Hermes."""

from __future__ import annotations

from antigravity_proxy.provision.hermes import CONFIG

from .golden import check_golden


def test_files_become_what_is_shown() -> None:
    """Every file of Hermes becomes what lies beside it, and back."""
    check_golden(CONFIG, "hermes")
