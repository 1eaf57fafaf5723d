"""Tests of OpenCode."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from antigravity_proxy.catalog.builtin import MODELS
from antigravity_proxy.errors import ProvisionError
from antigravity_proxy.provision.opencode import CONFIG
from antigravity_proxy.provision.route import Route

from .golden import ROUTE, check_golden


def test_files_become_what_is_shown() -> None:
    """Every file of OpenCode becomes what lies beside it, and back."""
    check_golden(CONFIG, "opencode")


@pytest.mark.parametrize(
    ("entry", "reason"),
    [
        ('{"options": {"baseURL": "https://u:secret@api.example.com/v1"}}', "leads to api.example.com, not"),
        ('{"npm": "opencode-antigravity", "models": {"x": {}}}', "has another npm"),
        ('{"options": {"apiKey": "theirs"}}', "has a key and no URL"),
        ('["x"]', "holds something else"),
    ],
    ids=["elsewhere", "package", "key", "list"],
)
def test_entry_of_somebody_else_is_refused(entry: str, reason: str) -> None:
    """An entry of our id that is not ours stays, and it is said why, without its secrets."""
    with pytest.raises(ProvisionError, match=f"provider.antigravity {reason}") as caught:
        CONFIG.provisioned(f'{{"provider": {{"antigravity": {entry}}}}}', ROUTE, add_models=False)
    assert "secret" not in str(caught.value)


def test_model_without_levels_offers_none() -> None:
    """A model that cannot think has no variants."""
    model = replace(MODELS[0], efforts=())
    text = CONFIG.provisioned("", Route("http://127.0.0.1:1/v1", (model,)), add_models=False)
    row = json.loads(text)["provider"]["antigravity"]["models"]["gemini-3.8-flash"]
    assert row["reasoning"] is False
    assert "variants" not in row
