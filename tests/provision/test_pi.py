"""Tests of pi."""

from __future__ import annotations

import json
from dataclasses import replace

from antigravity_proxy.catalog.builtin import MODELS
from antigravity_proxy.provision.pi import CONFIG
from antigravity_proxy.provision.route import Route

from .golden import check_golden


def test_files_become_what_is_shown() -> None:
    """Every file of pi becomes what lies beside it, and back."""
    check_golden(CONFIG, "pi")


def test_model_without_levels_does_not_reason() -> None:
    """A model that cannot think has no map of levels."""
    model = replace(MODELS[0], efforts=())
    text = CONFIG.provisioned("", Route("http://127.0.0.1:1/v1", (model,)), add_models=False)
    row = json.loads(text)["providers"]["antigravity"]["models"][0]
    assert row["reasoning"] is False
    assert "thinkingLevelMap" not in row
