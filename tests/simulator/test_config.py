"""Tests of the settings."""

from __future__ import annotations

import dataclasses

import pytest

from antigravity_proxy.simulator.config import SimulatorConfig


def test_config_is_frozen() -> None:
    """Settings cannot be changed behind a running simulator's back."""
    with pytest.raises(dataclasses.FrozenInstanceError):
        SimulatorConfig().port = 1  # type: ignore[misc]


def test_defaults_suit_people() -> None:
    """By default words come at a human pace on a free loopback port."""
    config = SimulatorConfig()
    assert (config.host, config.port) == ("127.0.0.1", 0)
    assert 0 < config.pace_s < 0.1
