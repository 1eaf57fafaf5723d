"""Tests of llm."""

from __future__ import annotations

import pytest

from antigravity_proxy.errors import ProvisionError
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


def test_key_of_somebody_else_stays() -> None:
    """Another key under our name is neither written over nor taken away."""
    text = '{"antigravity": "theirs"}'
    with pytest.raises(ProvisionError, match="antigravity has another key already"):
        KEYS.provisioned(text, WITH_KEY, add_models=False)
    assert KEYS.provisioned(text, ROUTE, add_models=False) == text
    assert KEYS.withdrawn(text, "", WITH_KEY) == text
    assert KEYS.withdrawn(text, "", ROUTE) == text
    assert KEYS.provisioned('{"antigravity": ""}', WITH_KEY, add_models=False) == '{"antigravity": "key-of-mine"}'
