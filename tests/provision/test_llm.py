"""Tests of llm."""

from __future__ import annotations

import pytest

from antigravity_proxy.provision.llm import KEYS, MODELS

from .golden import ROUTE, WITH_KEY, check_golden


def test_files_become_what_is_shown() -> None:
    """Every file of llm becomes what lies beside it, and back."""
    check_golden(KEYS, "llm-keys", route=WITH_KEY)


def test_models_become_what_is_shown() -> None:
    """The list of models becomes what lies beside it, and back."""
    check_golden(MODELS, "llm")


def test_key_is_named_only_where_there_is_one() -> None:
    """A proxy with a key has its models name it; without one nothing is written about keys."""
    assert "api_key_name: antigravity" in MODELS.provisioned("", WITH_KEY, add_models=False)
    assert KEYS.provisioned("", ROUTE, add_models=False) == ""


@pytest.mark.parametrize("old", ["rotated", ""])
def test_old_key_is_replaced(old: str) -> None:
    """The key under our name follows the proxy's, and goes with us whatever it is; those of others stay."""
    text = f'{{"openai": "theirs", "antigravity": "{old}"}}'
    after = '{"openai": "theirs", "antigravity": "key-of-mine"}'
    assert KEYS.provisioned(text, WITH_KEY, add_models=False) == after
    assert KEYS.provisioned(text, ROUTE, add_models=False) == text
    for route in (ROUTE, WITH_KEY):
        assert KEYS.withdrawn(text, "", route) == '{"openai": "theirs"}'
